/* The loops are written so that both gcc and clang turn them into vector code without
 * leave to reorder sums: the sum over the eliminated variable is taken entry by entry,
 * in the order of its values. */
#include "exact/exact_kernel.h"

#include "base/explog.h"

#include <string.h>

enum { LANES = 16 };

static inline void copy_runs(size_t runs, size_t len, const int *restrict at,
                             const double *restrict in, double *restrict out)
{
    for (size_t c = 0; c < runs; c++)
        for (size_t j = 0; j < len; j++)
            out[c * len + j] = in[(size_t)at[c] + j];
}

static inline void fill_runs(size_t runs, size_t len, const int *restrict at,
                             const double *restrict in, double *restrict out)
{
    for (size_t c = 0; c < runs; c++) {
        double v = in[at[c]];
        for (size_t j = 0; j < len; j++)
            out[c * len + j] = v;
    }
}

ZB_CLONES
void zb_ek_copy_runs(size_t runs, size_t len, const int *restrict at,
                     const double *restrict in, double *restrict out)
{
    switch (len) { /* short runs with a constant length are unrolled */
    case 1: copy_runs(runs, 1, at, in, out); break;
    case 2: copy_runs(runs, 2, at, in, out); break;
    case 4: copy_runs(runs, 4, at, in, out); break;
    case 8: copy_runs(runs, 8, at, in, out); break;
    default: copy_runs(runs, len, at, in, out); break;
    }
}

ZB_CLONES
void zb_ek_fill_runs(size_t runs, size_t len, const int *restrict at,
                     const double *restrict in, double *restrict out)
{
    switch (len) {
    case 2: fill_runs(runs, 2, at, in, out); break;
    case 3: fill_runs(runs, 3, at, in, out); break;
    case 4: fill_runs(runs, 4, at, in, out); break;
    case 8: fill_runs(runs, 8, at, in, out); break;
    default: fill_runs(runs, len, at, in, out); break;
    }
}

ZB_CLONES
void zb_ek_mul(size_t n, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

ZB_CLONES
void zb_ek_add(size_t n, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

ZB_CLONES
void zb_ek_mul1(size_t n, double c, const double *a, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = c * a[i];
}

ZB_CLONES
void zb_ek_add1(size_t n, double c, const double *a, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = c + a[i];
}

ZB_CLONES
void zb_ek_set2(size_t n, double c, const double *restrict a, double d,
                const double *restrict b, double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = c * a[i] + d * b[i];
}

ZB_CLONES
void zb_ek_acc2(size_t n, double c, const double *restrict a, double d,
                const double *restrict b, double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (out[i] + c * a[i]) + d * b[i];
}

ZB_CLONES
void zb_ek_acc1(size_t n, double c, const double *restrict a, double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += c * a[i];
}

/* out[i r + j] for all i and a constant r < 4: vectors run over i. */
static inline void outer_narrow(size_t rows, size_t r, size_t k,
                                const double *restrict m, size_t step,
                                const double *restrict f, double *restrict out)
{
    if (k == 2) {
        const double *restrict n = m + step;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < r; j++)
                out[i * r + j] = m[i] * f[j] + n[i] * f[r + j];
        return;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < r; j++)
            out[i * r + j] = m[i] * f[j];
    for (size_t x = 1; x < k; x++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < r; j++)
                out[i * r + j] += m[x * step + i] * f[x * r + j];
}

/* The same with vectors over j; r may be a constant. */
static inline void outer_wide(size_t rows, size_t r, size_t k, const double *restrict m,
                              size_t step, const double *restrict f,
                              double *restrict out)
{
    for (size_t i = 0; i < rows; i++) {
        double *restrict o = out + i * r;
        double v = m[i];
        for (size_t j = 0; j < r; j++)
            o[j] = v * f[j];
        for (size_t x = 1; x < k; x++) {
            double u = m[x * step + i];
            for (size_t j = 0; j < r; j++)
                o[j] += u * f[x * r + j];
        }
    }
}

ZB_CLONES
void zb_ek_outer(size_t rows, size_t r, size_t k, const double *restrict m, size_t step,
                 const double *restrict f, double *restrict out)
{
    switch (r) {
    case 2: outer_narrow(rows, 2, k, m, step, f, out); break;
    case 3: outer_narrow(rows, 3, k, m, step, f, out); break;
    case 4: outer_wide(rows, 4, k, m, step, f, out); break;
    case 8: outer_wide(rows, 8, k, m, step, f, out); break;
    case 16: outer_wide(rows, 16, k, m, step, f, out); break;
    default: outer_wide(rows, r, k, m, step, f, out); break;
    }
}

/* Of the new term and the largest so far, the smaller is e^-|difference| times the
   larger; 0 where both are zero, since -inf - -inf is NaN and zb_vexp gives 0 for it.
 */
ZB_CLONES
void zb_ek_logsum_step(size_t n, double c, const double *restrict a,
                       double *restrict top, double *restrict sum)
{
    for (size_t i = 0; i < n; i++) {
        double v = c + a[i], t = top[i], e = zb_vexp(-fabs(v - t));
        double grown = sum[i] * e + 1, more = sum[i] + e;
        sum[i] = v > t ? grown : more;
        top[i] = v > t ? v : t;
    }
}

/* A sum has the term 1, or there is none and top is -inf. */
ZB_CLONES
void zb_ek_logsum_end(size_t n, const double *top, const double *restrict sum,
                      double *out)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        out[i] = top[i] + zb_vlog_normal(sum[i]);
}

/* Smallest value above zero and largest value, in LANES independent pairs. */
ZB_CLONES
static void range_lanes(size_t n, const double *restrict v, double zero,
                        double *restrict low, double *restrict high)
{
    for (size_t i = 0; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++) {
            double a = v[i + j], b = a > zero ? a : INFINITY;
            high[j] = a > high[j] ? a : high[j];
            low[j] = b < low[j] ? b : low[j];
        }
}

void zb_ek_range(size_t n, const double *v, bool log, double *low, double *high)
{
    double zero = log ? -INFINITY : 0, l[LANES], h[LANES];
    for (size_t j = 0; j < LANES; j++)
        l[j] = *low, h[j] = *high;
    range_lanes(n, v, zero, l, h);
    for (size_t i = n / LANES * LANES; i < n; i++) {
        h[0] = v[i] > h[0] ? v[i] : h[0];
        l[0] = v[i] > zero && v[i] < l[0] ? v[i] : l[0];
    }
    for (size_t j = 0; j < LANES; j++) {
        *high = h[j] > *high ? h[j] : *high;
        *low = l[j] < *low ? l[j] : *low;
    }
}

ZB_CLONES
void zb_ek_scale(size_t n, double c, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] *= c;
}

ZB_CLONES
void zb_ek_to_log(size_t n, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = zb_vlog(v[i]);
}

void zb_ek_shift(size_t n, double c, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] -= c;
}

ZB_CLONES
void zb_ek_to_linear(size_t n, double c, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = zb_vexp(v[i] - c);
}
