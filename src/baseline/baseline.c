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

zb_stop zb_baseline_stop(const zb_baseline_options *opt)
{
    return zb_run_interrupted(opt->run) ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
}

zb_status zb_baseline_ended(const zb_baseline_options *opt, zb_status status,
                            zb_baseline_result *out)
{
    if (status != ZB_ELIMIT || zb_run_more(opt->run))
        return status;
    out->stop = zb_baseline_stop(opt);
    return ZB_OK;
}

bool zb_baseline_halted(const zb_baseline_options *opt, zb_progress at, zb_stop *stop)
{
    if (zb_run_report(opt->run, at))
        return false;
    *stop = zb_baseline_stop(opt);
    return true;
}
