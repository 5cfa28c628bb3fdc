/* What the benchmarks share: processor time, and grids. */
#ifndef ZB_BENCH_H
#define ZB_BENCH_H

#include "zbound.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Processor time of all threads: other work on the machine does not count. */
static inline double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void must(zb_status status, const char *what)
{
    if (status == ZB_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, zb_status_text(status));
    exit(1);
}

static inline zb_model *spin_glass(int rows, int cols)
{
    zb_ising_spec spec = {
        .rows = rows, .cols = cols, .coupling = 1, .field = 0.1, .seed = 1
    };
    zb_model *model;
    must(zb_generate_ising(&model, &spec), "spin glass");
    return model;
}

#endif
