#include "tighten/state.h"

#include "form/form.h"
#include "tighten/tighten_internal.h"

#include <string.h>

static const double SHIFT_MOST = 1e4; /* as the optimiser's own */
static const double GAUGE_MOST = 1e6; /* entries of a gauge and of its inverse */

zb_status zb_state_new(zb_state **out)
{
    *out = zb_calloc(1, sizeof **out);
    return *out != NULL ? ZB_OK : ZB_ENOMEM;
}

static void clear(zb_side_state *s)
{
    void *owned[] = { s->card, s->order, s->split, s->shared, s->gauge, s->value };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    *s = (zb_side_state){ .present = false };
}

void zb_state_free(zb_state *state)
{
    if (state == NULL)
        return;
    for (int i = 0; i < ZB_STATE_SIDES; i++)
        clear(&state->side[i]);
    zb_free(state);
}

/* FNV-1a over 32-bit words. */
static void mix(uint64_t *hash, int x)
{
    *hash = (*hash ^ (uint32_t)x) * UINT64_C(1099511628211);
}

uint64_t zb_state_structure(const zb_model *model)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    mix(&hash, model->nvars);
    for (int v = 0; v < model->nvars; v++)
        mix(&hash, model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        mix(&hash, model->factor[f].arity);
        for (int i = 0; i < model->factor[f].arity; i++)
            mix(&hash, model->factor[f].scope[i]);
    }
    return hash;
}

/* ---- keeping --------------------------------------------------------------------- */

/* A split bucket as it is in the attempt; its place in the state's arrays is open. */
static zb_split_state describe(const zb_tighten *t, int bucket)
{
    const zb_bucket *b = &t->tree->bucket[bucket];
    const zb_pass_spec *ps = zb_pass_options(t->pass);
    return (zb_split_state){
        .var = t->tree->order[bucket],
        .count = b->count,
        .positive = t->positive[bucket],
        .nshared = ps->shared ? b->nshared : 0,
        .nweight = zb_pass_weight_size(t->tree, b->first, ps->shared),
        .ntheta = ps->theta ? zb_pass_theta_size(t->tree, b->first, ps->shared) : 0,
    };
}

static bool is_identity(int d, const double *m)
{
    for (int i = 0; i < d * d; i++)
        if (m[i] != (i % (d + 1) == 0))
            return false;
    return true;
}

static bool has_gauge(const zb_tighten *t, int v)
{
    return t->gauge != NULL && t->gauge->free_var[v] &&
           !is_identity(t->tree->card[v], t->gauge->matrix + t->gauge->matrix_at[v]);
}

static zb_status allocate(zb_side_state *s, const zb_tighten *t)
{
    size_t n = (size_t)s->nvars, splits = 0, shared = 0, gauges = 0, values = 0;
    for (int v = 0; v < s->nvars; v++) {
        if (has_gauge(t, v))
            gauges++, values += (size_t)(t->tree->card[v] * t->tree->card[v]);
        if (t->tree->bucket[v].count < 2)
            continue;
        zb_split_state b = describe(t, v);
        splits++;
        shared += (size_t)b.nshared;
        values += (size_t)b.count * (b.nweight + b.ntheta);
    }
    s->card = zb_alloc(n, sizeof *s->card);
    s->order = zb_alloc(n, sizeof *s->order);
    s->split = zb_alloc(splits, sizeof *s->split);
    s->shared = zb_alloc(shared, sizeof *s->shared);
    s->gauge = zb_alloc(gauges, sizeof *s->gauge);
    s->value = zb_alloc(values, sizeof *s->value);
    return s->card && s->order && s->split && s->shared && s->gauge && s->value
               ? ZB_OK
               : ZB_ENOMEM;
}

static void keep_values(zb_side_state *s, const double *x, size_t n)
{
    memcpy(s->value + s->nvalue, x, n * sizeof *x);
    s->nvalue += n;
}

static void keep_bucket(zb_side_state *s, const zb_tighten *t, int bucket)
{
    const zb_bucket *b = &t->tree->bucket[bucket];
    zb_split_state *out = &s->split[s->nsplit++];
    *out = describe(t, bucket);
    out->shared_at = s->nshared;
    out->value_at = s->nvalue;
    for (int i = 0; i < out->nshared; i++)
        s->shared[s->nshared++] = t->tree->shared[b->shared_at + (size_t)i];
    for (int m = b->first; m < b->first + b->count; m++)
        keep_values(s, t->logit + t->param->weight_at[m], out->nweight);
    for (int m = b->first; m < b->first + b->count; m++)
        keep_values(s, t->param->theta + t->param->theta_at[m], out->ntheta);
}

static void keep_gauge(zb_side_state *s, const zb_tighten *t, int v)
{
    int d = t->tree->card[v];
    s->gauge[s->ngauge++] = (zb_gauge_state){ .var = v, .value_at = s->nvalue };
    keep_values(s, t->gauge->matrix + t->gauge->matrix_at[v], (size_t)(d * d));
}

zb_status zb_state_keep(zb_state *state, const zb_attempt *a)
{
    const zb_attempt_spec *spec = &a->spec;
    const zb_tighten *t = a->tighten;
    zb_side_state *s = &state->side[zb_state_index(spec->tighten.side)];
    clear(s);
    *s = (zb_side_state){
        .form = spec->form,
        .variant = spec->variant,
        .form_ibound = spec->form_ibound > 0 ? spec->form_ibound : spec->ibound,
        .ibound = spec->ibound,
        .less = spec->less,
        .order_kind = spec->order,
        .partition = spec->partition,
        .max_entries = spec->max_entries,
        .extreme = spec->extreme,
        .gauged = t->gauge != NULL,
        .moves = spec->tighten,
        .nvars = a->model->nvars,
        .structure = zb_state_structure(a->model),
    };
    if (allocate(s, t) != ZB_OK) {
        clear(s);
        return ZB_ENOMEM;
    }
    memcpy(s->card, a->model->card, (size_t)s->nvars * sizeof *s->card);
    memcpy(s->order, a->order, (size_t)s->nvars * sizeof *s->order);
    for (int v = 0; v < s->nvars; v++)
        if (t->tree->bucket[v].count > 1)
            keep_bucket(s, t, v);
    for (int v = 0; v < s->nvars; v++)
        if (has_gauge(t, v))
            keep_gauge(s, t, v);
    s->present = true;
    return ZB_OK;
}

/* ---- applying -------------------------------------------------------------------- */

/* Shifts that do not add up to zero would make a bound of another model: what is more
   than the rounding of a projection is projected, and the last is minus the sum of the
   others, as after every move. */
static void project_bucket(const zb_tighten *t, const zb_bucket *b, size_t n)
{
    double *x = t->param->theta;
    const size_t *at = t->param->theta_at;
    for (size_t i = 0; i < n; i++) {
        double sum = 0, size = 1, last = 0;
        for (int m = b->first; m < b->first + b->count; m++) {
            double *y = &x[at[m] + i];
            *y = fmin(fmax(*y, -SHIFT_MOST), SHIFT_MOST);
            sum += *y;
            size += fabs(*y);
        }
        double mean = fabs(sum) > 64 * 0x1p-52 * size ? sum / b->count : 0;
        for (int m = b->first; m < b->first + b->count - 1; m++) {
            x[at[m] + i] -= mean;
            last -= x[at[m] + i];
        }
        x[at[b->first + b->count - 1] + i] = last;
    }
}

static bool fits(const zb_side_state *s, const zb_split_state *from,
                 const zb_split_state *here, const int *shared)
{
    return from->count == here->count && from->nweight == here->nweight &&
           from->nshared == here->nshared && from->positive < here->count &&
           memcmp(s->shared + from->shared_at, shared,
                  (size_t)from->nshared * sizeof *shared) == 0;
}

static void apply_bucket(const zb_side_state *s, const zb_split_state *from,
                         zb_tighten *t)
{
    int bucket = t->tree->pos[from->var];
    const zb_bucket *b = &t->tree->bucket[bucket];
    const double *x = s->value + from->value_at;
    if (b->count != from->count)
        return;
    zb_split_state here = describe(t, bucket);
    if (!fits(s, from, &here, t->tree->shared + b->shared_at))
        return;
    t->positive[bucket] = from->positive;
    for (int m = b->first; m < b->first + b->count; m++, x += here.nweight)
        memcpy(t->logit + t->param->weight_at[m], x, here.nweight * sizeof *x);
    if (here.ntheta == 0 || here.ntheta != from->ntheta)
        return;
    for (int m = b->first; m < b->first + b->count; m++, x += here.ntheta)
        memcpy(t->param->theta + t->param->theta_at[m], x, here.ntheta * sizeof *x);
    project_bucket(t, b, here.ntheta);
}

/* Gauges are balanced when they are found: numbers far from one were not, and could
   overflow a table. */
static void apply_gauge(zb_gauge *g, int v, const double *m)
{
    int d = g->tree->card[v];
    double inverse[64 * 64];
    if (d > 64 || !zb_gauge_invert(d, m, inverse))
        return;
    for (int i = 0; i < d * d; i++)
        if (!(fabs(m[i]) <= GAUGE_MOST && fabs(inverse[i]) <= GAUGE_MOST))
            return;
    zb_gauge_set(g, v, m); /* what is refused stays at the identity */
}

/* On the lower side gauges come later than the rest, and move only then. */
static zb_status apply_gauges(const zb_side_state *s, zb_attempt *a)
{
    zb_tighten *t = a->tighten;
    zb_status status = ZB_OK;
    bool lower = a->spec.tighten.side == ZB_SIDE_LOWER;
    if (lower && zb_form_is_forney(a->model) && zb_pass_options(t->pass)->gradient) {
        TRY(zb_tighten_add_gauges(t));
        zb_tighten_select(t, a->spec.tighten.weights, a->spec.tighten.theta, false);
    }
    for (size_t i = 0; i < s->ngauge && t->gauge != NULL; i++)
        apply_gauge(t->gauge, s->gauge[i].var, s->value + s->gauge[i].value_at);
done:
    return status;
}

zb_status zb_state_apply(const zb_side_state *s, zb_attempt *a, bool gauges)
{
    zb_tighten *t = a->tighten;
    zb_status status = ZB_OK;
    if (s->gauged && gauges)
        TRY(apply_gauges(s, a));
    for (size_t i = 0; i < s->nsplit; i++)
        apply_bucket(s, &s->split[i], t);
    if (!a->spec.extreme)
        zb_tighten_apply_weights(t);
    zb_tighten_renew(t);
    if (t->gauge != NULL && t->invalid) {
        zb_gauge_clear(t->gauge);
        zb_tighten_renew(t);
    }
done:
    return status;
}

/* ---- resuming -------------------------------------------------------------------- */

static zb_attempt_spec resume_spec(const zb_resume_spec *w)
{
    const zb_side_state *s = w->from;
    bool same_order = w->order == ZB_ORDER_AUTO ||
                      (w->order == s->order_kind && w->order != ZB_ORDER_FILE);
    zb_attempt_spec spec = {
        .form = s->form,
        .variant = s->variant,
        .form_ibound = s->form_ibound,
        .order = same_order ? s->order_kind : w->order,
        .order_list = w->order_list,
        .formed_order = same_order ? s->order : NULL,
        .formed_nvars = s->nvars,
        .seed = w->seed,
        .tries = 8,
        .ibound = w->ibound > 0 ? w->ibound : s->ibound,
        .less = s->less,
        .max_entries = s->max_entries,
        .partition = s->partition,
        .extreme = w->same_method ? s->extreme : w->extreme,
        .tighten = w->same_method ? s->moves : w->moves,
    };
    spec.tighten.gauges = spec.tighten.gauges && w->side == ZB_SIDE_UPPER;
    spec.tighten.side = w->side;
    return spec;
}

zb_status zb_state_rebuild(zb_attempt **out, const zb_model *model,
                           const zb_state *state, zb_side side, zb_run *run)
{
    const zb_side_state *from = &state->side[zb_state_index(side)];
    zb_resume_spec same = { .from = from, .side = side, .same_method = true };
    zb_attempt_spec spec = resume_spec(&same);
    spec.tighten.gauges = spec.tighten.gauges && from->gauged;
    spec.unevaluated = true;
    zb_status status = zb_attempt_new(out, model, &spec, run, NULL);
    if (status == ZB_OK)
        status = zb_state_apply(from, *out, true);
    if (status != ZB_OK) {
        zb_attempt_free(*out);
        *out = NULL;
    }
    return status;
}

static bool same_variables(const zb_side_state *s, const zb_model *formed)
{
    return s->nvars == formed->nvars &&
           memcmp(s->card, formed->card, (size_t)s->nvars * sizeof *s->card) == 0;
}

/* Apply, unless the start without the state is better (another model, another tree). */
static zb_status apply_or_not(zb_attempt *a, const zb_resume_spec *w)
{
    double fresh = a->bound;
    zb_tighten *t = a->tighten;
    zb_status status;
    TRY(zb_state_apply(w->from, a, w->gauges));
    zb_attempt_settle(a);
    if (zb_tighter(w->side, fresh, a->bound) &&
        !(fabs(fresh - a->bound) <= 1e-12 * fmax(1, fabs(fresh)))) {
        t->objective.back(t);
        if (!a->spec.extreme)
            zb_tighten_apply_weights(t);
        zb_attempt_settle(a);
    }
    t->objective.keep(t);
done:
    return status;
}

/* One attempt with the state's parameters; *out is NULL when they do not fit. */
static zb_status resume(zb_attempt **out, const zb_model *model,
                        const zb_resume_spec *w, zb_attempt_spec spec, zb_run *run,
                        zb_error *err)
{
    zb_attempt *a = NULL;
    zb_status status;
    *out = NULL;
    status = zb_attempt_new(&a, model, &spec, run, err);
    if (status == ZB_EINVAL && spec.tighten.gauges) { /* not every form has gauges */
        spec.tighten.gauges = false;
        status = zb_attempt_new(&a, model, &spec, run, err);
    }
    if (status == ZB_EINVAL) /* no such form of this model, or of another size */
        return zb_fail(err, ZB_OK, "%s", "");
    TRY(status);
    if (!same_variables(w->from, a->model))
        goto done;
    TRY(apply_or_not(a, w));
    *out = a, a = NULL;
done:
    zb_attempt_free(a);
    return status;
}

/* An order that a rule made for another ibound may be poor for this one. */
static bool order_may_age(const zb_attempt_spec *spec, const zb_side_state *s)
{
    return spec->formed_order != NULL && spec->ibound != s->ibound &&
           spec->order != ZB_ORDER_FILE && spec->order != ZB_ORDER_NATURAL &&
           spec->order != ZB_ORDER_RANDOM;
}

zb_status zb_state_resume(zb_attempt **out, const zb_model *model,
                          const zb_resume_spec *w, zb_run *run, bool *same,
                          zb_error *err)
{
    zb_attempt_spec spec = resume_spec(w);
    zb_attempt *other = NULL;
    zb_status status;
    *out = NULL;
    *same = false;
    if (w->form != ZB_FORM_AUTO && w->form != w->from->form)
        return ZB_OK;
    TRY(resume(out, model, w, spec, run, err));
    if (*out == NULL)
        return ZB_OK;
    *same = zb_state_structure((*out)->model) == w->from->structure;
    if (!order_may_age(&spec, w->from))
        return ZB_OK;
    spec.formed_order = NULL;
    TRY(resume(&other, model, w, spec, run, err));
    if (other != NULL && zb_tighter(w->side, other->bound, (*out)->bound)) {
        zb_attempt *worse = *out;
        *out = other, other = worse;
    }
done:
    zb_attempt_free(other);
    if (status != ZB_OK) {
        zb_attempt_free(*out);
        *out = NULL;
    }
    return status;
}
