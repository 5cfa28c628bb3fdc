/* Lower bounds: which mini-bucket gets the positive weight, and gauges that keep every
 * transformed factor non-negative (without that the "lower bound" is none). */
#ifndef ZB_LOWER_H
#define ZB_LOWER_H

#include "tighten/tighten.h"

/* The positive mini-bucket of every bucket; then first weights with those of t. */
zb_status zb_lower_choose(const zb_tree *tree, const zb_model *model, int *positive);
void zb_lower_begin(zb_tighten *t);
/* Both, of a whole tree. */
zb_status zb_lower_start(zb_tighten *t);

/* Try other choices bucket by bucket and keep what raises the bound; at most `passes`
   evaluations. Returns those spent. The run may be NULL. */
int64_t zb_lower_flip(zb_tighten *t, int64_t passes, zb_run *run);

#endif
