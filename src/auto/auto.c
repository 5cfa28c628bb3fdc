/* The autopilot. The model is reduced and cut into components; each is solved exactly
 * where memory and time allow, one slice at a time where only time does, and bracketed
 * otherwise: first quickly, with small mini-buckets and every kind of candidate, then
 * with the kind that did best and the largest mini-buckets that the rest of the time
 * can pay for. Every number seen on the way is a valid bound, so the bracket only ever
 * closes. */
#include "auto/auto.h"

#include "auto/count.h"
#include "auto/pilot.h"
#include "auto/slice.h"
#include "base/explog.h"
#include "baseline/meanfield.h"
#include "baseline/trbp.h"

#include <omp.h>

static const double EXACT_SPEED =
    3e8; /* clique entries per second and core, cautious */
static const double SLICE_BYTES = 3e5; /* of a slice, whatever its size */

double zb_pilot_left(const zb_pilot *p)
{
    return p->deadline > 0 ? p->deadline - zb_now() : 3600;
}

static void totals(const zb_pilot *p, double *lower, double *upper)
{
    *lower = *upper = 0;
    for (int i = 0; i < p->job->count; i++) {
        *lower += p->lower[i];
        *upper += p->upper[i];
    }
}

/* ---- what both sides share: the functions named locked_ are called with the lock --
 */

static bool locked_tell(zb_pilot *p)
{
    zb_progress at = { .seconds = zb_now() - p->start,
                       .iteration = p->passes,
                       .ibound = p->ibound,
                       .fraction = -1 };
    totals(p, &at.log_lower, &at.log_upper);
    if (p->observer != NULL && p->observer->progress != NULL)
        p->stopped = p->stopped || !p->observer->progress(p->observer->context, &at);
    return !p->stopped;
}

/* Both sides are right to rounding, so a newcomer never crosses what is known. */
static void locked_bound(zb_pilot *p, double lower, double upper)
{
    int i = p->now;
    if (p->exact[i] || isnan(lower) || isnan(upper))
        return;
    p->lower[i] = fmax(p->lower[i], fmin(lower, p->upper[i]));
    p->upper[i] = fmin(p->upper[i], fmax(upper, p->lower[i]));
}

bool zb_pilot_tell(zb_pilot *p)
{
    pthread_mutex_lock(&p->lock);
    bool more = locked_tell(p);
    pthread_mutex_unlock(&p->lock);
    return more;
}

bool zb_pilot_pass(zb_pilot *p, int ibound, double lower, double upper)
{
    pthread_mutex_lock(&p->lock);
    p->passes++;
    p->ibound = ibound;
    locked_bound(p, lower, upper);
    bool more = locked_tell(p);
    pthread_mutex_unlock(&p->lock);
    return more;
}

bool zb_pilot_bound(zb_pilot *p, double lower, double upper)
{
    pthread_mutex_lock(&p->lock);
    locked_bound(p, lower, upper);
    bool more = locked_tell(p);
    pthread_mutex_unlock(&p->lock);
    return more;
}

void zb_pilot_settle(zb_pilot *p, double log_z)
{
    pthread_mutex_lock(&p->lock);
    locked_bound(p, log_z, log_z);
    p->exact[p->now] = !isnan(log_z);
    locked_tell(p);
    pthread_mutex_unlock(&p->lock);
}

void zb_pilot_bounds(zb_pilot *p, double *lower, double *upper)
{
    pthread_mutex_lock(&p->lock);
    *lower = p->lower[p->now];
    *upper = p->upper[p->now];
    pthread_mutex_unlock(&p->lock);
}

static bool wanted(const zb_pilot *p, zb_side side)
{
    return p->opt->side == ZB_SIDE_BOTH || p->opt->side == side;
}

bool zb_pilot_open(zb_pilot *p, zb_side side)
{
    pthread_mutex_lock(&p->lock);
    bool open = wanted(p, side) && !p->exact[p->now] && !p->stopped;
    pthread_mutex_unlock(&p->lock);
    return open;
}

void zb_pilot_describe(zb_pilot *p, const zb_attempt *a, zb_side side)
{
    pthread_mutex_lock(&p->lock);
    p->out->width = zb_max_int(p->out->width, a->tree->width);
    p->out->bytes = zb_max_size(p->out->bytes, a->tighten->pass->bytes);
    p->out->ibound = zb_max_int(p->out->ibound, a->tree->ibound);
    if (side == ZB_SIDE_UPPER || p->opt->side == ZB_SIDE_LOWER) {
        p->out->form = a->spec.form;
        p->out->order = a->spec.order;
    }
    pthread_mutex_unlock(&p->lock);
}

/* ---- listening to the parts ------------------------------------------------------ */

/* Give exact elimination up as soon as it is clear that it would be late, so that there
   is time left for a bracket. */
static bool on_exact(void *context, const zb_progress *at)
{
    zb_pilot *p = context;
    double spent = zb_now() - p->exact_start, left = zb_pilot_left(p);
    bool hopeless = at->fraction > 0.02 && spent > 0.5 &&
                    spent * (1 - at->fraction) / at->fraction > left;
    bool long_enough = p->deadline > 0 && spent > 2 * left && at->fraction < 0.8;
    return zb_pilot_tell(p) && !hopeless && !long_enough && left > 0;
}

static bool on_baseline(void *context, const zb_progress *at)
{
    (void)at;
    return zb_pilot_tell(context);
}

static bool on_slices(void *context, double log_sum)
{
    return zb_pilot_bound(context, log_sum, INFINITY);
}

/* ---- exact ----------------------------------------------------------------------- */

static double exact_seconds(const zb_pilot *p, double entries)
{
    return entries / (EXACT_SPEED * (entries > 1e6 ? p->threads : 1));
}

static zb_status try_exact(zb_pilot *p, int i)
{
    const zb_exact_plan *plan = &p->job->plan[i];
    zb_observer watch = { .context = p, .progress = on_exact };
    double log_z;
    p->now = i;
    p->exact_start = zb_now();
    if (plan->bytes > (double)p->memory ||
        exact_seconds(p, plan->total) > 0.7 * zb_pilot_left(p))
        return ZB_OK;
    zb_status status = zb_exact_run(p->job->part[i], p->job->order[i], p->opt->threads,
                                    p->memory, &watch, &log_z, NULL);
    if (status == ZB_OK) {
        zb_pilot_settle(p, log_z);
        p->out->bytes = zb_max_size(p->out->bytes, (size_t)plan->bytes);
    }
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Memory does not suffice but time may: solve slice by slice. */
static zb_status try_slices(zb_pilot *p)
{
    const zb_model *model = p->job->part[p->now];
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    bool complete;
    /* an entry takes one to six bytes in elimination, by the shape of the tree */
    double log_z, each = ((double)p->memory / p->threads - SLICE_BYTES) / 8;
    zb_status status;
    /* slices repeat work more than they save */
    if (exact_seconds(p, p->job->plan[p->now].total) > 100 * zb_pilot_left(p))
        return ZB_OK;
    TRY(zb_scopes_new(&scopes, model));
    status = zb_cutset_find(&cutset, scopes, p->job->order[p->now], each, 40);
    if (status == ZB_ELIMIT || cutset == NULL) {
        status = status == ZB_ELIMIT ? ZB_OK : status;
        goto done;
    }
    double seconds = cutset->slices * (cutset->total / EXACT_SPEED + 2e-3) / p->threads;
    if (seconds > 0.6 * zb_pilot_left(p))
        goto done;
    zb_slices s = { .model = model,
                    .cutset = cutset,
                    .memory = p->memory,
                    .deadline = zb_now() + 0.7 * zb_pilot_left(p),
                    .threads = p->opt->threads,
                    .report = on_slices,
                    .context = p };
    TRY(zb_slices_all(&s, &log_z, &complete));
    if (complete)
        zb_pilot_settle(p, log_z);
    else
        zb_pilot_bound(p, log_z, INFINITY);
done:
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    return status;
}

/* ---- brackets -------------------------------------------------------------------- */

static bool on_count(void *context, double lower)
{
    zb_pilot *p = context;
    zb_side side = p->opt->side == ZB_SIDE_UPPER ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    return zb_pilot_bound(p, lower, INFINITY) && zb_pilot_open(p, side);
}

/* Sum by search, branching in two ways side by side; what is summed when time is up is
   a lower bound. */
static void count(zb_pilot *p, double seconds)
{
    const zb_model *model = p->job->part[p->now];
    const int *order = p->job->order[p->now];
    double end = zb_now() + seconds;
    int threads = p->threads > 1 ? 2 : 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        zb_count_spec spec = { .memory = p->memory / 4,
                               .wide = i == 0,
                               .deadline =
                                   threads > 1 || i == 1 ? end : end - seconds / 2,
                               .report = on_count,
                               .context = p };
        zb_count_result r;
        if (zb_count_run(model, order, &spec, &r) != ZB_OK)
            continue; /* not for this model, or no memory left: nothing is lost */
        if (r.complete)
            zb_pilot_settle(p, r.log_z); /* and the other one stops */
        else
            zb_pilot_bound(p, r.log_z, INFINITY);
    }
    if (p->exact[p->now] && p->observer != NULL && p->observer->note != NULL)
        p->observer->note(p->observer->context,
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

/* Bounds that take no more memory than the model: mean field and mixtures of forests.
 */
static zb_status by_baseline(zb_pilot *p, zb_side side, double seconds)
{
    const zb_model *model = p->job->part[p->now];
    zb_observer watch = { .context = p, .progress = on_baseline };
    zb_baseline_options base = zb_baseline_default();
    zb_baseline_result r;
    zb_status status;
    if (seconds <= 0)
        return ZB_OK;
    base.seconds = seconds;
    base.seed = p->opt->seed;
    if (side == ZB_SIDE_LOWER) {
        TRY(zb_meanfield_run(model, &base, &watch, &r));
        zb_pilot_bound(p, r.log_value, INFINITY);
    } else {
        TRY(zb_trbp_run(model, &base, &watch, &r));
        if (r.guaranteed)
            zb_pilot_bound(p, -INFINITY, r.log_value);
    }
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

/* Where there are no mini-buckets worth the name. */
static zb_status by_baselines(zb_pilot *p, double seconds)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < 2; i++) {
        zb_side side = i == 0 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
        if (zb_pilot_open(p, side))
            TRY(by_baseline(p, side, fmin(seconds, zb_pilot_left(p) - 0.3 * seconds)));
    }
done:
    return status;
}

/* Bracket component p->now within `seconds`. */
static zb_status bracket(zb_pilot *p, double seconds)
{
    const zb_model *model = p->job->part[p->now];
    double end = zb_now() + seconds;
    bool zeros = has_zeros(model), fits;
    zb_flanks flanks = { .pilot = p };
    zb_status status = ZB_OK;
    int ibound = 0, arity = max_arity(model);
    if (zeros) /* often exact, and never minus infinity if there is a way */
        count(p, (is_counting(model) ? 0.6 : 0.3) * seconds);
    if (zb_pilot_open(p, ZB_SIDE_LOWER))
        TRY(by_baseline(p, ZB_SIDE_LOWER, 0.02 * seconds));
    if (p->exact[p->now] || p->stopped)
        goto done;
    double before = zb_now();
    zb_ibound_request least = { .model = model,
                                .memory = p->memory,
                                .seconds = seconds,
                                .slowness = 1,
                                .passes = 30,
                                .threads = p->threads };
    TRY(zb_search_ibound(&least, &ibound, &fits));
    bool large = zb_now() - before > 0.04 * seconds; /* orders alone take long */
    zb_flanks_open(&flanks, p, seconds, zb_now() - before, large ? ibound : 0, zeros);
    bool dense = is_dense(model);
    if (!fits || dense)
        TRY(by_baselines(p, (fits ? 0.15 : 0.3) * seconds));
    if (!p->exact[p->now] && !p->stopped && !large)
        TRY(zb_flanks_first(&flanks));
    if (fits && !dense &&
        ibound <= arity) /* mini-buckets of single factors: not worth the name */
        TRY(by_baselines(p, 0.25 * seconds));
    TRY(zb_flanks_long(&flanks, end - (large ? 0.05 : 0.02) * seconds));
done:
    zb_flanks_close(&flanks);
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

/* At once: ln Z <= ln of the number of states plus the factors' largest logarithms, and
   >= the same with their means (Jensen's inequality; minus infinity with zeros). */
static void trivial_bounds(const zb_model *model, double *lower, double *upper)
{
    *lower = *upper = model->log_scale;
    for (int v = 0; v < model->nvars; v++) {
        *lower += zb_log(model->card[v]);
        *upper += zb_log(model->card[v]);
    }
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double most = -INFINITY, sum = 0;
        for (size_t i = 0; i < a->size; i++) {
            double x = a->log ? a->value[i] : zb_log(a->value[i]);
            most = fmax(most, x);
            sum += x;
        }
        *upper += most;
        *lower += sum / (double)a->size;
    }
    *lower = fmin(*lower, *upper);
}

static zb_status prepare(zb_pilot *p, const zb_model *model, zb_error *err)
{
    zb_options plain = *p->opt;
    double effort = fmin(3, fmax(0.01, 0.05 * zb_pilot_left(p)));
    zb_status status;
    if (plain.order != ZB_ORDER_FILE)
        plain.order = ZB_ORDER_AUTO;
    TRY(zb_exact_job_new(&p->job, model, &plain, effort, err));
    size_t n = (size_t)p->job->count;
    p->lower = zb_alloc(n, sizeof *p->lower);
    p->upper = zb_alloc(n, sizeof *p->upper);
    p->exact = zb_calloc(n, sizeof *p->exact);
    TRY(p->lower && p->upper && p->exact ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < p->job->count; i++)
        trivial_bounds(p->job->part[i], &p->lower[i], &p->upper[i]);
done:
    return status;
}

/* Nothing is left to do: all components are known, or one of them is empty. */
static bool is_settled(const zb_pilot *p)
{
    bool exact = true;
    for (int i = 0; i < p->job->count; i++) {
        exact = exact && p->exact[i];
        if (p->upper[i] == -INFINITY)
            return true;
    }
    return exact;
}

static zb_status fly(zb_pilot *p)
{
    zb_status status = ZB_OK;
    int hard = 0;
    zb_pilot_tell(p);
    for (int i = 0; i < p->job->count && !p->stopped && !is_settled(p); i++)
        TRY(try_exact(p, i));
    for (int i = 0; i < p->job->count; i++)
        hard += !p->exact[i];
    for (int i = 0; i < p->job->count && !p->stopped && !is_settled(p); i++) {
        if (p->exact[i])
            continue;
        p->now = i;
        TRY(try_slices(p));
        p->hurried = p->hurried || (!p->exact[i] && zb_pilot_left(p) <= 0);
        if (!p->exact[i] && !p->stopped && zb_pilot_left(p) > 0)
            TRY(bracket(p, zb_pilot_left(p) / hard));
        hard--;
    }
done:
    return status;
}

static void fill(const zb_pilot *p, zb_result *out)
{
    bool exact = is_settled(p);
    totals(p, &out->log_lower, &out->log_upper);
    out->has_lower = wanted(p, ZB_SIDE_LOWER);
    out->has_upper = wanted(p, ZB_SIDE_UPPER);
    out->guaranteed = true;
    out->exact = exact;
    out->iterations = p->passes;
    out->stop = exact                           ? ZB_STOP_EXACT
                : p->stopped                    ? ZB_STOP_INTERRUPTED
                : p->hurried && p->deadline > 0 ? ZB_STOP_TIME
                                                : ZB_STOP_CONVERGED;
    out->width = p->job->all.width;
    if (exact) {
        out->form = ZB_FORM_ORIGINAL;
        out->ibound = out->width + 1;
    }
    zb_exact_job_describe(p->job, out);
    out->exact_seconds = exact_seconds(p, p->job->all.total);
}

/* The model is held about six times over, reduced, split and in some form: tables get
   what that leaves of the memory. */
static zb_status memory_left(const zb_model *model, const zb_options *opt,
                             uint64_t *left, zb_error *err)
{
    uint64_t limit = zb_memory_limit(opt);
    double copies = 0;
    *left = UINT64_MAX / 4;
    if (limit == 0) /* not known: let allocations fail */
        return ZB_OK;
    for (int f = 0; f < model->nfactors; f++)
        copies += 6 * sizeof(double) * (double)model->factor[f].size;
    if (copies > fmax((double)limit, 0x1p26)) /* small ones hardly count */
        return zb_fail(err, ZB_ELIMIT,
                       "the model alone takes about %.0f MiB while it is worked on, "
                       "more than the memory limit of %.0f MiB",
                       ceil(copies / 0x1p20), floor((double)limit / 0x1p20));
    *left = copies < 0.75 * (double)limit ? limit - (uint64_t)copies : limit / 4;
    return ZB_OK;
}

zb_status zb_solve_auto(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, zb_result *out, zb_error *err)
{
    zb_pilot p = { .opt = opt, .observer = observer, .start = zb_now(), .out = out };
    double seconds = opt->time < 0 ? ZB_AUTO_SECONDS : opt->time;
    zb_status status = memory_left(model, opt, &p.memory, err);
    if (status != ZB_OK)
        return status;
    if (pthread_mutex_init(&p.lock, NULL) != 0)
        return ZB_ENOMEM;
    p.deadline = seconds > 0 ? p.start + seconds : 0;
    p.threads = opt->threads > 0 ? opt->threads : omp_get_max_threads();
    TRY(prepare(&p, model, err));
    TRY(fly(&p));
    fill(&p, out);
    out->method = ZB_METHOD_AUTO;
    out->seconds = zb_now() - p.start;
done:
    zb_free(p.lower);
    zb_free(p.upper);
    zb_free(p.exact);
    zb_exact_job_free(p.job);
    pthread_mutex_destroy(&p.lock);
    return status;
}
