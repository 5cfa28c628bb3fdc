/* Sums of many logarithms, compensated, with a bound on what rounding did to them. */
#ifndef ZB_SUM_H
#define ZB_SUM_H

#include "base/explog.h"
#include "base/rounding.h"

/* ln x, x >= 0. */
static inline zb_ball zb_log_ball(double x)
{
    double log = zb_log(x);
    double units = log == -INFINITY ? 0 : 2 * ZB_LOG_ULP * fabs(log);
    return (zb_ball){ log, ZB_MARGIN * ZB_UNIT * units };
}

/* exp2 ln 2 + the sum of what was added. All zero: the empty sum. */
typedef struct zb_sum {
    int64_t exp2;
    double sum, carry; /* Neumaier: what rounding took from sum is in carry */
    double most;       /* the largest magnitude that sum has had */
    double count;      /* of additions */
    double radius;     /* of all that was added */
} zb_sum;

void zb_sum_add(zb_sum *s, double x);
static inline void zb_sum_add_ball(zb_sum *s, zb_ball x)
{
    zb_sum_add(s, x.mid);
    s->radius += x.radius;
}

/* -INFINITY, with radius 0, once that was among the terms. */
zb_ball zb_sum_value(const zb_sum *s);
/* What the sum is at least, and at most. */
static inline double zb_sum_down(const zb_sum *s)
{
    zb_ball x = zb_sum_value(s);
    return zb_down(x.mid, x.radius);
}
static inline double zb_sum_up(const zb_sum *s)
{
    zb_ball x = zb_sum_value(s);
    return zb_up(x.mid, x.radius);
}

#endif
