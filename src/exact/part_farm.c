#include "exact/part_farm.h"

#include "base/cost.h"
#include "ranks/farm.h"

#include <stdlib.h>

/* A part is worth a task from this share of what is worth a letter: several go out in
   one. */
static const double WORTH = 1.0 / 200;

enum { PLAN, ELIMINATE }; /* tasks */

bool zb_part_is_late(double start, double end, double fraction)
{
    double now = zb_now(), spent = now - start, rest = end - now;
    bool hopeless =
        fraction > 0.02 && spent > 0.5 && spent * (1 - fraction) / fraction > rest;
    bool long_enough = spent > 2 * rest && fraction < 0.8;
    return hopeless || long_enough;
}

/* ---- one part -------------------------------------------------------------------- */

typedef struct watch { /* over an elimination */
    zb_run *run;       /* that it is a share of */
    zb_run *tell;      /* of all parts together; NULL: on another rank */
    double weight;     /* of this one among them */
    double start;
    bool careful, late;
} watch;

static bool on_progress(void *context, const zb_progress *at)
{
    watch *w = context;
    zb_progress all = *at;
    all.fraction *= w->weight;
    w->late = w->careful && zb_part_is_late(w->start, w->run->deadline, at->fraction);
    return !w->late && (w->tell == NULL || zb_run_report(w->tell, all)) &&
           zb_run_more(w->run);
}

/* The answer: ln Z, or that it was given up. */
static zb_status eliminate(const zb_model *part, const int *order, watch w,
                           zb_letter *answer)
{
    zb_run *run = w.run;
    zb_run share = zb_run_share(run, INFINITY, UINT64_MAX, run->threads);
    zb_ball z = { .mid = NAN };
    w.start = zb_now();
    share.relay = on_progress;
    share.context = &w;
    zb_status status = zb_exact_run(part, order, &share, &z, NULL);
    if (status != ZB_OK && !w.late)
        return status;
    zb_letter_put_real(answer, z.mid);
    zb_letter_put_real(answer, z.radius);
    return ZB_OK;
}

/* The answer: the order, and what it takes. One that the end of a run has cut short is
   none. */
static zb_status plan(const zb_model *part, zb_order_request request, zb_run *run,
                      zb_letter *answer)
{
    int *order = zb_alloc((size_t)part->nvars, sizeof *order);
    zb_exact_plan plan;
    zb_status status;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    request.run = run;
    TRY(zb_exact_plan_part(part, &request, order, &plan));
    TRY(zb_run_more(run) ? ZB_OK : ZB_ELIMIT);
    zb_letter_put_ints(answer, (size_t)part->nvars, order);
    zb_letter_put(answer, &plan, sizeof plan);
done:
    zb_free(order);
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

typedef struct item {
    int part;
    double size;
} item;

typedef struct batch { /* tasks of one kind */
    const zb_exact_job *job;
    item *item;
    size_t count;
    double total; /* of sizes */
    zb_run *run;  /* of all */
    zb_part_plans *plans;
    zb_part_work *work;
} batch;

static int larger_first(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->part < b->part ? -1 : 1;
}

static int smaller_first(const void *x, const void *y) { return larger_first(y, x); }

static zb_status open_batch(batch *b)
{
    b->item = zb_alloc((size_t)b->job->count, sizeof *b->item);
    return b->item != NULL ? ZB_OK : ZB_ENOMEM;
}

static void add(batch *b, int part, double size)
{
    b->item[b->count++] = (item){ part, size };
    b->total += size;
}

/* Sort, so that item 0 is the largest. Does it pay to share them out? The largest has
   to be done by somebody in any case. */
static bool settle(batch *b, double seconds_of_one)
{
    zb_ranks *r = zb_run_ranks(b->run);
    qsort(b->item, b->count, sizeof *b->item, larger_first);
    return b->count > 1 && (b->total - b->item[0].size) * seconds_of_one >= r->least;
}

static zb_status run_batch(batch *b, zb_farm_spec *spec)
{
    zb_farm *farm = NULL;
    zb_letter none = { 0 };
    zb_status status;
    spec->trade = ZB_TRADE_PARTS;
    spec->threads = 1;
    spec->memory = b->run->memory;
    spec->context = b;
    TRY(zb_farm_open(&farm, spec, &none, b->run));
    if (farm != NULL)
        TRY(zb_farm_run(farm, b->count, b->run));
done:
    zb_farm_close(farm);
    return status == ZB_ENOMEM ? ZB_OK : status; /* what is missing is done here */
}

/* ---- orders ---------------------------------------------------------------------- */

zb_order_request zb_part_request(const zb_part_plans *p, int part)
{
    zb_order_request request = p->request;
    double all = p->job->reduction->model->nvars;
    if (request.seconds > 0)
        request.seconds *= p->job->part[part]->nvars / all;
    else
        request.seconds = 0;
    return request;
}

static void write_plan(void *context, size_t k, zb_letter *task)
{
    const batch *b = context;
    zb_order_request request = zb_part_request(b->plans, b->item[k].part);
    zb_letter_put_int(task, PLAN);
    zb_letter_put_model(task, b->job->part[b->item[k].part]);
    zb_letter_put(task, &request, sizeof request);
}

static zb_status plan_here(void *context, size_t k, zb_run *run, zb_letter *answer)
{
    const batch *b = context;
    int i = b->item[k].part;
    return plan(b->job->part[i], zb_part_request(b->plans, i), run, answer);
}

static void read_plan(void *context, size_t k, zb_status status, zb_letter *answer)
{
    batch *b = context;
    int i = b->item[k].part;
    zb_exact_job *job = b->plans->job;
    size_t n = (size_t)job->part[i]->nvars;
    if (status != ZB_OK || zb_letter_take_word(answer) != n)
        return;
    zb_letter_take(answer, job->order[i], n * sizeof *job->order[i]);
    zb_letter_take(answer, &job->plan[i], sizeof job->plan[i]);
    b->plans->done[i] = !answer->bad;
}

zb_status zb_part_farm_plan(zb_part_plans *p)
{
    zb_ranks *r = zb_run_ranks(p->request.run);
    batch b = { .job = p->job, .plans = p, .run = p->request.run };
    zb_farm_spec spec = { .write = write_plan, .local = plan_here, .read = read_plan };
    zb_status status;
    if (r == NULL || p->job->count < 2 || p->request.kind == ZB_ORDER_FILE)
        return ZB_OK;
    TRY(open_batch(&b));
    for (int i = 0; i < p->job->count; i++) {
        double seconds = zb_part_request(p, i).seconds;
        if (seconds >= WORTH * r->least)
            add(&b, i, seconds);
    }
    if (settle(&b, 1))
        TRY(run_batch(&b, &spec));
done:
    zb_free(b.item);
    return status;
}

/* ---- elimination ----------------------------------------------------------------- */

static void write_part(void *context, size_t k, zb_letter *task)
{
    const batch *b = context;
    int i = b->item[k].part;
    zb_letter_put_int(task, ELIMINATE);
    zb_letter_put_model(task, b->job->part[i]);
    zb_letter_put_ints(task, (size_t)b->job->part[i]->nvars, b->job->order[i]);
    zb_letter_put_int(task, b->work->careful);
}

static zb_status eliminate_here(void *context, size_t k, zb_run *run, zb_letter *answer)
{
    const batch *b = context;
    int i = b->item[k].part;
    watch w = { .run = run,
                .tell = b->run,
                .weight = b->item[k].size / b->job->all.total,
                .careful = b->work->careful };
    return eliminate(b->job->part[i], b->job->order[i], w, answer);
}

static void read_part(void *context, size_t k, zb_status status, zb_letter *answer)
{
    batch *b = context;
    double mid = zb_letter_take_real(answer), radius = zb_letter_take_real(answer);
    zb_part_work *w = b->work;
    if (status != ZB_OK || answer->bad)
        return;
    if (!w->solved(w->context, b->item[k].part, (zb_ball){ mid, radius }))
        zb_run_stop(b->run);
}

/* The largest first, so that nobody waits for one that began late; but where time is
   not enough for all, as many as there can be. */
static void choose_sequence(batch *b)
{
    int ranks = zb_ranks_size(zb_run_ranks(b->run));
    double all = zb_cost_elimination(b->total / ranks + b->item[0].size, 1);
    if (all > zb_run_left(b->run))
        qsort(b->item, b->count, sizeof *b->item, smaller_first);
}

zb_status zb_part_farm_eliminate(zb_part_work *w, zb_run *run)
{
    zb_ranks *r = zb_run_ranks(run);
    zb_run share = zb_run_share(run, INFINITY, UINT64_MAX,
                                run != NULL ? run->threads : 1); /* may be stopped */
    batch b = { .job = w->job, .work = w, .run = &share };
    zb_farm_spec spec = { .write = write_part,
                          .local = eliminate_here,
                          .read = read_part };
    zb_status status;
    if (r == NULL || w->job->count < 2)
        return ZB_OK;
    TRY(open_batch(&b));
    for (int i = 0; i < w->job->count; i++) {
        double size = w->job->plan[i].total;
        bool fits = w->job->plan[i].bytes <= (double)share.memory && isfinite(size);
        if (fits && (w->skip == NULL || !w->skip[i]) &&
            zb_cost_elimination(size, 1) >= WORTH * r->least)
            add(&b, i, size);
    }
    if (settle(&b, zb_cost_elimination(1, 1))) {
        choose_sequence(&b);
        TRY(run_batch(&b, &spec));
    }
done:
    zb_free(b.item);
    return status;
}

/* ---- the others ------------------------------------------------------------------ */

static zb_status do_plan(const zb_model *part, zb_letter *task, zb_run *run,
                         zb_letter *answer)
{
    zb_order_request request;
    zb_letter_take(task, &request, sizeof request);
    return task->bad ? ZB_EINVAL : plan(part, request, run, answer);
}

static zb_status do_part(const zb_model *part, zb_letter *task, zb_run *run,
                         zb_letter *answer)
{
    int *order = NULL;
    size_t count;
    zb_status status;
    TRY(zb_letter_take_ints(task, &count, &order));
    watch w = { .run = run, .weight = 1, .careful = zb_letter_take_int(task) != 0 };
    TRY(!task->bad && count == (size_t)part->nvars ? ZB_OK : ZB_EINVAL);
    TRY(eliminate(part, order, w, answer));
done:
    zb_free(order);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    zb_run *run = zb_stint_run(job);
    zb_model *part = NULL;
    int what = zb_letter_take_int(task);
    zb_status status;
    (void)state;
    TRY(zb_letter_take_model(task, &part));
    TRY((what == PLAN ? do_plan : do_part)(part, task, run, answer));
done:
    zb_model_free(part);
    return status;
}

const zb_trade ZB_PART_TRADE = { .work = work };
