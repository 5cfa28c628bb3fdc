/* Where decisions of a search begin: near the middle of a tree decomposition, so that
 * what is left falls apart soon, and into parts of like size. */
#ifndef ZB_GUIDE_H
#define ZB_GUIDE_H

#include "base/run.h"
#include "model/model.h"

/* near[v], per variable: 1 for those of the middle bag of the decomposition that the
   order gives, less by equal steps for those that first occur farther from it, 0 for
   the farthest.

   Where bags have more variables than ZB_GUIDE_MOST in all, or the ticker says that the
   time is over, near is the place in the order, from 1 for the last one. ZB_ENOMEM. */
enum { ZB_GUIDE_MOST = 4000000 };
zb_status zb_guide_make(const zb_scopes *scopes, const int *order, zb_ticker *tick,
                        double *near);

/* What near is multiplied by where clauses and conflicts only decide between those that
   are equally near. */
#define ZB_GUIDE_FIRST 1e9

#endif
