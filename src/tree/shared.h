/* What the mini-buckets of a bucket share, on which weights and shifts may depend. */
#ifndef ZB_SHARED_H
#define ZB_SHARED_H

#include "tree/tree.h"

/* Into t->bucket and t->shared: for every split bucket, the variables that all of its
   mini-buckets contain. */
zb_status zb_shared_find(zb_tree *t);

/* Before that: cliques take in variables as far as they have room, so that mini-buckets
   share more. max_entries as in zb_split_spec. *bytes: what was taken for it, at most.
 */
zb_status zb_shared_extend(zb_tree *t, double max_entries, zb_ticker *tick,
                           size_t *bytes);

#endif
