#include "base/explog.h"

double zb_exp(double x) { return zb_vexp(x); }

double zb_log(double x) { return zb_vlog(x); }

/* u = 1 + x is off by x - (u - 1), which enters to first order. */
double zb_log1p(double x)
{
    double u = 1 + x;
    return u < INFINITY ? zb_vlog(u) + (x - (u - 1)) / u : u;
}

double zb_expm1(double x)
{
    if (!(x < 700) || x < -40)
        return zb_vexp(x) - 1;
    double n = (x * ZB_LOG2_E + ZB_ROUNDER) - ZB_ROUNDER, two_n = zb_two_to(n);
    double hi = x - n * ZB_LN2_HI, lo = n * ZB_LN2_LO;
    return (two_n - 1) + two_n * (hi + (zb_exp_tail(hi - lo) - lo));
}

double zb_exp2(double x)
{
    if (!(x > -1080 && x < 1080))
        return x > 0 ? INFINITY : 0;
    double n = (x + ZB_ROUNDER) - ZB_ROUNDER,
           half = (n * 0.5 + ZB_ROUNDER) - ZB_ROUNDER;
    double y = zb_exp_reduced((x - n) * (ZB_LN2_HI + ZB_LN2_LO), 0);
    return y * zb_two_to(half) * zb_two_to(n - half);
}

double zb_log2(double x)
{
    if (!(x > 0 && x < INFINITY))
        return zb_vlog(x);
    bool tiny = x < 0x1p-1022;
    zb_split2 s = zb_split_exponent(tiny ? x * 0x1p54 : x);
    return (tiny ? s.k - 54 : s.k) + zb_log_reduced(0, s.m - 1) * ZB_LOG2_E;
}

double zb_pow(double x, double y) { return zb_vexp(y * zb_vlog(x)); }

double zb_log_add(double a, double b)
{
    double top = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? top : top + zb_log1p(zb_vexp(low - top));
}
