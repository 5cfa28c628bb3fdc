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

/* An exact answer without one of its sides, which is twice the radius from the other,
   and a few units for the rounding of either. */
static zb_claim interval(const zb_result *answer)
{
    zb_claim z = { .lower = answer->log_lower, .upper = answer->log_upper };
    double apart = 2 * answer->rounding;
    if (!answer->has_lower)
        z.lower = zb_down(z.upper, apart + 4 * ZB_UNIT * fabs(z.upper));
    if (!answer->has_upper)
        z.upper = zb_up(z.lower, apart + 4 * ZB_UNIT * fabs(z.lower));
    return z;
}

zb_status zb_confirm(const zb_model *model, const zb_result *answer, zb_run *run,
                     zb_error *err)
{
    double spent = zb_now() - run->start;
    zb_run share =
        zb_run_share(run, zb_now() + fmax(0.05, 0.25 * spent), UINT64_MAX, 1);
    zb_claim z = interval(answer);
    double upper = quick_bound(model, ZB_SIDE_UPPER, &share);
    double lower = quick_bound(model, ZB_SIDE_LOWER, &share);
    if (z.lower <= upper && z.upper >= lower)
        return ZB_OK;
    return zb_fail(
        err, ZB_EBUG,
        "internal error: method %s found ln Z = %.17g, but mini-buckets prove "
        "%.17g <= ln Z <= %.17g; one of them is wrong, so no answer is "
        "given. Please report this model",
        zb_method_name(answer->method), z.upper, lower, upper);
}
