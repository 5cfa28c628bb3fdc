#include "base/run.h"

#include <omp.h>

static const int64_t TELL = 50000000; /* nanoseconds between reports, at most about */

static int64_t nanoseconds(double seconds) { return (int64_t)(seconds * 1e9); }

zb_status zb_run_open(zb_run *run, const zb_observer *observer, double deadline,
                      uint64_t memory, int threads)
{
    *run = (zb_run){
        .start = zb_now(),
        .deadline = deadline,
        .memory = memory,
        .threads = threads > 0 ? threads : omp_get_num_procs(),
        .observer = observer,
        .at = { .log_lower = -INFINITY, .log_upper = INFINITY, .fraction = -1 }
    };
    run->told = nanoseconds(run->start);
    return pthread_mutex_init(&run->lock, NULL) == 0 ? ZB_OK : ZB_ENOMEM;
}

double zb_run_deadline(const zb_options *opt)
{
    return opt->time > 0 ? zb_now() + opt->time : INFINITY;
}

void zb_run_close(zb_run *run) { pthread_mutex_destroy(&run->lock); }

zb_run zb_run_share(zb_run *parent, double deadline, uint64_t memory, int threads)
{
    zb_run share = { .parent = parent,
                     .start = zb_now(),
                     .deadline = deadline,
                     .memory = memory,
                     .threads = zb_max_int(1, threads) };
    if (parent != NULL && parent->deadline < deadline)
        share.deadline = parent->deadline;
    if (parent != NULL && parent->memory < memory)
        share.memory = parent->memory;
    return share;
}

static zb_run *call_of(zb_run *run)
{
    while (run->parent != NULL)
        run = run->parent;
    return run;
}

struct zb_ranks *zb_run_ranks(zb_run *run)
{
    for (const zb_run *r = run; r != NULL; r = r->parent)
        if (r->alone)
            return NULL;
    return run != NULL ? call_of(run)->ranks : NULL;
}

struct zb_keep *zb_run_keep(zb_run *run)
{
    return run != NULL ? call_of(run)->keep : NULL;
}

/* With the lock. */
static void tell(zb_run *call, double now)
{
    const zb_observer *o = call->observer;
    call->told = nanoseconds(now);
    call->at.seconds = now - call->start;
    if (o != NULL && o->progress != NULL && !o->progress(o->context, &call->at))
        call->stopped = true;
}

static bool is_stopped(const zb_run *run)
{
    for (; run != NULL; run = run->parent)
        if (atomic_load_explicit(&run->stopped, memory_order_relaxed))
            return true;
    return false;
}

bool zb_run_more(zb_run *run)
{
    if (run == NULL)
        return true;
    double now = zb_now();
    if (is_stopped(run) || now >= run->deadline)
        return false;
    zb_run *call = call_of(run);
    int64_t told = atomic_load_explicit(&call->told, memory_order_relaxed);
    if (nanoseconds(now) - told < TELL || pthread_mutex_trylock(&call->lock) != 0)
        return true;
    tell(call, now);
    pthread_mutex_unlock(&call->lock);
    return !is_stopped(run);
}

double zb_run_left(const zb_run *run)
{
    return run == NULL ? INFINITY : run->deadline - zb_now();
}

bool zb_run_interrupted(const zb_run *run)
{
    return run != NULL && call_of((zb_run *)run)->stopped;
}

void zb_run_stop(zb_run *run) { run->stopped = true; }

bool zb_run_report(zb_run *run, zb_progress at)
{
    zb_run *to = run;
    while (to != NULL && to->parent != NULL && to->relay == NULL)
        to = to->parent;
    if (to == NULL)
        return true;
    double now = zb_now();
    if (to->parent != NULL) {
        if (!to->relay(to->context, &at))
            zb_run_stop(to);
    } else {
        pthread_mutex_lock(&to->lock);
        to->at = at;
        tell(to, now);
        pthread_mutex_unlock(&to->lock);
    }
    return !is_stopped(run) && now < run->deadline;
}

bool zb_run_report_lower(zb_run *run, double log_lower)
{
    return zb_run_report(
        run,
        (zb_progress){ .log_lower = log_lower, .log_upper = INFINITY, .fraction = -1 });
}

bool zb_run_silent(void *run, const zb_progress *at)
{
    (void)at;
    return zb_run_more(run);
}

void zb_run_note(zb_run *run, const char *sentence)
{
    if (run == NULL)
        return;
    zb_run *call = call_of(run);
    const zb_observer *o = call->observer;
    if (o == NULL || o->note == NULL)
        return;
    pthread_mutex_lock(&call->lock);
    o->note(o->context, sentence);
    pthread_mutex_unlock(&call->lock);
}

bool zb_ticker_ask(zb_ticker *t)
{
    t->work = 0;
    t->over = t->over || !zb_run_more(t->run);
    return !t->over;
}
