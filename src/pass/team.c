#include "pass/team.h"

#include <omp.h>
#include <sched.h>
#include <time.h>

enum { PATIENCE = 10000 }; /* looks at a counter, some ten microseconds */

/* Threads that wait must not take the processor from those that work: the leader offers
   it to the helper it waits for, a helper without work sleeps. */
static void wait_a_little(int *looks, bool helper)
{
    if (++*looks < PATIENCE)
        return;
    if (helper)
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    else
        sched_yield();
}

/* Only one who holds an unfinished part may read the task: it cannot change meanwhile.
 */
static bool take_part(zb_team *t, int *part)
{
    uint64_t now = atomic_load_explicit(&t->ticket, memory_order_acquire);
    while ((now & 255) < (now >> 8 & 255))
        if (atomic_compare_exchange_weak_explicit(&t->ticket, &now, now + 1,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *part = (int)(now & 255);
            return true;
        }
    return false;
}

static void do_part(zb_team *t, int part, int thread)
{
    t->task(t->context, part, thread);
    atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
}

static void help(zb_team *t, int thread)
{
    int part, looks = 0;
    while (!atomic_load_explicit(&t->over, memory_order_acquire))
        if (take_part(t, &part)) {
            do_part(t, part, thread);
            looks = 0;
        } else
            wait_a_little(&looks, true);
}

void zb_team_lead(zb_team *t, int threads, void (*lead)(void *context), void *context)
{
    if (threads < 2) {
        lead(context);
        return;
    }
    t->open = true;
    atomic_store(&t->over, false);
#pragma omp parallel num_threads(threads)
    {
        int thread = omp_get_thread_num();
        if (thread == 0) {
            lead(context);
            atomic_store_explicit(&t->over, true, memory_order_release);
        } else
            help(t, thread);
    }
    t->open = false;
}

void zb_team_share(zb_team *t, int parts, zb_team_task *task, void *context)
{
    int part, looks = 0;
    if (!t->open) {
        for (part = 0; part < parts; part++)
            task(context, part, 0);
        return;
    }
    t->task = task;
    t->context = context;
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    atomic_store_explicit(&t->ticket, ++t->round << 16 | (uint64_t)parts << 8,
                          memory_order_release);
    while (take_part(t, &part))
        do_part(t, part, 0);
    while (atomic_load_explicit(&t->done, memory_order_acquire) < parts)
        wait_a_little(&looks, false);
}
