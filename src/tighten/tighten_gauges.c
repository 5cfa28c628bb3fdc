/* Gauges of the objective: tables that they transform, their steps and derivatives. */
#include "tighten/tighten_internal.h"

#include "tighten/fleet.h"

#include <string.h>

static const double STEP_MOST = 0.4; /* entries of a gauge's step */

/* Reverse Hoelder bounds the sum of absolute values, which is above Z once a product is
   negative: on the lower side a table with a negative entry is refused. Entries that
   are negative by no more than rounding are zeros. */
static bool clear_rounding(size_t n, double *hat)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(hat[i]));
    for (size_t i = 0; i < n; i++) {
        if (hat[i] < -1e-14 * most)
            return false;
        hat[i] = fmax(hat[i], 0);
    }
    return true;
}

static void load_hat(zb_tighten *t, int f)
{
    double *hat = zb_gauge_hat(t->gauge, f);
    zb_gauge_transform(t->gauge, f);
    if (t->spec.side == ZB_SIDE_LOWER &&
        !clear_rounding(zb_gauge_table_size(t->gauge, f), hat))
        t->invalid = true;
    zb_pass_set_linear(t->pass, f, hat, t->gauge->log_scale[f]);
}

void zb_tighten_load_gauged(zb_tighten *t)
{
    t->invalid = false;
    if (t->spec.seams != NULL && t->spec.seams->any)
        zb_pass_expect_signs(t->pass);
    for (int f = 0; f < t->model->nfactors; f++)
        if (t->touched[f])
            load_hat(t, f);
}

/* seam: -1, or its number where the other factor is elsewhere. */
static void move_gauge(zb_tighten *t, int v, int seam, const double *step)
{
    double e[64 * 64], most = 0;
    size_t at = t->gauge->matrix_at[v], n = t->gauge->matrix_at[v + 1] - at;
    if (!t->gauge->free_var[v])
        return;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(step[at + i]));
    double cut = most > STEP_MOST ? STEP_MOST / most : 1;
    for (size_t i = 0; i < n; i++)
        e[i] = cut * step[at + i];
    /* refused steps leave the gauge as it is */
    if (t->spec.side == ZB_SIDE_UPPER)
        zb_gauge_step(t->gauge, v, e);
    else if (seam < 0)
        zb_gauge_step_positive(t->gauge, v, e);
    else {
        unsigned mine = zb_gauge_possible(t->gauge, v, e);
        zb_gauge_step_agreed(t->gauge, v, e,
                             zb_seams_agree(t->spec.seams, seam, t->spec.crew,
                                            zb_pass_options(t->pass)->run, mine));
    }
}

void zb_tighten_move_gauges(zb_tighten *t, const double *step)
{
    const zb_seams *s = t->spec.seams;
    for (int v = 0; v < t->tree->nvars && s == NULL; v++)
        move_gauge(t, v, -1, step);
    for (int i = 0; s != NULL && i < s->count; i++)
        move_gauge(t, s->var[i], s->which[i], step);
    zb_tighten_load_gauged(t);
}

void zb_tighten_gauge_gradient(zb_tighten *t, double *grad)
{
    memset(grad, 0, t->gauge->nmatrix * sizeof *grad);
    for (int f = 0; f < t->model->nfactors; f++)
        if (t->touched[f]) {
            zb_pass_derivative(t->pass, f, zb_gauge_hat(t->gauge, f), t->derivative);
            zb_gauge_gradient(t->gauge, f, t->derivative, grad);
        }
    if (t->spec.seams != NULL)
        zb_seams_add(t->spec.seams, t->gauge, t->spec.crew,
                     zb_pass_options(t->pass)->run, grad);
}

/* A variable eliminated by an exact signed sum does not feel its gauge. Of a part this
   is known already (zb_seam_plan_new). */
static void freeze_exact(zb_tighten *t)
{
    for (int v = 0; v < t->tree->nvars && t->spec.seams == NULL; v++) {
        const zb_bucket *b = &t->tree->bucket[t->tree->pos[v]];
        if (b->count == 0 || (b->count == 1 && zb_pass_is_exact(t->pass, b->first)))
            t->gauge->free_var[v] = false;
    }
    for (int f = 0; f < t->model->nfactors; f++)
        for (size_t i = t->tree->scope_at[f]; i < t->tree->scope_at[f + 1]; i++)
            t->touched[f] = t->touched[f] || t->gauge->free_var[t->tree->scope[i]];
}

static zb_status make_gauge(zb_tighten *t)
{
    const zb_seams *s = t->spec.seams;
    if (s == NULL)
        return zb_gauge_new(&t->gauge, t->tree, t->model);
    return zb_gauge_new_part(&t->gauge, t->tree, t->model, s->first, s->second);
}

zb_status zb_tighten_begin_gauges(zb_tighten *t)
{
    zb_status status;
    size_t n = t->param->nweight + t->param->ntheta;
    TRY(make_gauge(t));
    double *best = zb_alloc(n + 2 * t->gauge->nmatrix, sizeof *best);
    TRY(best != NULL ? ZB_OK : ZB_ENOMEM);
    zb_free(t->best);
    t->best = best;
    zb_pass_reset(t->pass); /* which variables move depends on the tree alone */
    freeze_exact(t);
    zb_tighten_renew(t); /* so that the first value is rounded like all others */
    t->spec.gauges = true;
    zb_tighten_describe(t);
    zb_tighten_keep(t);
done:
    if (status != ZB_OK) {
        zb_gauge_free(t->gauge);
        t->gauge = NULL;
    }
    return status;
}

/* Over ranks: there, then here. */
zb_status zb_tighten_add_gauges(zb_tighten *t)
{
    zb_status status = ZB_OK;
    if (!zb_pass_options(t->pass)->gradient ||
        (t->spec.part != NULL && t->spec.seams == NULL))
        return ZB_EINVAL;
    if (t->gauge != NULL) {
        zb_tighten_select(t, t->spec.weights, t->spec.theta, true);
        return ZB_OK;
    }
    if (t->spec.fleet != NULL)
        TRY(zb_fleet_add_gauges(t->spec.fleet, zb_pass_options(t->pass)->run));
    TRY(zb_tighten_begin_gauges(t));
done:
    return status;
}

bool zb_tighten_has_gauges(const zb_tighten *t) { return t->gauge != NULL; }

bool zb_tighten_drop_gauges(zb_tighten *t)
{
    if (t->gauge == NULL)
        return false;
    if (t->spec.fleet != NULL)
        zb_fleet_drop_gauges(t->spec.fleet);
    zb_gauge_clear(t->gauge);
    zb_tighten_keep(t);
    return true;
}
