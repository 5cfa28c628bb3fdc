/* What the mini-buckets of a bucket share, on which weights and shifts may depend. */
#ifndef ZB_SHARED_H
#define ZB_SHARED_H

#include "tree/tree.h"

/* Into t->bucket and t->shared: for every split bucket, the variables that all of its
   mini-buckets contain. */
zb_status zb_shared_find(zb_tree *t);

/* Before that: cliques take in variables as far as they have room, so that mini-buckets
   share more. *bytes: what was taken for it, at most. */
zb_status zb_shared_extend(zb_tree *t, const zb_split_spec *spec, zb_ticker *tick,
                           size_t *bytes);

/* What splits cost, about, from the structure alone: the sum over all of them of 1 over
   the states of what is shared. Of trees with cliques of a size, those with less have
   tighter bounds (docs/decisions.md). */
double zb_shared_loss(const zb_tree *t);

#endif
