/* The default method. The model is reduced and cut into components; each is solved
 * exactly where memory and time allow, one slice at a time where only time does, and
 * bracketed otherwise, in rounds of growing length: whoever stops the run gets about
 * what the time so far could buy. Within a round come first small mini-buckets and
 * every kind of candidate, then the kind that did best and the largest mini-buckets
 * that the round can pay for. Every number seen on the way is a proved bound; the
 * ledger keeps the best. */
#include "auto/auto.h"

#include "count/count.h"
#include "auto/slice.h"
#include "auto/steer.h"
#include "base/account.h"
#include "base/cost.h"
#include "baseline/meanfield.h"
#include "baseline/trbp.h"
#include "tighten/budget.h"

/* Seconds of the first round, and how much longer each next one is. A round that would
   leave less than the next one takes everything. */
static const double ROUND_FIRST = 0.25, ROUND_RATIO = 4;
static const double AT_ONCE =
    0.2; /* seconds: exact answers that come before a bracket */

bool zb_steer_limited(const zb_steer *p) { return isfinite(p->ledger.work.deadline); }

const zb_model *zb_steer_model(const zb_steer *p) { return p->job->part[p->now]; }

static bool wanted(const zb_steer *p, zb_side side)
{
    return p->opt->side == ZB_SIDE_BOTH || p->opt->side == side;
}

static bool is_open(zb_steer *p, int i)
{
    return !zb_ledger_claim(&p->ledger, i).exact;
}

bool zb_steer_open(zb_steer *p, zb_side side)
{
    return wanted(p, side) && is_open(p, p->now) && zb_run_more(&p->ledger.work);
}

zb_run zb_steer_share(zb_steer *p, double seconds, uint64_t memory, int threads)
{
    double end = isfinite(seconds) ? zb_now() + seconds : INFINITY;
    return zb_run_share(&p->ledger.work, end, memory, threads);
}

static double left(const zb_steer *p) { return zb_run_left(&p->ledger.work); }

/* Nothing is left to do: all components are known, or one of them is empty. */
static bool is_settled(zb_steer *p) { return zb_ledger_total(&p->ledger).exact; }

static bool goes_on(zb_steer *p)
{
    return zb_run_more(&p->ledger.work) && !is_settled(p);
}

/* ---- exact ----------------------------------------------------------------------- */

/* Where there is no clock, what is tried must not depend on the number of threads. */
static double exact_seconds(const zb_steer *p, double entries)
{
    int threads = zb_steer_limited(p) && entries > 1e6 ? p->ledger.work.threads : 1;
    return zb_cost_elimination(entries, threads);
}

/* Give exact elimination up as soon as it is clear that it would be late, so that there
   is time left for a bracket. */
static bool on_exact(void *context, const zb_progress *at)
{
    zb_steer *p = context;
    double spent = zb_now() - p->exact_start, rest = left(p);
    bool hopeless = at->fraction > 0.02 && spent > 0.5 &&
                    spent * (1 - at->fraction) / at->fraction > rest;
    bool long_enough = spent > 2 * rest && at->fraction < 0.8;
    return zb_ledger_tell(&p->ledger) && !hopeless && !long_enough;
}

/* Component i by elimination, if that fits and takes at most so many seconds. */
static zb_status try_exact(zb_steer *p, int i, double seconds)
{
    const zb_exact_plan *plan = &p->job->plan[i];
    zb_run share = zb_steer_share(p, INFINITY, p->memory, p->ledger.work.threads);
    double log_z;
    p->now = i;
    p->exact_start = zb_now();
    share.relay = on_exact;
    share.context = p;
    if (plan->bytes > (double)p->memory || exact_seconds(p, plan->total) > seconds)
        return ZB_OK;
    zb_status status =
        zb_exact_run(p->job->part[i], p->job->order[i], &share, &log_z, NULL);
    if (status == ZB_OK) {
        zb_ledger_settle(&p->ledger, i, log_z, "elimination");
        p->out->bytes = zb_max_size(p->out->bytes, (size_t)plan->bytes);
    }
    return status == ZB_ELIMIT ? ZB_OK : status;
}

static zb_status try_all_exact(zb_steer *p, double seconds)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < p->job->count && goes_on(p); i++)
        if (is_open(p, i))
            TRY(try_exact(p, i, seconds));
done:
    return status;
}

static bool on_slices(void *context, double log_sum)
{
    zb_steer *p = context;
    return zb_ledger_bound(&p->ledger, p->now, log_sum, INFINITY, "slices");
}

static zb_status solve_slices(zb_steer *p, const zb_cutset *cutset)
{
    zb_run share = zb_steer_share(p, 0.7 * left(p), p->memory, p->ledger.work.threads);
    zb_slices s = { .model = zb_steer_model(p),
                    .cutset = cutset,
                    .order = p->job->order[p->now],
                    .run = &share,
                    .report = on_slices,
                    .context = p };
    bool complete;
    double log_z;
    zb_status status;
    TRY(zb_slices_all(&s, &log_z, &complete));
    if (complete)
        zb_ledger_settle(&p->ledger, p->now, log_z, "slices");
    else
        zb_ledger_bound(&p->ledger, p->now, log_z, INFINITY, "slices");
done:
    return status;
}

/* Memory does not suffice but time may: solve the component at work slice by slice. */
static zb_status try_slices(zb_steer *p)
{
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    double each = zb_cost_slice_entries((double)p->memory / ZB_SLICES_AT_ONCE);
    int threads =
        zb_steer_limited(p) ? zb_min_int(p->ledger.work.threads, ZB_SLICES_AT_ONCE) : 1;
    double most = zb_steer_limited(p) ? left(p) : 3600;
    zb_status status;
    /* slices repeat work more than they save */
    if (exact_seconds(p, p->job->plan[p->now].total) > 100 * most)
        return ZB_OK;
    TRY(zb_scopes_new(&scopes, zb_steer_model(p)));
    TRY(zb_cutset_find(&cutset, scopes, p->job->order[p->now], each, 40,
                       &p->ledger.work));
    double seconds = zb_cost_slices(cutset->slices, cutset->total, threads);
    if (seconds <= 0.6 * most)
        TRY(solve_slices(p, cutset));
done:
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

static zb_status try_all_slices(zb_steer *p)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < p->job->count && goes_on(p); i++) {
        p->now = i;
        if (is_open(p, i))
            TRY(try_slices(p));
    }
done:
    return status;
}

/* ---- brackets -------------------------------------------------------------------- */

static bool on_count(void *context, double lower)
{
    zb_steer *p = context;
    zb_side side = p->opt->side == ZB_SIDE_UPPER ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    return zb_ledger_bound(&p->ledger, p->now, lower, INFINITY, "counting by search") &&
           zb_steer_open(p, side);
}

/* Sum by search, branching in two ways side by side; what is summed when time is up is
   a lower bound. */
static void count(zb_steer *p, double seconds)
{
    double end = isfinite(seconds) ? zb_now() + seconds : zb_now() + 600;
    int threads = p->ledger.work.threads > 1 ? 2 : 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        double until = threads > 1 || i == 1 ? end : zb_now() + 0.5 * (end - zb_now());
        zb_run share = zb_run_share(&p->ledger.work, until, UINT64_MAX, 1);
        zb_count_spec spec = { .memory = p->memory / 2,
                               .wide = i == 0,
                               .run = &share,
                               .report = on_count,
                               .context = p };
        zb_count_result r;
        if (!zb_run_more(&share) || !is_open(p, p->now) ||
            zb_count_run(zb_steer_model(p), p->job->order[p->now], &spec, &r) != ZB_OK)
            continue;   /* not for this model, or no memory left: nothing is lost */
        if (r.complete) /* and the other one stops */
            zb_ledger_settle(&p->ledger, p->now, r.log_z, "counting by search");
        else
            zb_ledger_bound(&p->ledger, p->now, r.log_z, INFINITY,
                            "counting by search");
    }
    if (!is_open(p, p->now))
        zb_run_note(p->ledger.run,
                    "summed by search, with clauses learned from the zeros: no "
                    "table of this width was needed");
}

/* Constraints rather than weights: most tables have zeros, and all that is not zero is
   equal. Counting is all there is to do then. */
static bool is_counting(const zb_model *model)
{
    int plain = 0;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double most = -INFINITY, least = INFINITY;
        bool zero = false;
        for (size_t i = 0; i < a->size; i++) {
            zero = zero || a->value[i] == -INFINITY;
            most = fmax(most, a->value[i]);
            least = a->value[i] > -INFINITY ? fmin(least, a->value[i]) : least;
        }
        plain += zero && most == least;
    }
    return plain > 0.8 * model->nfactors;
}

static bool has_zeros(const zb_model *model)
{
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        for (size_t i = 0; i < a->size; i++)
            if (a->value[i] == (a->log ? -INFINITY : 0))
                return true;
    }
    return false;
}

/* The parts' numbers are not the whole's. */
static bool on_baseline(void *context, const zb_progress *at)
{
    zb_steer *p = context;
    (void)at;
    return zb_run_more(&p->ledger.work);
}

/* Bounds that take no more memory than the model: mean field and mixtures of forests.
 */
static zb_status by_baseline(zb_steer *p, zb_side side, double seconds)
{
    zb_run share = zb_steer_share(p, seconds, UINT64_MAX, 1);
    zb_baseline_options base = zb_baseline_default();
    zb_baseline_result r;
    zb_status status = ZB_OK;
    if (seconds <= 0 || !zb_steer_open(p, side))
        return ZB_OK;
    share.relay = on_baseline;
    share.context = p;
    base.run = &share;
    base.seed = p->opt->seed;
    if (side == ZB_SIDE_LOWER) {
        TRY(zb_meanfield_run(zb_steer_model(p), &base, &r));
        zb_ledger_bound(&p->ledger, p->now, r.log_value, INFINITY, "mean field");
    } else {
        TRY(zb_trbp_run(zb_steer_model(p), &base, &r));
        if (r.guaranteed && r.found)
            zb_ledger_bound(&p->ledger, p->now, -INFINITY, r.log_value,
                            "a mixture of forests");
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Where there are no mini-buckets worth the name. */
static zb_status by_baselines(zb_steer *p, double seconds)
{
    zb_status status;
    TRY(by_baseline(p, ZB_SIDE_UPPER, fmin(seconds, left(p) - 0.3 * seconds)));
    TRY(by_baseline(p, ZB_SIDE_LOWER, fmin(seconds, left(p) - 0.3 * seconds)));
done:
    return status;
}

static int max_arity(const zb_model *model)
{
    int arity = 0;
    for (int f = 0; f < model->nfactors; f++)
        arity = zb_max_int(arity, model->factor[f].arity);
    return arity;
}

/* A variable in many factors: mini-buckets split a lot. */
static bool is_dense(const zb_model *model)
{
    double items = 0;
    for (int f = 0; f < model->nfactors; f++)
        items += model->factor[f].arity;
    return items > 8.0 * model->nvars;
}

/* The mini-buckets to begin with, and how long it takes to find out. */
static zb_status first_ibound(zb_steer *p, double seconds, zb_ibound_choice *choice,
                              double *spent)
{
    double before = zb_now();
    zb_ibound_request least = { .model = zb_steer_model(p),
                                .memory = p->memory,
                                .seconds = seconds,
                                .slowness = 1,
                                .passes = 30,
                                .run = &p->ledger.work };
    zb_status status = zb_budget_ibound(&least, choice);
    *spent = zb_now() - before;
    return status;
}

/* Bracket component p->now within `seconds`, INFINITY: until nothing more is gained.
 */
static zb_status bracket(zb_steer *p, double seconds)
{
    const zb_model *model = zb_steer_model(p);
    double end = zb_now() + seconds, setup;
    bool zeros = has_zeros(model), dense = is_dense(model);
    zb_ibound_choice choice;
    zb_sides sides = { .steer = p };
    zb_status status;
    TRY(by_baseline(p, ZB_SIDE_LOWER, 0.02 * seconds));
    TRY(first_ibound(p, seconds, &choice, &setup));
    bool large = setup > 0.04 * seconds; /* orders alone take long */
    zb_sides_open(&sides, p, seconds, setup, large ? choice.ibound : 0, zeros);
    if (!large)
        TRY(zb_sides_first(&sides));
    if (zeros && is_open(p, p->now)) /* often exact, and finite if there is a way */
        count(p, (is_counting(model) ? 0.6 : 0.3) * seconds);
    if (!choice.fits || dense)
        TRY(by_baselines(p, (choice.fits ? 0.15 : 0.3) * seconds));
    else if (choice.ibound <= max_arity(model)) /* single factors are no mini-buckets */
        TRY(by_baselines(p, 0.25 * seconds));
    p->hurried = false;
    TRY(zb_sides_long(&sides, end - (large ? 0.05 : 0.02) * seconds));
done:
    zb_sides_close(&sides);
    return status;
}

/* All open components, for so many seconds in all. */
static zb_status round_of(zb_steer *p, double seconds)
{
    double end = zb_now() + seconds;
    zb_status status = ZB_OK;
    int open = 0;
    bool hurried = false;
    for (int i = 0; i < p->job->count; i++)
        open += is_open(p, i);
    for (int i = 0; i < p->job->count && goes_on(p); i++) {
        if (!is_open(p, i))
            continue;
        p->now = i;
        p->hurried = true; /* unless it gets to its end */
        double share = isfinite(seconds) ? (end - zb_now()) / open : INFINITY;
        if (share > 0)
            TRY(bracket(p, share));
        hurried = hurried || (p->hurried && is_open(p, i));
        open--;
    }
    p->hurried = hurried;
done:
    return status;
}

static zb_status rounds(zb_steer *p)
{
    zb_status status = ZB_OK;
    bool last = !zb_steer_limited(p);
    if (last)
        return round_of(p, INFINITY);
    for (double seconds = ROUND_FIRST; goes_on(p) && !last; seconds *= ROUND_RATIO) {
        last = left(p) < ROUND_RATIO * seconds;
        TRY(round_of(p, last ? left(p) : seconds));
    }
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

static zb_status prepare(zb_steer *p, const zb_model *model, zb_error *err)
{
    zb_options plain = *p->opt;
    double seconds = plain.time < 0 ? ZB_AUTO_SECONDS : plain.time;
    double effort = seconds > 0 ? fmin(3, fmax(0.01, 0.05 * seconds)) : 3;
    zb_status status;
    if (plain.order != ZB_ORDER_FILE)
        plain.order = ZB_ORDER_AUTO;
    TRY(zb_exact_job_new(&p->job, model, &plain, effort, &p->ledger.work, err));
    TRY(zb_ledger_parts(&p->ledger, p->job->count, p->job->part));
    p->memory = (uint64_t)(0.9 * fmin((double)p->ledger.work.memory,
                                      (double)zb_account_left()));
done:
    return status;
}

/* What takes no time first; then a quick bracket, in case the run is stopped; then what
   may end exact; then rounds. */
static zb_status work(zb_steer *p, const zb_model *model, zb_error *err)
{
    zb_status status;
    zb_ledger_tell(&p->ledger);
    TRY(prepare(p, model, err));
    TRY(try_all_exact(p, fmin(AT_ONCE, 0.5 * left(p))));
    if (goes_on(p) && zb_steer_limited(p))
        TRY(round_of(p, fmin(ROUND_FIRST, 0.1 * left(p))));
    TRY(try_all_exact(p, zb_steer_limited(p) ? 0.7 * left(p) : 3600));
    TRY(try_all_slices(p));
    TRY(rounds(p));
done:
    return status;
}

static zb_stop why(zb_steer *p, bool exact, bool no_memory)
{
    if (exact)
        return ZB_STOP_EXACT;
    if (zb_run_interrupted(p->ledger.run))
        return ZB_STOP_INTERRUPTED;
    if (no_memory || p->short_of)
        return ZB_STOP_MEMORY;
    bool late = zb_steer_limited(p) && (p->hurried || left(p) <= 0);
    return late ? ZB_STOP_TIME : ZB_STOP_CONVERGED;
}

static void fill(zb_steer *p, zb_result *out, bool no_memory)
{
    zb_claim all = zb_ledger_total(&p->ledger);
    out->has_lower = wanted(p, ZB_SIDE_LOWER);
    out->has_upper = wanted(p, ZB_SIDE_UPPER);
    out->log_lower = out->has_lower ? all.lower : -INFINITY;
    out->log_upper = out->has_upper ? all.upper : INFINITY;
    out->guaranteed = true;
    out->exact = all.exact;
    out->iterations = p->ledger.iterations[ZB_SIDE_UPPER];
    if (p->ledger.iterations[ZB_SIDE_LOWER] > out->iterations)
        out->iterations = p->ledger.iterations[ZB_SIDE_LOWER];
    out->stop = why(p, all.exact, no_memory);
    out->method = ZB_METHOD_AUTO;
    if (p->job == NULL)
        return;
    out->width = p->job->all.width;
    if (all.exact) {
        out->form = ZB_FORM_ORIGINAL;
        out->ibound = out->width + 1;
        out->upper_by = out->lower_by = (zb_recipe){ .method = ZB_METHOD_BE,
                                                     .form = ZB_FORM_ORIGINAL,
                                                     .ibound = out->ibound };
    }
    zb_exact_job_describe(p->job, out);
    out->exact_seconds = exact_seconds(p, p->job->all.total);
}

/* A shortage of time or memory ends the work, not the answer: there is a bracket from
   the first moment on. */
zb_status zb_solve_auto(const zb_model *model, const zb_options *opt, zb_run *run,
                        zb_result *out, zb_error *err)
{
    zb_steer p = { .opt = opt, .out = out };
    zb_status status;
    if (pthread_mutex_init(&p.describe, NULL) != 0)
        return ZB_ENOMEM;
    TRY(zb_ledger_open(&p.ledger, model, run));
    status = work(&p, model, err);
    fill(&p, out, status == ZB_ENOMEM);
    if (status == ZB_ELIMIT || status == ZB_ENOMEM)
        status = zb_fail(err, ZB_OK, "%s", "");
    if (p.ledger.broken)
        status = zb_fail(err, ZB_EBUG, "%s", p.ledger.contradiction.text);
    zb_ledger_close(&p.ledger);
done:
    zb_exact_job_free(p.job);
    pthread_mutex_destroy(&p.describe);
    return status;
}
