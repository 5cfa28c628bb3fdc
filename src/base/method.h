/* A method is a row: who computes it, which sides it bounds, what it moves. Nothing in
 * the library asks for a method by name or by its place among the others where it means
 * one of these. */
#ifndef ZB_METHOD_H
#define ZB_METHOD_H

#include "base/base.h"

typedef enum zb_solver {
    ZB_SOLVER_AUTO,     /* auto/: a choice among the others */
    ZB_SOLVER_EXACT,    /* exact/: elimination without splitting */
    ZB_SOLVER_BUCKETS,  /* tighten/: mini-buckets; has a state to keep and go on from */
    ZB_SOLVER_BASELINE, /* baseline/: on the factor graph */
    ZB_SOLVER_COUNT,    /* count/: sums by search */
} zb_solver;

typedef struct zb_method_row {
    zb_solver solver;
    bool upper, lower; /* bounds it has; a method with neither gives an estimate */
    bool exact;        /* both sides meet, or there is no answer */
    bool formed;       /* bounds any form of the model, as the options say */
    /* Mini-buckets: what is moved to tighten the bound. Nothing: it is computed once.
     */
    bool weights; /* of Hoelder's inequality, per bucket */
    bool theta;   /* shifts between the mini-buckets of a bucket */
    bool gauges;  /* of the variables; wants a Forney-style form */
    bool extreme; /* weights are limits: a sum in one mini-bucket, max or min in others
                   */
} zb_method_row;

/* The method must be one: options are checked before they get here. */
const zb_method_row *zb_method_find(zb_method method);

static inline bool zb_method_is_fixed(const zb_method_row *m)
{
    return !m->weights && !m->theta && !m->gauges;
}

#endif
