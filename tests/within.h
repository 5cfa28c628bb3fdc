/* Calls that need a run, with the limits as plain arguments: threads 0: all, memory 0:
   no limit, observer NULL: none. */
#ifndef ZB_TEST_WITHIN_H
#define ZB_TEST_WITHIN_H

#include "base/run.h"
#include "exact/exact.h"

static inline zb_run open_run(const zb_observer *observer, uint64_t memory, int threads)
{
    zb_run run;
    (void)zb_run_open(&run, observer, INFINITY, memory > 0 ? memory : UINT64_MAX,
                      threads);
    return run;
}

static inline zb_status exact_within(const zb_model *model, const int *order,
                                     int threads, uint64_t memory,
                                     const zb_observer *observer, double *log_z,
                                     zb_error *err)
{
    zb_run run = open_run(observer, memory, threads);
    zb_ball z;
    zb_status status = zb_exact_run(model, order, &run, &z, err);
    if (status == ZB_OK)
        *log_z = z.mid;
    zb_run_close(&run);
    return status;
}

#endif
