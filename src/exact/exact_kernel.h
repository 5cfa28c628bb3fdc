/* Loops of the exact elimination over bare arrays. Arrays do not overlap unless it is
 * said that they may. Linear values are >= 0 and finite; logarithms are -INFINITY for
 * zero. */
#ifndef ZB_EXACT_KERNEL_H
#define ZB_EXACT_KERNEL_H

#include "base/base.h"

/* out[c len + j] = in[at[c] + j]; out[c len + j] = in[at[c]]. */
void zb_ek_copy_runs(size_t runs, size_t len, const int *at, const double *in,
                     double *out);
void zb_ek_fill_runs(size_t runs, size_t len, const int *at, const double *in,
                     double *out);

/* out = a b, out = a + b; out may be a or b. */
void zb_ek_mul(size_t n, const double *a, const double *b, double *out);
void zb_ek_add(size_t n, const double *a, const double *b, double *out);

/* out = c a + d b, out += c a + d b, and the same with one term. */
void zb_ek_set2(size_t n, double c, const double *a, double d, const double *b,
                double *out);
void zb_ek_acc2(size_t n, double c, const double *a, double d, const double *b,
                double *out);
void zb_ek_set1(size_t n, double c, const double *a, double *out);
void zb_ek_acc1(size_t n, double c, const double *a, double *out);

/* out[i r + j] = sum_x m[x step + i] f[x r + j], x < k. */
void zb_ek_outer(size_t rows, size_t r, size_t k, const double *m, size_t step,
                 const double *f, double *out);

/* One more term c + a[i] of a sum kept as sum[i] exp(top[i]); begin with sum 0 and top
   -INFINITY. Then out = top + ln sum; out may be top. */
void zb_ek_logsum_step(size_t n, double c, const double *a, double *top, double *sum);
void zb_ek_logsum_end(size_t n, const double *top, const double *sum, double *out);

/* Widen [*low, *high] by the values that are not zero (linear > 0, logs > -INFINITY).
 */
void zb_ek_range(size_t n, const double *v, bool log, double *low, double *high);

/* v *= c; v = ln v; v -= c; v = exp(v - c): in place. */
void zb_ek_scale(size_t n, double c, double *v);
void zb_ek_to_log(size_t n, double *v);
void zb_ek_shift(size_t n, double c, double *v);
void zb_ek_to_linear(size_t n, double c, double *v);

#endif
