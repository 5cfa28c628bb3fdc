/* exp and ln, the same bits with every compiler, processor and C library.
 *
 * Only + - * / of doubles and operations on their bits are used; each is correctly
 * rounded and none is fused (-ffp-contract=off). There are no tables and no branches,
 * so a loop over zb_vexp or zb_vlog becomes vector code, and its bits depend neither on
 * the length of the vectors nor on whether there are any. The library calls no exp, log
 * or pow of libm.
 *
 * Promised errors, in units in the last place of the exact value, for every argument
 * (subnormal results: in units of 2^-1074). docs/decisions.md has how they add up,
 * tests/mpfr_explog.c measures them. */
#ifndef ZB_EXPLOG_H
#define ZB_EXPLOG_H

#include "base/base.h"

#include <string.h>

#define ZB_EXP_ULP 1.0  /* zb_exp, zb_vexp, zb_vexp_normal; 0.82 was the most seen */
#define ZB_LOG_ULP 1.0  /* zb_log, zb_vlog, zb_vlog_normal; 0.87 */
#define ZB_REST_ULP 2.0 /* log1p, expm1, exp2, log2; 1.6. zb_pow: 1 + 3 |y ln x| */

/* For single values. */
double zb_exp(double x);               /* 0 for -INFINITY and NaN */
double zb_log(double x);               /* x >= 0; -INFINITY for 0 */
double zb_log1p(double x);             /* ln(1 + x), x >= 0 */
double zb_expm1(double x);             /* e^x - 1 */
double zb_exp2(double x);              /* exact for integers */
double zb_log2(double x);              /* exact for powers of two */
double zb_pow(double x, double y);     /* e^(y ln x), x > 0 */
double zb_log_add(double a, double b); /* ln(e^a + e^b), -INFINITY for zero */

/* ---- for loops ------------------------------------------------------------------- */

ZB_INLINE uint64_t zb_bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

ZB_INLINE double zb_double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ln 2 = ZB_LN2_HI + ZB_LN2_LO; products of ZB_LN2_HI with integers below 2^21 are
   exact. */
static const double ZB_LN2_HI = 0x1.62e42feep-1, ZB_LN2_LO = 0x1.a39ef35793c76p-33;
static const double ZB_LOG2_E = 0x1.71547652b82fep+0;

/* Added to a number below 2^50 it leaves n + 1023 in the lowest bits, n the integer
   next to that number; shifted by 52 they are the bits of 2^n. */
static const double ZB_ROUNDER = 0x1.8p52 + 1023;

ZB_INLINE double zb_two_to(double n) /* an integer of -1022 .. 1023 */
{
    return zb_double_of(zb_bits_of(n + ZB_ROUNDER) << 52);
}

/* e^r - 1 - r, |r| <= ln(2) / 2: minimax, within 2^-56.8 but for rounding. */
ZB_INLINE double zb_exp_tail(double r)
{
    double z = r * r, zz = z * z;
    double a = 0x1.000000000000cp-1 + r * 0x1.555555555557bp-3;
    double b = 0x1.555555554fe4ep-5 + r * 0x1.11111111060cbp-7;
    double c = 0x1.6c16c18626021p-10 + r * 0x1.a01a01e6e51d8p-13;
    double d = 0x1.a0199514ff6p-16 + r * 0x1.71dd7432e467bp-19;
    double e = 0x1.28b1c5a95fdb9p-22 + r * 0x1.b03e2f0b61ce8p-26;
    return z * ((a + z * b) + zz * ((c + z * d) + zz * e));
}

/* e^r for r = hi - lo; sum + rest is 1 + hi - lo without an error that counts. */
ZB_INLINE double zb_exp_reduced(double hi, double lo)
{
    double sum = 1 + hi, rest = ((1 - sum) + hi) - lo;
    return sum + (zb_exp_tail(hi - lo) + rest);
}

/* For -708 <= x <= 709; elsewhere some number or NaN. */
ZB_INLINE double zb_vexp_normal(double x)
{
    double z = x * ZB_LOG2_E + ZB_ROUNDER, n = z - ZB_ROUNDER;
    double y = zb_exp_reduced(x - n * ZB_LN2_HI, n * ZB_LN2_LO);
    return y * zb_double_of(zb_bits_of(z) << 52);
}

/* For all x. 2^n is applied in halves, so that subnormal results are rounded once. */
ZB_INLINE double zb_vexp(double x)
{
    double n = (x * ZB_LOG2_E + ZB_ROUNDER) - ZB_ROUNDER;
    double y = zb_exp_reduced(x - n * ZB_LN2_HI, n * ZB_LN2_LO);
    double half = (n * 0.5 + ZB_ROUNDER) - ZB_ROUNDER;
    y = y * zb_two_to(half) * zb_two_to(n - half);
    y = x < 710 ? y : INFINITY;
    return x > -746 ? y : 0;
}

/* k ln 2 + ln(1 + f), 1 + f within a factor sqrt(2) of 1. With s = f / (2 + f),
   ln(1 + f) = 2 s + s R(s^2), R(z) = 2 z/3 + 2 z^2/5 + ... minimax within 2^-59 of ln,
   and 2 s = f - h + s h, h = f^2/2, is summed so that the leading term f is exact. */
ZB_INLINE double zb_log_reduced(double k, double f)
{
    double s = f / (2 + f), z = s * s, zz = z * z, h = 0.5 * f * f;
    double a = 0x1.5555555555592p-1 + z * 0x1.999999997fdb9p-2;
    double b = 0x1.24924941f11b6p-2 + z * 0x1.c71c52095b88ap-3;
    double c = 0x1.74663eea2789fp-3 + z * 0x1.39a1ba6f470dbp-3;
    double r = z * ((a + zz * b) + (zz * zz) * (c + zz * 0x1.2f056736f8b09p-3));
    return k * ZB_LN2_HI - ((h - (s * (h + r) + k * ZB_LN2_LO)) - f);
}

/* x = 2^k m, sqrt(1/2) <= m < sqrt(2), x positive and normal. */
typedef struct zb_split2 {
    double k, m;
} zb_split2;

ZB_INLINE zb_split2 zb_split_exponent(double x)
{
    const uint64_t least = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
    uint64_t u = zb_bits_of(x) + (one - least), two_to_52 = 0x4330000000000000;
    return (zb_split2){ .k = zb_double_of((u >> 52) | two_to_52) - (0x1p52 + 1023),
                        .m = zb_double_of((u & 0xfffffffffffff) + least) };
}

/* For positive normal x; some finite number for 0 and subnormals. */
ZB_INLINE double zb_vlog_normal(double x)
{
    zb_split2 s = zb_split_exponent(x);
    return zb_log_reduced(s.k, s.m - 1);
}

/* For all x >= 0. */
ZB_INLINE double zb_vlog(double x)
{
    bool tiny = x < 0x1p-1022;
    zb_split2 s = zb_split_exponent(tiny ? x * 0x1p54 : x);
    double l = zb_log_reduced(tiny ? s.k - 54 : s.k, s.m - 1);
    l = x > 0 ? l : -INFINITY;
    return x < INFINITY ? l : x;
}

#endif
