/* A curve of figure 3: one kind of parameter moves for a while, then another from where
 * the first has led. */
#include "experiment.h"

#include "tighten/attempt.h"

#include <math.h>

typedef struct recorder {
    exp_task *task;
    const zb_observer *observer;
    int at; /* of the phase's first value */
    double start, best;
} recorder;

static bool record(void *context, int64_t iteration, double bound, double best)
{
    recorder *r = context;
    int i = r->at + (int)iteration;
    (void)bound;
    r->best = fmin(r->best, best);
    if (i <= r->task->iterations) {
        r->task->values[i] = r->best;
        r->task->clocks[i] = zb_now() - r->start;
    }
    return r->observer->progress(r->observer->context, NULL);
}

static zb_attempt_spec spec_of(const exp_task *t, int ibound)
{
    bool paper = t->optimizer == ZB_OPTIMIZER_PAPER;
    return (zb_attempt_spec){ .form = t->form,
                              .order = t->order,
                              .seed = 1,
                              .tries = 1,
                              .ibound = ibound,
                              .tighten = { .side = ZB_SIDE_UPPER,
                                           .weights = true,
                                           .theta = true,
                                           .gauges = true,
                                           .shared = !paper,
                                           .absolute = paper,
                                           .threads = 1 } };
}

/* The paper's theta step acts on the difference of two marginals: twice the gradient.
 */
static zb_status phase(zb_attempt *a, const exp_task *t, exp_kind kind, int iterations,
                       recorder *r)
{
    bool paper = t->optimizer == ZB_OPTIMIZER_PAPER;
    zb_attempt_run run = { .optimizer = t->optimizer,
                           .rate = { paper ? 0.1 : 0.2, paper ? 0.2 : 0.1,
                                     paper ? 0.01 : 0.2 },
                           .iterations = iterations,
                           .tolerance = -1,
                           .report = record,
                           .context = r };
    zb_stop stop;
    zb_tighten_select(a->tighten, kind == EXP_W, kind == EXP_THETA, kind == EXP_G);
    zb_status status = zb_attempt_descend(a, &run, &stop);
    r->at += iterations;
    return status;
}

zb_status exp_curve_run(exp_task *t, const zb_model *model, int ibound,
                        const zb_observer *observer, zb_error *err)
{
    zb_attempt_spec spec = spec_of(t, ibound);
    zb_attempt *a = NULL;
    recorder r = {
        .task = t, .observer = observer, .start = zb_now(), .best = INFINITY
    };
    zb_status status;
    TRY(zb_attempt_new(&a, model, &spec, NULL, err));
    TRY(phase(a, t, t->first, t->switch_at, &r));
    TRY(phase(a, t, t->second, t->iterations - t->switch_at, &r));
    t->has_upper = true;
    t->log_upper = a->bound;
    t->form_used = t->form;
    t->order_used = t->order;
    t->passes = a->passes;
    t->stop = "iterations";
    t->seconds = zb_now() - r.start;
done:
    zb_attempt_free(a);
    return status;
}
