#include "map/summit.h"

#include "base/cost.h"
#include "base/sum.h"
#include "baseline/support.h"
#include "map/branch.h"
#include "order/order.h"
#include "pass/layout.h"
#include "sample/ascent.h"
#include "tighten/budget.h"
#include "tighten/moves.h"
#include "tighten/search.h"

#include <string.h>

typedef zb_summit_job job;

/* ---- without a split ------------------------------------------------------------- */

static bool is_affordable(const job *j, const zb_tree *t, double share)
{
    zb_pass_spec spec = zb_climb_spec(j->run, false, false);
    return (j->opt->ibound == 0 || t->width < j->opt->ibound) &&
           zb_pass_forecast(t, &spec) <= 0.9 * (double)j->run->memory &&
           zb_cost_pass(t->entries, t->nnodes) <= share * zb_run_left(j->run);
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

/* Climbs the tree of a model that is j's at inverse temperature beta; the climber stays
   open. */
static zb_status climb(job *j, zb_climber *c, const zb_climbing *how, double beta)
{
    zb_status status;
    TRY(zb_climber_open(c, how, j->run));
    double slack = zb_summit_slack(c, beta);
    TRY(zb_climber_follow(c, j->run, j->trial));
    TRY(zb_summit_enter_state(j));
    zb_summit_enter_bound(j, zb_up(c->top.mid / beta, slack), slack);
done:
    return status;
}

/* In the order that half a second finds, if that is quick; or, once there is something
   to show, in one that takes time to find. */
static zb_status find_exact(job *j, bool searched)
{
    zb_tree *tree = NULL;
    zb_climber climber = { .pass = NULL };
    zb_status status;
    TRY(make_tree(&tree, j, searched));
    if (tree != NULL && is_affordable(j, tree, searched ? 0.8 : 0.1)) {
        zb_climbing how = { .model = j->model, .tree = tree };
        j->out->ibound = tree->width + 1;
        TRY(climb(j, &climber, &how, 1));
        j->out->optimal = true;
    }
done:
    zb_climber_close(&climber);
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
        TRY(zb_summit_enter_state(j));
done:
    zb_graph_free(g);
    zb_free(score);
    zb_free(x);
    return status;
}

/* ---- steps ----------------------------------------------------------------------- */

typedef struct step {
    double beta;
    double share; /* of the time that is left */
    int most;     /* of the ibound, where it is not given */
    int iterations;
    double branching; /* share of the time that is left then */
} step;

/* The smooth bound of a step. */
typedef struct stage {
    double beta;
    zb_model *hot; /* the model to the power of beta */
    zb_attempt *a;
} stage;

static void stage_free(stage *s)
{
    zb_attempt_free(s->a);
    zb_model_free(s->hot);
    *s = (stage){ 0 };
}

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

/* Bounds of sums, which are not bounds of maxima, stay here. */
static zb_run silent_share(const job *j, double share)
{
    double left = zb_run_left(j->run);
    zb_run mine =
        zb_run_share(j->run, isfinite(left) ? zb_now() + share * left : INFINITY,
                     j->run->memory / 2, j->run->threads);
    mine.relay = zb_run_silent;
    mine.context = j->run;
    return mine;
}

static zb_options options_of(const job *j, const step *how)
{
    zb_options opt = *j->opt;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_AUTO;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = zb_min_int(opt.iterations, how->iterations);
    return opt;
}

/* A smooth bound from nothing, tightened in a share of the time. */
static zb_status search(job *j, stage *at, const step *how)
{
    zb_options opt = options_of(j, how);
    zb_run mine = silent_share(j, how->share);
    zb_search s = { .opt = &opt, .run = &mine, .other = -INFINITY };
    zb_stop stop;
    zb_status status;
    TRY(zb_model_raise(&at->hot, j->model, how->beta));
    at->beta = how->beta;
    s.model = at->hot;
    TRY(choose_ibound(j, at->hot, how, &opt.ibound));
    j->out->ibound = opt.ibound;
    TRY(zb_search_run(&at->a, &s, ZB_SIDE_UPPER, &stop, NULL));
    ZB_ASSERT(at->a->model == at->hot);
done:
    return status;
}

/* Iterations that fit the share of time, at the pace of a few. */
static zb_status descend(zb_attempt *a, const zb_options *opt, zb_run *run)
{
    enum { FEW = 4 };
    static const double GENTLE = 0.2; /* steps: the start is good */
    zb_descent how = { .optimizer = opt->optimizer,
                       .rates = zb_moves_rates(opt, ZB_SIDE_UPPER),
                       .iterations = zb_min_int(FEW, opt->iterations),
                       .tolerance = -1,
                       .run = run };
    double begun = zb_now();
    zb_stop stop;
    zb_status status;
    for (int b = 0; b < ZB_BLOCKS; b++)
        how.rates.of[b] *= GENTLE;
    TRY(zb_attempt_descend(a, how, &stop));
    double each = (zb_now() - begun) / (FEW + 1), left = zb_run_left(run);
    how.iterations = opt->iterations - FEW;
    how.tolerance = opt->tolerance;
    if (isfinite(left))
        how.iterations = (int64_t)fmin((double)how.iterations, left / each);
    if (how.iterations > 0)
        TRY(zb_attempt_descend(a, how, &stop));
done:
    return status;
}

/* The same tree at a lower temperature, from the same shifts: these are logarithms and
   grow with beta. */
static zb_status cool(job *j, stage *at, const step *how)
{
    zb_options opt = options_of(j, how);
    zb_run mine = silent_share(j, how->share);
    stage next = { .beta = how->beta };
    zb_attempt_spec spec = at->a->spec;
    zb_status status;
    spec.formed_order = at->a->order;
    spec.formed_nvars = at->a->tree->nvars;
    spec.tighten.run = &mine;
    TRY(zb_model_raise(&next.hot, j->model, how->beta));
    TRY(zb_attempt_new(&next.a, next.hot, &spec, &mine, NULL));
    const zb_pass_param *from = zb_pass_params(zb_tighten_pass(at->a->tighten));
    zb_pass_param *to = zb_pass_params(zb_tighten_pass(next.a->tighten));
    ZB_ASSERT(from->ntheta == to->ntheta);
    for (size_t i = 0; i < to->ntheta; i++)
        to->theta[i] = from->theta[i] * (how->beta / at->beta);
    TRY(descend(next.a, &opt, &mine));
done:
    if (status == ZB_OK) {
        stage_free(at);
        *at = next;
    } else {
        stage_free(&next);
    }
    return status;
}

/* Maxima with the shifts of the stage, and what they lead to. */
static zb_status reap(job *j, const stage *at, const step *how)
{
    zb_climbing climbing = { .model = at->hot, .tree = at->a->tree, .shifts = at->a };
    zb_climber climber = { .pass = NULL };
    zb_status status;
    zb_attempt_watch(at->a, j->run);
    TRY(climb(j, &climber, &climbing, at->beta));
    TRY(zb_climb_draws(at->a, j->opt->seed, j->run, j->trial));
    TRY(zb_summit_enter_state(j));
    if (how->branching > 0 && !j->out->optimal)
        TRY(zb_summit_branch(j, &climber, at->beta, how->branching));
done:
    zb_climber_close(&climber);
    return status;
}

/* What takes no time: each factor at its largest, and the state of zeros, improved. */
static zb_status find_something(job *j)
{
    zb_sum sum = { 0 };
    zb_sum_add_ball(&sum, zb_model_scale(j->model));
    for (int f = 0; f < j->model->nfactors; f++) {
        const zb_factor *a = &j->model->factor[f];
        double most = -INFINITY;
        for (size_t i = 0; i < a->size; i++)
            most = a->value[i] > most ? a->value[i] : most;
        zb_sum_add(&sum, most);
    }
    zb_ball top = zb_sum_value(&sum);
    zb_summit_enter_bound(j, zb_up(top.mid, top.radius), top.radius);
    return j->out->optimal ? ZB_OK : zb_summit_enter_state(j);
}

/* A short step first, so that there are a state and a bound soon;
   then a bound to start from, and the same at lower and lower temperatures. */
static zb_status find_bound(job *j)
{
    const int most = j->opt->iterations;
    const step steps[] = {
        { 1, 0.1, 5, 20, 0 },         { 1, 0.1, 1000, most, 0.1 },
        { 4, 0.1, 1000, most, 0.1 },  { 16, 0.15, 1000, most, 0.15 },
        { 64, 0.2, 1000, most, 0.3 }, { 256, 0.2, 1000, most, 1 },
    };
    enum { STEPS = sizeof steps / sizeof *steps, FROM_NOTHING = 2 };
    stage at = { 0 };
    zb_status status = ZB_OK;
    step first = steps[0];
    if (isfinite(zb_run_left(j->run)))
        first.share = fmin(first.share, 1 / zb_run_left(j->run)); /* a second */
    for (int i = 0; i < STEPS && !j->out->optimal && zb_run_more(j->run); i++) {
        const step *how = i == 0 ? &first : &steps[i];
        if (i < FROM_NOTHING)
            stage_free(&at);
        status = i < FROM_NOTHING ? search(j, &at, how)
                 : at.a != NULL   ? cool(j, &at, how)
                                  : ZB_OK;
        /* logarithms beyond all doubles; tables beyond the memory */
        TRY(status == ZB_ENOMEM ? status : ZB_OK);
        if (at.a != NULL)
            status = reap(j, &at, how);
        TRY(status == ZB_ENOMEM ? status : ZB_OK);
        if (i == 0 && !j->out->found)
            TRY(find_any(j));
        if (i == 1 && !j->out->optimal)
            TRY(find_exact(j, true));
    }
done:
    stage_free(&at);
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
    TRY(find_something(&j));
    TRY(out->optimal ? ZB_OK : find_exact(&j, false));
    if (!out->optimal)
        TRY(find_bound(&j));
done:
    zb_free(j.trial);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
