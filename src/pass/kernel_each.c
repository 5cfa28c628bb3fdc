/* Elementwise loops over tables. */
#include "pass/kernel_extent.h"

ZB_CLONES void zb_kernel_exp(size_t n, const double *x, double shift, double *out)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double a = x[i] - shift, e = zb_vexp_normal(a);
        out[i] = a >= EXP_LEAST ? e : 0;
    }
}

ZB_CLONES void zb_kernel_log_abs(size_t n, const double *x, double shift, double *out)
{
    log_row(n, x, shift, out);
}

ZB_CLONES zb_extent zb_kernel_range(size_t n, const double *x)
{
    lanes e = no_lanes(LANES, 0);
    widen(LANES, n, x, &e);
    return join_lanes(LANES, &e);
}

ZB_CLONES zb_extent zb_kernel_log_range(size_t n, const double *x)
{
    zb_extent e = { -INFINITY, INFINITY };
    for (size_t i = 0; i < n; i++) {
        double z = x[i] == -INFINITY ? INFINITY : x[i];
        e.most = x[i] > e.most ? x[i] : e.most;
        e.least = z < e.least ? z : e.least;
    }
    return e;
}

ZB_CLONES void zb_kernel_subtract(size_t n, const double *x, double shift, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] - shift;
}

ZB_CLONES void zb_kernel_scale(size_t n, const double *x, double by, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = by * x[i];
}
