/* Brackets by mini-buckets: searches for upper and lower bounds. The two sides know
 * nothing of each other, so with two threads or more they run side by side: trees are
 * mostly too small for several threads to share one. */
#include "auto/pilot.h"

#include "auto/slice.h"
#include "auto/start.h"

static const double SLICE_ENTRIES = 3e8; /* per second, of exact elimination */
static const double FIRST_ROUND = 20;    /* seconds, where there is no limit */

typedef struct plan {
    zb_method method;
    zb_form form;
    double seconds;
    int iterations;
    bool larger; /* than the mini-buckets before */
} plan;

/* ---- one search ------------------------------------------------------------------ */

/* Progress of a search inside a component, seen from the whole. */
static bool on_search(void *context, const zb_progress *at)
{
    zb_flank *f = context;
    if (f->seen++ == 0)
        f->told = zb_now();
    if (at->iteration > 0) { /* 0: of a candidate, whose order took time */
        f->end = zb_now();
        if (f->passes++ == 0)
            f->begin = f->end;
    }
    bool lower = f->side == ZB_SIDE_LOWER;
    return zb_pilot_pass(f->pilot, at->ibound, lower ? at->log_lower : -INFINITY,
                         lower ? INFINITY : at->log_upper) &&
           zb_pilot_open(f->pilot, f->side); /* the other side may have settled it */
}

static zb_status choose_ibound(zb_flank *f, const plan *how, zb_options *opt)
{
    const zb_pilot *p = f->pilot;
    zb_ibound_request r = { .model = p->job->part[p->now],
                            .memory = f->memory,
                            .seconds = how->seconds,
                            .slowness = f->slowness,
                            .passes = f->side == ZB_SIDE_LOWER ? 150 : 50,
                            .threads = f->threads };
    zb_status status;
    bool fits;
    if (opt->ibound == 0)
        opt->ibound = f->next;
    f->next = 0;
    if (opt->ibound != 0)
        return ZB_OK;
    TRY(zb_search_ibound(&r, &opt->ibound, &fits));
    opt->ibound = zb_max_int(opt->ibound, f->reached + how->larger);
done:
    return status;
}

static void keep(zb_flank *f, const zb_attempt *a)
{
    zb_pilot *p = f->pilot;
    bool lower = f->side == ZB_SIDE_LOWER;
    zb_pilot_bound(p, lower ? a->bound : -INFINITY, lower ? INFINITY : a->bound);
    if (a->tree->splits == 0)
        zb_pilot_settle(p, a->bound);
    zb_pilot_describe(p, a, f->side);
}

/* One search on one side; the bounds go into the pilot. *attempt may be NULL. */
static zb_status search(zb_flank *f, plan how, zb_attempt **attempt)
{
    zb_pilot *p = f->pilot;
    zb_options opt = *p->opt;
    zb_observer watch = { .context = f, .progress = on_search };
    zb_attempt *a = NULL;
    zb_stop stop = ZB_STOP_TIME;
    zb_status status;
    f->converged = false;
    if (how.seconds <= 0 || zb_pilot_left(p) <= f->setup || !zb_pilot_open(p, f->side))
        return ZB_OK;
    opt.method = how.method;
    opt.form = how.form;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = how.iterations;
    opt.order = ZB_ORDER_AUTO;
    opt.threads = f->threads;
    TRY(choose_ibound(f, &how, &opt));
    bool lower = f->side == ZB_SIDE_LOWER;
    zb_search s = { .model = p->job->part[p->now],
                    .opt = &opt,
                    .observer = &watch,
                    .start = p->start,
                    .deadline = p->deadline > 0 ? zb_now() + how.seconds : 0,
                    .memory = f->memory,
                    .other = lower ? INFINITY : -INFINITY };
    double before = zb_now();
    f->seen = f->passes = 0;
    status = zb_search_run(&a, &s, f->side, &stop, NULL);
    if (f->seen > 0)
        f->setup = f->told - before;
    if (status == ZB_OK && f->passes > 0) {
        f->converged = stop == ZB_STOP_CONVERGED || f->passes >= how.iterations;
        f->hurried = !f->converged;
    }
    if (status == ZB_OK && f->passes > 10) {
        double each = (f->end - f->begin) / (double)(f->passes - 1);
        f->slowness = fmin(50, fmax(1, each / zb_pass_seconds(a->tree)));
        f->reached = opt.ibound;
    }
    if (status == ZB_ELIMIT || status == ZB_EINVAL) {
        status = ZB_OK; /* this form or size is not for this model */
        goto done;
    }
    TRY(status);
    keep(f, a);
    if (attempt != NULL)
        *attempt = a, a = NULL;
done:
    zb_attempt_free(a);
    return status;
}

/* ---- both sides ------------------------------------------------------------------ */

typedef zb_status step(zb_flanks *f, double end);

typedef struct errand { /* of the second thread */
    step *run;
    zb_flanks *f;
    double end;
    zb_status status;
} errand;

static void *run_errand(void *context)
{
    errand *e = context;
    e->status = e->run(e->f, e->end);
    return NULL;
}

static void share_out(zb_flanks *f, bool apart)
{
    int threads = f->pilot->threads;
    uint64_t memory = f->pilot->memory;
    f->upper.threads = apart ? (threads + 1) / 2 : threads;
    f->lower.threads = apart ? threads / 2 : threads;
    f->upper.memory = f->lower.memory = apart ? memory / 2 : memory;
}

/* Side by side until `end`, or one after the other with half of the time each. */
static zb_status both(zb_flanks *f, step *upper, step *lower, double end)
{
    zb_pilot *p = f->pilot;
    errand e = { .run = lower, .f = f, .end = end, .status = ZB_OK };
    pthread_t thread;
    zb_status status = ZB_OK;
    bool two = zb_pilot_open(p, ZB_SIDE_UPPER) && zb_pilot_open(p, ZB_SIDE_LOWER);
    share_out(f, two && p->threads > 1);
    if (two && p->threads > 1 && pthread_create(&thread, NULL, run_errand, &e) == 0) {
        status = upper(f, end);
        pthread_join(thread, NULL);
        return status != ZB_OK ? status : e.status;
    }
    double now = zb_now();
    if (zb_pilot_open(p, ZB_SIDE_UPPER))
        status = upper(f, two ? now + 0.5 * (end - now) : end);
    if (status == ZB_OK && zb_pilot_open(p, ZB_SIDE_LOWER))
        status = lower(f, end);
    return status;
}

/* ---- the first look -------------------------------------------------------------- */

static plan quick(double end)
{
    return (plan){ .method = ZB_METHOD_WMBE_WTHETA,
                   .form = ZB_FORM_ORIGINAL,
                   .seconds = end - zb_now(),
                   .iterations = 100 };
}

static zb_status upper_first(zb_flanks *f, double end)
{
    return search(&f->upper, quick(end), &f->guide);
}

static zb_status lower_first(zb_flanks *f, double end)
{
    return search(&f->lower, quick(end), NULL);
}

static zb_status upper_second(zb_flanks *f, double end)
{
    plan how = quick(end);
    zb_attempt *other = NULL;
    how.method = ZB_METHOD_WMBE_WG;
    how.form = ZB_FORM_AUTO;
    zb_status status = search(&f->upper, how, &other);
    f->upper.gauged =
        other != NULL && (f->guide == NULL || other->bound < f->guide->bound);
    zb_attempt_free(other);
    return status;
}

static bool on_slices(void *context, double log_sum)
{
    return zb_pilot_bound(context, log_sum, INFINITY) &&
           zb_pilot_open(context, ZB_SIDE_LOWER);
}

/* Lower bounds that zeros do not spoil: slices of a cutset. */
static zb_status by_support(zb_flanks *f, double end)
{
    zb_pilot *p = f->pilot;
    const zb_model *model = p->job->part[p->now];
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    int *value = NULL;
    bool found = false;
    double sum, entries = fmin((end - zb_now()) / 40 * SLICE_ENTRIES,
                               (double)f->lower.memory / f->lower.threads / 64);
    int64_t solved;
    zb_status status;
    TRY(zb_scopes_new(&scopes, model));
    status = zb_cutset_find(&cutset, scopes, p->job->order[p->now], entries, 400);
    if (status == ZB_ELIMIT) {
        status = ZB_OK;
        goto done;
    }
    TRY(status);
    value = zb_alloc((size_t)cutset->count, sizeof *value);
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_start_find(model, f->guide, cutset->count, cutset->var, value, &found));
    if (found) {
        zb_slices s = { .model = model,
                        .cutset = cutset,
                        .memory = f->lower.memory,
                        .deadline = end,
                        .threads = f->lower.threads,
                        .report = on_slices,
                        .context = p };
        TRY(zb_slices_search(&s, value, &sum, &solved));
        zb_pilot_bound(p, sum, INFINITY);
    }
done:
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    zb_free(value);
    return status;
}

static zb_status lower_second(zb_flanks *f, double end)
{
    double lower, upper;
    zb_pilot_bounds(f->pilot, &lower, &upper);
    return f->zeros || lower == -INFINITY ? by_support(f, end) : ZB_OK;
}

zb_status zb_flanks_first(zb_flanks *f)
{
    zb_status status;
    TRY(both(f, upper_first, lower_first, zb_now() + 0.06 * f->seconds));
    TRY(both(f, upper_second, lower_second,
             zb_now() + (f->zeros ? 0.15 : 0.06) * f->seconds));
done:
    return status;
}

/* ---- the long run ---------------------------------------------------------------- */

/* Until the time is up; without a limit, until larger mini-buckets do not fit or gain
   little. A search that converges early is followed by one with larger mini-buckets. */
static zb_status climb(zb_flank *f, double end)
{
    zb_pilot *p = f->pilot;
    bool limited = p->deadline > 0;
    double all = limited ? end - zb_now() : FIRST_ROUND, lower, upper, gap, gap_before;
    plan how = { .method = f->gauged ? ZB_METHOD_WMBE_WG : ZB_METHOD_WMBE_WTHETA,
                 .form = f->gauged ? ZB_FORM_AUTO : ZB_FORM_ORIGINAL,
                 .seconds = all,
                 .iterations = 2000 };
    zb_status status;
    do {
        zb_pilot_bounds(p, &lower, &upper);
        gap_before = upper - lower;
        TRY(search(f, how, NULL));
        zb_pilot_bounds(p, &lower, &upper);
        gap = upper - lower;
        how.seconds = limited ? end - zb_now() : 4 * how.seconds;
        how.larger = true;
    } while (f->converged && p->opt->ibound == 0 &&
             (limited ? how.seconds > 0.1 * all : gap < 0.99 * gap_before));
done:
    return status;
}

static zb_status upper_long(zb_flanks *f, double end) { return climb(&f->upper, end); }
static zb_status lower_long(zb_flanks *f, double end) { return climb(&f->lower, end); }

zb_status zb_flanks_long(zb_flanks *f, double end)
{
    zb_pilot *p = f->pilot;
    zb_status status = both(f, upper_long, lower_long, end);
    p->hurried = p->hurried || (zb_pilot_open(p, ZB_SIDE_UPPER) && f->upper.hurried) ||
                 (zb_pilot_open(p, ZB_SIDE_LOWER) && f->lower.hurried);
    return status;
}

void zb_flanks_open(zb_flanks *f, zb_pilot *p, double seconds, double setup, int ibound,
                    bool zeros)
{
    zb_flank one = {
        .pilot = p, .setup = setup, .next = ibound, .slowness = 1, .hurried = true
    };
    *f = (zb_flanks){ .pilot = p, .seconds = seconds, .zeros = zeros };
    f->upper = f->lower = one;
    f->upper.side = ZB_SIDE_UPPER;
    f->lower.side = ZB_SIDE_LOWER;
}

void zb_flanks_close(zb_flanks *f) { zb_attempt_free(f->guide); }
