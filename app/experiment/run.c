/* The tasks that have no row yet, several at a time, each on one thread. */
#include "experiment.h"

#include "console.h"
#include "progress.h"
#include "report.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t EXACT_BYTES = UINT64_C(4) << 30; /* for a task of method be */
static const double EXACT_SECONDS = 120;

typedef struct item {
    exp_figure *figure;
    exp_task *task;
} item;

typedef struct batch {
    exp_settings *s;
    item *list;
    int count, done;
    double work, worked; /* passes, weighted: for the time left */
    double start;
    int code; /* the first failure */
} batch;

static bool go_on(void *context, const zb_progress *at)
{
    (void)context;
    (void)at;
    return !app_interrupted();
}

static double work_of(const item *i)
{
    static const double weight[] = { 1, 2, 2, 40, 40 };
    return (i->task->iterations + 1) * weight[i->figure->family] *
           (i->figure->ibound > 4 ? 2 : 1);
}

static zb_options options_of(const exp_settings *s, const exp_figure *f,
                             const exp_task *t)
{
    zb_options opt = zb_options_default();
    bool exact = t->method == ZB_METHOD_BE;
    opt.method = t->method;
    opt.form = t->form;
    opt.order = t->order;
    opt.optimizer = t->optimizer;
    opt.iterations = t->iterations;
    opt.ibound = exact ? 0 : f->ibound;
    opt.side = exact ? ZB_SIDE_BOTH : ZB_SIDE_UPPER;
    opt.threads = 1;
    uint64_t share = zb_memory_default() / (uint64_t)s->jobs;
    opt.memory = share > 0 && share < EXACT_BYTES ? share : EXACT_BYTES;
    opt.time = exact ? (s->quick ? EXACT_SECONDS / 12 : EXACT_SECONDS) : -1;
    opt.tolerance = t->method == ZB_METHOD_TRBP ? 1e-7 : 0;
    return opt;
}

static zb_status solve(const exp_settings *s, const exp_figure *f, exp_task *t,
                       const zb_model *model, const zb_observer *observer,
                       zb_error *err)
{
    zb_options opt = options_of(s, f, t);
    zb_result r = { .has_upper = false };
    zb_status status = zb_solve(model, &opt, observer, &r, err);
    t->form_used = t->form;
    t->order_used = t->order;
    t->seconds = r.seconds;
    if (status == ZB_ELIMIT) { /* an answer too: it does not fit */
        t->has_upper = false;
        t->stop = "limit";
        return ZB_OK;
    }
    if (status != ZB_OK)
        return status;
    bool exact = t->method == ZB_METHOD_BE;
    t->has_upper = r.has_upper && (!exact || r.exact) && isfinite(r.log_upper);
    app_report_interval(&r, &t->log_lower, &t->log_upper);
    t->seconds = r.seconds;
    t->passes = r.iterations;
    t->stop = exact && !r.exact ? "limit" : zb_stop_name(r.stop);
    t->form_used = r.form;
    t->order_used = r.order;
    return ZB_OK;
}

/* A generated family has the same scopes for every coupling but 0: what did not fit at
   one does not fit at another. */
static bool known_not_to_fit(const batch *c, const item *it)
{
    const exp_instance *x = &it->figure->instance[it->task->instance];
    bool found = x->coupling <= 0 || it->task->method != ZB_METHOD_BE;
    if (found)
        return false;
    for (int i = 0; i < c->s->nfigures && !found; i++) {
        const exp_figure *f = &c->s->figure[i];
        for (int k = 0; k < f->ntasks && !found; k++) {
            const exp_task *t = &f->task[k];
            const exp_instance *y = &f->instance[t->instance];
            found = t->method == ZB_METHOD_BE && t->done && !t->has_upper &&
                    y->family == x->family && y->seed == x->seed && y->coupling > 0;
        }
    }
    return found;
}

static int run_item(const batch *c, const item *it)
{
    exp_instance *i = &it->figure->instance[it->task->instance];
    bool hopeless;
#pragma omp critical(experiment)
    hopeless = known_not_to_fit(c, it);
    if (hopeless) {
        it->task->form_used = it->task->form;
        it->task->order_used = it->task->order;
        it->task->stop = "limit";
        return APP_OK;
    }
    zb_observer observer = { .progress = go_on };
    zb_model *model = NULL;
    zb_error err = { "" };
    zb_status status = exp_model_make(&model, c->s, i, &err);
    if (status == ZB_OK)
        status =
            it->task->curve
                ? exp_curve_run(it->task, model, it->figure->ibound, &observer, &err)
                : solve(c->s, it->figure, it->task, model, &observer, &err);
    zb_model_free(model);
    return status == ZB_OK ? APP_OK : app_fail_status(status, &err);
}

static void show(const batch *c, const item *it)
{
    char text[160];
    double spent = app_clock() - c->start;
    double left = c->worked > 0 ? spent * (c->work - c->worked) / c->worked : 0;
    snprintf(text, sizeof text, "%s  %d of %d  %3.0f %%  %.0f min %02.0f s left",
             it->figure->name, c->done, c->count, 100 * c->worked / c->work,
             floor(left / 60), fmod(left, 60));
    if (app_live_possible())
        app_live(text);
}

/* A task that was cut short has no row: the next run does it again. */
static void finish(batch *c, const item *it, int code)
{
    exp_instance *i = &it->figure->instance[it->task->instance];
    if (code == APP_OK && !app_interrupted()) {
        it->task->done = true;
        if (it->task->method == ZB_METHOD_BE && !it->task->curve)
            i->has_z = it->task->has_upper, i->log_z = it->task->log_lower;
        code = exp_csv_append(c->s, it->figure, it->task);
        c->s->computed++;
    }
    if (c->code == APP_OK)
        c->code = code;
    c->done++;
    c->worked += work_of(it);
    show(c, it);
}

static void run_all(batch *c)
{
    c->work = c->worked = 0;
    c->done = 0;
    c->start = app_clock();
    for (int i = 0; i < c->count; i++)
        c->work += work_of(&c->list[i]);
#pragma omp parallel for schedule(dynamic, 1) num_threads(c->s->jobs)
    for (int i = 0; i < c->count; i++) {
        int failed;
#pragma omp atomic read
        failed = c->code;
        if (failed != APP_OK || app_interrupted())
            continue;
        int code = run_item(c, &c->list[i]);
#pragma omp critical(experiment)
        finish(c, &c->list[i], code);
    }
    app_live("");
}

static int longest_first(const void *a, const void *b)
{
    double x = work_of(a), y = work_of(b);
    const item *p = a, *q = b;
    if (x != y)
        return x < y ? 1 : -1;
    return p->task < q->task ? -1 : p->task > q->task;
}

/* What is not done: the exact values, or everything else. */
static void gather(batch *c, bool exact)
{
    c->count = 0;
    for (int i = 0; i < c->s->nfigures; i++) {
        exp_figure *f = &c->s->figure[i];
        for (int k = 0; k < f->ntasks; k++) {
            bool is_exact = strcmp(f->task[k].label, "be") == 0;
            if (!f->task[k].done && is_exact == exact)
                c->list[c->count++] = (item){ f, &f->task[k] };
        }
    }
    qsort(c->list, (size_t)c->count, sizeof *c->list, longest_first);
}

int exp_run(exp_settings *s)
{
    batch c = { .s = s, .code = APP_OK };
    size_t most = 0;
    double start = app_clock();
    for (int i = 0; i < s->nfigures; i++)
        most += (size_t)s->figure[i].ntasks;
    c.list = calloc(most, sizeof *c.list);
    if (c.list == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    for (int pass = 0; pass < 2 && c.code == APP_OK; pass++) {
        gather(&c, pass == 0);
        run_all(&c);
    }
    free(c.list);
    for (int i = 0; i < s->nfigures && c.code == APP_OK; i++) {
        exp_figure *f = &s->figure[i];
        c.code = exp_csv_write(s, f);
        f->seconds = 0;
        for (int k = 0; k < f->ntasks; k++)
            f->seconds += f->task[k].seconds;
    }
    s->wall = app_clock() - start;
    if (c.code == APP_OK && app_interrupted())
        c.code = app_fail(APP_LIMIT,
                          "interrupted; the same command goes on where it stopped");
    return c.code;
}
