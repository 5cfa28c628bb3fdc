#include "run.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

enum { TRACE_MOST = 4096 };
static const double PAUSE = 0.05; /* seconds between calls that have nothing new */

/* ---- Ctrl-C ------------------------------------------------------------------------
 */

static volatile sig_atomic_t interrupted;
static struct sigaction before;
static int depth;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void zbpy_signals_catch(void)
{
    if (depth++ > 0)
        return;
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    interrupted = 0;
    sigaction(SIGINT, &action, &before);
}

bool zbpy_signals_release(void)
{
    if (--depth == 0)
        sigaction(SIGINT, &before, NULL);
    return interrupted != 0;
}

/* ---- progress ----------------------------------------------------------------------
 */

/* Half of the points go when there is no room: every second one, so that what is left
   covers all of the run; from then on points are twice as far apart in time. */
static void thin(zbpy_run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->points; i += 2)
        run->trace[kept++] = run->trace[i];
    run->points = kept;
    run->apart =
        2 * (run->trace[kept - 1].seconds - run->trace[0].seconds) / TRACE_MOST;
}

/* A trace that cannot grow stays as it is: it is for looking at. */
static void record(zbpy_run *run, double seconds)
{
    zbpy_point point = { seconds, run->lower, run->upper };
    if (run->points > 0 && seconds - run->trace[run->points - 1].seconds < run->apart)
        return;
    if (run->points == TRACE_MOST)
        thin(run);
    if (run->points == run->room) {
        size_t room = run->room > 0 ? 2 * run->room : 16;
        zbpy_point *grown = realloc(run->trace, room * sizeof *grown);
        if (grown == NULL)
            return;
        run->trace = grown;
        run->room = room;
    }
    run->trace[run->points++] = point;
}

/* The library calls from any thread, one at a time. */
static bool observe(void *context, const zb_progress *at)
{
    zbpy_run *run = context;
    bool better = at->log_lower > run->lower || at->log_upper < run->upper;
    if (better) {
        run->lower = fmax(run->lower, at->log_lower);
        run->upper = fmin(run->upper, at->log_upper);
        record(run, at->seconds);
    }
    if (run->heeds_signals && interrupted)
        run->stopped = true;
    if (run->tell != NULL && (better || at->seconds - run->told >= PAUSE)) {
        zb_progress best = *at;
        best.log_lower = run->lower;
        best.log_upper = run->upper;
        run->told = at->seconds;
        if (!run->tell(run->handle, &best))
            run->stopped = true;
    }
    return !run->stopped;
}

static void take_note(void *context, const char *sentence)
{
    zbpy_run *run = context;
    run->note(run->handle, sentence);
}

void zbpy_run_begin(zbpy_run *run)
{
    run->observer = (zb_observer){ run, observe, take_note };
    run->lower = -INFINITY;
    run->upper = INFINITY;
}

void zbpy_run_end(zbpy_run *run)
{
    free(run->trace);
    run->trace = NULL;
    run->points = run->room = 0;
}

/* ---- spins -------------------------------------------------------------------------
 */

zb_status zbpy_add_pairs(zb_model *model, size_t count, const int *u, const int *v,
                         const double *weight)
{
    zb_status status = ZB_OK;
    for (size_t i = 0; i < count && status == ZB_OK; i++) {
        const int scope[2] = { u[i], v[i] };
        const double w = weight[i], table[4] = { w, -w, -w, w };
        status = zb_model_add_log(model, 2, scope, table);
    }
    return status;
}

zb_status zbpy_add_fields(zb_model *model, int count, const double *weight)
{
    zb_status status = ZB_OK;
    for (int v = 0; v < count && status == ZB_OK; v++) {
        const double table[2] = { -weight[v], weight[v] };
        if (weight[v] != 0)
            status = zb_model_add_log(model, 1, &v, table);
    }
    return status;
}
