#include "map/summit.h"

#include "base/cost.h"
#include "base/sum.h"
#include "baseline/support.h"
#include "map/climb.h"
#include "order/order.h"
#include "pass/layout.h"
#include "sample/ascent.h"
#include "tighten/budget.h"
#include "tighten/search.h"

#include <string.h>

typedef struct job {
    zb_summit *out;
    const zb_model *model;
    const zb_options *opt;
    zb_run *run;
    int *trial; /* a state */
} job;

/* ---- what is known --------------------------------------------------------------- */

/* The trial state, if it is better, after single and double flips. */
static zb_status enter_state(job *j)
{
    zb_summit *s = j->out;
    zb_status status = ZB_OK;
    if (zb_state_value(j->model, j->trial).mid == -INFINITY)
        return ZB_OK;
    TRY(zb_state_ascend(j->model, j->trial, j->run));
    double value = zb_state_value(j->model, j->trial).mid;
    if (!s->found || value > s->value) {
        memcpy(s->state, j->trial, (size_t)j->model->nvars * sizeof *s->state);
        s->value = value;
        s->found = true;
    }
done:
    return status;
}

/* Two numbers that differ by no more than rounding may have done to them. */
static bool meets(const zb_summit *s, double radius)
{
    return s->found &&
           s->upper - s->value <= 4 * radius + 1e-12 * fmax(1, fabs(s->value));
}

static void enter_bound(job *j, double upper, double radius)
{
    zb_summit *s = j->out;
    s->upper = fmin(s->upper, upper);
    s->optimal = s->optimal || s->upper == -INFINITY || meets(s, radius);
    zb_run_report(j->run, (zb_progress){ .log_lower = s->found ? s->value : -INFINITY,
                                         .log_upper = s->upper,
                                         .ibound = s->ibound,
                                         .fraction = -1,
                                         .side = ZB_SIDE_UPPER });
}

/* ---- without a split ------------------------------------------------------------- */

static bool is_affordable(const job *j, const zb_tree *t)
{
    zb_pass_spec spec = zb_climb_spec(j->run, false, false);
    return (j->opt->ibound == 0 || t->width < j->opt->ibound) &&
           zb_pass_forecast(t, &spec) <= 0.9 * (double)j->run->memory &&
           zb_cost_pass(t->entries, t->nnodes) <= 0.8 * zb_run_left(j->run);
}

static zb_status make_tree(zb_tree **out, const job *j, bool searched)
{
    double left = zb_run_left(j->run);
    double most = searched ? 60 : 0.5; /* seconds */
    zb_order_request request = { .kind = ZB_ORDER_AUTO,
                                 .seed = j->opt->seed,
                                 .tries = 1000,
                                 .seconds = isfinite(left) ? fmin(0.05 * left, most)
                                                           : fmin(2, most),
                                 .run = j->run };
    zb_split_spec whole = { .ibound = j->model->nvars + 1, .run = j->run };
    zb_scopes *scopes = NULL;
    int *order = zb_alloc((size_t)j->model->nvars, sizeof *order);
    zb_status status;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, j->model));
    TRY(zb_order_make(scopes, &request, order, NULL));
    status = zb_tree_new(out, scopes, order, &whole);
    if (status == ZB_ELIMIT && zb_run_more(j->run)) /* a table beyond all memory */
        status = ZB_OK;
done:
    zb_free(order);
    zb_scopes_free(scopes);
    return status;
}

/* Climbs the tree of a model that is j's at inverse temperature beta. */
static zb_status climb(job *j, const zb_climbing *how, double beta)
{
    zb_ball top;
    zb_status status;
    TRY(zb_climb(how, j->run, &top, j->trial));
    double slack =
        (top.radius + how->model->radius) / beta + 4 * ZB_UNIT * fabs(top.mid / beta);
    TRY(enter_state(j));
    enter_bound(j, zb_up(top.mid / beta, slack), slack);
done:
    return status;
}

/* In the order that half a second finds, or in one that takes time to find. */
static zb_status find_exact(job *j, bool searched)
{
    zb_tree *tree = NULL;
    zb_status status;
    TRY(make_tree(&tree, j, searched));
    if (tree != NULL && is_affordable(j, tree)) {
        zb_climbing how = { .model = j->model, .tree = tree };
        j->out->ibound = tree->width + 1;
        TRY(climb(j, &how, 1));
        j->out->optimal = true;
    }
done:
    zb_tree_free(tree);
    return status;
}

/* ---- with splits ----------------------------------------------------------------- */

/* Some state of positive weight, where maxima lead to none. */
static zb_status find_any(job *j)
{
    static const double BUDGET = 2e7; /* literals that the search may set */
    zb_graph *g = NULL;
    zb_support answer;
    double *score = NULL;
    int *x = NULL;
    zb_status status;
    TRY(zb_graph_new(&g, j->model, true, j->run));
    score = zb_calloc(g->var_at[g->nvars], sizeof *score);
    x = zb_calloc((size_t)g->nvars, sizeof *x);
    TRY(score != NULL && x != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_support_find(g, score, BUDGET, j->run, x, &answer));
    memset(j->trial, 0, (size_t)j->model->nvars * sizeof *j->trial);
    for (int u = 0; u < g->nvars; u++)
        j->trial[g->model_var[u]] = x[u];
    if (answer == ZB_SUPPORT_FOUND)
        TRY(enter_state(j));
done:
    zb_graph_free(g);
    zb_free(score);
    zb_free(x);
    return status;
}

typedef struct step {
    double beta;
    double share; /* of the time that is left */
    int most;     /* of the ibound, where it is not given */
    int iterations;
} step;

static zb_status choose_ibound(const job *j, const zb_model *model, const step *how,
                               int *ibound)
{
    zb_ibound_request request = { .model = model,
                                  .memory = j->run->memory / 2,
                                  .seconds = how->share * zb_run_left(j->run),
                                  .slowness = 1,
                                  .passes = 60,
                                  .run = j->run };
    zb_ibound_choice choice = { .ibound = j->opt->ibound };
    zb_status status =
        j->opt->ibound == 0 ? zb_budget_ibound(&request, &choice) : ZB_OK;
    *ibound =
        j->opt->ibound == 0 ? zb_min_int(choice.ibound, how->most) : choice.ibound;
    return status;
}

/* The smooth bound at this temperature, tightened in a share of the time; then maxima
   with its shifts. */
static zb_status search(job *j, const zb_model *hot, const step *how)
{
    zb_options opt = *j->opt;
    double left = zb_run_left(j->run);
    zb_run mine =
        zb_run_share(j->run, isfinite(left) ? zb_now() + how->share * left : INFINITY,
                     j->run->memory / 2, j->run->threads);
    zb_search s = { .model = hot, .opt = &opt, .run = &mine, .other = -INFINITY };
    zb_attempt *a = NULL;
    zb_stop stop;
    zb_status status;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_AUTO;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = zb_min_int(opt.iterations, how->iterations);
    mine.relay = zb_run_silent; /* bounds of sums are not bounds of maxima */
    mine.context = j->run;
    TRY(choose_ibound(j, hot, how, &opt.ibound));
    TRY(zb_search_run(&a, &s, ZB_SIDE_UPPER, &stop, NULL));
    ZB_ASSERT(a->model == hot);
    j->out->ibound = opt.ibound;
    zb_climbing climbing = { .model = hot, .tree = a->tree, .shifts = a };
    TRY(climb(j, &climbing, how->beta));
    TRY(zb_climb_draws(a, j->opt->seed, j->run, j->trial));
    TRY(enter_state(j));
done:
    zb_attempt_free(a);
    return status;
}

/* A short step first, so that there are a state and a bound whenever the run is ended.
 */
static zb_status find_bound(job *j)
{
    const int most = j->opt->iterations;
    const step steps[] = { { 1, 0.1, 5, 20 },        { 1, 0.2, 1000, most },
                           { 4, 0.2, 1000, most },   { 16, 0.3, 1000, most },
                           { 64, 0.45, 1000, most }, { 256, 0.9, 1000, most } };
    enum { STEPS = sizeof steps / sizeof *steps };
    zb_status status = ZB_OK;
    for (int i = 0; i < STEPS && !j->out->optimal && zb_run_more(j->run); i++) {
        zb_model *hot = NULL;
        status = zb_model_raise(&hot, j->model, steps[i].beta);
        if (status == ZB_OK)
            status = search(j, hot, &steps[i]);
        zb_model_free(hot);
        /* logarithms beyond all doubles; tables beyond the memory */
        TRY(status == ZB_ENOMEM ? status : ZB_OK);
        if (i == 0 && !j->out->found)
            TRY(find_any(j));
        if (i == 0 && !j->out->optimal)
            TRY(find_exact(j, true));
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_summit_find(zb_summit *out, const zb_model *model, const zb_options *opt,
                         zb_run *run)
{
    job j = { out, model, opt, run, NULL };
    zb_status status;
    out->found = out->optimal = false;
    out->upper = INFINITY;
    out->value = -INFINITY;
    j.trial = zb_calloc((size_t)model->nvars, sizeof *j.trial);
    TRY(j.trial != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(find_exact(&j, false));
    if (!out->optimal)
        TRY(find_bound(&j));
done:
    zb_free(j.trial);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
