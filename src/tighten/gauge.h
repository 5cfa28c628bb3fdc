/* Gauge transformations of a Forney-style model, in a tree's layout.
 *
 * Variable v sits in the factors a < b. A gauge is an invertible matrix G_v; factor a
 * is multiplied along v by G_v, factor b by its inverse transpose, which leaves Z as it
 * is: f_hat(x) = sum_{x'} f(x') prod_v G_v(x_v, x'_v). The transformed tables are
 * always computed from the original ones and the cumulative gauges. They may be
 * negative. */
#ifndef ZB_GAUGE_H
#define ZB_GAUGE_H

#include "model/table.h"
#include "tree/tree.h"

typedef struct zb_gauge {
    const zb_tree *tree; /* borrowed */
    int *first, *second; /* the two factors of a variable; -1: not gauged */
    bool *free_var;      /* may be moved; others stay at the identity */
    size_t *matrix_at;   /* per variable, into matrix and inverse; d * d each */
    double *matrix;      /* G_v, row-major */
    double *inverse;     /* inverse transpose of G_v */
    size_t nmatrix;
    size_t *table_at;       /* per factor */
    double *original, *hat; /* linear, the largest magnitude of an original is 1 */
    double *log_scale;      /* per factor: ln of what the original is short of */
    bool *linear; /* per factor: fits linear values; else none of its variables moves */
    double *scratch; /* two of the largest table */
    size_t largest;
} zb_gauge;

/* ZB_EINVAL when the model is not Forney-style. Gauges start at the identity. */
zb_status zb_gauge_new(zb_gauge **out, const zb_tree *tree, const zb_model *model);
/* Of a part of a tree, with the factors that are in it: those variables move that have
   a first or a second one (-1: elsewhere, or the variable does not move). */
zb_status zb_gauge_new_part(zb_gauge **out, const zb_tree *tree, const zb_model *model,
                            const int *first, const int *second);
/* Which variables a gauge lets move, from their factors. */
zb_status zb_gauge_find_free(const zb_tree *tree, const zb_model *model,
                             const int *first, const int *second, bool *free_var);
void zb_gauge_free(zb_gauge *gauge);
void zb_gauge_clear(zb_gauge *gauge); /* back to the identity, all of them */

/* Set G_v. ZB_EINVAL when it is singular or worse conditioned than 1e8; nothing changes
 * then. */
zb_status zb_gauge_set(zb_gauge *gauge, int var, const double *matrix);
/* G_v <- (I + E) G_v, then scaled so that it and its inverse are about alike. Same
   refusal. */
zb_status zb_gauge_step(zb_gauge *gauge, int var, const double *e);

/* The same, but only if the two factors' transformed tables stay non-negative, no entry
   falling below a twentieth of what it was: the off-diagonal part of E is halved until
   that holds. The tables are updated too. Diagonal steps are always possible. */
zb_status zb_gauge_step_positive(zb_gauge *gauge, int var, const double *e);
/* The same where one of the two factors is elsewhere: which of the tries the one that
   is here allows, a bit for each; then the first of those on which both agree. */
enum { ZB_GAUGE_TRIES = 8 };
unsigned zb_gauge_possible(const zb_gauge *gauge, int var, const double *e);
zb_status zb_gauge_step_agreed(zb_gauge *gauge, int var, const double *e,
                               unsigned agreed);

void zb_gauge_transform(zb_gauge *gauge, int factor); /* recompute hat of a factor */
static inline double *zb_gauge_hat(const zb_gauge *g, int factor)
{
    return g->hat + g->table_at[factor];
}
/* out(.., i, ..) = sum_j m(i,j) in(.., j, ..) along an axis. */
void zb_gauge_apply(zb_shape axis, const double *m, const double *restrict in,
                    double *restrict out);
size_t zb_gauge_table_size(const zb_gauge *gauge, int factor);

/* M_v(i,j) += side of: sum_rest D_a(i,rest) f_a(j,rest) - sum_rest D_b(j,rest)
   f_b(i,rest), the derivative by E in G_v <- (I + E) G_v, from D = d bound / d f_hat of
   one factor. grad is indexed like matrix. */
void zb_gauge_gradient(const zb_gauge *gauge, int factor, const double *derivative,
                       double *grad);

/* d x d, row-major: out = inverse transpose of in; false when singular or
 * ill-conditioned. */
bool zb_gauge_invert(int d, const double *restrict in, double *restrict out);

#endif
