/* Loops of the exact elimination over bare arrays. Arrays do not overlap (restrict)
 * unless it is said that they may. Linear values are >= 0 and finite; logarithms are
 * -INFINITY for zero. */
#ifndef ZB_EXACT_KERNEL_H
#define ZB_EXACT_KERNEL_H

#include "base/base.h"

/* out[c len + j] = in[at[c] + j]; out[c len + j] = in[at[c]]. */
void zb_ek_copy_runs(size_t runs, size_t len, const int *restrict at,
                     const double *restrict in, double *restrict out);
void zb_ek_fill_runs(size_t runs, size_t len, const int *restrict at,
                     const double *restrict in, double *restrict out);

/* out = a b, out = a + b, out = c a, out = c + a, entry by entry: out may be a or b. */
void zb_ek_mul(size_t n, const double *a, const double *b, double *out);
void zb_ek_add(size_t n, const double *a, const double *b, double *out);
void zb_ek_mul1(size_t n, double c, const double *a, double *out);
void zb_ek_add1(size_t n, double c, const double *a, double *out);

/* out = c a + d b, out += c a + d b, out += c a. */
void zb_ek_set2(size_t n, double c, const double *restrict a, double d,
                const double *restrict b, double *restrict out);
void zb_ek_acc2(size_t n, double c, const double *restrict a, double d,
                const double *restrict b, double *restrict out);
void zb_ek_acc1(size_t n, double c, const double *restrict a, double *restrict out);

/* out[i r + j] = sum_x m[x step + i] f[x r + j], x < k. */
void zb_ek_outer(size_t rows, size_t r, size_t k, const double *restrict m, size_t step,
                 const double *restrict f, double *restrict out);

/* One more term c + a[i] of a sum kept as sum[i] exp(top[i]); begin with sum 0 and top
   -INFINITY. Then out = top + ln sum; out may be top. */
void zb_ek_logsum_step(size_t n, double c, const double *restrict a,
                       double *restrict top, double *restrict sum);
void zb_ek_logsum_end(size_t n, const double *top, const double *restrict sum,
                      double *out);

/* Widen [*low, *high] by the values that are not zero (linear > 0, logs > -INFINITY).
 */
void zb_ek_range(size_t n, const double *v, bool log, double *low, double *high);

/* v *= c; v = ln v; v -= c; v = exp(v - c): in place. */
void zb_ek_scale(size_t n, double c, double *v);
void zb_ek_to_log(size_t n, double *v);
void zb_ek_shift(size_t n, double c, double *v);
void zb_ek_to_linear(size_t n, double c, double *v);

#endif
