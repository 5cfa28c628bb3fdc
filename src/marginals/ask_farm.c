#include "marginals/ask_farm.h"

#include "ranks/farm.h"
#include "ranks/turns.h"

enum { PARTS, REGIONS }; /* what a farm is for */

/* ---- questions and answers in letters -------------------------------------------- */

static void put_answers(zb_letter *l, const zb_inquiry *q)
{
    const zb_answers *a = q->answers;
    for (int i = 0; i < q->count; i++) {
        size_t at = q->question[i].at, n = zb_question_size(q, i);
        zb_letter_put(l, a->lower + at, n * sizeof *a->lower);
        zb_letter_put(l, a->upper + at, n * sizeof *a->upper);
        zb_letter_put(l, a->value + at, n * sizeof *a->value);
        zb_letter_put(l, a->error + at, n * sizeof *a->error);
    }
}

/* Is there all of it, of questions first .. last - 1? What is cut short would read as
   zeros, and zeros are intervals, too. */
static bool is_whole(const zb_letter *l, const zb_inquiry *q, int first, int last)
{
    size_t entries = 0;
    for (int i = first; i < last; i++)
        entries += zb_question_size(q, i);
    return !l->bad && l->size - l->at == 4 * entries * sizeof(double);
}

static void take_answers(zb_letter *l, const zb_inquiry *q)
{
    zb_answers *a = q->answers;
    for (int i = 0; i < q->count; i++) {
        size_t at = q->question[i].at, n = zb_question_size(q, i);
        zb_letter_take(l, a->lower + at, n * sizeof *a->lower);
        zb_letter_take(l, a->upper + at, n * sizeof *a->upper);
        zb_letter_take(l, a->value + at, n * sizeof *a->value);
        zb_letter_take(l, a->error + at, n * sizeof *a->error);
    }
}

/* Intervals alone, which narrow those that are there. */
static void take_intervals(zb_letter *l, const zb_inquiry *q, int first, int last)
{
    zb_answers *a = q->answers;
    for (int i = first; i < last; i++) {
        size_t at = q->question[i].at, n = zb_question_size(q, i);
        for (size_t e = 0; e < n; e++)
            a->lower[at + e] = fmax(a->lower[at + e], zb_letter_take_real(l));
        for (size_t e = 0; e < n; e++)
            a->upper[at + e] = fmin(a->upper[at + e], zb_letter_take_real(l));
        l->at += 2 * n * sizeof(double);
    }
}

static void put_inquiry(zb_letter *l, const zb_inquiry *q)
{
    zb_letter_put_options(l, q->opt);
    zb_letter_put_real(l, q->radius);
    zb_letter_put_model(l, q->model);
    zb_letter_put_int(l, q->count);
    for (int i = 0; i < q->count; i++)
        zb_letter_put_int(l, q->question[i].factor);
}

typedef struct copy { /* of an inquiry, with answers of its own */
    zb_inquiry q;
    zb_options opt;
    zb_model *model;
    zb_question *question;
    zb_answers answers;
} copy;

static void close_copy(copy *c)
{
    zb_model_free(c->model);
    zb_free(c->question);
    zb_answers_close(&c->answers);
}

/* Room for answers that are not known yet. */
static zb_status forget_answers(copy *c)
{
    size_t count = 0;
    for (int i = 0; i < c->q.count; i++) {
        c->question[i].at = count;
        count += zb_question_size(&c->q, i);
    }
    zb_status status = zb_answers_new(&c->answers, count);
    for (int i = 0; i < c->q.count && status == ZB_OK; i++)
        zb_answers_forget(&c->answers, c->question[i].at, zb_question_size(&c->q, i));
    return status;
}

static zb_status finish_copy(copy *c, const zb_model *model)
{
    c->q.model = model;
    c->q.question = c->question;
    c->q.answers = &c->answers;
    c->q.opt = &c->opt;
    return forget_answers(c);
}

static zb_status take_inquiry(zb_letter *l, copy *c)
{
    zb_status status;
    zb_letter_take(l, &c->opt, sizeof c->opt);
    c->q.radius = zb_letter_take_real(l);
    TRY(zb_letter_take_model(l, &c->model));
    c->q.count = zb_letter_take_int(l);
    TRY(!l->bad && c->q.count >= 0 &&
                (size_t)c->q.count <= (l->size - l->at) / sizeof(int)
            ? ZB_OK
            : ZB_EINVAL);
    c->question = zb_alloc((size_t)c->q.count, sizeof *c->question);
    TRY(c->question != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < c->q.count; i++) {
        c->question[i].factor = zb_letter_take_int(l);
        TRY(c->question[i].factor >= 0 && c->question[i].factor < c->model->nfactors
                ? ZB_OK
                : ZB_EINVAL);
    }
    TRY(finish_copy(c, c->model));
done:
    return status;
}

/* The same here, where the model need not be copied. */
static zb_status copy_inquiry(copy *c, const zb_inquiry *q)
{
    c->q = *q;
    c->opt = *q->opt;
    c->question = zb_alloc((size_t)q->count, sizeof *c->question);
    if (c->question == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < q->count; i++)
        c->question[i] = q->question[i];
    return finish_copy(c, q->model);
}

/* ---- components ------------------------------------------------------------------ */

/* The answer: what the inquiry says of itself, and the answers. A call that has to stop
   is answered with what there is. */
static zb_status ask(copy *c, double seconds, zb_run *run, zb_letter *answer)
{
    zb_run share = zb_run_share(run, zb_now() + seconds, UINT64_MAX, run->threads);
    share.relay = zb_run_silent;
    share.context = run;
    zb_status status = zb_inquiry_part(&c->q, &share);
    if (status != ZB_OK)
        return status;
    zb_letter_put_int(answer, c->q.exact);
    zb_letter_put_word(answer, c->q.samples);
    put_answers(answer, &c->q);
    return ZB_OK;
}

typedef struct parts {
    zb_inquiry *part;
    zb_turn *item; /* the largest first */
    int count;
    bool *done;
    zb_run *run;
} parts;

static void write_part(void *context, size_t k, zb_letter *task)
{
    const parts *p = context;
    zb_letter_put_real(task, zb_turn_seconds(&p->item[k], p->run));
    put_inquiry(task, &p->part[p->item[k].part]);
}

static zb_status ask_here(void *context, size_t k, zb_run *run, zb_letter *answer)
{
    const parts *p = context;
    copy c = { .model = NULL };
    zb_status status;
    TRY(copy_inquiry(&c, &p->part[p->item[k].part]));
    TRY(ask(&c, zb_turn_seconds(&p->item[k], p->run), run, answer));
done:
    close_copy(&c);
    return status;
}

static void read_part(void *context, size_t k, zb_status status, zb_letter *answer)
{
    parts *p = context;
    zb_inquiry *q = &p->part[p->item[k].part];
    bool exact = zb_letter_take_int(answer) != 0;
    size_t samples = (size_t)zb_letter_take_word(answer);
    if (status != ZB_OK || !is_whole(answer, q, 0, q->count))
        return;
    q->exact = exact;
    q->samples = samples;
    take_answers(answer, q);
    p->done[p->item[k].part] = true;
}

zb_status zb_ask_farm_parts(zb_inquiry *part, int count, bool *done, zb_run *run)
{
    parts p = { .part = part, .done = done, .run = run };
    zb_farm_spec spec = { .trade = ZB_TRADE_QUESTIONS,
                          .threads = 1,
                          .once = isfinite(run->deadline),
                          .memory = run->memory,
                          .context = &p,
                          .write = write_part,
                          .local = ask_here,
                          .read = read_part };
    zb_letter common = { 0 };
    zb_farm *farm = NULL;
    zb_status status;
    if (zb_run_ranks(run) == NULL || count < 2)
        return ZB_OK;
    p.item = zb_alloc((size_t)count, sizeof *p.item);
    TRY(p.item != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < count; i++)
        if (part[i].count > 0)
            p.item[p.count++] = (zb_turn){ i, part[i].model->nvars, 0, 0 };
    zb_turns_sort(p.count, p.item);
    zb_turns_add_up(p.count, p.item);
    zb_letter_put_int(&common, PARTS);
    TRY(zb_farm_open(&farm, &spec, &common, run));
    if (farm != NULL)
        TRY(zb_farm_run(farm, (size_t)p.count, run));
done:
    zb_farm_close(farm);
    zb_letter_clear(&common);
    zb_free(p.item);
    return status == ZB_ENOMEM ? ZB_OK : status; /* what is missing is done here */
}

/* ---- neighbourhoods -------------------------------------------------------------- */

typedef struct regions {
    zb_inquiry *q;
    double limit;
    int each; /* questions of a task */
} regions;

static int last_of(const regions *r, int first)
{
    return zb_min_int(r->q->count, first + r->each);
}

static void write_regions(void *context, size_t k, zb_letter *task)
{
    const regions *r = context;
    int first = (int)k * r->each;
    zb_letter_put_int(task, first);
    zb_letter_put_int(task, last_of(r, first));
    zb_letter_put_real(task, r->limit);
}

/* The answer: intervals. A copy, since answers of the inquiry are not to be touched by
   several threads; its questions are these. */
static zb_status bound_regions(const zb_inquiry *q, int first, int last, double limit,
                               zb_run *run, zb_letter *answer)
{
    zb_inquiry some = *q;
    copy c = { .model = NULL };
    zb_status status;
    some.question = q->question + first;
    some.count = last - first;
    TRY(copy_inquiry(&c, &some));
    TRY(zb_inquiry_regions(&c.q, limit, run));
    TRY(zb_run_more(run) ? ZB_OK : ZB_ELIMIT);
    put_answers(answer, &c.q);
done:
    close_copy(&c);
    return status;
}

static zb_status regions_here(void *context, size_t k, zb_run *run, zb_letter *answer)
{
    const regions *r = context;
    int first = (int)k * r->each;
    return bound_regions(r->q, first, last_of(r, first), r->limit, run, answer);
}

static void read_regions(void *context, size_t k, zb_status status, zb_letter *answer)
{
    const regions *r = context;
    int first = (int)k * r->each, last = last_of(r, first);
    if (status == ZB_OK && is_whole(answer, r->q, first, last))
        take_intervals(answer, r->q, first, last);
}

zb_status zb_ask_farm_regions(zb_inquiry *q, double limit, zb_run *run, bool *done)
{
    int ranks = zb_ranks_size(zb_run_ranks(run)), many = 16 * ranks * run->threads;
    regions r = { .q = q, .limit = limit, .each = zb_max_int(1, q->count / many) };
    zb_farm_spec spec = { .trade = ZB_TRADE_QUESTIONS,
                          .threads = run->threads,
                          .memory = run->memory,
                          .context = &r,
                          .write = write_regions,
                          .local = regions_here,
                          .read = read_regions };
    zb_letter common = { 0 };
    zb_farm *farm = NULL;
    zb_status status;
    *done = false;
    if (zb_run_ranks(run) == NULL || q->count == 0)
        return ZB_OK;
    zb_letter_put_int(&common, REGIONS);
    put_inquiry(&common, q);
    TRY(zb_farm_open(&farm, &spec, &common, run));
    *done = farm != NULL;
    if (farm != NULL)
        TRY(zb_farm_run(farm, (size_t)((q->count + r.each - 1) / r.each), run));
done:
    zb_farm_close(farm);
    zb_letter_clear(&common);
    return status == ZB_ENOMEM && !*done ? ZB_OK : status;
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct shop {
    int what;
    copy whole; /* with REGIONS */
} shop;

static void close_shop(void *state)
{
    shop *s = state;
    close_copy(&s->whole);
    zb_free(s);
}

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    shop *s = zb_calloc(1, sizeof *s);
    zb_status status = ZB_ENOMEM;
    (void)job;
    *state = NULL;
    if (s == NULL)
        return ZB_ENOMEM;
    s->what = zb_letter_take_int(common);
    if (s->what == REGIONS)
        TRY(take_inquiry(common, &s->whole));
    TRY(!common->bad ? ZB_OK : ZB_EINVAL);
    *state = s, s = NULL;
done:
    if (s != NULL)
        close_shop(s);
    return status;
}

static zb_status do_part(zb_letter *task, zb_run *run, zb_letter *answer)
{
    copy c = { .model = NULL };
    double seconds = zb_letter_take_real(task);
    zb_status status;
    TRY(take_inquiry(task, &c));
    TRY(ask(&c, seconds, run, answer));
done:
    close_copy(&c);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    const shop *s = state;
    zb_run *run = zb_stint_run(job);
    if (s->what == PARTS)
        return do_part(task, run, answer);
    int first = zb_letter_take_int(task), last = zb_letter_take_int(task);
    double limit = zb_letter_take_real(task);
    if (task->bad || first < 0 || last < first || last > s->whole.q.count)
        return ZB_EINVAL;
    return bound_regions(&s->whole.q, first, last, limit, run, answer);
}

const zb_trade ZB_ASK_TRADE = { open_shop, work, close_shop, false, false };
