/* Tables and their small algebra.
 *
 * A table is a zb_factor: an array in C order over a scope, the last axis fastest, of
 * numbers or of their logarithms. card is by variable. -INFINITY is zero; +INFINITY and
 * NaN do not occur. in and out do not overlap unless it is said that they may be the
 * same array.
 *
 * Two views of a table serve everything:
 *
 *   a shape   outer x n x inner, along one axis of n values: what is done to one axis;
 *   a walk    all states of some axes in C order, and the place in another table that
 *             goes along: products, restrictions, permutations, projections. */
#ifndef ZB_TABLE_H
#define ZB_TABLE_H

#include "base/explog.h"
#include "base/run.h"
#include "model/model.h"

/* A table whose axes all have two values or more fits no memory with so many axes. */
enum { ZB_MAX_AXES = 64 };

/* ---- scopes ---------------------------------------------------------------------- */

int zb_factor_axis(const zb_factor *f, int v); /* -1: v is not in the scope */
bool zb_factor_contains(const zb_factor *big, const zb_factor *small); /* scopes */
void zb_factor_clear(zb_factor *f); /* frees what it holds, and is empty then */

/* Entry i, in logs. */
static inline double zb_factor_log(const zb_factor *f, size_t i)
{
    return f->log ? f->value[i] : zb_log(f->value[i]);
}

/* ---- one axis -------------------------------------------------------------------- */

typedef struct zb_shape {
    size_t outer, n, inner; /* products of cardinalities: before, of, after the axis */
} zb_shape;

zb_shape zb_factor_shape(const zb_factor *f, const int *card, int axis);

/* out[o,j,i] = in[o,keep[j],i] for j < k. out may be in when keep is ascending. */
void zb_axis_take(zb_shape s, size_t k, const int *keep, const double *in, double *out);

/* out[o,i] = ln sum_x exp in[o,x,i]. out may be in. False when the time was over first;
   tick may be NULL. */
bool zb_axis_sum(zb_shape s, const double *in, double *out, zb_ticker *tick);
double zb_axis_sum_radius(zb_shape s, const double *out); /* nats, of what it wrote */

/* Does in[o,x,i] depend on x by no more than tol? tol = 0: bit by bit. *spread: by how
   much at most it differs from in[o,0,i], if so. */
bool zb_axis_constant(zb_shape s, double tol, const double *in, double *spread);

/* ---- walks ----------------------------------------------------------------------- */

/* State x and the place at = start + sum of x_i stride_i. */
typedef struct zb_walk {
    int axes;
    int x[ZB_MAX_AXES], card[ZB_MAX_AXES];
    size_t stride[ZB_MAX_AXES], at;
} zb_walk;

/* A walk over the states of scope, with the strides of f: at is f's entry at x. Axes
   that f does not have have stride 0; f's own that the scope does not have stay at
   their first value. At x = 0, at = 0. Returns the number of states. */
size_t zb_walk_begin(zb_walk *w, int arity, const int *scope, const int *card,
                     const zb_factor *f);

/* The next state; returns the slowest axis that moved, -1 after the last state, when x
   and at are as they were at the begin. */
static inline int zb_walk_next(zb_walk *w)
{
    int i = w->axes - 1;
    for (; i >= 0; i--) {
        w->at += w->stride[i];
        if (++w->x[i] < w->card[i])
            break;
        w->at -= w->stride[i] * (size_t)w->card[i];
        w->x[i] = 0;
    }
    return i;
}

/* out[x] = in[at(x)] over the whole walk. False when the time was over first; tick may
   be NULL. */
bool zb_walk_copy(zb_walk *w, const double *restrict in, double *restrict out,
                  zb_ticker *tick);

/* out[x] = f's entry at x, with value[v] for the variables that have one (-1: free). */
void zb_factor_restrict(const zb_factor *f, const int *card, const int *value,
                        double *out);

/* out[x] += ln of f's entry at x, for all x of the scope: f is absorbed by a table
   whose scope contains its own. False when the time was over first; tick may be NULL.
 */
bool zb_factor_absorb(const zb_factor *f, int arity, const int *scope, const int *card,
                      double *out, zb_ticker *tick);
/* Nats, of the n entries that it wrote. */
double zb_absorb_radius(const zb_factor *f, size_t n, const double *out);

/* out[x] = in[start + sum of offset_i[x_i]], where the lists offset_i of the axes,
   card_i entries each, follow one another: values left out or in another order. */
void zb_table_pick(int arity, const int *card, const size_t *offset, size_t start,
                   const double *restrict in, double *restrict out);

/* ---- entries --------------------------------------------------------------------- */

/* The smallest and the largest entry. */
void zb_table_range(size_t size, const double *value, double *low, double *high);

/* The largest magnitude of n logarithms, zeros left out. */
double zb_log_magnitude(size_t n, const double *log);

/* Nats: of logarithms that zb_log took, and of whatever was rounded once to them. */
static inline double zb_log_radius(size_t n, const double *log)
{
    return ZB_MARGIN * ZB_UNIT * 2 * ZB_LOG_ULP * zb_log_magnitude(n, log);
}
static inline double zb_once_radius(size_t n, const double *log)
{
    return ZB_MARGIN * ZB_UNIT * zb_log_magnitude(n, log);
}

/* The logarithms of a factor's entries other than zero: of the smallest and of the
   largest one (INFINITY and -INFINITY where there is none). zero: there are others. */
typedef struct zb_extremes {
    double least, most;
    bool zero;
} zb_extremes;
zb_extremes zb_factor_extremes(const zb_factor *f);

#endif
