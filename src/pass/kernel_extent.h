/* The extent of magnitudes, found in lanes side by side, and logarithms of a row.
 * Private to the kernels. */
#ifndef ZB_KERNEL_EXTENT_H
#define ZB_KERNEL_EXTENT_H

#include "pass/kernel_rows.h"

enum { LANES = 16 };

typedef struct lanes {
    double most[LANES], least[LANES];
} lanes;

/* count is how many lanes are used, a constant: few for few entries. */
INLINE lanes no_lanes(size_t count, double most)
{
    lanes e;
    for (size_t l = 0; l < count; l++) {
        e.most[l] = most;
        e.least[l] = INFINITY;
    }
    return e;
}

INLINE void widen_by(double x, double *most, double *least)
{
    double a = fabs(x), z = a == 0 ? INFINITY : a;
    *most = a > *most ? a : *most;
    *least = z < *least ? z : *least;
}

INLINE void widen(size_t count, size_t n, const double *restrict x, lanes *e)
{
    size_t whole = n / count * count;
    for (size_t b = 0; b < whole; b += count)
        for (size_t l = 0; l < count; l++)
            widen_by(x[b + l], &e->most[l], &e->least[l]);
    for (size_t l = 0; l < n % count; l++)
        widen_by(x[whole + l], &e->most[l], &e->least[l]);
}

INLINE zb_extent join_lanes(size_t count, const lanes *e)
{
    zb_extent all = { e->most[0], e->least[0] };
    for (size_t l = 1; l < count; l++) {
        all.most = e->most[l] > all.most ? e->most[l] : all.most;
        all.least = e->least[l] < all.least ? e->least[l] : all.least;
    }
    return all;
}

/* out may be x. */
INLINE void log_row(size_t n, const double *x, double shift, double *out)
{
#pragma omp simd
    for (size_t b = 0; b < n; b++)
        out[b] = zb_vlog(fabs(x[b])) + shift;
}

#endif
