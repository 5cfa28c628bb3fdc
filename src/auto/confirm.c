#include "auto/confirm.h"

#include "auto/ledger.h"
#include "tighten/attempt.h"

enum { IBOUND = 10, ENTRIES = 4096 }; /* of a mini-bucket, at most */

/* The bound of one side; the trivial one when there is no time. */
static double quick_bound(const zb_model *model, zb_side side, zb_run *run)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINDEGREE,
                             .seed = 1,
                             .tries = 1,
                             .ibound = IBOUND,
                             .max_entries = ENTRIES,
                             .tighten = { .side = side, .threads = 1 } };
    zb_attempt *a = NULL;
    double bound = side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    if (zb_attempt_new(&a, model, &spec, run, NULL) == ZB_OK)
        bound = a->bound;
    zb_attempt_free(a);
    return bound;
}

zb_status zb_confirm(const zb_model *model, const zb_result *answer, zb_run *run,
                     zb_error *err)
{
    double spent = zb_now() - run->start, log_z = answer->log_upper;
    zb_run share =
        zb_run_share(run, zb_now() + fmax(0.05, 0.25 * spent), UINT64_MAX, 1);
    if (!answer->has_upper)
        log_z = answer->log_lower;
    double slack = zb_rounding_slack(model);
    double upper = quick_bound(model, ZB_SIDE_UPPER, &share);
    double lower = quick_bound(model, ZB_SIDE_LOWER, &share);
    bool inside = (log_z <= upper + slack && log_z >= lower - slack) ||
                  (log_z == -INFINITY && lower == -INFINITY);
    if (inside)
        return ZB_OK;
    return zb_fail(
        err, ZB_EBUG,
        "internal error: method %s found ln Z = %.15g, but mini-buckets prove "
        "%.15g <= ln Z <= %.15g; one of them is wrong, so no answer is "
        "given. Please report this model",
        zb_method_name(answer->method), log_z, lower, upper);
}
