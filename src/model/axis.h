/* Loops over one axis of a table of log-values.
 *
 * A table in C order is read as outer x n x inner, where n is the cardinality of the
 * axis, outer the product of those before it and inner of those after it. -INFINITY is
 * zero; +INFINITY and NaN do not occur. in and out do not overlap (restrict) unless it
 * is said that they may be the same array. */
#ifndef ZB_AXIS_H
#define ZB_AXIS_H

#include "base/base.h"

/* A table whose axes all have two values or more fits no memory with so many axes. */
enum { ZB_MAX_AXES = 64 };

/* out[o,j,i] = in[o,keep[j],i] for j < k. out may be in when keep is ascending. */
void zb_axis_take(size_t outer, size_t n, size_t inner, size_t k, const int *keep,
                  const double *in, double *out);

/* out[o,i] = ln sum_x exp in[o,x,i]. out may be in. */
void zb_axis_sum(size_t outer, size_t n, size_t inner, const double *in, double *out);

/* Does in[o,x,i] depend on x by more than tol? tol = 0: bit by bit. */
bool zb_axis_constant(size_t outer, size_t n, size_t inner, double tol,
                      const double *in);

/* out[x] += in[sum of x_i stride_i] over all x of the axes; stride 0 for those that in
   does not have. */
void zb_axis_add(int arity, const int *card, const size_t *stride,
                 const double *restrict in, double *restrict out);

/* out[x] = in[start + sum of x_i stride_i], the axes of out having cardinality card. */
void zb_axis_gather(int arity, const int *card, const size_t *stride, size_t start,
                    const double *restrict in, double *restrict out);

/* out[x] = in[start + sum of offset_i[x_i]], where the lists offset_i of the axes,
   card_i entries each, follow one another. */
void zb_axis_pick(int arity, const int *card, const size_t *offset, size_t start,
                  const double *restrict in, double *restrict out);

/* Step x to the next state, the last axis fastest; returns the slowest axis that moved,
   -1 after the last state (x is all 0 again). */
static inline int zb_axis_next(int arity, const int *card, int *x)
{
    int i = arity - 1;
    while (i >= 0 && ++x[i] == card[i])
        x[i--] = 0;
    return i;
}

/* The offset sum of x_i stride_i after zb_axis_next said that `moved` went up, so that
   the later axes went to 0. */
static inline size_t zb_axis_follow(int arity, const int *card, const size_t *stride,
                                    int moved, size_t at)
{
    at += stride[moved];
    for (int i = moved + 1; i < arity; i++)
        at -= (size_t)(card[i] - 1) * stride[i];
    return at;
}

#endif
