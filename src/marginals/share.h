/* Shares of a sum, from logarithms, rounded to the safe side. */
#ifndef ZB_SHARE_H
#define ZB_SHARE_H

#include "base/explog.h"
#include "base/rounding.h"

/* e^mine / (e^mine + e^others), mine and others bounds in the direction `outward` (+1,
   -1) and its opposite; others is a sum of n terms that were added as logarithms. What
   n additions and the difference may be off by goes into the exponent; exp, the sum and
   the quotient are rounded by 5 units at most. */
static inline double zb_share(double mine, double others, double n, int outward)
{
    if (mine == -INFINITY)
        return 0;
    if (others == -INFINITY)
        return 1;
    if (mine == INFINITY || others == INFINITY)
        return outward > 0 ? 1 : 0;
    double slack = 8 * n * ZB_UNIT * (fabs(mine) + fabs(others) + 1);
    double share = 1 / (1 + zb_exp(others - mine - outward * slack));
    share = share * (1 + outward * 8 * ZB_UNIT) + outward * DBL_MIN;
    return fmin(1, fmax(0, share));
}

static inline double zb_share_below(double mine, double others, double n)
{
    return zb_share(mine, others, n, -1);
}

static inline double zb_share_above(double mine, double others, double n)
{
    return zb_share(mine, others, n, 1);
}

#endif
