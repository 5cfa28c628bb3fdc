/* A configuration of positive weight: constraint satisfaction on the zeros of a model.
 */
#ifndef ZB_SUPPORT_H
#define ZB_SUPPORT_H

#include "baseline/factorgraph.h"

typedef enum zb_support {
    ZB_SUPPORT_FOUND,
    ZB_SUPPORT_NONE,    /* proved: every configuration has weight 0 */
    ZB_SUPPORT_GAVE_UP, /* the budget was spent, or the run ended */
} zb_support;

/* Complete search, preferring values with a larger score (var_at entries; -INFINITY
   excludes a value that is known to have weight 0). budget: literals that may be set on
   the way. run may be NULL. x: nvars values, valid when found. */
zb_status zb_support_find(const zb_graph *g, const double *score, double budget,
                          zb_run *run, int *x, zb_support *out);

#endif
