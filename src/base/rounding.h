/* Rounding errors, and where they go: outward.
 *
 * A number that is reported as a bound holds for the real numbers, not up to rounding.
 * So whatever computes one also computes a radius, a bound on how far the rounding of
 * doubles may have moved it, in nats: relative errors of linear values and absolute
 * errors of logarithms are the same thing then. Radii add up; the last step is
 * zb_down(x, radius) or zb_up(x, radius).
 *
 * One operation has a relative error of at most ZB_UNIT = 2^-53 =: u. n of them in a
 * row have (1 + u)^n - 1 < 1.01 n u while n < 2^46, and ln(1 + e) < e; for the lower
 * side -ln(1 - n u) < 1.01 n u likewise. The factor 1.01 (ZB_MARGIN) is put in once,
 * where a radius is made, and also covers the rounding of the radius itself. Underflow
 * does not occur: see pass/pass_table.h. */
#ifndef ZB_ROUNDING_H
#define ZB_ROUNDING_H

#include "base/base.h"

#define ZB_UNIT 0x1p-53
#define ZB_MARGIN 1.01

/* A number that is within radius of mid. */
typedef struct zb_ball {
    double mid, radius;
} zb_ball;

/* x - radius and x + radius, in the direction that is safe. Infinite x: as it is, and
   so where the radius is 0; one that is no number is infinite. */
static inline double zb_down(double x, double radius)
{
    if (isinf(x) || radius == 0)
        return x;
    return isfinite(radius) ? nextafter(x - radius, -INFINITY) : -INFINITY;
}

static inline double zb_up(double x, double radius)
{
    if (isinf(x) || radius == 0)
        return x;
    return isfinite(radius) ? nextafter(x + radius, INFINITY) : INFINITY;
}

#endif
