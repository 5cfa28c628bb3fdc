#include "survey.h"

#include "order/order.h"
#include "pass/pass.h"
#include "report.h"

#include <math.h>
#include <string.h>

enum { TRIES = 8, SECONDS = 2, PATIENCE = 6 };

/* Entries per second and core, measured: exact elimination, and a mini-bucket pass
   forth and back. */
static const double EXACT_PACE = 5e8, PASS_PACE = 1e8;

static void count_model(survey *s, const zb_model *model)
{
    for (int v = 0; v < zb_model_nvars(model); v++) {
        s->cards[zb_min_int(zb_model_card(model, v), SURVEY_CARDS - 1)]++;
        s->observed += zb_model_evidence(model, v) >= 0;
    }
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        s->arities[zb_min_int(zb_model_arity(model, f), SURVEY_ARITIES - 1)]++;
        s->largest_table = zb_max_size(s->largest_table, zb_model_size(model, f));
    }
}

static zb_status count_components(survey *s)
{
    zb_model **parts = NULL;
    zb_status status = zb_components_split(s->reduction->model, NULL, &s->components,
                                           &parts, NULL, NULL);
    if (status != ZB_OK)
        return status;
    for (int i = 0; i < s->components; i++)
        s->largest_component =
            zb_max_int(s->largest_component, zb_model_nvars(parts[i]));
    zb_components_free(s->components, parts);
    return ZB_OK;
}

/* An order of the original variables, restricted to those that are left. */
static zb_status restrict_order(const survey *s, int nvars, const int *list, int *order)
{
    int kept = 0, *at = zb_alloc((size_t)nvars, sizeof *at);
    if (at == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < nvars; v++)
        at[v] = -1;
    for (int i = 0; i < zb_model_nvars(s->reduction->model); i++)
        at[s->reduction->var[i]] = i;
    for (int k = 0; k < nvars; k++)
        if (at[list[k]] >= 0)
            order[kept++] = at[list[k]];
    zb_free(at);
    return ZB_OK;
}

static zb_status plan_exact(survey *s, const zb_scopes *scopes, int nvars,
                            const zb_options *opt)
{
    zb_order_request request = { .kind = opt->order,
                                 .ibound = 10,
                                 .seed = opt->seed,
                                 .tries = TRIES,
                                 .seconds = opt->time > 0 ? opt->time : SECONDS };
    zb_status status;
    s->order = zb_alloc((size_t)scopes->nvars, sizeof *s->order);
    TRY(s->order != NULL ? ZB_OK : ZB_ENOMEM);
    if (opt->order == ZB_ORDER_FILE)
        TRY(restrict_order(s, nvars, opt->order_list, s->order));
    else
        TRY(zb_order_make(scopes, &request, s->order, NULL));
    TRY(zb_exact_forecast(scopes, s->order, NULL, &s->exact));
done:
    return status;
}

/* Bytes of one optimising pass over the mini-bucket tree of this order. */
static zb_status pass_bytes(survey_row *row, const zb_scopes *scopes, const int *order,
                            const zb_options *opt)
{
    zb_split_spec tree_spec = { .ibound = row->ibound };
    zb_pass_spec pass_spec = {
        .gradient = true, .theta = true, .side = ZB_SIDE_UPPER, .threads = opt->threads
    };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, scopes, order, &tree_spec);
    if (status == ZB_ELIMIT) { /* too large to be laid out: the entries alone say so */
        row->bytes = row->total * sizeof(double);
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

static zb_status forecast(survey_row *row, const survey *s, const zb_scopes *scopes,
                          const zb_options *opt, bool search, int *order)
{
    zb_order_request request = {
        .kind = ZB_ORDER_MINSPLIT, .ibound = row->ibound, .seed = opt->seed, .tries = 1
    };
    zb_split_cost cost;
    zb_status status;
    if (search)
        TRY(zb_order_make(scopes, &request, order, NULL));
    TRY(zb_order_splits(scopes, order, row->ibound, 0, NULL, &cost));
    row->largest = cost.largest;
    row->total = cost.total;
    row->splits = cost.splits;
    row->seconds = cost.total / (PASS_PACE * app_threads(opt));
    TRY(pass_bytes(row, scopes, order, opt));
    row->fits = row->bytes <= (double)s->memory;
done:
    return status;
}

/* ibound 2, 3, .. while they fit, then the exact one. */
static zb_status forecast_all(survey *s, const zb_scopes *scopes, const zb_options *opt)
{
    zb_status status = ZB_OK;
    int exact = s->exact.width + 1;
    double cost = search_cost(scopes);
    bool cheap = cost < 3e5; /* a matter of moments: an order per ibound */
    int *order = zb_alloc((size_t)scopes->nvars, sizeof *order);
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    memcpy(order, s->order, (size_t)scopes->nvars * sizeof *order);
    if (!cheap && cost < 5e7) { /* of seconds: one for all */
        zb_order_request request = {
            .kind = ZB_ORDER_MINSPLIT, .ibound = 8, .seed = opt->seed, .tries = 1
        };
        TRY(zb_order_make(scopes, &request, order, NULL));
    }
    double until = zb_now() + SECONDS;
    for (int i = 2; i < exact && s->rows < SURVEY_IBOUNDS - 1 && !s->cut;
         i += zb_now() > until ? 2 : 1) {
        survey_row *row = &s->row[s->rows++];
        row->ibound = i;
        TRY(forecast(row, s, scopes, opt, cheap && zb_now() < until, order));
        s->cut = (!row->fits || zb_now() > until + PATIENCE) && i + 1 < exact;
        if (row->fits && row->splits == 0) /* minsplit found a narrower order */
            goto done;
    }
    if (exact > 0)
        s->row[s->rows++] =
            (survey_row){ .ibound = exact,
                          .largest = s->exact.largest,
                          .total = s->exact.total,
                          .bytes = s->exact.bytes,
                          .seconds = s->exact.total / (EXACT_PACE * app_threads(opt)),
                          .fits = s->exact.bytes <= (double)s->memory };
done:
    zb_free(order);
    return status;
}

zb_status survey_make(survey *s, const app_input *in, const zb_options *opt)
{
    zb_scopes *scopes = NULL;
    zb_status status;
    *s = (survey){ 0 };
    s->memory = opt->memory;
    if (s->memory == 0)
        s->memory = (uint64_t)(0.8 * (double)zb_mem_physical());
    count_model(s, in->model);
    TRY(zb_simplify(&s->reduction, in->model, NULL));
    TRY(count_components(s));
    TRY(zb_scopes_new(&scopes, s->reduction->model));
    TRY(plan_exact(s, scopes, zb_model_nvars(in->model), opt));
    TRY(forecast_all(s, scopes, opt));
done:
    zb_scopes_free(scopes);
    return status;
}

void survey_free(survey *s)
{
    zb_reduction_free(s->reduction);
    zb_free(s->order);
    *s = (survey){ 0 };
}
