/* The autopilot. The model is reduced and cut into components; each is solved exactly
 * where memory and time allow, one slice at a time where only time does, and bracketed
 * otherwise: first quickly, with small mini-buckets and every kind of candidate, then
 * with the kind that did best and the largest mini-buckets that the rest of the time
 * can pay for. Every number seen on the way is a valid bound, so the bracket only ever
 * closes. */
#include "auto/auto.h"

#include "auto/count.h"
#include "baseline/meanfield.h"
#include "tighten/minibucket.h"
#include "auto/slice.h"
#include "exact/solve_exact.h"
#include "auto/start.h"
#include "baseline/trbp.h"

#include <omp.h>

static const double EXACT_SPEED =
    3e8; /* clique entries per second and core, cautious */

static const double QUIET_PACE = 6e7; /* entries per second of a search, all included */
static const double SLICE_BYTES = 3e5; /* of a slice, whatever its size */

typedef struct pilot {
    const zb_options *opt;
    const zb_observer *observer;
    double start, deadline; /* deadline 0: none */
    double pace; /* clique entries per second of the last search; 0: none yet */
    double first_pass, last_pass; /* of the search under way, when reported */
    int64_t search_passes;
    double setup;       /* seconds that a search takes before its first pass, about */
    int reached[2];     /* upper, lower: ibound of the searches in this component */
    double exact_start; /* of the exact elimination under way */
    uint64_t memory;
    int threads;
    zb_exact_job *job;
    double *lower, *upper; /* per component */
    bool *exact;
    int now;    /* the component at work */
    int ibound; /* for reports */
    int64_t passes;
    _Atomic bool stopped; /* the caller wants no more */
    zb_result *out;
} pilot;

static double seconds_left(const pilot *p)
{
    return p->deadline > 0 ? p->deadline - zb_now() : 3600;
}

static void totals(const pilot *p, double *lower, double *upper)
{
    *lower = *upper = 0;
    for (int i = 0; i < p->job->count; i++) {
        *lower += p->lower[i];
        *upper += p->upper[i];
    }
}

static bool tell(pilot *p)
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
static void tighten_to(pilot *p, double lower, double upper)
{
    int i = p->now;
    if (p->exact[i])
        return;
    p->lower[i] = fmax(p->lower[i], fmin(lower, p->upper[i]));
    p->upper[i] = fmin(p->upper[i], fmax(upper, p->lower[i]));
}

static void settle(pilot *p, double log_z)
{
    tighten_to(p, log_z, log_z);
    p->exact[p->now] = true;
}

/* Progress of a search inside a component, seen from the whole. */
static bool on_search(void *context, const zb_progress *at)
{
    pilot *p = context;
    p->passes++;
    p->last_pass = zb_now();
    if (p->search_passes++ == 0)
        p->first_pass = p->last_pass;
    p->ibound = at->ibound;
    tighten_to(p, at->log_lower, at->log_upper);
    return tell(p);
}

/* Give exact elimination up as soon as it is clear that it would be late, so that there
   is time left for a bracket. */
static bool on_exact(void *context, const zb_progress *at)
{
    pilot *p = context;
    double spent = zb_now() - p->exact_start, left = seconds_left(p);
    bool hopeless = at->fraction > 0.02 && spent > 0.5 &&
                    spent * (1 - at->fraction) / at->fraction > left;
    bool long_enough = p->deadline > 0 && spent > 2 * left && at->fraction < 0.8;
    return tell(p) && !hopeless && !long_enough && left > 0;
}

static bool on_baseline(void *context, const zb_progress *at)
{
    (void)at;
    return tell(context);
}

static bool on_slices(void *context, double log_sum)
{
    pilot *p = context;
    tighten_to(p, log_sum, INFINITY);
    return tell(p);
}

/* ---- exact ----------------------------------------------------------------------- */

static double exact_seconds(const pilot *p, double entries)
{
    return entries / (EXACT_SPEED * (entries > 1e6 ? p->threads : 1));
}

static zb_status try_exact(pilot *p, int i)
{
    const zb_exact_plan *plan = &p->job->plan[i];
    zb_observer watch = { .context = p, .progress = on_exact };
    double log_z;
    p->now = i;
    p->exact_start = zb_now();
    if (plan->bytes > (double)p->memory ||
        exact_seconds(p, plan->total) > 0.7 * seconds_left(p))
        return ZB_OK;
    zb_status status = zb_exact_run(p->job->part[i], p->job->order[i], p->opt->threads,
                                    p->memory, &watch, &log_z, NULL);
    if (status == ZB_OK) {
        settle(p, log_z);
        tell(p);
    }
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Memory does not suffice but time may: solve slice by slice. */
static zb_status try_slices(pilot *p)
{
    const zb_model *model = p->job->part[p->now];
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    bool complete;
    /* an entry takes one to six bytes in elimination, by the shape of the tree */
    double log_z, each = ((double)p->memory / p->threads - SLICE_BYTES) / 8;
    zb_status status;
    TRY(zb_scopes_new(&scopes, model));
    status = zb_cutset_find(&cutset, scopes, p->job->order[p->now], each, 40);
    if (status == ZB_ELIMIT || cutset == NULL) {
        status = status == ZB_ELIMIT ? ZB_OK : status;
        goto done;
    }
    double seconds = cutset->slices * (cutset->total / EXACT_SPEED + 2e-3) / p->threads;
    if (seconds > 0.6 * seconds_left(p))
        goto done;
    zb_slices s = { .model = model,
                    .cutset = cutset,
                    .memory = p->memory,
                    .deadline = zb_now() + 0.7 * seconds_left(p),
                    .threads = p->opt->threads,
                    .report = on_slices,
                    .context = p };
    TRY(zb_slices_all(&s, &log_z, &complete));
    if (complete)
        settle(p, log_z);
    else
        tighten_to(p, log_z, INFINITY);
done:
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    return status;
}

/* ---- brackets -------------------------------------------------------------------- */

typedef struct plan {
    zb_method method;
    zb_form form;
    double seconds;
    int iterations;
} plan;

/* Share of a search's seconds that its ibound may count on: less on a machine that has
   shown itself slower than a quiet one, and on the lower side, which needs more passes.
 */
static double paid(const pilot *p, zb_side side)
{
    double pace = p->pace > 0 ? p->pace / QUIET_PACE : 1;
    return fmin(1, fmax(pace, 0.02)) * (side == ZB_SIDE_LOWER ? 0.4 : 1);
}

/* One search on one side; the bounds go into the pilot. *attempt may be NULL. */
static zb_status search(pilot *p, zb_side side, plan how, zb_attempt **attempt)
{
    zb_options opt = *p->opt;
    zb_observer watch = { .context = p, .progress = on_search };
    zb_attempt *a = NULL;
    zb_stop stop;
    zb_status status;
    if (how.seconds <= 0 || seconds_left(p) <= p->setup)
        return ZB_OK;
    opt.method = how.method;
    opt.form = how.form;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = how.iterations;
    opt.order = ZB_ORDER_AUTO;
    const zb_model *model = p->job->part[p->now];
    if (opt.ibound == 0)
        TRY(zb_search_ibound(model, p->memory, how.seconds * paid(p, side), p->threads,
                             &opt.ibound));
    int *reached = &p->reached[side == ZB_SIDE_LOWER];
    if (p->opt->ibound == 0)
        opt.ibound = zb_max_int(opt.ibound, *reached);
    zb_search s = { .model = model,
                    .opt = &opt,
                    .observer = &watch,
                    .start = p->start,
                    .deadline = p->deadline > 0 ? zb_now() + how.seconds : 0,
                    .memory = p->memory,
                    .other =
                        side == ZB_SIDE_UPPER ? p->lower[p->now] : p->upper[p->now] };
    double before = zb_now();
    p->search_passes = 0;
    status = zb_search_run(&a, &s, side, &stop, NULL);
    if (p->search_passes > 0)
        p->setup = p->first_pass - before;
    if (status == ZB_OK && p->search_passes > 10) {
        p->pace = a->tree->entries * (double)(p->search_passes - 1) /
                  fmax(1e-6, p->last_pass - p->first_pass);
        *reached = opt.ibound;
    }
    if (status == ZB_ELIMIT || status == ZB_EINVAL) {
        status = ZB_OK; /* this form or size is not for this model */
        goto done;
    }
    TRY(status);
    if (side == ZB_SIDE_UPPER)
        tighten_to(p, -INFINITY, a->bound);
    else
        tighten_to(p, a->bound, INFINITY);
    if (a->tree->splits == 0)
        settle(p, a->bound);
    p->out->width = zb_max_int(p->out->width, a->tree->width);
    p->out->bytes = zb_max_size(p->out->bytes, a->tighten->pass->bytes);
    p->out->ibound = zb_max_int(p->out->ibound, a->tree->ibound);
    if (side == ZB_SIDE_UPPER || p->opt->side == ZB_SIDE_LOWER) {
        p->out->form = a->spec.form;
        p->out->order = a->spec.order;
    }
    if (attempt != NULL)
        *attempt = a, a = NULL;
done:
    zb_attempt_free(a);
    return status;
}

static bool on_count(void *context)
{
    pilot *p = context; /* only one thread talks to the caller */
    return omp_get_thread_num() == 0 ? tell(p) : !p->stopped;
}

/* Sum by search, branching in two ways side by side; what is summed when time is up is
   a lower bound. */
static zb_status count(pilot *p, double seconds)
{
    const zb_model *model = p->job->part[p->now];
    const int *order = p->job->order[p->now];
    zb_count_result r[2];
    zb_status status[2];
    double end = zb_now() + seconds;
    int threads = p->threads > 1 ? 2 : 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        zb_count_spec spec = { .memory = p->memory / 4,
                               .wide = i == 1,
                               .deadline =
                                   threads > 1 || i == 1 ? end : end - seconds / 2,
                               .report = on_count,
                               .context = p };
        status[i] = zb_count_run(model, order, &spec, &r[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (status[i] != ZB_OK)
            continue; /* not for this model, or no memory left: nothing is lost */
        if (r[i].complete)
            settle(p, r[i].log_z);
        else
            tighten_to(p, r[i].log_z, INFINITY);
    }
    tell(p);
    return ZB_OK;
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
static zb_status by_baseline(pilot *p, zb_side side, double seconds)
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
        tighten_to(p, r.log_value, INFINITY);
    } else {
        TRY(zb_trbp_run(model, &base, &watch, &r));
        if (r.guaranteed)
            tighten_to(p, -INFINITY, r.log_value);
    }
    tell(p);
done:
    return status;
}

/* Lower bounds that zeros do not spoil: slices of a cutset. */
static zb_status lower_by_support(pilot *p, double seconds, zb_attempt *upper)
{
    const zb_model *model = p->job->part[p->now];
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    int *value = NULL;
    bool found = false;
    double end = zb_now() + seconds, sum;
    int64_t solved;
    zb_status status;
    TRY(zb_scopes_new(&scopes, model));
    double entries =
        fmin(seconds / 40 * EXACT_SPEED, (double)p->memory / p->threads / 64);
    status = zb_cutset_find(&cutset, scopes, p->job->order[p->now], entries, 400);
    if (status == ZB_ELIMIT) {
        status = ZB_OK;
        goto done;
    }
    TRY(status);
    value = zb_alloc((size_t)cutset->count, sizeof *value);
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_start_find(model, upper, cutset->count, cutset->var, value, &found));
    if (found) {
        zb_slices s = { .model = model,
                        .cutset = cutset,
                        .memory = p->memory,
                        .deadline = end,
                        .threads = p->opt->threads,
                        .report = on_slices,
                        .context = p };
        TRY(zb_slices_search(&s, value, &sum, &solved));
        tighten_to(p, sum, INFINITY);
    }
done:
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    zb_free(value);
    return status;
}

static bool wanted(const pilot *p, zb_side side)
{
    return p->opt->side == ZB_SIDE_BOTH || p->opt->side == side;
}

static bool is_open(const pilot *p, zb_side side)
{
    return wanted(p, side) && !p->exact[p->now] && !p->stopped;
}

static int max_arity(const zb_model *model)
{
    int arity = 0;
    for (int f = 0; f < model->nfactors; f++)
        arity = zb_max_int(arity, model->factor[f].arity);
    return arity;
}

/* Where there are no mini-buckets worth the name. */
static zb_status by_baselines(pilot *p, double seconds)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < 2; i++) {
        zb_side side = i == 0 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
        if (is_open(p, side))
            TRY(by_baseline(p, side, fmin(seconds, seconds_left(p) - 0.3 * seconds)));
    }
done:
    return status;
}

/* Small mini-buckets, both kinds of forms, so that there is a bracket soon; *gauged
   says which kind did better, *small that they hold single factors at most. */
static zb_status first_look(pilot *p, double seconds, bool zeros, bool *gauged,
                            bool *small)
{
    zb_attempt *guide = NULL, *other = NULL;
    zb_status status;
    plan quick = { .method = ZB_METHOD_WMBE_WTHETA,
                   .form = ZB_FORM_ORIGINAL,
                   .seconds = 0.05 * seconds,
                   .iterations = 100 };
    TRY(search(p, ZB_SIDE_UPPER, quick, &guide));
    *small = guide == NULL || guide->tree->ibound <= max_arity(p->job->part[p->now]);
    if (is_open(p, ZB_SIDE_LOWER)) {
        TRY(search(p, ZB_SIDE_LOWER, quick, NULL));
        if ((zeros || p->lower[p->now] == -INFINITY) && !p->stopped)
            TRY(lower_by_support(p, 0.15 * seconds, guide));
    }
    if (is_open(p, ZB_SIDE_UPPER)) {
        quick.method = ZB_METHOD_WMBE_WG;
        quick.form = ZB_FORM_AUTO;
        TRY(search(p, ZB_SIDE_UPPER, quick, &other));
        *gauged = other != NULL && (guide == NULL || other->bound < guide->bound);
    }
done:
    zb_attempt_free(guide);
    zb_attempt_free(other);
    return status;
}

/* Bracket component p->now within `seconds`. */
static zb_status bracket(pilot *p, double seconds)
{
    const zb_model *model = p->job->part[p->now];
    double end = zb_now() + seconds;
    bool zeros = has_zeros(model), gauged = false;
    zb_status status = ZB_OK;
    int ibound = 0;
    p->reached[0] = p->reached[1] = 0;
    if (is_open(p, ZB_SIDE_LOWER))
        TRY(by_baseline(p, ZB_SIDE_LOWER, 0.02 * seconds));
    double before = zb_now();
    TRY(zb_search_ibound(model, p->memory, 0.5 * seconds, p->threads, &ibound));
    p->setup = zb_now() - before;
    bool huge = ibound <= zb_max_int(2, max_arity(model)), small = huge;
    if (huge)
        TRY(by_baselines(p, 0.3 * seconds));
    if (zeros &&
        !p->stopped) /* often exact, and never minus infinity if there is a way */
        TRY(count(p, 0.3 * seconds));
    if (!p->exact[p->now] && !p->stopped)
        TRY(first_look(p, seconds, zeros, &gauged, &small));
    if (small && !huge)
        TRY(by_baselines(p, 0.25 * seconds));
    /* the long run */
    double left = p->deadline > 0 ? end - zb_now() : seconds;
    plan how = { .method = gauged ? ZB_METHOD_WMBE_WG : ZB_METHOD_WMBE_WTHETA,
                 .form = gauged ? ZB_FORM_AUTO : ZB_FORM_ORIGINAL,
                 .iterations = 2000 };
    how.seconds = left * (wanted(p, ZB_SIDE_LOWER) ? 0.5 : 0.95);
    if (is_open(p, ZB_SIDE_UPPER) && left > 0)
        TRY(search(p, ZB_SIDE_UPPER, how, NULL));
    left = p->deadline > 0 ? end - zb_now() : seconds;
    how = (plan){ .method = ZB_METHOD_WMBE_WTHETA,
                  .form = ZB_FORM_ORIGINAL,
                  .iterations = 2000,
                  .seconds = 0.95 * left };
    if (is_open(p, ZB_SIDE_LOWER) && left > 0)
        TRY(search(p, ZB_SIDE_LOWER, how, NULL));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

/* ln Z <= sum of the factors' largest logarithms plus ln of the number of states. */
static double trivial_upper(const zb_model *model)
{
    double sum = model->log_scale;
    for (int v = 0; v < model->nvars; v++)
        sum += log(model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double most = -INFINITY;
        for (size_t i = 0; i < a->size; i++)
            most = fmax(most, a->log ? a->value[i] : log(a->value[i]));
        sum += most;
    }
    return sum;
}

static zb_status prepare(pilot *p, const zb_model *model, zb_error *err)
{
    zb_options plain = *p->opt;
    double effort = fmin(3, fmax(0.01, 0.05 * seconds_left(p)));
    zb_status status;
    if (plain.order != ZB_ORDER_FILE)
        plain.order = ZB_ORDER_AUTO;
    TRY(zb_exact_job_new(&p->job, model, &plain, effort, err));
    size_t n = (size_t)p->job->count;
    p->lower = zb_alloc(n, sizeof *p->lower);
    p->upper = zb_alloc(n, sizeof *p->upper);
    p->exact = zb_calloc(n, sizeof *p->exact);
    TRY(p->lower && p->upper && p->exact ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < p->job->count; i++) {
        p->lower[i] = -INFINITY;
        p->upper[i] = trivial_upper(p->job->part[i]);
    }
done:
    return status;
}

/* Nothing is left to do: all components are known, or one of them is empty. */
static bool is_settled(const pilot *p)
{
    bool exact = true;
    for (int i = 0; i < p->job->count; i++) {
        exact = exact && p->exact[i];
        if (p->upper[i] == -INFINITY)
            return true;
    }
    return exact;
}

static zb_status fly(pilot *p)
{
    zb_status status = ZB_OK;
    int hard = 0;
    tell(p);
    for (int i = 0; i < p->job->count && !p->stopped && !is_settled(p); i++)
        TRY(try_exact(p, i));
    for (int i = 0; i < p->job->count; i++)
        hard += !p->exact[i];
    for (int i = 0; i < p->job->count && !p->stopped && !is_settled(p); i++) {
        if (p->exact[i])
            continue;
        p->now = i;
        TRY(try_slices(p));
        if (!p->exact[i] && !p->stopped && seconds_left(p) > 0)
            TRY(bracket(p, seconds_left(p) / hard));
        hard--;
    }
done:
    return status;
}

static void fill(const pilot *p, zb_result *out)
{
    bool exact = is_settled(p);
    totals(p, &out->log_lower, &out->log_upper);
    out->has_lower = wanted(p, ZB_SIDE_LOWER);
    out->has_upper = wanted(p, ZB_SIDE_UPPER);
    out->guaranteed = true;
    out->exact = exact;
    out->iterations = p->passes;
    out->stop = exact        ? ZB_STOP_EXACT
                : p->stopped ? ZB_STOP_INTERRUPTED
                : p->deadline > 0 && seconds_left(p) < 0.1 * (p->deadline - p->start)
                    ? ZB_STOP_TIME
                    : ZB_STOP_CONVERGED;
    out->width = p->job->all.width;
    if (exact) {
        out->form = ZB_FORM_ORIGINAL;
        out->ibound = out->width + 1;
    }
    if (exact && p->job->reduction->model->nvars > 0)
        out->bytes =
            zb_max_size(out->bytes, (size_t)fmin(p->job->all.bytes, (double)p->memory));
    zb_exact_job_describe(p->job, out);
    out->exact_seconds = exact_seconds(p, p->job->all.total);
}

/* The model is held about six times over, reduced, split and in some form: tables get
   what that leaves of the memory. */
static uint64_t memory_left(const zb_model *model, const zb_options *opt,
                            const zb_observer *observer)
{
    uint64_t limit = zb_memory_limit(opt);
    double copies = 0;
    if (limit == 0) /* not known: let allocations fail */
        return UINT64_MAX / 4;
    for (int f = 0; f < model->nfactors; f++)
        copies += 6 * sizeof(double) * (double)model->factor[f].size;
    if (copies < 0.75 * (double)limit)
        return limit - (uint64_t)copies;
    if (copies > (double)limit && observer != NULL && observer->note != NULL)
        observer->note(observer->context,
                       "the model alone takes more than the memory limit");
    return limit / 4;
}

zb_status zb_solve_auto(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, zb_result *out, zb_error *err)
{
    pilot p = { .opt = opt,
                .observer = observer,
                .start = zb_now(),
                .out = out,
                .memory = memory_left(model, opt, observer) };
    double seconds = opt->time < 0 ? ZB_AUTO_SECONDS : opt->time;
    zb_status status;
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
    return status;
}
