#include "auto/arms.h"

#include "auto/enter.h"
#include "auto/promise.h"
#include "base/cost.h"
#include "base/explog.h"
#include "tighten/moves.h"
#include "tighten/search.h"

void zb_arms_open(zb_arms *s, zb_steer *p, zb_side side, int first)
{
    *s = (zb_arms){ .steer = p,
                    .side = side,
                    .threads = 1,
                    .memory = p->memory,
                    .kind = ZB_STEERING.plain,
                    .first = first,
                    .next = first,
                    .step = -1 };
}

void zb_arms_close(zb_arms *s)
{
    for (int i = 0; i < s->count; i++)
        zb_attempt_free(s->arm[i].attempt);
    s->count = 0;
}

/* ---- what is done next ----------------------------------------------------------- */

double zb_arms_promise(zb_arms *s, double end)
{
    double seconds = end - zb_now(), most = 0;
    if (seconds > 0 && zb_steer_open(s->steer, s->side)) {
        seconds += s->later;
        s->next = zb_promise_size(s, seconds);
        (void)zb_promise_choose(s, seconds, &most);
        s->hurried = s->hurried || (most == 0 && zb_promise_unfinished(s));
    }
    return most;
}

double zb_arms_reach(const zb_arms *s, double seconds)
{
    if (s->count == 0)
        return 0;
    double last = s->arm[s->count - 1].entries;
    return s->closed ? last : last * zb_promise_growth(s, zb_promise_size(s, seconds));
}

void zb_arms_renew(zb_arms *s)
{
    s->hurried = false;
    s->refused = 0;
}

int64_t zb_arms_passes(const zb_arms *s)
{
    int64_t passes = 0;
    for (int i = 0; i < s->count; i++)
        passes += s->arm[i].passes;
    return passes;
}

/* ---- a new arm ------------------------------------------------------------------- */

static int leader(const zb_arms *s)
{
    int best = -1;
    for (int i = 0; i < s->count; i++)
        if (s->arm[i].attempt != NULL &&
            (best < 0 || zb_tighter(s->side, s->arm[i].bound, s->arm[best].bound)))
            best = i;
    return best;
}

zb_attempt *zb_arms_best(const zb_arms *s)
{
    int best = leader(s);
    return best >= 0 ? s->arm[best].attempt : NULL;
}

zb_attempt *zb_arms_next(const zb_arms *s, const zb_attempt *after)
{
    zb_attempt *best = NULL;
    for (int i = 0; i < s->count; i++) {
        zb_attempt *a = s->arm[i].attempt;
        if (a != NULL && zb_tighter(s->side, after->bound, a->bound) &&
            (best == NULL || zb_tighter(s->side, a->bound, best->bound)))
            best = a;
    }
    return best;
}

/* The oldest go first, the best last. */
void zb_arms_trim(zb_arms *s, double bytes)
{
    for (int i = 0; i < s->count && zb_promise_held(s) > bytes; i++)
        if (i != leader(s)) {
            zb_attempt_free(s->arm[i].attempt);
            s->arm[i].attempt = NULL;
        }
    int best = leader(s);
    if (best >= 0 && zb_promise_held(s) > bytes) {
        zb_attempt_free(s->arm[best].attempt);
        s->arm[best].attempt = NULL;
    }
}

static bool has_large_values(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] > 2)
            return true;
    return false;
}

static bool on_search(void *context, const zb_progress *at)
{
    zb_arms *s = context;
    double bound = s->side == ZB_SIDE_LOWER ? at->log_lower : at->log_upper;
    return zb_enter_pass(s->steer, s->side, at->ibound, 0, bound);
}

/* Clique entries of which enough passes fit the seconds, at the pace of the last arm.
 */
static double affordable_entries(const zb_arms *s, double seconds)
{
    const zb_arm *last = &s->arm[s->count - 1];
    return 2 * ZB_STEERING.rung_share * seconds / zb_promise_passes(s) * last->entries /
           fmax(last->pass, 1e-9);
}

/* Candidates whose first passes fit a share of the time, by the pace of the last arm;
   the first arm is small. One that larger ones follow soon need not be the best. */
static int affordable_few(const zb_arms *s, double seconds)
{
    bool below = s->side == ZB_SIDE_LOWER;
    int most = ZB_STEERING.race_few[below];
    if (s->count == 0)
        return most;
    if (zb_promise_is_step(s, s->next, seconds))
        return 1;
    double each = zb_promise_pass(s, s->next) * ZB_STEERING.race_decide[below] +
                  s->arm[s->count - 1].making;
    return (int)fmin(most, 1 + 2 * ZB_STEERING.race_share * fmax(seconds, 0) / each);
}

/* Passes after which these are judged: the more, the surer. */
static int affordable_passes(const zb_arms *s, int few, double seconds)
{
    int least = ZB_STEERING.race_decide[s->side == ZB_SIDE_LOWER];
    if (s->count == 0)
        return least;
    double passes = 2 * ZB_STEERING.race_share * seconds / few /
                    fmax(zb_promise_pass(s, s->next), 1e-9);
    return (int)fmin(ZB_STEERING.race_most * least, fmax(least, passes));
}

static zb_kind kind_of_next(const zb_arms *s)
{
    return s->next > ZB_STEERING.size_gauged ? ZB_STEERING.plain : s->kind;
}

static bool has_gauges(zb_kind kind) { return kind.form != ZB_FORM_ORIGINAL; }

static zb_status begin(zb_arms *s, double end, zb_attempt **out)
{
    zb_steer *p = s->steer;
    double left = end - zb_now();
    zb_options opt = *p->opt;
    zb_kind kind = kind_of_next(s);
    opt.method = kind.method;
    opt.form = kind.form;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.order = ZB_ORDER_AUTO;
    opt.iterations = ZB_STEERING.race_iterations;
    opt.ibound = p->opt->ibound > 0 ? p->opt->ibound : s->next;
    zb_run share =
        zb_run_share(&p->ledger.work, end, (uint64_t)zb_promise_room(s), s->threads);
    share.relay = on_search;
    share.context = s;
    struct zb_reduction *none;
    zb_search search = { .model = zb_steer_model(p),
                         .opt = &opt,
                         .run = &share,
                         .max_entries =
                             p->opt->ibound == 0 && has_large_values(zb_steer_model(p))
                                 ? zb_exp2(s->next)
                                 : 0,
                         .race = ZB_STEERING.race_share * left,
                         .certified = p->proofs != NULL ? &none : NULL,
                         .entered = &s->entered,
                         .other = s->side == ZB_SIDE_LOWER ? INFINITY : -INFINITY };
    const zb_attempt *best = zb_arms_best(s);
    if (best != NULL)
        search.like = &best->spec;
    if (!has_gauges(kind)) {
        search.few = affordable_few(s, left);
        search.decide = affordable_passes(s, search.few, left);
        search.race = 2 * ZB_STEERING.race_share * left;
    }
    if (s->count > 0) /* the first one is wanted whatever it takes */
        search.most = affordable_entries(s, left + s->later);
    return zb_search_begin(out, &search, s->side, NULL);
}

/* Larger by enough to be another arm? */
static bool is_new(const zb_arms *s, const zb_attempt *a)
{
    return s->count == 0 || a->tree->splits == 0 ||
           a->tree->entries > 1.3 * s->arm[s->count - 1].entries;
}

static zb_status add(zb_arms *s, zb_attempt *a, double making)
{
    double pass = zb_cost_pass(a->tree->entries, a->tree->nnodes);
    zb_attempt_watch(a, &s->steer->ledger.work);
    zb_arm *arm = &s->arm[s->count++];
    *arm = (zb_arm){ .attempt = a,
                     .method = kind_of_next(s).method,
                     .size = s->next,
                     .bound = a->bound,
                     .entries = a->tree->entries,
                     .nodes = a->tree->nnodes,
                     .bytes = (double)zb_attempt_bytes(a),
                     .making = making,
                     .pass = pass,
                     .passes = a->passes,
                     .since = a->passes,
                     .converged = a->tree->splits == 0 };
    zb_promise_note(arm, (double)a->passes, a->bound);
    if (s->steer->proofs != NULL)
        zb_attempt_settle(a);
    return zb_enter_attempt(s->steer, a, arm->method);
}

static zb_status make_arm(zb_arms *s, double end)
{
    zb_attempt *a = NULL;
    double before = zb_now();
    zb_arms_trim(s, ZB_STEERING.kept_share * (double)s->memory);
    zb_status status = begin(s, end, &a);
    if (status == ZB_ENOMEM) { /* what there is goes on */
        s->closed = true;
        s->steer->short_of = true;
        return ZB_OK;
    }
    if (status == ZB_ELIMIT && zb_now() < end && has_gauges(kind_of_next(s))) {
        s->kind = ZB_STEERING.plain; /* which take less of everything */
        return ZB_OK;
    }
    if (status == ZB_ELIMIT || status == ZB_EINVAL) {
        s->hurried = s->hurried || status == ZB_ELIMIT;
        s->refused = zb_now() < end ? s->next : 0;
        return ZB_OK;
    }
    if (status != ZB_OK)
        return status;
    s->top = s->next;
    s->closed = a->tree->splits == 0 || s->steer->opt->ibound > 0;
    if (is_new(s, a))
        status = add(s, a, (zb_now() - before) / zb_max_int(1, s->entered));
    else
        zb_attempt_free(a);
    return status;
}

/* ---- a slice --------------------------------------------------------------------- */

typedef struct teller {
    zb_arms *arms;
    zb_arm *arm;
    int ibound;
} teller;

static bool on_pass(void *context, int64_t iteration, double bound, double best)
{
    const teller *t = context;
    (void)bound;
    zb_promise_note(t->arm, (double)(t->arm->passes + iteration), best);
    return zb_enter_pass(t->arms->steer, t->arms->side, t->ibound, iteration > 0, best);
}

/* What a slice has shown of the arm's curve. One that the end of a round cut short
   shows nothing of its rate. */
static void learn(zb_arms *s, zb_arm *a, double seconds, int64_t passes)
{
    double gain = zb_promise_ahead(s, a->attempt->bound, a->bound);
    bool cut = passes < ZB_STEERING.slice_passes / 3 && a->slice > 0;
    if (!cut) {
        a->older = a->rate;
        a->rate = isfinite(gain) ? fmax(gain, 0) / fmax(seconds, 1e-9) : 0;
        a->rate =
            fmax(a->rate, 0.2 * a->older); /* a slice may gain nothing by chance */
        a->slice = seconds;
    }
    a->spent += seconds;
    a->passes += passes;
    if (passes > 2)
        a->pass = seconds / (double)passes;
    a->bound = a->attempt->bound;
    a->bytes = (double)zb_attempt_bytes(a->attempt);
}

static double best_before(const zb_arms *s, int i)
{
    double best = s->side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    for (int k = 0; k < i; k++)
        best = zb_tighter(s->side, s->arm[k].bound, best) ? s->arm[k].bound : best;
    return best;
}

/* What an arm gained over the one before it: at their ends, by their curves; or half of
   what it was ahead after as many passes, where both have far to go. */
static double step_of(const zb_arms *s, const zb_arm *a)
{
    const zb_arm *before = zb_promise_before(s, a);
    double more = zb_promise_outlook(s, a, INFINITY);
    double at = a->bound + (s->side == ZB_SIDE_LOWER ? more : -more);
    double end = zb_promise_ahead(s, at, best_before(s, (int)(a - s->arm)));
    double early = before != NULL && before->tried
                       ? zb_promise_ahead(s, a->trial, before->trial)
                       : 0;
    early = fmin(0.5 * early, ZB_STEERING.step_most * zb_promise_gap(s));
    return fmax(0, fmax(isfinite(end) ? end : 0, isfinite(early) ? early : 0));
}

/* Once an arm is past its trial it shows what its size is worth. One that is given up
   shows nothing but a bad order. */
static void note_step(zb_arms *s, zb_arm *a)
{
    int i = (int)(a - s->arm);
    if (zb_promise_is_poor(s, a)) {
        a->poor = true;
        zb_attempt_free(a->attempt);
        a->attempt = NULL;
        return;
    }
    if (!a->tried && !zb_promise_on_trial(a)) {
        a->tried = true;
        a->trial = a->bound;
    }
    if (i > 0 && i == s->count - 1 && a->tried)
        s->step = step_of(s, a);
}

/* Of the time that an arm has if it has all that is left of the run. */
static double behind(const zb_arms *s, const zb_arm *a)
{
    double left = s->steer->ledger.work.deadline - zb_now();
    return left > 0 ? a->spent / (a->spent + left) : 1;
}

static zb_status slice(zb_arms *s, zb_arm *a, double end)
{
    zb_steer *p = s->steer;
    double before = zb_now(), seconds = ZB_STEERING.slice_share * (end - before);
    double many = fmin(200, fmax(ZB_STEERING.slice_passes, seconds / a->pass));
    if (zb_promise_on_trial(a))
        many = fmin(many, (double)(ZB_STEERING.trial_passes - a->passes));
    zb_run share = zb_run_share(&p->ledger.work, end, UINT64_MAX, s->threads);
    teller t = { s, a, zb_enter_ibound(a->attempt) };
    zb_options opt = *p->opt;
    zb_stop stop;
    zb_status status;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                       .rates = zb_moves_rates(&opt, s->side),
                       .iterations = (int64_t)many,
                       .behind = behind(s, a),
                       .tolerance = opt.tolerance,
                       .run = &share,
                       .report = on_pass,
                       .context = &t };
    int64_t passes = a->attempt->passes;
    share.relay = zb_run_silent;
    share.context = &p->ledger.work;
    zb_attempt_watch(a->attempt, &share);
    status = zb_attempt_go_on(a->attempt, how, &stop);
    if (status == ZB_OK && p->proofs != NULL)
        zb_attempt_settle(a->attempt);
    zb_attempt_watch(a->attempt, &p->ledger.work);
    TRY(status);
    a->converged = stop == ZB_STOP_CONVERGED;
    learn(s, a, zb_now() - before, a->attempt->passes - passes);
    TRY(zb_enter_attempt(p, a->attempt, a->method));
    note_step(s, a);
done:
    return status;
}

zb_status zb_arms_go(zb_arms *s, double end)
{
    double most, seconds = end - zb_now() + s->later;
    s->next = zb_promise_size(s, seconds);
    int best = zb_promise_choose(s, seconds, &most);
    return best >= 0 ? slice(s, &s->arm[best], end) : make_arm(s, end);
}
