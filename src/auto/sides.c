/* Brackets by mini-buckets: searches for upper and lower bounds. The two sides know
 * nothing of each other, so with two threads or more they run side by side: trees are
 * mostly too small for several threads to share one. */
#include "auto/sides.h"

#include "auto/cut_slices.h"
#include "auto/draws.h"
#include "auto/enter.h"
#include "base/cost.h"
#include "tighten/budget.h"
#include "tighten/search.h"

typedef struct plan {
    zb_kind kind;
    double seconds;
    int iterations;
    bool larger; /* than the mini-buckets before */
} plan;

/* ---- one search ------------------------------------------------------------------ */

/* Progress of a search inside a component, seen from the whole. */
static bool on_search(void *context, const zb_progress *at)
{
    zb_side_search *f = context;
    if (f->seen++ == 0)
        f->told = zb_now();
    int64_t more = at->iteration - f->passes;
    if (more > 0) { /* else of a candidate, whose order took time */
        f->end = zb_now();
        if (f->passes == 0)
            f->begin = f->end;
        f->passes = at->iteration;
    }
    return zb_enter_pass(f->steer, f->side, at->ibound, more,
                         f->side == ZB_SIDE_LOWER ? at->log_lower : at->log_upper);
}

static zb_status choose_ibound(zb_side_search *f, const plan *how, zb_options *opt)
{
    zb_steer *p = f->steer;
    zb_ibound_request r = { .model = zb_steer_model(p),
                            .memory = f->memory,
                            .seconds = how->seconds,
                            .slowness = zb_steer_limited(p) ? f->slowness : 1,
                            .passes = f->side == ZB_SIDE_LOWER
                                          ? ZB_STEERING.lower_passes
                                          : ZB_STEERING.upper_passes,
                            .run = &p->ledger.work };
    zb_ibound_choice choice;
    zb_status status;
    if (opt->ibound != 0)
        return ZB_OK;
    TRY(zb_budget_ibound(&r, &choice));
    p->short_of = choice.memory;
    opt->ibound = zb_max_int(choice.ibound, f->reached + how->larger);
done:
    return status;
}

static zb_options search_options(const zb_options *given, const plan *how)
{
    zb_options opt = *given;
    opt.method = how->kind.method;
    opt.form = how->kind.form;
    opt.optimizer = ZB_OPTIMIZER_DEFAULT;
    opt.iterations = how->iterations;
    opt.order = ZB_ORDER_AUTO;
    return opt;
}

/* What a search has shown: did it end by itself, how long does a pass really take? */
static void learn(zb_side_search *f, const zb_attempt *a, bool ended, int ibound)
{
    if (f->passes > 0) {
        f->converged = ended;
        f->hurried = !ended;
    }
    if (f->passes > 10) {
        double each = (f->end - f->begin) / (double)(f->passes - 1);
        double expected = zb_cost_pass(a->tree->entries, a->tree->nnodes);
        f->slowness = fmin(50, fmax(1, each / expected));
        f->reached = ibound;
    }
}

/* One search on one side; the bounds go into the ledger. *attempt may be NULL. */
static zb_status search(zb_side_search *f, plan how, zb_attempt **attempt)
{
    zb_steer *p = f->steer;
    zb_options opt = search_options(p->opt, &how);
    zb_attempt *a = NULL;
    zb_stop stop = ZB_STOP_TIME;
    zb_status status;
    f->converged = false;
    if (how.seconds <= 0 || zb_steer_left(p) <= f->setup || !zb_steer_open(p, f->side))
        return ZB_OK;
    TRY(choose_ibound(f, &how, &opt));
    zb_run share = zb_steer_share(p, how.seconds, f->memory, f->threads);
    share.relay = on_search;
    share.context = f;
    struct zb_reduction *none; /* the model has been reduced before */
    zb_search s = { .model = zb_steer_model(p),
                    .opt = &opt,
                    .run = &share,
                    .certified = p->proofs != NULL ? &none : NULL,
                    .other = f->side == ZB_SIDE_LOWER ? INFINITY : -INFINITY };
    double before = zb_now();
    f->seen = f->passes = 0;
    status = zb_search_run(&a, &s, f->side, &stop, NULL);
    if (f->seen > 0)
        f->setup = f->told - before;
    if (status == ZB_ELIMIT || status == ZB_EINVAL)
        return ZB_OK; /* this form or size is not for this model */
    TRY(status);
    learn(f, a, stop == ZB_STOP_CONVERGED || f->passes >= how.iterations, opt.ibound);
    zb_attempt_watch(a, &p->ledger.work); /* it may outlive the share */
    TRY(zb_enter_attempt(p, a, how.kind.method));
    if (f->side == ZB_SIDE_UPPER)
        TRY(zb_draws_offer(p, a, f->threads));
    if (attempt != NULL)
        *attempt = a, a = NULL;
done:
    zb_attempt_free(a);
    return status;
}

/* ---- both sides ------------------------------------------------------------------ */

typedef struct lower_side { /* what the second thread does */
    zb_side_step *run;
    zb_sides *f;
    double end;
    zb_status status;
} lower_side;

static void *run_lower(void *context)
{
    lower_side *e = context;
    e->status = e->run(e->f, e->end);
    return NULL;
}

/* Where memory is short the sides take turns; else each has half of it, even where they
   take turns for want of threads: what fits must not depend on the number of these. */
static bool is_roomy(const zb_steer *p) { return p->memory >= (uint64_t)32 << 20; }

static void share_out(zb_sides *f, bool apart)
{
    const zb_steer *p = f->steer;
    int threads = p->ledger.work.threads;
    bool halves = p->opt->side == ZB_SIDE_BOTH && is_roomy(p);
    f->upper.threads = apart ? (threads + 1) / 2 : threads;
    f->lower.threads = apart ? threads / 2 : threads;
    double kept = p->job->count > 1 ? 0.5 : 1; /* by other components */
    f->upper.memory = f->lower.memory =
        (uint64_t)(kept * (double)p->memory) / (halves ? 2 : 1);
    f->above.threads = f->upper.threads;
    f->below.threads = f->lower.threads;
    f->above.memory = f->below.memory = f->upper.memory;
}

bool zb_sides_apart(zb_sides *f)
{
    zb_steer *p = f->steer;
    bool two = zb_steer_open(p, ZB_SIDE_UPPER) && zb_steer_open(p, ZB_SIDE_LOWER);
    bool apart = two && p->ledger.work.threads > 1 && is_roomy(p);
    share_out(f, apart);
    return apart;
}

zb_status zb_sides_both(zb_sides *f, zb_side_step *upper, zb_side_step *lower,
                        double end)
{
    zb_steer *p = f->steer;
    lower_side e = { .run = lower, .f = f, .end = end, .status = ZB_OK };
    pthread_t thread;
    zb_status status = ZB_OK;
    if (zb_sides_apart(f) && pthread_create(&thread, NULL, run_lower, &e) == 0) {
        status = upper(f, end);
        pthread_join(thread, NULL);
        return status != ZB_OK ? status : e.status;
    }
    bool two = zb_steer_open(p, ZB_SIDE_UPPER) && zb_steer_open(p, ZB_SIDE_LOWER);
    double now = zb_now();
    if (zb_steer_open(p, ZB_SIDE_UPPER))
        status = upper(f, two ? now + 0.5 * (end - now) : end);
    if (status == ZB_OK && zb_steer_open(p, ZB_SIDE_LOWER))
        status = lower(f, end);
    return status;
}

/* ---- the first look -------------------------------------------------------------- */

static plan quick(zb_kind kind, double end)
{
    return (plan){ .kind = kind,
                   .seconds = end - zb_now(),
                   .iterations = ZB_STEERING.first_iterations };
}

static zb_status upper_first(zb_sides *f, double end)
{
    zb_attempt_free(f->guide);
    f->guide = NULL;
    return search(&f->upper, quick(ZB_STEERING.plain, end), &f->guide);
}

static zb_status lower_first(zb_sides *f, double end)
{
    return search(&f->lower, quick(ZB_STEERING.plain, end), NULL);
}

static zb_status upper_second(zb_sides *f, double end)
{
    enum { GUIDED = 20 }; /* passes */
    zb_attempt *other = NULL;
    zb_status status = search(&f->upper, quick(ZB_STEERING.gauged, end), &other);
    /* a plain one that had no time is no reason for the other */
    f->upper.gauged = other != NULL && other->spec.form != ZB_FORM_ORIGINAL &&
                      f->guide != NULL && f->guide->passes >= GUIDED &&
                      other->bound < f->guide->bound;
    zb_attempt_free(other);
    return status;
}

static zb_status lower_second(zb_sides *f, double end)
{
    double lower = zb_ledger_claim(&f->steer->ledger, f->steer->now).lower;
    return lower == -INFINITY || zb_steer_has_zeros(f->steer)
               ? zb_cut_slices_run(f, end)
               : ZB_OK;
}

zb_status zb_sides_first(zb_sides *f, double end)
{
    return zb_sides_both(f, upper_first, lower_first, end);
}

zb_status zb_sides_second(zb_sides *f, double end)
{
    return zb_sides_both(f, upper_second, lower_second, end);
}

zb_status zb_sides_support(zb_sides *f, double end)
{
    share_out(f, false);
    return zb_steer_open(f->steer, ZB_SIDE_LOWER) ? lower_second(f, end) : ZB_OK;
}

/* ---- the long run ---------------------------------------------------------------- */

double zb_sides_bound(const zb_side_search *f)
{
    zb_claim c = zb_ledger_claim(&f->steer->ledger, f->steer->now);
    return f->side == ZB_SIDE_LOWER ? c.lower : c.upper;
}

/* Until the time is up; without a limit, until larger mini-buckets do not fit or gain
   little. A search that converges early is followed by one with larger mini-buckets. */
static zb_status climb(zb_side_search *f, double end)
{
    zb_steer *p = f->steer;
    bool limited = zb_steer_limited(p);
    double all = limited ? end - zb_now() : ZB_STEERING.search_unlimited, bound, before;
    plan how = { .kind = f->gauged ? ZB_STEERING.gauged : ZB_STEERING.plain,
                 .seconds = all,
                 .iterations = ZB_STEERING.long_iterations };
    zb_status status;
    do {
        before = zb_sides_bound(f);
        TRY(search(f, how, NULL));
        bound = zb_sides_bound(f);
        how.seconds = limited ? end - zb_now() : ZB_STEERING.search_ratio * how.seconds;
        how.larger = true;
    } while (f->converged && p->opt->ibound == 0 &&
             (limited
                  ? how.seconds > ZB_STEERING.again * all
                  : fabs(bound - before) > ZB_STEERING.gain * fmax(1, fabs(bound))));
done:
    return status;
}

static zb_status upper_climb(zb_sides *f, double end) { return climb(&f->upper, end); }
static zb_status lower_climb(zb_sides *f, double end) { return climb(&f->lower, end); }

zb_status zb_sides_long(zb_sides *f, double end)
{
    zb_steer *p = f->steer;
    if (zb_steer_limited(p))
        return zb_sides_by_arms(f, end);
    zb_status status = zb_sides_both(f, upper_climb, lower_climb, end);
    p->hurried = p->hurried || (zb_steer_open(p, ZB_SIDE_UPPER) && f->upper.hurried) ||
                 (zb_steer_open(p, ZB_SIDE_LOWER) && f->lower.hurried);
    return status;
}

void zb_sides_open(zb_sides *f, zb_steer *p, double setup, int size)
{
    zb_side_search one = { .steer = p, .setup = setup, .slowness = 1, .hurried = true };
    *f = (zb_sides){
        .steer = p, .upper = one, .lower = one, .drawing = PTHREAD_MUTEX_INITIALIZER
    };
    f->upper.side = ZB_SIDE_UPPER;
    f->lower.side = ZB_SIDE_LOWER;
    zb_arms_open(&f->above, p, ZB_SIDE_UPPER, size);
    zb_arms_open(&f->below, p, ZB_SIDE_LOWER, size);
}

void zb_sides_close(zb_sides *f)
{
    zb_attempt_free(f->guide);
    f->guide = NULL;
    zb_arms_close(&f->above);
    zb_arms_close(&f->below);
    pthread_mutex_destroy(&f->drawing);
}

void zb_sides_leave(zb_sides *f)
{
    const zb_steer *p = f->steer;
    double most = 0.5 * (double)p->memory / p->job->count / 2;
    if (p->job->count == 1)
        return;
    zb_arms_trim(&f->above, most);
    zb_arms_trim(&f->below, most);
    zb_attempt_free(f->guide);
    f->guide = NULL;
}
