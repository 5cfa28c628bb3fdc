/* Proved intervals where an exact answer is out of reach.
 *
 * An upper and a lower bound by mini-buckets, U and L, hold for every model of the same
 * structure. With the indicator of y in the place of the ones they are bounds of Z(y):
 *
 *   L(y) <= Z(y) <= U(y),
 *   L(y) / (L(y) + sum_{y' != y} U(y')) <= p(y) <= U(y) / (U(y) + sum_{y' != y} L(y')).
 *
 * Weights and shifts stay as they are; only the nodes from the question's factor to its
 * root are computed again, once per entry and once more to leave the ones as they were.
 *
 * Estimates are means of weighted draws from U (sample/proposal.h). */
#include "marginals/inquiry.h"

#include "base/cost.h"
#include "base/sum.h"
#include "marginals/share.h"
#include "model/table.h"
#include "sample/feed.h"
#include "tighten/budget.h"
#include "tighten/search.h"

static const int PASSES = 50; /* that a search should be able to pay for */
/* Of the time that is left: for each side's search; for the paths; for draws. */
static const double SEARCH = 0.25, PATHS = 0.25, DRAWING = 0.1;
static const double NEARBY = 0.15; /* before all that */
static const size_t DRAWS = (size_t)1 << 14;

/* ---- which mini-buckets ---------------------------------------------------------- */

/* Clique entries that all questions take on their ways up. */
static zb_status path_entries(const zb_inquiry *q, const zb_tree *t, double *sum)
{
    double *above = zb_calloc((size_t)t->nnodes, sizeof *above);
    if (above == NULL)
        return ZB_ENOMEM;
    *sum = 0;
    for (int k = t->nnodes - 1; k >= 0; k--) {
        const zb_node *n = &t->node[k];
        above[k] = (double)n->sep_size * (double)zb_tree_states(t, k) + 40;
        above[k] += n->parent >= 0 ? above[n->parent] : 0;
    }
    for (int i = 0; i < q->count; i++)
        *sum += above[t->factor_node[q->question[i].factor]] *
                (double)(zb_question_size(q, i) + 1);
    zb_free(above);
    return ZB_OK;
}

/* The largest ibound up to *ibound with which all paths of both sides take less than so
   many seconds, about; not below 4. */
static zb_status limit_paths(const zb_inquiry *q, double seconds, zb_run *run,
                             int *ibound)
{
    enum { LEAST = 4 };
    zb_order_request request = {
        .kind = ZB_ORDER_MINFILL, .seed = 1, .tries = 1, .run = run
    };
    zb_scopes *scopes = NULL;
    int *order = zb_alloc((size_t)q->model->nvars, sizeof *order);
    double entries = INFINITY;
    zb_status status;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, q->model));
    TRY(zb_order_make(scopes, &request, order, NULL));
    while (*ibound > LEAST && zb_cost_pass(entries, 0) > seconds) {
        zb_split_spec split = { .ibound = *ibound, .extend = true, .run = run };
        zb_tree *tree;
        TRY(zb_tree_new(&tree, scopes, order, &split));
        status = path_entries(q, tree, &entries);
        zb_tree_free(tree);
        TRY(status);
        *ibound -= zb_cost_pass(entries, 0) > seconds;
    }
done:
    zb_free(order);
    zb_scopes_free(scopes);
    return status;
}

/* The largest ibound of which searches and paths fit the time. */
static zb_status choose_ibound(const zb_inquiry *q, zb_run *run, int *ibound)
{
    double left = zb_run_left(run);
    zb_ibound_request request = { .model = q->model,
                                  .memory = run->memory / 2,
                                  .seconds = SEARCH * left,
                                  .slowness = 1,
                                  .passes = PASSES,
                                  .run = run };
    zb_ibound_choice choice;
    zb_status status;
    TRY(zb_budget_ibound(&request, &choice));
    *ibound = choice.ibound;
    if (isfinite(left))
        TRY(limit_paths(q, PATHS * left, run, ibound));
done:
    return status;
}

static zb_status find_side(zb_attempt **out, const zb_inquiry *q, zb_round how,
                           zb_side side, zb_run *run)
{
    zb_options opt = *q->opt;
    double left = zb_run_left(run);
    zb_run share =
        zb_run_share(run, isfinite(left) ? zb_now() + SEARCH * left : INFINITY,
                     run->memory / 2, run->threads);
    zb_stop stop;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_AUTO;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.ibound = how.ibound;
    opt.iterations = zb_min_int(opt.iterations, how.iterations);
    zb_search s = { .model = q->model,
                    .opt = &opt,
                    .run = &share,
                    .other = side == ZB_SIDE_UPPER ? -INFINITY : INFINITY };
    share.relay = zb_run_silent; /* bounds of a part are not the whole's */
    share.context = run;
    zb_status status = zb_search_run(out, &s, side, &stop, NULL);
    if (status == ZB_OK) {
        ZB_ASSERT((*out)->model == q->model);
        zb_attempt_watch(*out, run);
    }
    return status;
}

/* ---- bounds of every Z(y) -------------------------------------------------------- */

typedef struct asking {
    zb_inquiry *q;
    zb_attempt *side[2]; /* lower, upper */
    double *log[2];      /* of the present question, in its factor's layout: bounds of
                            ln Z(y), less the constant of the model */
    double *table;       /* as long, in a tree's layout: ones and indicators */
    size_t *place;       /* from a tree's layout to the factor's */
} asking;

static void find_places(const zb_tree *t, const zb_model *model, int f, size_t *place)
{
    const int *scope;
    int arity = zb_tree_scope(t, f, &scope);
    size_t e = 0;
    zb_walk w;
    zb_walk_begin(&w, arity, scope, model->card, &model->factor[f]);
    do
        place[e++] = w.at;
    while (zb_walk_next(&w) >= 0);
}

/* With the table as it is; false when the run ended first. */
static bool bound_once(asking *a, int f, int s, double *out)
{
    zb_pass *pass = zb_tighten_pass(a->side[s]->tighten);
    zb_pass_set_log(pass, f, a->table);
    double bound = zb_pass_forward_from(pass, f);
    double radius = zb_pass_radius(pass) + a->q->radius;
    *out = s == 0 ? zb_down(bound, radius) : zb_up(bound, radius);
    return !zb_pass_was_cut(pass);
}

/* Sets log[s]; false when the run ended first. The factor is left at ones. */
static bool bound_entries(asking *a, int i, int s)
{
    int f = a->q->question[i].factor;
    size_t n = zb_question_size(a->q, i);
    double all;
    find_places(a->side[s]->tree, a->q->model, f, a->place);
    for (size_t e = 0; e < n; e++)
        a->table[e] = -INFINITY;
    for (size_t e = 0; e < n; e++) {
        a->table[e] = 0;
        if (!bound_once(a, f, s, &a->log[s][a->place[e]]))
            return false;
        a->table[e] = -INFINITY;
    }
    for (size_t e = 0; e < n; e++)
        a->table[e] = 0;
    return bound_once(a, f, s, &all);
}

/* ln of the sum of e^x but for entry `without`. */
static double log_sum_without(size_t n, const double *x, size_t without)
{
    double sum = -INFINITY;
    for (size_t e = 0; e < n; e++)
        sum = e != without ? zb_log_add(sum, x[e]) : sum;
    return sum;
}

static void enter_bounds(asking *a, int i)
{
    zb_answers *out = a->q->answers;
    size_t n = zb_question_size(a->q, i);
    const double *low = a->log[0], *high = a->log[1];
    for (size_t e = 0; e < n; e++) {
        size_t at = a->q->question[i].at + e;
        double below = zb_share_below(low[e], log_sum_without(n, high, e), (double)n),
               above = zb_share_above(high[e], log_sum_without(n, low, e), (double)n);
        out->lower[at] = fmax(out->lower[at], below);
        out->upper[at] = fmin(out->upper[at], above);
        out->value[at] = fmin(fmax(out->value[at], out->lower[at]), out->upper[at]);
    }
}

static zb_status bound_all(asking *a, zb_run *run)
{
    size_t most = 1;
    bool more = true;
    for (int i = 0; i < a->q->count; i++)
        most = zb_max_size(most, zb_question_size(a->q, i));
    a->log[0] = zb_alloc(most, sizeof *a->log[0]);
    a->log[1] = zb_alloc(most, sizeof *a->log[1]);
    a->table = zb_alloc(most, sizeof *a->table);
    a->place = zb_alloc(most, sizeof *a->place);
    if (!a->log[0] || !a->log[1] || !a->table || !a->place)
        return ZB_ENOMEM;
    for (int s = 0; s < 2; s++) /* searches leave passes after their way back */
        zb_tighten_evaluate(a->side[s]->tighten, NULL);
    more = !zb_tighten_was_cut(a->side[0]->tighten) &&
           !zb_tighten_was_cut(a->side[1]->tighten);
    for (int i = 0; i < a->q->count && more; i++) {
        more = bound_entries(a, i, 0) && bound_entries(a, i, 1);
        if (more)
            enter_bounds(a, i);
        more = more && zb_run_more(run);
    }
    return ZB_OK;
}

/* ---- estimates ------------------------------------------------------------------- */

/* Few draws, for want of time, do not take the place of more. */
static const size_t ENOUGH = 1024;

typedef struct tally {
    double *weight, *square; /* sums of w and w^2 over the draws with this answer */
    double all, squares;     /* over all draws */
    size_t count;            /* of them */
} tally;

static void count_draw(const zb_inquiry *q, const zb_draw *d, tally *t)
{
    double w = zb_exp(d->log_ratio);
    t->all += w;
    t->squares += w * w;
    for (int i = 0; i < q->count && w > 0; i++) {
        const zb_factor *f = &q->model->factor[q->question[i].factor];
        size_t at = 0;
        for (int k = 0; k < f->arity; k++)
            at = at * (size_t)q->model->card[f->scope[k]] +
                 (size_t)d->state[(size_t)f->scope[k] * ZB_LANES];
        t->weight[q->question[i].at + at] += w;
        t->square[q->question[i].at + at] += w * w;
    }
}

/* p = sum w 1_y / sum w; its variance is about sum w^2 (1_y - p)^2 / (sum w)^2. */
static void enter_estimates(const zb_inquiry *q, const tally *t)
{
    zb_answers *out = q->answers;
    for (int i = 0; i < q->count; i++)
        for (size_t e = 0; e < zb_question_size(q, i); e++) {
            size_t at = q->question[i].at + e;
            double p = t->weight[at] / t->all;
            double square = t->square[at] * (1 - 2 * p) + p * p * t->squares;
            out->value[at] = fmin(fmax(p, out->lower[at]), out->upper[at]);
            out->error[at] = sqrt(fmax(square, 0)) / t->all;
        }
}

static zb_status draw_all(zb_inquiry *q, const zb_proposal *p, tally *t, zb_run *run)
{
    zb_feed feed;
    zb_draw d;
    zb_ticker tick = { .run = run };
    zb_status status = zb_feed_open(&feed, p, q->opt->seed, 0, run->threads);
    while (status == ZB_OK && t->count < DRAWS && zb_tick(&tick, 10.0 * q->count) &&
           zb_feed_next(&feed, false, run, &d)) {
        count_draw(q, &d, t);
        t->count++;
    }
    zb_feed_close(&feed);
    return status;
}

static zb_status estimate(zb_inquiry *q, zb_attempt *upper, zb_run *run)
{
    zb_source source = { .proposal = NULL };
    tally t = { .weight = zb_calloc(q->answers->count, sizeof *t.weight),
                .square = zb_calloc(q->answers->count, sizeof *t.square) };
    zb_status status;
    TRY(t.weight != NULL && t.square != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_source_take(&source, upper, run));
    TRY(draw_all(q, source.proposal, &t, run));
    if (t.all > 0 && (t.count >= ENOUGH || t.count >= q->samples)) {
        enter_estimates(q, &t);
        q->samples = t.count;
    }
done:
    zb_source_close(&source);
    zb_free(t.weight);
    zb_free(t.square);
    return status;
}

/* Without an estimate: the middle of what is possible, which may be half of it away. */
static void enter_middles(const zb_inquiry *q)
{
    zb_answers *out = q->answers;
    for (int i = 0; i < q->count; i++)
        for (size_t e = 0; e < zb_question_size(q, i); e++) {
            size_t at = q->question[i].at + e;
            out->value[at] = 0.5 * (out->lower[at] + out->upper[at]);
            out->error[at] = 0.5 * (out->upper[at] - out->lower[at]);
        }
}

zb_status zb_inquiry_round(zb_inquiry *q, zb_round how, zb_run *run)
{
    asking a = { .q = q };
    double left = zb_run_left(run);
    zb_status status;
    TRY(find_side(&a.side[1], q, how, ZB_SIDE_UPPER, run));
    TRY(find_side(&a.side[0], q, how, ZB_SIDE_LOWER, run));
    zb_run paths = zb_run_share(
        run, isfinite(left) ? zb_now() + zb_run_left(run) - DRAWING * left : INFINITY,
        UINT64_MAX, run->threads);
    zb_attempt_watch(a.side[0], &paths);
    zb_attempt_watch(a.side[1], &paths);
    TRY(bound_all(&a, &paths));
    zb_tighten_renew(a.side[1]->tighten); /* a path may have ended half way */
    if (a.side[1]->bound > -INFINITY)
        TRY(estimate(q, a.side[1], run));
done:
    for (int s = 0; s < 2; s++) {
        zb_attempt_free(a.side[s]);
        zb_free(a.log[s]);
    }
    zb_free(a.table);
    zb_free(a.place);
    return status;
}

/* A round for which there is no memory or time leaves answers as they are. */
static zb_status try_round(zb_inquiry *q, zb_round how, zb_run *run)
{
    zb_status status = zb_inquiry_round(q, how, run);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* A small round first, so that there are answers whenever the run is ended. */
zb_status zb_inquiry_bound(zb_inquiry *q, zb_run *run)
{
    enum { SMALL = 5, FEW = 20 };
    zb_round how = { q->opt->ibound, q->opt->iterations };
    bool found;
    zb_status status = ZB_OK;
    TRY(zb_inquiry_nearby(q, NEARBY * zb_run_left(run), run));
    enter_middles(q);
    if (q->opt->ibound == 0) {
        TRY(choose_ibound(q, run, &how.ibound));
        TRY(try_round(q, (zb_round){ zb_min_int(SMALL, how.ibound), FEW }, run));
    }
    TRY(zb_inquiry_exact(q, true, run, &found));
    if (found)
        return ZB_OK;
    if (q->opt->ibound == 0)
        TRY(choose_ibound(q, run, &how.ibound));
    TRY(try_round(q, how, run));
done:
    return status;
}
