/* The front door: one model, one set of options, one method. */
#include "auto/auto.h"
#include "tighten/minibucket.h"
#include "baseline/solve_baselines.h"
#include "exact/solve_exact.h"

static bool has_state(zb_method method)
{
    return method >= ZB_METHOD_MBE && method <= ZB_METHOD_WMBE_WG;
}

static zb_status check_state(const zb_model *model, zb_method method,
                             const zb_state *from, zb_error *err)
{
    if (!has_state(method))
        return zb_fail(err, ZB_EINVAL,
                       "method '%s' has no state to keep or to start from: name one of "
                       "mbe, wmbe, .. wmbe-wg",
                       zb_method_name(method));
    if (from != NULL && from->nvars != model->nvars)
        return zb_fail(err, ZB_EINVAL,
                       "the state is of a model with %d variables, this one has %d",
                       from->nvars, model->nvars);
    return ZB_OK;
}

static zb_status dispatch(const zb_model *model, const zb_options *opt,
                          const zb_state *from, zb_state **to,
                          const zb_observer *observer, zb_result *out, zb_error *err)
{
    switch (opt->method) {
    case ZB_METHOD_AUTO: return zb_solve_auto(model, opt, observer, out, err);
    case ZB_METHOD_BE: return zb_solve_exact(model, opt, observer, out, err);
    case ZB_METHOD_TRBP:
    case ZB_METHOD_BP:
    case ZB_METHOD_MF: return zb_solve_baseline(model, opt, observer, out, err);
    default: return zb_minibucket_solve(model, opt, from, to, observer, out, err);
    }
}

/* Seconds that the options allow, INFINITY for no limit. */
static double seconds_of(const zb_options *opt)
{
    double seconds = opt->time;
    if (seconds < 0 && opt->method == ZB_METHOD_AUTO)
        seconds = ZB_AUTO_SECONDS;
    return seconds > 0 ? seconds : INFINITY;
}

zb_status zb_solve(const zb_model *model, const zb_options *opt,
                   const zb_observer *observer, zb_result *out, zb_error *err)
{
    return zb_solve_with(model, opt, NULL, NULL, observer, out, err);
}

zb_status zb_solve_with(const zb_model *model, const zb_options *given,
                        const zb_state *from, zb_state **to,
                        const zb_observer *observer, zb_result *out, zb_error *err)
{
    double start = zb_now();
    zb_options filled, *opt = NULL;
    zb_status status;
    if (to != NULL)
        *to = NULL;
    if (given != NULL)
        filled = *given, opt = &filled;
    if (model == NULL || opt == NULL || out == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, no options or no place for a result");
    if (opt->order == ZB_ORDER_FILE && opt->order_list == NULL)
        return zb_fail(err, ZB_EINVAL, "an order was asked for but none given");
    zb_fail(err, ZB_OK, "%s", "");
    if (from != NULL && opt->method == ZB_METHOD_AUTO)
        opt->method = from->method;
    *out = (zb_result){ .method = opt->method };
    if (from != NULL || to != NULL)
        TRY(check_state(model, opt->method, from, err));
    status = dispatch(model, opt, from, to, observer, out, err);
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    out->seconds = zb_now() - start;
    out->time_limit = seconds_of(opt);
    out->memory_limit = zb_memory_limit(opt);
done:
    return status;
}
