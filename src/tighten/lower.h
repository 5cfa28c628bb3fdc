/* Lower bounds: which mini-bucket gets the positive weight, and gauges that keep every
 * transformed factor non-negative (without that the "lower bound" is none). */
#ifndef ZB_LOWER_H
#define ZB_LOWER_H

#include "tighten/tighten.h"

/* Choose the positive mini-bucket of every split bucket and first weights. */
zb_status zb_lower_start(zb_tighten *t);

/* Try other choices bucket by bucket and keep what raises the bound; at most `passes`
   evaluations. Returns those spent. The run may be NULL. */
int64_t zb_lower_flip(zb_tighten *t, int64_t passes, zb_run *run);

#endif
