#include "sample/source.h"

#include "base/cost.h"
#include "order/order.h"
#include "pass/layout.h"
#include "tighten/budget.h"
#include "tighten/search.h"

void zb_source_close(zb_source *s)
{
    zb_proposal_free(s->proposal);
    s->proposal = NULL;
}

zb_status zb_source_take(zb_source *out, zb_attempt *a, zb_run *run)
{
    zb_status status;
    *out = (zb_source){ .ibound = a->tree->ibound };
    ZB_ASSERT(a->spec.form == ZB_FORM_ORIGINAL && a->made == NULL);
    zb_attempt_watch(a, run);
    double bound = zb_tighten_evaluate(a->tighten, NULL);
    TRY(zb_tighten_was_cut(a->tighten) ? ZB_ELIMIT : ZB_OK);
    out->log_upper = bound + a->model->log_scale;
    TRY(zb_proposal_new(&out->proposal, a->tree, zb_tighten_pass(a->tighten), run));
done:
    return status;
}

/* ---- without a split ------------------------------------------------------------- */

static zb_status load_factors(zb_pass *pass, const zb_tree *t, const zb_model *model)
{
    size_t most = 1;
    for (int f = 0; f < model->nfactors; f++)
        most = zb_max_size(most, model->factor[f].size);
    double *table = zb_alloc(most, sizeof *table);
    if (table == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++) {
        zb_layout_factor(t, model, f, table);
        zb_pass_set_log(pass, f, table);
    }
    zb_free(table);
    return ZB_OK;
}

static zb_status take_tree(zb_source *out, const zb_tree *tree, const zb_model *model,
                           const zb_pass_spec *spec)
{
    zb_pass *pass = NULL;
    zb_status status;
    TRY(zb_pass_new(&pass, tree, spec));
    TRY(load_factors(pass, tree, model));
    out->log_upper = zb_pass_forward(pass) + model->log_scale;
    TRY(zb_pass_was_cut(pass) ? ZB_ELIMIT : ZB_OK);
    TRY(zb_proposal_new(&out->proposal, tree, pass, spec->run));
done:
    zb_pass_free(pass);
    return status;
}

/* The whole clique tables are there twice while shares are made of messages. A pass
   forward takes about half of one forth and back, and so do the shares. */
static bool is_affordable(const zb_tree *t, const zb_pass_spec *spec)
{
    double bytes = zb_pass_forecast(t, spec) + zb_proposal_forecast(t);
    double seconds = zb_cost_pass(t->entries, t->nnodes);
    double left = zb_run_left(spec->run);
    return bytes <= 0.5 * (double)spec->run->memory &&
           seconds <= (isfinite(left) ? 0.5 * left : 3600);
}

/* *found: there is a source, and it is exact. */
static zb_status find_exact(zb_source *out, const zb_model *model,
                            const zb_options *opt, zb_run *run, bool *found)
{
    double left = zb_run_left(run);
    zb_order_request request = { .kind = ZB_ORDER_AUTO,
                                 .seed = opt->seed,
                                 .tries = 1000,
                                 .seconds = isfinite(left) ? 0.05 * left : 2,
                                 .run = run };
    zb_split_spec whole = { .ibound = model->nvars + 1, .run = run };
    zb_pass_spec spec = {
        .keep = true, .side = ZB_SIDE_UPPER, .threads = run->threads, .run = run
    };
    zb_scopes *scopes = NULL;
    zb_tree *tree = NULL;
    int *order = zb_alloc((size_t)model->nvars, sizeof *order);
    zb_status status;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, model));
    TRY(zb_order_make(scopes, &request, order, NULL));
    status = zb_tree_new(&tree, scopes, order, &whole);
    if (status == ZB_ELIMIT && zb_run_more(run)) /* a table beyond all memory */
        status = ZB_OK;
    TRY(status);
    *found = tree != NULL && is_affordable(tree, &spec);
    if (*found) {
        out->ibound = tree->width + 1;
        TRY(take_tree(out, tree, model, &spec));
    }
done:
    zb_free(order);
    zb_scopes_free(scopes);
    zb_tree_free(tree);
    return status;
}

/* ---- with splits ----------------------------------------------------------------- */

static const int PASSES = 50; /* that the time should pay for at least */

static zb_status find_bound(zb_source *out, const zb_model *model,
                            const zb_options *given, zb_run *run, zb_error *err)
{
    zb_options opt = *given;
    zb_ibound_request request = { .model = model,
                                  .memory = run->memory / 2,
                                  .seconds = zb_run_left(run),
                                  .slowness = 1,
                                  .passes = PASSES,
                                  .run = run };
    zb_ibound_choice choice = { .ibound = opt.ibound };
    zb_attempt *attempt = NULL;
    zb_stop stop;
    zb_status status = ZB_OK;
    if (opt.ibound == 0)
        TRY(zb_budget_ibound(&request, &choice));
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_AUTO;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.ibound = choice.ibound;
    double left = zb_run_left(run); /* the tables are made after the search */
    zb_run share = zb_run_share(run, isfinite(left) ? zb_now() + 0.9 * left : INFINITY,
                                run->memory / 2, run->threads);
    zb_search s = { .model = model, .opt = &opt, .run = &share, .other = -INFINITY };
    TRY(zb_search_run(&attempt, &s, ZB_SIDE_UPPER, &stop, err));
    TRY(zb_source_take(out, attempt, run));
done:
    zb_attempt_free(attempt);
    return status;
}

zb_status zb_source_find(zb_source *out, const zb_model *model, const zb_options *opt,
                         zb_run *run, zb_error *err)
{
    bool exact = false;
    zb_status status = ZB_OK;
    *out = (zb_source){ .proposal = NULL };
    if (opt->ibound == 0)
        TRY(find_exact(out, model, opt, run, &exact));
    if (!exact)
        TRY(find_bound(out, model, opt, run, err));
done:
    if (status != ZB_OK)
        zb_source_close(out);
    return status;
}
