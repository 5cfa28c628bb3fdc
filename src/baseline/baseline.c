#include "baseline/baseline.h"

zb_baseline_options zb_baseline_default(void)
{
    return (zb_baseline_options){ .iterations = 300,
                                  .tolerance = 1e-6,
                                  .damping = 0.1,
                                  .seed = 1,
                                  .restarts = 10,
                                  .trees = 50 };
}

bool zb_baseline_halted(const zb_baseline_options *opt, const zb_observer *observer,
                        double start, zb_progress at, zb_stop *stop)
{
    at.seconds = zb_now() - start;
    if (observer != NULL && observer->progress != NULL &&
        !observer->progress(observer->context, &at)) {
        *stop = ZB_STOP_INTERRUPTED;
        return true;
    }
    if (opt->seconds > 0 && at.seconds > opt->seconds) {
        *stop = ZB_STOP_TIME;
        return true;
    }
    return false;
}
