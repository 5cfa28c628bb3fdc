/* What a model is, what exact reductions leave of it, and what solving would take: from
 * scopes and cardinalities, before any large table is made. */
#include "base/account.h"
#include "base/cost.h"
#include "exact/exact.h"
#include "order/order.h"
#include "pass/pass.h"
#include "simplify/simplify.h"

#include <string.h>

enum { TRIES = 8, SECONDS = 2, PATIENCE = 6 };

/* A survey in the making. */
typedef struct maker {
    zb_survey *s;
    const zb_model *model;
    const zb_options *opt;
    zb_run *run;
    zb_reduction *reduction;
    zb_scopes *scopes; /* of the reduced model */
    int *order;        /* of its variables */
    int *trial;        /* another one, for mini-buckets */
} maker;

/* ---- the model ------------------------------------------------------------------- */

static void count_model(zb_survey *s, const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++) {
        s->cards[zb_min_int(model->card[v], ZB_SURVEY_SLOTS - 1)]++;
        s->observed += model->evidence[v] >= 0;
    }
    for (int f = 0; f < model->nfactors; f++) {
        s->arities[zb_min_int(model->factor[f].arity, ZB_SURVEY_SLOTS - 1)]++;
        s->largest_table = zb_max_size(s->largest_table, model->factor[f].size);
    }
}

static zb_status reduce(maker *m)
{
    zb_survey *s = m->s;
    zb_model *made = NULL;
    zb_status status;
    TRY(zb_measure(m->model, m->run, &s->given));
    if (zb_model_observed(m->model))
        TRY(zb_model_condition(&made, m->model, m->model->evidence));
    TRY(zb_simplify(&m->reduction, made != NULL ? made : m->model, m->run));
    s->reduced = m->reduction->after;
    s->values_removed = m->reduction->values_removed;
    s->log_constant = m->reduction->model->log_scale;
    s->rounding = m->reduction->model->radius;
    TRY(zb_components_count(m->reduction->model, &s->components,
                            &s->largest_component));
    TRY(zb_scopes_new(&m->scopes, m->reduction->model));
    size_t n = (size_t)m->scopes->nvars;
    m->order = zb_alloc(n, sizeof *m->order);
    m->trial = zb_alloc(n, sizeof *m->trial);
    TRY(m->order != NULL && m->trial != NULL ? ZB_OK : ZB_ENOMEM);
done:
    zb_model_free(made);
    return status;
}

/* ---- exact elimination ----------------------------------------------------------- */

/* An order of the original variables, restricted to those that are left. */
static zb_status restrict_order(maker *m)
{
    return zb_order_restrict(m->model->nvars, m->opt->order_list, m->scopes->nvars,
                             m->reduction->var, m->order);
}

/* The search has six tenths of the time, where there is a limit; 2 seconds of
   operations otherwise. */
static zb_status find_order(maker *m)
{
    double time = m->opt->time;
    zb_run share = zb_run_share(
        m->run, time > 0 ? m->run->start + 0.6 * time : INFINITY, UINT64_MAX, 1);
    zb_order_request request = { .kind = m->opt->order,
                                 .ibound = 10,
                                 .seed = m->opt->seed,
                                 .tries = TRIES,
                                 .seconds = time > 0 ? time : SECONDS,
                                 .run = &share };
    if (m->opt->order == ZB_ORDER_FILE)
        return restrict_order(m);
    return zb_order_make(m->scopes, &request, m->order, NULL);
}

static zb_status plan_exact(maker *m)
{
    zb_exact_plan plan;
    zb_status status;
    TRY(find_order(m));
    TRY(zb_exact_forecast(m->scopes, m->order, m->run, &plan));
    m->s->width = plan.width;
    m->s->exact =
        (zb_forecast){ .ibound = plan.width + 1,
                       .largest = plan.largest,
                       .total = plan.total,
                       .bytes = plan.bytes,
                       .seconds = zb_cost_elimination(plan.total, m->run->threads),
                       .fits = plan.bytes <= (double)m->s->memory };
    int columns = zb_min_int(m->scopes->nvars, ZB_SURVEY_COLUMNS);
    TRY(zb_order_profile(m->scopes, m->order, m->run, columns, m->s->profile));
    m->s->columns = columns;
done:
    return status;
}

/* ---- mini-buckets ---------------------------------------------------------------- */

/* Bytes of one optimising pass over the mini-bucket tree of this order. */
static zb_status pass_bytes(const maker *m, zb_forecast *row)
{
    zb_split_spec tree_spec = { .ibound = row->ibound, .extend = true, .run = m->run };
    zb_pass_spec pass_spec = { .gradient = true,
                               .theta = true,
                               .shared = true,
                               .side = ZB_SIDE_UPPER,
                               .threads = m->run->threads };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, m->scopes, m->trial, &tree_spec);
    if (status == ZB_ELIMIT && zb_run_more(m->run)) {
        row->bytes = row->total * sizeof(double); /* too large to be laid out */
        return ZB_OK;
    }
    if (status == ZB_OK)
        row->bytes = zb_pass_forecast(tree, &pass_spec);
    zb_tree_free(tree);
    return status;
}

/* What a search for an order that knows the ibound costs: it looks at the buckets of a
   variable's neighbours, so it grows with the degrees' squares. */
static double search_cost(const zb_scopes *scopes)
{
    double squares = 0;
    int *degree = zb_calloc((size_t)scopes->nvars, sizeof *degree);
    if (degree == NULL)
        return INFINITY;
    for (size_t i = 0; i < scopes->at[scopes->count]; i++)
        degree[scopes->var[i]]++;
    for (int v = 0; v < scopes->nvars; v++)
        squares += (double)degree[v] * degree[v];
    zb_free(degree);
    return squares;
}

static zb_status find_trial(maker *m, int ibound)
{
    zb_order_request request = { .kind = ZB_ORDER_MINSPLIT,
                                 .ibound = ibound,
                                 .seed = m->opt->seed,
                                 .tries = 1,
                                 .run = m->run };
    return zb_order_make(m->scopes, &request, m->trial, NULL);
}

static zb_status forecast(maker *m, zb_forecast *row, bool search)
{
    zb_split_cost cost;
    zb_status status;
    if (search)
        TRY(find_trial(m, row->ibound));
    TRY(zb_order_splits(m->scopes, m->trial, row->ibound, 0, m->run, &cost));
    row->largest = cost.largest;
    row->total = cost.total;
    row->splits = cost.splits;
    double nodes = m->scopes->nvars + cost.splits;
    row->seconds = zb_cost_pass(cost.total, nodes) / m->run->threads;
    TRY(pass_bytes(m, row));
    row->fits = row->bytes <= (double)m->s->memory;
done:
    return status;
}

/* The rows below the exact one. When the time is over, those that there are do. */
static zb_status forecast_rows(maker *m, bool search)
{
    zb_survey *s = m->s;
    double until = zb_now() + SECONDS;
    zb_status status = ZB_OK;
    for (int i = 2; i < s->exact.ibound && s->rows < ZB_SURVEY_SLOTS - 1 && !s->cut;
         i += zb_now() > until ? 2 : 1) {
        zb_forecast row = { .ibound = i };
        status = forecast(m, &row, search && zb_now() < until);
        if (status != ZB_OK)
            break;
        s->row[s->rows++] = row;
        s->cut = (!row.fits || zb_now() > until + PATIENCE) && i + 1 < s->exact.ibound;
        if (row.fits && row.splits == 0) /* minsplit found a narrower order */
            break;
    }
    if (status == ZB_ELIMIT && !zb_run_interrupted(m->run)) {
        s->cut = true;
        status = ZB_OK;
    }
    return status;
}

/* ibound 2, 3, .. while they fit, then the exact one. */
static zb_status forecast_all(maker *m)
{
    zb_survey *s = m->s;
    double cost = search_cost(m->scopes);
    bool cheap = cost < 3e5; /* a matter of moments: an order per ibound */
    zb_status status;
    memcpy(m->trial, m->order, (size_t)m->scopes->nvars * sizeof *m->trial);
    if (!cheap && cost < 5e7) /* of seconds: one for all */
        TRY(find_trial(m, 8));
    TRY(forecast_rows(m, cheap));
    const zb_forecast *last = s->rows > 0 ? &s->row[s->rows - 1] : NULL;
    bool narrower = last != NULL && last->fits && last->splits == 0;
    if (s->exact.ibound > 0 && !narrower)
        s->row[s->rows++] = s->exact;
done:
    return status;
}

/* ---- the call -------------------------------------------------------------------- */

static zb_status make(maker *m)
{
    zb_status status;
    count_model(m->s, m->model);
    TRY(reduce(m));
    TRY(plan_exact(m));
    TRY(forecast_all(m));
done:
    zb_free(m->order);
    zb_free(m->trial);
    zb_scopes_free(m->scopes);
    zb_reduction_free(m->reduction);
    return status;
}

zb_status zb_survey_make(zb_survey *out, const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_error *err)
{
    zb_run run;
    zb_status status;

    if (out == NULL || model == NULL || opt == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, no options or no place for a survey");
    memset(out, 0, sizeof *out);
    TRY(zb_options_check(opt, err));
    out->memory = opt->memory > 0 ? opt->memory : zb_memory_default();
    TRY(zb_run_open(&run, observer, zb_run_deadline(opt), UINT64_MAX, opt->threads));
    maker m = { .s = out, .model = model, .opt = opt, .run = &run };
    status = make(&m);
    if (status == ZB_EINVAL)
        zb_fail(err, status,
                "option 'order': the order does not name each variable once");
    else if (status != ZB_OK)
        zb_fail(err, status, "the model could not be surveyed: %s",
                zb_run_interrupted(&run) ? "interrupted" : zb_status_text(status));
    zb_run_close(&run);
done:
    return status;
}
