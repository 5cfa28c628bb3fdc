/* The one place that looks at a clock. tests/fake_clock.c replaces it. */
#include "base/base.h"

#include <time.h>

double zb_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
