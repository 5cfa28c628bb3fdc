/* What ranks other than 0 do: tasks of the farms that rank 0 has opened. */
#include "ranks/crew.h"

#include "base/account.h"

#include <string.h>

typedef struct post { /* a letter of tasks that waits for a thread */
    struct post *next;
    zb_letter letter;
} post;

struct zb_stint {
    zb_stint *next;
    zb_ranks *ranks;
    const zb_trade *trade;
    uint64_t serial;
    int threads;            /* of tasks at a time */
    uint64_t memory, limit; /* of its run; of the process */
    double deadline;
    zb_letter common;
    post *inbox; /* oldest first */
    bool closed;
    pthread_t thread;
    zb_run run;
    void *state;
};

zb_run *zb_stint_run(zb_stint *job) { return &job->run; }

int zb_stint_rank(const zb_stint *job) { return job->ranks->transport.rank; }

zb_status zb_stint_tell(zb_stint *job, const zb_letter *news)
{
    zb_letter l = zb_letter_begin(ZB_LETTER_NEWS);
    zb_letter_put_word(&l, job->serial);
    zb_letter_put(&l, news->data, news->size);
    l.bad = l.bad || news->bad;
    zb_status status = zb_ranks_send(job->ranks, 0, &l);
    zb_letter_clear(&l);
    return status;
}

bool zb_stint_yield(zb_stint *job)
{
    zb_ranks *r = job->ranks;
    pthread_mutex_lock(&r->lock);
    while (r->busy > 0 && !job->closed)
        pthread_cond_wait(&r->news, &r->lock);
    bool open = !job->closed;
    pthread_mutex_unlock(&r->lock);
    return open;
}

/* ---- tasks ----------------------------------------------------------------------- */

static void do_task(zb_stint *job, zb_letter *in, zb_letter *out)
{
    uint64_t index = zb_letter_take_word(in), bytes = zb_letter_take_word(in);
    if (in->bad || bytes > in->size - in->at) {
        in->bad = true;
        return;
    }
    zb_letter task = { .data = in->data + in->at, .size = (size_t)bytes },
              answer = { 0 };
    zb_status status = job->trade->work(job->state, &task, job, &answer);
    if (status == ZB_OK)
        status = zb_letter_status(&answer);
    in->at += (size_t)bytes;
    zb_letter_put_word(out, index);
    zb_letter_put_int(out, (int)status);
    zb_letter_put_word(out, status == ZB_OK ? answer.size : 0);
    zb_letter_put(out, answer.data, status == ZB_OK ? answer.size : 0);
    zb_letter_clear(&answer);
}

static void do_tasks(zb_stint *job, zb_letter *in)
{
    zb_letter out = zb_letter_begin(ZB_LETTER_ANSWER), answers = { 0 };
    uint64_t batch = zb_letter_take_word(in), count = zb_letter_take_word(in);
    double before = zb_now();
    for (uint64_t k = 0; k < count && !in->bad; k++)
        do_task(job, in, &answers);
    zb_letter_put_word(&out, job->serial);
    zb_letter_put_word(&out, batch);
    zb_letter_put_real(&out, zb_now() - before);
    zb_letter_put_word(&out, count);
    zb_letter_put(&out, answers.data, answers.size);
    out.bad = out.bad || answers.bad;
    zb_ranks_send(job->ranks, 0, &out);
    zb_letter_clear(&out);
    zb_letter_clear(&answers);
}

/* With the lock; NULL: the farm is closed. */
static post *next_post(zb_stint *job)
{
    zb_ranks *r = job->ranks;
    while (job->inbox == NULL && !job->closed)
        pthread_cond_wait(&r->news, &r->lock);
    post *p = job->closed ? NULL : job->inbox;
    if (p != NULL) {
        job->inbox = p->next;
        r->busy += !job->trade->yields;
    }
    return p;
}

static void serve(zb_stint *job)
{
    zb_ranks *r = job->ranks;
    zb_letter ask = zb_letter_begin(ZB_LETTER_ASK);
    post *p;
    zb_letter_put_word(&ask, job->serial);
    zb_ranks_send(r, 0, &ask);
    zb_letter_clear(&ask);
    pthread_mutex_lock(&r->lock);
    while ((p = next_post(job)) != NULL) {
        pthread_mutex_unlock(&r->lock);
        do_tasks(job, &p->letter);
        zb_letter_clear(&p->letter);
        zb_free(p);
        pthread_mutex_lock(&r->lock);
        r->busy -= !job->trade->yields;
        pthread_cond_broadcast(&r->news);
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- a farm ---------------------------------------------------------------------- */

static void *run_job(void *context)
{
    zb_stint *job = context;
    zb_status status = ZB_OK;
    if (job->trade->open != NULL)
        status = job->trade->open(&job->state, &job->common, job);
    zb_letter_clear(&job->common);
    int threads = zb_min_int(job->run.threads, job->threads);
    job->run.threads /= threads; /* of each task */
    if (status == ZB_OK) {
#pragma omp parallel num_threads(threads)
        serve(job);
        if (job->trade->close != NULL)
            job->trade->close(job->state);
    } /* else it never asks, and others do what there is */
    return NULL;
}

static bool start(zb_stint *job, zb_letter *l)
{
    zb_ranks *r = job->ranks;
    int trade = zb_letter_take_int(l);
    int threads = zb_letter_take_int(l);
    job->threads = zb_max_int(1, zb_letter_take_int(l));
    job->memory = zb_letter_take_word(l);
    job->limit = zb_letter_take_word(l);
    job->deadline = zb_now() + zb_letter_take_real(l);
    zb_letter_put(&job->common, l->data + l->at, l->size - l->at);
    if (l->bad || trade < 0 || trade >= ZB_TRADES || job->common.bad)
        return false;
    job->trade = r->trades[trade];
    if (zb_run_open(&job->run, NULL, job->deadline, job->memory, threads) != ZB_OK)
        return false;
    if (!job->trade->calls)
        zb_account_enter(job->limit);
    if (pthread_create(&job->thread, NULL, run_job, job) == 0)
        return true;
    if (!job->trade->calls)
        zb_account_leave(job->limit);
    zb_run_close(&job->run);
    return false;
}

static void open_job(zb_ranks *r, uint64_t serial, zb_letter *l)
{
    zb_stint *job = r->trades != NULL ? zb_calloc(1, sizeof *job) : NULL;
    if (job == NULL)
        return;
    job->ranks = r;
    job->serial = serial;
    if (!start(job, l)) {
        zb_letter_clear(&job->common);
        zb_free(job);
        return;
    }
    job->next = r->jobs;
    r->jobs = job;
}

/* Threads end when they see that it is closed; whoever serves joins them. */
static void shut(zb_stint *job)
{
    job->closed = true;
    zb_run_stop(&job->run);
    pthread_cond_broadcast(&job->ranks->news);
}

static void add_post(zb_stint *job, const zb_letter *l)
{
    post **end = &job->inbox, *p = zb_calloc(1, sizeof *p);
    if (p == NULL)
        return; /* the tasks become stragglers */
    zb_letter_put(&p->letter, l->data + l->at, l->size - l->at);
    while (*end != NULL)
        end = &(*end)->next;
    *end = p;
    pthread_cond_broadcast(&job->ranks->news);
}

void zb_work_receive(zb_ranks *r, uint64_t kind, zb_letter *letter)
{
    if (kind == ZB_LETTER_QUIT) {
        r->quit = true;
        for (zb_stint *j = r->jobs; j != NULL; j = j->next)
            shut(j);
        zb_crew_shut(r);
        pthread_cond_broadcast(&r->news);
        return;
    }
    uint64_t serial = zb_letter_take_word(letter);
    if (kind == ZB_LETTER_OPEN) {
        open_job(r, serial, letter);
        return;
    }
    zb_stint *job = r->jobs;
    while (job != NULL && job->serial != serial)
        job = job->next;
    if (job != NULL && kind == ZB_LETTER_TASKS)
        add_post(job, letter);
    if (job != NULL && kind == ZB_LETTER_CLOSE)
        shut(job);
}

/* With the lock, which it gives up while it waits for the job's threads. */
static void bury(zb_ranks *r, zb_stint *job)
{
    pthread_mutex_unlock(&r->lock);
    pthread_join(job->thread, NULL);
    pthread_mutex_lock(&r->lock);
    zb_stint **at = &r->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    while (job->inbox != NULL) {
        post *p = job->inbox;
        job->inbox = p->next;
        zb_letter_clear(&p->letter);
        zb_free(p);
    }
    zb_run_close(&job->run);
    if (!job->trade->calls)
        zb_account_leave(job->limit);
    zb_free(job);
}

zb_status zb_ranks_work(zb_ranks *r, const zb_trade *const *trades,
                        void (*member)(zb_crew *crew))
{
    pthread_mutex_lock(&r->lock);
    r->trades = trades;
    r->member = member;
    while (!r->quit || r->jobs != NULL || r->crews != NULL) {
        zb_stint *job = r->jobs;
        while (job != NULL && !job->closed)
            job = job->next;
        if (job != NULL)
            bury(r, job);
        else if (!zb_crew_bury(r))
            pthread_cond_wait(&r->news, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return ZB_OK;
}
