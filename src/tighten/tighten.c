#include "tighten/tighten_internal.h"

#include "base/explog.h"
#include "model/table.h"
#include "pass/layout.h"
#include "tighten/fleet.h"

#include <string.h>

static const double THETA_MOST = 1e4; /* shifts: rounding must not eat the bound */

/* ---- shifts ---------------------------------------------------------------------- */

/* Shifts of a bucket add up to zero at every entry: so do moves. */
static void project(const zb_tighten *t, double *x)
{
    const size_t *at = t->param->theta_at;
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        if (b->count < 2)
            continue;
        size_t n = zb_pass_theta_size(t->tree, b->first, t->spec.shared);
        for (size_t i = 0; i < n; i++) {
            double mean = 0;
            for (int m = b->first; m < b->first + b->count; m++)
                mean += x[at[m] + i];
            mean /= b->count;
            double last = 0; /* minus the sum of the others, see pass_radius.h */
            for (int m = b->first; m < b->first + b->count - 1; m++) {
                x[at[m] + i] -= mean;
                last -= x[at[m] + i];
            }
            x[at[b->first + b->count - 1] + i] = last;
        }
    }
}

void zb_tighten_hold_shifts(zb_tighten *t)
{
    double *x = t->param->theta;
    for (size_t i = 0; i < t->param->ntheta; i++)
        x[i] = fmin(fmax(x[i], -THETA_MOST), THETA_MOST);
    project(t, x);
}

static void move_theta(zb_tighten *t, const double *step)
{
    for (size_t i = 0; i < t->param->ntheta; i++)
        t->param->theta[i] += step[i];
    zb_tighten_hold_shifts(t);
}

/* ---- the objective --------------------------------------------------------------- */

double zb_tighten_evaluate(zb_tighten *t, double *grad)
{
    bool moves = grad != NULL && zb_pass_options(t->pass)->gradient;
    if (t->spec.fleet != NULL)
        zb_fleet_evaluate(t->spec.fleet, t, moves);
    zb_pass_refuse(t->pass, t->invalid);
    t->bound = zb_pass_forward(t->pass);
    t->cut = zb_pass_was_cut(t->pass);
    t->radius = t->gauge == NULL ? zb_pass_radius(t->pass) : INFINITY;
    if (zb_pass_is_refused(t->pass)) /* by some part, where there are several */
        t->bound = -INFINITY;
    if (!moves)
        return t->bound;
    zb_pass_backward(t->pass);
    const size_t *at = t->objective.block_at;
    if (t->spec.weights)
        zb_tighten_weight_gradient(t, grad + at[0]);
    if (t->spec.theta) {
        memcpy(grad + at[1], t->param->theta_grad, (at[2] - at[1]) * sizeof *grad);
        project(t, grad + at[1]);
    }
    if (t->spec.gauges)
        zb_tighten_gauge_gradient(t, grad + at[2]);
    return t->bound;
}

zb_ball zb_tighten_value(const zb_tighten *t)
{
    return (zb_ball){ t->bound, t->radius };
}
bool zb_tighten_was_cut(const zb_tighten *t) { return t->cut; }
zb_pass *zb_tighten_pass(zb_tighten *t) { return t->pass; }
size_t zb_tighten_bytes(const zb_tighten *t) { return zb_pass_bytes(t->pass); }
const zb_objective *zb_tighten_objective(const zb_tighten *t) { return &t->objective; }
void zb_tighten_watch(zb_tighten *t, zb_run *run) { zb_pass_watch(t->pass, run); }

zb_status zb_tighten_differentiate(zb_tighten *t)
{
    double *grad = zb_alloc(t->objective.n + 1, sizeof *grad);
    if (grad == NULL)
        return ZB_ENOMEM;
    zb_tighten_evaluate(t, grad);
    zb_free(grad);
    return ZB_OK;
}

void zb_tighten_belief(const zb_tighten *t, int factor, double *out)
{
    zb_pass_belief(t->pass, factor, out);
}

static double value(void *context, double *grad)
{
    zb_tighten *t = context;
    double bound = zb_tighten_evaluate(t, grad);
    if (t->spec.side == ZB_SIDE_UPPER)
        return bound;
    for (size_t i = 0; i < t->objective.n; i++)
        grad[i] = -grad[i];
    return -bound;
}

/* With the beliefs q_m(x, s) of a bucket's mini-buckets, which the gradient is, and
   their weights: w_m (ln q_m - sum_k w_k ln q_k), which adds up to zero. ln q_m is
   psi_m / w_m but for a constant where a clique has no other variables; then a whole
   step makes all beliefs of the bucket alike. */
static void match_entry(const zb_tighten *t, const zb_bucket *b, size_t i, double *out)
{
    const double least =
        1e-12; /* of a belief: what is less is not worth a longer way */
    const size_t *at = t->param->theta_at, *weight_at = t->param->weight_at;
    size_t s = i % zb_pass_weight_size(t->tree, b->first, t->spec.shared);
    double mean = 0;
    for (int m = b->first; m < b->first + b->count; m++) {
        out[at[m] + i] = zb_log(fmax(least, t->param->theta_grad[at[m] + i]));
        mean += t->param->weight[weight_at[m] + s] * out[at[m] + i];
    }
    for (int m = b->first; m < b->first + b->count; m++)
        out[at[m] + i] = t->param->weight[weight_at[m] + s] * (out[at[m] + i] - mean);
}

static void match(void *context, double *direction)
{
    const zb_tighten *t = context;
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        size_t n =
            b->count > 1 ? zb_pass_theta_size(t->tree, b->first, t->spec.shared) : 0;
        for (size_t i = 0; i < n; i++)
            match_entry(t, b, i, direction);
    }
}

static void fit(void *context, double part, double ratio)
{
    zb_tighten_fit(context, part, ratio);
}

static void move(void *context, const double *step)
{
    zb_tighten *t = context;
    const size_t *at = t->objective.block_at;
    if (t->spec.weights) {
        for (size_t i = 0; i < t->param->nweight; i++)
            t->logit[i] += step[i];
        zb_tighten_apply_weights(t);
    }
    if (t->spec.theta)
        move_theta(t, step + at[1]);
    if (t->spec.gauges)
        zb_tighten_move_gauges(t, step + at[2]);
}

void zb_tighten_keep(zb_tighten *t)
{
    size_t nw = t->param->nweight, nt = t->param->ntheta;
    memcpy(t->best, t->logit, nw * sizeof *t->best);
    memcpy(t->best + nw, t->param->theta, nt * sizeof *t->best);
    memcpy(t->best_positive, t->positive, (size_t)t->tree->nvars * sizeof *t->positive);
    if (t->gauge != NULL) {
        size_t n = t->gauge->nmatrix;
        memcpy(t->best + nw + nt, t->gauge->matrix, n * sizeof *t->best);
        memcpy(t->best + nw + nt + n, t->gauge->inverse, n * sizeof *t->best);
    }
}

static void keep(void *context) { zb_tighten_keep(context); }

static void back(void *context)
{
    zb_tighten *t = context;
    size_t nw = t->param->nweight, nt = t->param->ntheta;
    memcpy(t->logit, t->best, nw * sizeof *t->best);
    memcpy(t->param->theta, t->best + nw, nt * sizeof *t->best);
    memcpy(t->positive, t->best_positive, (size_t)t->tree->nvars * sizeof *t->positive);
    if (t->spec.weights)
        zb_tighten_apply_weights(t);
    if (t->gauge != NULL) {
        size_t n = t->gauge->nmatrix;
        memcpy(t->gauge->matrix, t->best + nw + nt, n * sizeof *t->best);
        memcpy(t->gauge->inverse, t->best + nw + nt + n, n * sizeof *t->best);
        zb_tighten_load_gauged(t);
    }
}

static void tell(void *context, const zb_stride *stride)
{
    const zb_tighten *t = context;
    zb_fleet_stride(t->spec.fleet, stride);
}

/* ---- construction ---------------------------------------------------------------- */

static zb_status allocate(zb_tighten *t)
{
    size_t nv = (size_t)t->tree->nvars, nf = (size_t)t->tree->nfactors, largest = 1;
    size_t n =
        t->param->nweight + t->param->ntheta + (t->gauge ? 2 * t->gauge->nmatrix : 0);
    int most = 0;
    for (int f = 0; f < t->model->nfactors; f++)
        largest = zb_max_size(largest, t->model->factor[f].size);
    for (int v = 0; v < t->tree->nvars; v++)
        most = zb_max_int(most, t->tree->bucket[v].count);
    t->logit = zb_calloc(t->param->nweight, sizeof *t->logit);
    t->positive = zb_calloc(nv, sizeof *t->positive);
    t->best_positive = zb_calloc(nv, sizeof *t->best_positive);
    t->touched = zb_calloc(nf, sizeof *t->touched);
    t->derivative = zb_alloc(largest, sizeof *t->derivative);
    t->tables = zb_alloc(largest, sizeof *t->tables);
    t->best = zb_alloc(n, sizeof *t->best);
    t->scratch = zb_alloc(3 * (size_t)most, sizeof *t->scratch);
    return t->logit && t->positive && t->best_positive && t->touched && t->derivative &&
                   t->tables && t->best && t->scratch
               ? ZB_OK
               : ZB_ENOMEM;
}

void zb_tighten_describe(zb_tighten *t)
{
    size_t nw = t->spec.weights ? t->param->nweight : 0;
    size_t nt = t->spec.theta ? t->param->ntheta : 0;
    size_t ng = t->spec.gauges ? t->gauge->nmatrix : 0;
    t->objective = (zb_objective){ .tell = t->spec.fleet != NULL ? tell : NULL,
                                   .context = t,
                                   .n = nw + nt + ng,
                                   .block_at = { 0, nw, nw + nt, nw + nt + ng },
                                   .value = value,
                                   .move = move,
                                   .keep = keep,
                                   .back = back,
                                   .match = t->spec.theta ? match : NULL };
    if (t->spec.theta && t->spec.weights && t->gauge == NULL) {
        t->objective.fit = fit;
        t->objective.jumps = t->spec.side == ZB_SIDE_LOWER;
    }
}

void zb_tighten_load_factors(zb_tighten *t)
{
    for (int f = 0; f < t->model->nfactors; f++) { /* of a part: its own */
        const zb_factor *a = &t->model->factor[f];
        zb_layout_factor(t->tree, t->model, f, t->tables);
        zb_pass_set_log(t->pass, f, t->tables);
        if (!a->log)
            zb_pass_add_radius(t->pass, f, zb_log_radius(a->size, t->tables));
    }
}

void zb_tighten_renew(zb_tighten *t)
{
    if (t->spec.fleet != NULL)
        zb_fleet_renew(t->spec.fleet);
    zb_pass_reset(t->pass);
    zb_tighten_load_factors(t);
    if (t->gauge != NULL)
        zb_tighten_load_gauged(t);
}

void zb_tighten_select(zb_tighten *t, bool weights, bool theta, bool gauges)
{
    t->spec.weights = weights;
    t->spec.theta = theta && zb_pass_options(t->pass)->theta;
    t->spec.gauges = gauges && t->gauge != NULL;
    zb_tighten_describe(t);
    zb_tighten_keep(t);
}

zb_status zb_tighten_new(zb_tighten **out, const zb_tree *tree, const zb_model *model,
                         const zb_tighten_spec *spec)
{
    zb_tighten *t = zb_calloc(1, sizeof *t);
    zb_status status;

    *out = NULL;
    if (t == NULL)
        return ZB_ENOMEM;
    t->tree = tree;
    t->model = model;
    t->spec = *spec;
    t->spec.gauges = false; /* until there are any */
    zb_pass_spec ps = { .gradient = zb_tighten_wants_gradient(spec),
                        .theta = spec->theta,
                        .shared = spec->shared,
                        .absolute = spec->absolute,
                        .side = spec->side,
                        .threads = spec->threads,
                        .run = spec->run,
                        .part = spec->part,
                        .crew = spec->crew };
    if (spec->fleet != NULL)
        ps.whole = zb_fleet_tree(spec->fleet);
    TRY(zb_pass_new(&t->pass, tree, &ps));
    t->param = zb_pass_params(t->pass);
    TRY(allocate(t));
    zb_tighten_load_factors(t);
    zb_tighten_describe(t);
    zb_tighten_apply_weights(t);
    zb_tighten_keep(t);
    if (spec->gauges)
        TRY(zb_tighten_begin_gauges(t));
    *out = t, t = NULL;
done:
    zb_tighten_free(t);
    return status;
}

void zb_tighten_free(zb_tighten *t)
{
    if (t == NULL)
        return;
    zb_pass_free(t->pass);
    zb_gauge_free(t->gauge);
    zb_free(t->logit);
    zb_free(t->positive);
    zb_free(t->best_positive);
    zb_free(t->touched);
    zb_free(t->derivative);
    zb_free(t->tables);
    zb_free(t->best);
    zb_free(t->scratch);
    zb_free(t);
}
