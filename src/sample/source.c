#include "sample/source.h"

#include "base/cost.h"
#include "base/explog.h"
#include "base/rounding.h"
#include "order/order.h"
#include "pass/layout.h"
#include "tighten/budget.h"
#include "tighten/search.h"

void zb_source_close(zb_source *s)
{
    zb_proposal_free(s->proposal);
    s->proposal = NULL;
}

/* The bound of the model's tables and all that is rounded besides. */
static void add_up(zb_source *s, zb_ball bound, const zb_model *model)
{
    s->log_upper = bound.mid + model->log_scale;
    s->radius =
        ZB_MARGIN * (bound.radius + model->radius + zb_proposal_radius(s->proposal) +
                     2 * ZB_UNIT * fabs(s->log_upper));
}

static const double *hat_of(const void *context, int factor)
{
    return zb_tighten_hat(context, factor);
}

/* Relative errors of draws are such of magnitudes, whose sum is at most U. */
static zb_status take_signed(zb_source *out, zb_attempt *a, double log_noise,
                             zb_run *run)
{
    zb_signs signs = { .table = hat_of, .context = a->tighten };
    zb_status status;
    TRY(zb_proposal_new_signed(&out->proposal, a->tree, zb_tighten_pass(a->tighten),
                               &signs, run));
    zb_ball bound = { zb_tighten_value(a->tighten).mid, 0 };
    add_up(out, bound, a->model);
    out->noise = ZB_MARGIN * (zb_exp(fmin(log_noise - bound.mid, 1)) +
                              zb_expm1(zb_proposal_radius(out->proposal)));
done:
    return status;
}

zb_status zb_source_take(zb_source *out, zb_attempt *a, zb_run *run)
{
    bool gauged = zb_tighten_has_gauges(a->tighten);
    double log_noise = 0;
    zb_status status;
    *out = (zb_source){ .ibound = a->tree->ibound };
    ZB_ASSERT(gauged || (a->spec.form == ZB_FORM_ORIGINAL && a->made == NULL));
    zb_attempt_watch(a, run);
    if (gauged)
        log_noise = zb_tighten_noise(a->tighten);
    zb_tighten_evaluate(a->tighten, NULL);
    TRY(zb_tighten_was_cut(a->tighten) ? ZB_ELIMIT : ZB_OK);
    if (gauged)
        return take_signed(out, a, log_noise, run);
    TRY(zb_proposal_new(&out->proposal, a->tree, zb_tighten_pass(a->tighten), run));
    add_up(out, zb_tighten_value(a->tighten), a->model);
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
    double bound = zb_pass_forward(pass);
    TRY(zb_pass_was_cut(pass) ? ZB_ELIMIT : ZB_OK);
    TRY(zb_proposal_new(&out->proposal, tree, pass, spec->run));
    add_up(out, (zb_ball){ bound, zb_pass_radius(pass) }, model);
done:
    zb_pass_free(pass);
    return status;
}

/* The whole clique tables are there twice while shares are made of messages. A pass
   forward takes about half of one forth and back, and so do the shares. */
static bool is_affordable(const zb_tree *t, const zb_pass_spec *spec)
{
    double bytes = zb_pass_forecast(t, spec) + zb_proposal_forecast(t, false);
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

typedef struct plan {
    double share;    /* of the time left: for the bound; the tables are made after it */
    double slowness; /* how much longer work takes than it should, at least 1 */
    int iterations;  /* at most */
} plan;

/* The ibound asked for, or the largest that pays. */
static zb_status choose_ibound(const zb_model *model, const plan *how, zb_run *run,
                               int *ibound)
{
    zb_ibound_request request = { .model = model,
                                  .memory = run->memory / 2,
                                  .seconds = how->share * zb_run_left(run),
                                  .slowness = how->slowness,
                                  .passes = PASSES,
                                  .run = run };
    zb_ibound_choice choice = { .ibound = *ibound };
    zb_status status = *ibound == 0 ? zb_budget_ibound(&request, &choice) : ZB_OK;
    *ibound = choice.ibound;
    return status;
}

/* slowness becomes what was seen of it. */
static zb_status find_bound(zb_source *out, const zb_model *model,
                            const zb_options *given, plan *how, zb_run *run)
{
    zb_options opt = *given;
    zb_attempt *attempt = NULL;
    zb_stop stop;
    zb_status status;
    TRY(choose_ibound(model, how, run, &opt.ibound));
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_AUTO;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = zb_min_int(opt.iterations, how->iterations);
    double left = zb_run_left(run);
    zb_run share =
        zb_run_share(run, isfinite(left) ? zb_now() + how->share * left : INFINITY,
                     run->memory / 2, run->threads);
    zb_search s = { .model = model, .opt = &opt, .run = &share, .other = -INFINITY };
    TRY(zb_search_run(&attempt, &s, ZB_SIDE_UPPER, &stop, NULL));
    double before = zb_now(),
           expected = zb_cost_pass(attempt->tree->entries, attempt->tree->nnodes);
    TRY(zb_source_take(out, attempt, run));
    how->slowness = fmin(50, fmax(1, (zb_now() - before) / expected / 2));
done:
    zb_attempt_free(attempt);
    if (status != ZB_OK)
        zb_source_close(out);
    return status;
}

/* A small one first, so that there is one when time is over before the large one is
   made, which is planned by what the small one took. The better of the two. Where the
   ibound is given, they would be the same. */
static zb_status find_twice(zb_source *out, const zb_model *model,
                            const zb_options *opt, zb_run *run)
{
    plan small = { .share = 0.1, .slowness = 4, .iterations = 50 },
         large = { .share = 0.7, .slowness = 1, .iterations = opt->iterations };
    zb_source better = { .proposal = NULL };
    zb_status status;
    if (!isfinite(zb_run_left(run)) || opt->ibound > 0)
        return find_bound(out, model, opt, &large, run);
    TRY(find_bound(out, model, opt, &small, run));
    large.slowness = small.slowness;
    status = find_bound(&better, model, opt, &large, run);
    if (status == ZB_OK && better.log_upper < out->log_upper) {
        zb_source swap = *out;
        *out = better;
        better = swap;
    }
    if (status == ZB_OK)
        zb_source_close(&better);
    status = status == ZB_ELIMIT ? ZB_OK : status;
done:
    return status;
}

zb_status zb_source_find(zb_source *out, const zb_model *model, const zb_options *opt,
                         zb_run *run)
{
    bool exact = false;
    zb_status status = ZB_OK;
    *out = (zb_source){ .proposal = NULL };
    if (opt->ibound == 0)
        TRY(find_exact(out, model, opt, run, &exact));
    if (!exact)
        TRY(find_twice(out, model, opt, run));
done:
    if (status != ZB_OK)
        zb_source_close(out);
    return status;
}

/* ---- from a state ---------------------------------------------------------------- */

static zb_status check_state(const zb_side_state *from, zb_error *err)
{
    if (!from->present)
        return zb_fail(err, ZB_EINVAL,
                       "the state has no upper bound, which draws come from");
    if (from->form != ZB_FORM_ORIGINAL || from->gauged)
        return zb_fail(err, ZB_EINVAL,
                       "the state is not of the form 'original' without gauges: "
                       "states cannot be drawn from others");
    return ZB_OK;
}

zb_status zb_source_load(zb_source *out, const zb_model *model, const zb_state *state,
                         zb_run *run, zb_error *err)
{
    const zb_side_state *from = &state->side[ZB_STATE_UPPER];
    zb_resume_spec spec = { .from = from,
                            .side = ZB_SIDE_UPPER,
                            .moves = from->moves,
                            .extreme = from->extreme };
    zb_attempt *a = NULL;
    zb_status status;
    bool same;
    *out = (zb_source){ .proposal = NULL };
    TRY(check_state(from, err));
    spec.moves.gradient = true; /* messages are read */
    TRY(zb_state_resume(&a, model, &spec, run, &same, err));
    if (a == NULL)
        TRY(zb_fail(err, ZB_EINVAL, "nothing of the state fits the model"));
    TRY(zb_source_take(out, a, run));
done:
    zb_attempt_free(a);
    if (status != ZB_OK)
        zb_source_close(out);
    return status;
}
