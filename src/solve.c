/* The front door: one model, one set of options, one method. */
#include "auto.h"
#include "minibucket.h"
#include "solve_baselines.h"
#include "solve_exact.h"

static zb_status dispatch(const zb_model *model, const zb_options *opt,
                          const zb_observer *observer, zb_result *out, zb_error *err)
{
    switch (opt->method) {
    case ZB_METHOD_AUTO: return zb_solve_auto(model, opt, observer, out, err);
    case ZB_METHOD_BE: return zb_solve_exact(model, opt, observer, out, err);
    case ZB_METHOD_TRBP:
    case ZB_METHOD_BP:
    case ZB_METHOD_MF: return zb_solve_baseline(model, opt, observer, out, err);
    default: return zb_minibucket_solve(model, opt, observer, out, err);
    }
}

zb_status zb_solve(const zb_model *model, const zb_options *opt,
                   const zb_observer *observer, zb_result *out, zb_error *err)
{
    double start = zb_now();
    if (model == NULL || opt == NULL || out == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, no options or no place for a result");
    if (opt->order == ZB_ORDER_FILE && opt->order_list == NULL)
        return zb_fail(err, ZB_EINVAL, "an order was asked for but none given");
    zb_fail(err, ZB_OK, "%s", "");
    *out = (zb_result){ .method = opt->method };
    zb_status status = dispatch(model, opt, observer, out, err);
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    out->seconds = zb_now() - start;
    return status;
}
