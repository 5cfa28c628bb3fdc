#include "symmetry/exchange.h"

#include "base/rounding.h"

static const double SHARE = 0.3; /* of the time that is left */

enum { TIMES = 8 };

/* *now becomes what is found, which may be nothing. */
static zb_status once(zb_model **now, const zb_model *model, bool sorted, zb_run *run)
{
    zb_rows rows;
    zb_status status = zb_rows_find(&rows, model, sorted, run);
    *now = NULL;
    if (status == ZB_OK && rows.count > 0)
        status = sorted ? zb_exchange_sorted(now, model, &rows)
                        : zb_exchange_counted(now, model, &rows, run);
    zb_rows_close(&rows);
    return status;
}

zb_status zb_exchange(zb_model **out, const zb_model *model, bool sorted, zb_run *run)
{
    double left = zb_run_left(run);
    zb_run share =
        zb_run_share(run, isinf(left) ? left : zb_now() + SHARE * left, UINT64_MAX, 1);
    zb_status status = ZB_OK;
    *out = NULL;
    for (int i = 0; i < TIMES && status == ZB_OK; i++) {
        zb_model *next;
        status = once(&next, *out != NULL ? *out : model, sorted, &share);
        if (next == NULL)
            break;
        zb_model_free(*out);
        *out = next;
    }
    /* what was found until time or memory ended it keeps Z */
    return status == ZB_ELIMIT || status == ZB_ENOMEM ? ZB_OK : status;
}
