#include "pass/gang.h"

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
static bool take_part(zb_gang *g, int *part)
{
    uint64_t t = atomic_load_explicit(&g->ticket, memory_order_acquire);
    while ((t & 255) < (t >> 8 & 255))
        if (atomic_compare_exchange_weak_explicit(
                &g->ticket, &t, t + 1, memory_order_acq_rel, memory_order_acquire)) {
            *part = (int)(t & 255);
            return true;
        }
    return false;
}

static void do_part(zb_gang *g, int part, int thread)
{
    g->task(g->context, part, thread);
    atomic_fetch_add_explicit(&g->done, 1, memory_order_release);
}

static void help(zb_gang *g, int thread)
{
    int part, looks = 0;
    while (!atomic_load_explicit(&g->over, memory_order_acquire))
        if (take_part(g, &part)) {
            do_part(g, part, thread);
            looks = 0;
        } else
            wait_a_little(&looks, true);
}

void zb_gang_lead(zb_gang *g, int threads, void (*lead)(void *context), void *context)
{
    if (threads < 2) {
        lead(context);
        return;
    }
    g->open = true;
    atomic_store(&g->over, false);
#pragma omp parallel num_threads(threads)
    {
        int thread = omp_get_thread_num();
        if (thread == 0) {
            lead(context);
            atomic_store_explicit(&g->over, true, memory_order_release);
        } else
            help(g, thread);
    }
    g->open = false;
}

void zb_gang_share(zb_gang *g, int parts, zb_gang_task *task, void *context)
{
    int part, looks = 0;
    if (!g->open) {
        for (part = 0; part < parts; part++)
            task(context, part, 0);
        return;
    }
    g->task = task;
    g->context = context;
    atomic_store_explicit(&g->done, 0, memory_order_relaxed);
    atomic_store_explicit(&g->ticket, ++g->round << 16 | (uint64_t)parts << 8,
                          memory_order_release);
    while (take_part(g, &part))
        do_part(g, part, 0);
    while (atomic_load_explicit(&g->done, memory_order_acquire) < parts)
        wait_a_little(&looks, false);
}
