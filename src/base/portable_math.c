#include "base/portable_math.h"

/* ln 2 = LN2_HI + LN2_LO; products of LN2_HI with integers below 2^21 are exact. */
static const double LN2_HI = 0x1.62e42feep-1, LN2_LO = 0x1.a39ef35793c76p-33;
static const double LOG2_E = 0x1.71547652b82fep+0;

/* x = k ln 2 + r, |r| <= ln(2) / 2, and the Taylor series of e^r. r is kept with the
   error of its rounding, which enters to first order. */
double zb_portable_exp(double x)
{
    if (!(x < 710))
        return INFINITY;
    if (x < -746)
        return 0;
    double k = floor(x * LOG2_E + 0.5), hi = x - k * LN2_HI, lo = k * LN2_LO;
    double r = hi - lo, rest = (hi - r) - lo, sum = 0;
    for (int n = 14; n >= 3; n--) /* sum = 1/3 (1 + r/4 (1 + r/5 (...))) */
        sum = (1 + r * sum) / n;
    double tail = r * r * 0.5 * (1 + r * sum);
    return ldexp(1 + (r + (tail + rest)), (int)k);
}

/* x = 2^k (1 + f), 1 + f within a factor sqrt(2) of 1. With s = f / (2 + f),
   ln(1 + f) = 2 (s + s^3/3 + s^5/5 + ...), and 2 s = f - f^2/2 + s f^2/2 is summed so
   that the leading term f is exact. */
double zb_portable_log(double x)
{
    int k;
    if (!(x > 0))
        return -INFINITY;
    if (x == INFINITY)
        return x;
    double m = frexp(x, &k), sum = 0;
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    for (int n = 25; n >= 3; n -= 2) /* sum = 2 z/3 + 2 z^2/5 + ... */
        sum = z * (2.0 / n + sum);
    return k * LN2_HI - ((half - (s * (half + sum) + k * LN2_LO)) - f);
}

/* Marsaglia's polar method; the second deviate is not used. */
double zb_portable_normal(zb_rng *rng)
{
    double u, v, s;
    do {
        u = 2 * zb_rng_uniform(rng) - 1;
        v = 2 * zb_rng_uniform(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * zb_portable_log(s) / s);
}
