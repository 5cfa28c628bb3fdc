#include "tighten/attempt.h"

#include "base/sum.h"
#include "form/form.h"
#include "model/table.h"
#include "pass/pass.h"
#include "tighten/lower.h"

#include <string.h>

bool zb_tighter(zb_side side, double a, double b)
{
    return side == ZB_SIDE_LOWER ? a > b : a < b;
}

/* An order given for the model, without the variables that cleaning removed (observed,
   of one value, in no factor); the others were renumbered in their old sequence. */
static zb_status given_order(zb_attempt *a, const zb_model *model)
{
    size_t all = (size_t)model->nvars;
    int *kept = zb_alloc(all, sizeof *kept), n = 0;
    bool *used = zb_calloc(all, sizeof *used);
    zb_status status;
    TRY(kept != NULL && used != NULL ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            used[model->factor[f].scope[i]] = true;
    for (int v = 0; v < model->nvars; v++)
        if (used[v] && model->card[v] > 1)
            kept[n++] = v;
    TRY(n == a->model->nvars ? ZB_OK : ZB_EINVAL);
    TRY(zb_order_restrict(model->nvars, a->spec.order_list, n, kept, a->order));
done:
    zb_free(kept);
    zb_free(used);
    return status;
}

static zb_status make_order(zb_attempt *a, const zb_model *model, const zb_scopes *s)
{
    const zb_attempt_spec *spec = &a->spec;
    a->order = zb_alloc((size_t)s->nvars, sizeof *a->order);
    if (a->order == NULL)
        return ZB_ENOMEM;
    if (spec->formed_order != NULL && spec->formed_nvars != s->nvars)
        return ZB_EINVAL;
    if (spec->formed_order != NULL) {
        memcpy(a->order, spec->formed_order, (size_t)s->nvars * sizeof *a->order);
        return ZB_OK;
    }
    return spec->order == ZB_ORDER_FILE
               ? given_order(a, model)
               : zb_attempt_order(spec, s, spec->tighten.run, a->order);
}

zb_status zb_attempt_order(const zb_attempt_spec *spec, const zb_scopes *s, zb_run *run,
                           int *order)
{
    zb_order_request req = { .kind = spec->order,
                             .ibound = spec->ibound - spec->less,
                             .max_entries = ldexp(spec->max_entries, -spec->less),
                             .ties = spec->ties,
                             .seed = spec->seed,
                             .tries = zb_max_int(1, spec->tries),
                             .seconds = spec->effort,
                             .run = run };
    return zb_order_make(s, &req, order, NULL);
}

zb_status zb_attempt_tree(zb_tree **out, const zb_attempt_spec *spec,
                          const zb_scopes *s, zb_run *run, const int *order)
{
    zb_split_spec split = { .ibound = spec->ibound - spec->less,
                            .max_entries = ldexp(spec->max_entries, -spec->less),
                            .partition = spec->partition,
                            .extend = spec->tighten.shared,
                            .room = spec->less,
                            .run = run };
    return zb_tree_new(out, s, order, &split);
}

/* Tables of a form are held three times: by the model, by the pass, by its gauges. */
static zb_status make_form(zb_attempt *a, const zb_model *model, zb_error *err)
{
    const zb_attempt_spec *spec = &a->spec;
    zb_run *run = spec->tighten.run;
    zb_form_request request = {
        .form = spec->form,
        .ibound = spec->form_ibound > 0 ? spec->form_ibound : spec->ibound,
        .variant = spec->variant,
        .max_entries = run != NULL ? (double)run->memory / (3 * sizeof(double)) : 0,
        .run = run
    };
    zb_status status = ZB_OK;
    if (spec->form != ZB_FORM_ORIGINAL)
        status = zb_form_build(&a->made, model, &request, NULL, err);
    else if (!zb_form_is_clean(model))
        status = zb_form_clean(&a->made, model, run);
    a->model = a->made != NULL ? a->made : model;
    return status;
}

static zb_status check_size(const zb_attempt *a, const zb_run *run, zb_error *err)
{
    const zb_tighten_spec *t = &a->spec.tighten;
    zb_pass_spec ps = { .gradient = zb_tighten_wants_gradient(t),
                        .theta = t->theta,
                        .shared = t->shared,
                        .threads = t->threads };
    double need = zb_pass_forecast(a->tree, &ps);
    if (run == NULL || need <= (double)run->memory)
        return ZB_OK;
    return zb_fail(
        err, ZB_ELIMIT,
        "mini-buckets of %d variables need %.3g bytes, more than the limit of %.3g: "
        "give a smaller --ibound or more --memory",
        a->spec.ibound, need, (double)run->memory);
}

/* The mean over the factors that vary of what their logarithms span. Shifts move
   weights of that size from one mini-bucket to another, so their steps are in
   proportion to it. */
static double spread_of(const zb_model *model)
{
    const double least = 0.2, most = 20;
    double sum = 0;
    int count = 0;
    for (int f = 0; f < model->nfactors; f++) {
        zb_extremes e = zb_factor_extremes(&model->factor[f]);
        if (e.most > e.least) {
            sum += fmin(e.most - e.least, 4 * most);
            count++;
        }
    }
    return count > 0 ? fmin(most, fmax(least, sum / count)) : 2;
}

/* With gauges, sums with signs have no error that is known before they are certified:
   without that all candidates would begin at infinity, and look alike. */
static zb_status evaluate_first(zb_attempt *a)
{
    zb_status status = ZB_OK;
    if (!a->spec.extreme && a->spec.tighten.side == ZB_SIDE_LOWER && a->fleet == NULL)
        status = zb_lower_start(a->tighten);
    if (status != ZB_OK)
        return status;
    if (zb_tighten_has_gauges(a->tighten))
        zb_tighten_certify(a->tighten);
    else
        zb_tighten_evaluate(a->tighten, NULL);
    a->bound = zb_attempt_note(a);
    a->passes = 1;
    status = zb_fleet_status(a->fleet);
    if (status == ZB_OK && zb_tighten_was_cut(a->tighten))
        status = ZB_ELIMIT;
    return status;
}

static zb_status check_most(const zb_attempt *a, zb_error *err)
{
    double most = a->spec.most;
    if (most > 0 && a->tree->entries > most)
        return zb_fail(err, ZB_ELIMIT, "mini-buckets of %.3g entries in all, of %.3g",
                       a->tree->entries, most);
    return ZB_OK;
}

/* Here, or over ranks. */
static zb_status make_tighten(zb_attempt *a, zb_run *run, zb_error *err)
{
    const zb_tighten_spec *t = &a->spec.tighten;
    zb_fleet_spec fleet = { a->tree, a->model, *t, a->spec.extreme, t->gauges };
    zb_status status;
    TRY(check_most(a, err));
    if (a->spec.gauged && zb_form_is_forney(a->model))
        fleet.gauged = true;
    if (a->spec.over_ranks && zb_fleet_pays(a->tree, run))
        return zb_fleet_new(&a->fleet, &a->tighten, &fleet, run, err);
    TRY(check_size(a, run, err));
    TRY(zb_tighten_new(&a->tighten, a->tree, a->model, t));
    if (a->spec.extreme)
        zb_tighten_extreme_weights(a->tighten);
done:
    return status;
}

zb_status zb_attempt_new(zb_attempt **out, const zb_model *model,
                         const zb_attempt_spec *spec, zb_run *run, zb_error *err)
{
    zb_attempt *a = zb_calloc(1, sizeof *a);
    zb_scopes *scopes = NULL;
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (a == NULL)
        return ZB_ENOMEM;
    a->spec = *spec;
    a->spec.tighten.run = run;
    if (run != NULL)
        a->spec.tighten.threads = run->threads;
    a->bound = spec->tighten.side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    TRY(make_form(a, model, err));
    TRY(zb_scopes_new(&scopes, a->model));
    TRY(make_order(a, model, scopes));
    TRY(zb_attempt_tree(&a->tree, spec, scopes, run, a->order));
    a->spread = spread_of(a->model);
    TRY(make_tighten(a, run, err));
    if (!spec->unevaluated)
        TRY(evaluate_first(a));
    *out = a, a = NULL;
done:
    if (status == ZB_EINVAL && spec->order == ZB_ORDER_FILE)
        zb_fail(err, status, "the order does not fit the model in the form '%s'",
                zb_form_name(spec->form));
    zb_scopes_free(scopes);
    zb_attempt_free(a);
    return status;
}

void zb_attempt_free(zb_attempt *a)
{
    if (a == NULL)
        return;
    zb_descender_free(a->descender);
    zb_tighten_free(a->tighten);
    zb_fleet_free(a->fleet);
    zb_tree_free(a->tree);
    zb_model_free(a->made);
    zb_free(a->order);
    zb_free(a);
}

void zb_attempt_watch(zb_attempt *a, zb_run *run)
{
    a->spec.tighten.run = run;
    zb_tighten_watch(a->tighten, run);
}

/* ---- bounds, rounding included --------------------------------------------------- */

double zb_attempt_note(zb_attempt *a)
{
    bool lower = a->spec.tighten.side == ZB_SIDE_LOWER;
    zb_sum sum = { 0 };
    if (zb_tighten_was_cut(a->tighten))
        return lower ? -INFINITY : INFINITY;
    zb_sum_add_ball(&sum, zb_tighten_value(a->tighten));
    zb_sum_add_ball(&sum, zb_model_scale(a->model));
    a->value = zb_sum_value(&sum);
    return lower ? zb_down(a->value.mid, a->value.radius)
                 : zb_up(a->value.mid, a->value.radius);
}

static void take(zb_attempt *a, double bound)
{
    if (zb_tighter(a->spec.tighten.side, bound, a->bound))
        a->bound = bound;
}

/* Gauges that make no lower bound are dropped. */
void zb_attempt_settle(zb_attempt *a)
{
    zb_tighten_certify(a->tighten);
    if (zb_tighten_value(a->tighten).mid == -INFINITY &&
        zb_tighten_drop_gauges(a->tighten))
        zb_tighten_certify(a->tighten);
    double bound = zb_attempt_note(a);
    if (!zb_tighten_was_cut(a->tighten))
        a->bound = bound;
}

/* What the descent sees are numbers before rounding; what is passed on are bounds. */
typedef struct relay {
    zb_attempt *attempt;
    double best;          /* of what the descent sees, when it was last certified */
    int64_t again, every; /* the iteration not before which it is; and steps of it */
    bool (*report)(void *context, int64_t iteration, double value, double best);
    void *context;
} relay;

/* With gauges this takes some passes, so only now and then. */
static void certify(relay *r, int64_t iteration, double value)
{
    if (iteration < r->again || !(value < r->best))
        return;
    zb_tighten_certify(r->attempt->tighten);
    take(r->attempt, zb_attempt_note(r->attempt));
    r->best = value;
    r->again = iteration + r->every;
}

static bool pass_on(void *context, int64_t iteration, double value, double best)
{
    relay *r = context;
    zb_attempt *a = r->attempt;
    if (zb_tighten_has_gauges(a->tighten) && value == best)
        certify(r, iteration, value);
    else if (!zb_tighten_has_gauges(a->tighten))
        take(a, zb_attempt_note(a));
    if (zb_fleet_status(a->fleet) != ZB_OK)
        return false;
    return r->report == NULL || r->report(r->context, iteration, a->bound, a->bound);
}

/* By the descender, or in one piece without one. The descent leaves the attempt at its
   best point. */
static zb_status descend(zb_attempt *a, zb_descender *d, zb_descent how, zb_stop *stop)
{
    relay r = { .attempt = a,
                .best = INFINITY,
                .every = how.each || how.optimizer == ZB_OPTIMIZER_PAPER ? 1 : 16,
                .report = how.report,
                .context = how.context };
    zb_descent_result result;
    zb_status status = ZB_OK;
    how.report = pass_on;
    how.context = &r;
    if (how.optimizer != ZB_OPTIMIZER_PAPER)
        how.rates.of[ZB_BLOCK_THETA] *= a->spread;
    if (d != NULL)
        zb_descender_run(d, &how, &result);
    else
        TRY(zb_descend(zb_tighten_objective(a->tighten), &how, &result));
    if (zb_tighten_has_gauges(a->tighten))
        zb_tighten_certify(a->tighten);
    else
        zb_tighten_evaluate(a->tighten, NULL);
    take(a, zb_attempt_note(a));
    a->passes += result.iterations;
    a->steps += result.iterations - 1;
    *stop = result.stop;
    status = zb_fleet_status(a->fleet);
done:
    return status;
}

zb_status zb_attempt_descend(zb_attempt *a, zb_descent how, zb_stop *stop)
{
    return descend(a, NULL, how, stop);
}

zb_status zb_attempt_go_on(zb_attempt *a, zb_descent how, zb_stop *stop)
{
    zb_status status = ZB_OK;
    how.open = true;
    if (a->descender == NULL)
        TRY(zb_descender_new(&a->descender, zb_tighten_objective(a->tighten)));
    TRY(descend(a, a->descender, how, stop));
done:
    return status;
}

size_t zb_attempt_bytes(const zb_attempt *a)
{
    return zb_tighten_bytes(a->tighten) + zb_descender_bytes(a->descender) +
           a->tree->bytes;
}
