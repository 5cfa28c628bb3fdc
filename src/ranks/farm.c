#include "ranks/farm.h"

#include <omp.h>
#include <string.h>

static const double GRAIN = 0.02;    /* seconds of work in a letter */
static const double STRAGGLER = 0.2; /* seconds before a task is given out again */

/* AGAIN: given twice; FAILED: elsewhere, so that it is left to rank 0 */
enum { WAITING, GIVEN, AGAIN, FAILED, DONE };

typedef struct task {
    unsigned char at;
    double since;  /* when it was given */
    zb_run *local; /* the run that does it here, to be ended by an answer */
} task;

struct zb_farm {
    zb_farm *next;
    zb_ranks *ranks;
    zb_farm_spec spec;
    uint64_t serial, batch;
    size_t count, given, done; /* tasks of this batch; 0 .. given - 1 are given */
    task *task;
    size_t room;
    int *hungry; /* ranks that wait, one entry for each task that they can do */
    size_t waiting, hungry_room;
    double seconds, counted; /* of tasks that were done, and how many */
};

/* ---- giving ---------------------------------------------------------------------- */

static size_t helping(const zb_farm *f) /* others, at least one */
{
    return (size_t)zb_max_int(1, f->ranks->transport.size - 1) *
           (size_t)f->spec.threads;
}

/* How many to give at once: enough that a letter is worth its way, few enough that all
   have work to the end. */
static size_t portion(const zb_farm *f)
{
    size_t left = f->count - f->given;
    double each = f->counted > 0 ? f->seconds / f->counted : GRAIN;
    double many = fmin(GRAIN / fmax(each, 1e-9), 256);
    return zb_max_size(1, zb_min_size((size_t)many, left / (4 * helping(f) + 4)));
}

/* Whose answers may both be lost, for want of memory there, rank 0 does in the end. */
static bool may_be_given(const task *t, bool here)
{
    return t->at == GIVEN || (here && t->at == AGAIN && t->local == NULL);
}

/* A task that was given out once and takes long, or failed; count: there is none. */
static size_t straggler(const zb_farm *f, bool here)
{
    double each = f->counted > 0 ? f->seconds / f->counted : STRAGGLER;
    double before = zb_now() - fmax(STRAGGLER, 2 * each);
    size_t oldest = f->count;
    for (size_t i = 0; i < f->count && here; i++)
        if (f->task[i].at == FAILED)
            return i;
    for (size_t i = 0; i < f->count && f->given == f->count && !f->spec.once; i++)
        if (may_be_given(&f->task[i], here) && f->task[i].since < before &&
            (oldest == f->count || f->task[i].since < f->task[oldest].since))
            oldest = i;
    return oldest;
}

static void put_task(zb_farm *f, zb_letter *l, size_t i)
{
    zb_letter what = { 0 };
    f->spec.write(f->spec.context, i, &what);
    l->bad = l->bad || what.bad;
    zb_letter_put_word(l, i);
    zb_letter_put_word(l, what.size);
    zb_letter_put(l, what.data, what.size);
    zb_letter_clear(&what);
}

/* From the first that is not given, or a straggler; false: there is nothing to do. */
static bool take_tasks(zb_farm *f, bool here, size_t *first, size_t *many, size_t most)
{
    double now = zb_now();
    *first = f->given;
    *many = zb_min_size(most, f->count - f->given);
    if (*many == 0) {
        *first = straggler(f, here);
        *many = *first < f->count;
    }
    for (size_t i = *first; i < *first + *many; i++) {
        f->task[i].at = f->task[i].at == WAITING ? GIVEN : AGAIN;
        f->task[i].since = now;
    }
    f->given = zb_max_size(f->given, *first + *many);
    return *many > 0;
}

/* Where memory is out for the letter, the tasks stay given, and rank 0 takes them as
   stragglers. */
static bool feed(zb_farm *f, int rank)
{
    size_t first, many;
    if (!take_tasks(f, false, &first, &many, portion(f)))
        return false;
    zb_letter l = zb_letter_begin(ZB_LETTER_TASKS);
    zb_letter_put_word(&l, f->serial);
    zb_letter_put_word(&l, f->batch);
    zb_letter_put_word(&l, many);
    for (size_t i = first; i < first + many; i++)
        put_task(f, &l, i);
    zb_ranks_send(f->ranks, rank, &l);
    zb_letter_clear(&l);
    return true;
}

static void feed_hungry(zb_farm *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->waiting; i++)
        if (!feed(f, f->hungry[i]))
            f->hungry[kept++] = f->hungry[i];
    f->waiting = kept;
}

static void ask(zb_farm *f, int rank)
{
    if (feed(f, rank))
        return;
    if (ZB_RESERVE(f->hungry, &f->hungry_room, f->waiting, f->waiting + 1))
        f->hungry[f->waiting++] = rank;
}

void zb_farm_look_after(zb_ranks *r)
{
    for (zb_farm *f = r->farms; f != NULL; f = f->next)
        if (f->waiting > 0 && f->done < f->count)
            feed_hungry(f);
}

/* ---- answers --------------------------------------------------------------------- */

static void finish(zb_farm *f, size_t i)
{
    f->task[i].at = DONE;
    f->done++;
    if (f->task[i].local != NULL)
        zb_run_stop(f->task[i].local);
    if (f->done == f->count)
        pthread_cond_broadcast(&f->ranks->news);
}

/* One that failed elsewhere is done here, where failing counts. */
static void take_answer(zb_farm *f, zb_letter *l)
{
    size_t i = (size_t)zb_letter_take_word(l);
    zb_status status = (zb_status)zb_letter_take_int(l);
    size_t bytes = (size_t)zb_letter_take_word(l);
    if (l->bad || i >= f->count || bytes > l->size - l->at) {
        l->bad = true;
        return;
    }
    zb_letter answer = { .data = l->data + l->at, .size = bytes };
    l->at += bytes;
    if (f->task[i].at == DONE)
        return;
    if (status == ZB_OK) {
        f->spec.read(f->spec.context, i, status, &answer);
        finish(f, i);
    } else if (f->task[i].local == NULL)
        f->task[i].at = FAILED;
}

static void take_answers(zb_farm *f, zb_letter *l)
{
    uint64_t batch = zb_letter_take_word(l);
    double seconds = zb_letter_take_real(l);
    uint64_t count = zb_letter_take_word(l);
    if (batch != f->batch)
        return;
    f->seconds += seconds;
    f->counted += (double)count;
    for (uint64_t k = 0; k < count && !l->bad; k++)
        take_answer(f, l);
}

void zb_farm_receive(zb_ranks *r, int from, uint64_t kind, zb_letter *letter)
{
    uint64_t serial = zb_letter_take_word(letter);
    zb_farm *f = r->farms;
    while (f != NULL && f->serial != serial)
        f = f->next;
    if (f == NULL || letter->bad)
        return; /* closed meanwhile */
    if (kind == ZB_LETTER_NEWS && f->spec.news != NULL)
        f->spec.news(f->spec.context, from, letter);
    if (kind == ZB_LETTER_ANSWER)
        take_answers(f, letter);
    if (kind == ZB_LETTER_ANSWER || kind == ZB_LETTER_ASK)
        ask(f, from);
}

/* ---- rank 0's own work ----------------------------------------------------------- */

/* A share of the run for task i, which ends when another rank has the answer. */
static void do_here(zb_farm *f, size_t i, zb_run *run, int threads)
{
    zb_run share = zb_run_share(run, INFINITY, UINT64_MAX, threads);
    double before = zb_now();
    zb_letter answer = { 0 };
    share.relay = zb_run_silent;
    share.context = run;
    share.alone = true;
    f->task[i].local = &share;
    pthread_mutex_unlock(&f->ranks->lock);
    zb_status status = f->spec.local(f->spec.context, i, &share, &answer);
    if (status == ZB_OK)
        status = zb_letter_status(&answer);
    pthread_mutex_lock(&f->ranks->lock);
    f->task[i].local = NULL;
    if (f->task[i].at != DONE) {
        f->spec.read(f->spec.context, i, status, &answer);
        f->seconds += zb_now() - before;
        f->counted++;
        finish(f, i);
    }
    zb_letter_clear(&answer);
}

/* With the lock: until an answer comes, or a while has gone by. */
static void wait_for_news(zb_ranks *r)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&r->news, &r->lock, &until);
}

static void work_here(zb_farm *f, zb_run *run, int threads)
{
    zb_ranks *r = f->ranks;
    size_t i, many;
    pthread_mutex_lock(&r->lock);
    while (f->done < f->count) {
        pthread_mutex_unlock(&r->lock);
        bool more = zb_run_more(run);
        pthread_mutex_lock(&r->lock);
        if (!more)
            break;
        if (f->done < f->count && f->spec.local != NULL &&
            take_tasks(f, true, &i, &many, 1))
            do_here(f, i, run, threads);
        else if (f->done < f->count)
            wait_for_news(r);
    }
    pthread_mutex_unlock(&r->lock);
}

zb_status zb_farm_start(zb_farm *f, size_t count)
{
    zb_ranks *r = f->ranks;
    zb_status status = ZB_OK;
    pthread_mutex_lock(&r->lock);
    if (ZB_RESERVE(f->task, &f->room, 0, count)) {
        for (size_t i = 0; i < count; i++)
            f->task[i] = (task){ .at = WAITING };
        f->batch++;
        f->count = count;
        f->given = f->done = 0;
        feed_hungry(f);
    } else
        status = ZB_ENOMEM;
    pthread_mutex_unlock(&r->lock);
    return status;
}

zb_status zb_farm_run(zb_farm *f, size_t count, zb_run *run)
{
    zb_status status = zb_farm_start(f, count);
    int threads = zb_min_int(run->threads, f->spec.threads);
    if (status != ZB_OK)
        return status;
#pragma omp parallel num_threads(threads)
    work_here(f, run, run->threads / threads);
    pthread_mutex_lock(&f->ranks->lock); /* what comes now comes too late */
    f->count = f->given = f->done = 0;
    pthread_mutex_unlock(&f->ranks->lock);
    return ZB_OK;
}

/* ---- open and close -------------------------------------------------------------- */

static zb_status announce(zb_farm *f, const zb_letter *common, zb_run *run)
{
    zb_ranks *r = f->ranks;
    zb_letter l = zb_letter_begin(ZB_LETTER_OPEN);
    zb_letter_put_word(&l, f->serial);
    zb_letter_put_int(&l, (int)f->spec.trade);
    zb_letter_put_int(&l, run->threads);
    zb_letter_put_int(&l, f->spec.threads);
    zb_letter_put_word(&l, f->spec.memory);
    zb_letter_put_word(&l, r->memory);
    zb_letter_put_real(&l, zb_run_left(run));
    zb_letter_put(&l, common->data, common->size);
    zb_status status = zb_letter_status(common);
    for (int to = 1; to < r->transport.size && status == ZB_OK; to++)
        status = zb_ranks_send(r, to, &l);
    zb_letter_clear(&l);
    return status;
}

zb_status zb_farm_open(zb_farm **out, const zb_farm_spec *spec, const zb_letter *common,
                       zb_run *run)
{
    zb_ranks *r = zb_run_ranks(run);
    *out = NULL;
    if (r == NULL)
        return ZB_OK;
    zb_farm *f = zb_calloc(1, sizeof *f);
    if (f == NULL)
        return ZB_ENOMEM;
    f->ranks = r;
    f->spec = *spec;
    pthread_mutex_lock(&r->lock);
    f->serial = ++r->serial;
    f->next = r->farms;
    r->farms = f;
    pthread_mutex_unlock(&r->lock);
    zb_status status = announce(f, common, run);
    if (status == ZB_OK)
        *out = f;
    else
        zb_farm_close(f);
    return status;
}

void zb_farm_close(zb_farm *f)
{
    if (f == NULL)
        return;
    zb_ranks *r = f->ranks;
    zb_letter l = zb_letter_begin(ZB_LETTER_CLOSE);
    zb_letter_put_word(&l, f->serial);
    for (int to = 1; to < r->transport.size; to++)
        zb_ranks_send(r, to, &l);
    zb_letter_clear(&l);
    pthread_mutex_lock(&r->lock);
    zb_farm **at = &r->farms;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    pthread_mutex_unlock(&r->lock);
    zb_free(f->task);
    zb_free(f->hungry);
    zb_free(f);
}
