/* What a letter costs: mpirun -n 2 bench/letters. Tasks that do nothing are given out,
 * one by one for the way there and back, then as fast as rank 0 can (docs/scale.md). */
#include "transport.h"

#include "ranks/farm.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* ---- a trade that does nothing --------------------------------------------------- */

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    (void)common;
    *state = job;
    return ZB_OK;
}

static void close_shop(void *state) { (void)state; }

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    (void)state, (void)task, (void)job;
    zb_letter_put_word(answer, 0);
    return ZB_OK;
}

static const zb_trade NOTHING = { open_shop, work, close_shop, false, false };

static void write_task(void *context, size_t i, zb_letter *task)
{
    (void)context;
    zb_letter_put_word(task, i);
}

static void read_answer(void *context, size_t i, zb_status status, zb_letter *answer)
{
    (void)context, (void)i, (void)status, (void)answer;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

static double processor(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* So many times so many tasks; rank 0 does none. */
static void measure(const char *what, zb_farm *farm, zb_run *run, int times,
                    size_t tasks)
{
    zb_ranks *r = run->ranks;
    uint64_t letters = r->letters;
    double before = zb_now(), busy = processor();
    for (int i = 0; i < times; i++)
        if (zb_farm_run(farm, tasks, run) != ZB_OK)
            puts("failed");
    double seconds = zb_now() - before, n = (double)(r->letters - letters);
    printf("%-10s %6.0f letters, %7.1f us each; processor of rank 0: %6.1f us\n", what,
           n, 1e6 * seconds / n, 1e6 * (processor() - busy) / n);
}

static zb_status call(zb_ranks *ranks)
{
    zb_run run;
    zb_farm_spec spec = { .trade = ZB_TRADE_SLICES,
                          .threads = 1,
                          .memory = UINT64_MAX,
                          .write = write_task,
                          .read = read_answer };
    zb_farm *farm = NULL;
    zb_letter none = { 0 };
    zb_status status;
    size_t others = (size_t)zb_ranks_size(ranks) - 1;
    TRY(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1));
    run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
    TRY(zb_farm_open(&farm, &spec, &none, &run));
    if (farm == NULL) {
        puts("two ranks at least");
        return ZB_OK;
    }
    TRY(zb_farm_run(farm, others, &run)); /* until they are there */
    measure("one by one", farm, &run, 3000, 1);
    measure("many", farm, &run, 1000, 4 * others + 3); /* one in a letter (farm.c) */
    measure("in crowds", farm, &run, 20, 100000);
done:
    zb_farm_close(farm);
    zb_run_close(&run);
    return status;
}

int main(int argc, char **argv)
{
    const zb_trade *trades[ZB_TRADES];
    zb_transport t;
    zb_ranks *ranks;
    for (int i = 0; i < ZB_TRADES; i++)
        trades[i] = &NOTHING;
    if (!transport_open(&t, &argc, &argv) || zb_ranks_open(&ranks, &t) != ZB_OK)
        return EXIT_FAILURE;
    zb_status status = t.rank == 0 ? call(ranks) : zb_ranks_work(ranks, trades, NULL);
    zb_ranks_close(ranks);
    transport_close(&t);
    return status == ZB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
