/* zb_solve: from options to a method. */
#include "solve.h"

#include "minibucket.h"
#include "solve_baselines.h"

#include <stdio.h>

uint64_t zb_memory_limit(const zb_options *opt)
{
    return opt->memory > 0 ? opt->memory : zb_mem_physical() / 10 * 8;
}

static void record_exact(zb_result *out, double log_z, int width, double bytes)
{
    out->log_lower = out->log_upper = log_z;
    out->has_lower = out->has_upper = true;
    out->guaranteed = out->exact = true;
    out->stop = ZB_STOP_EXACT;
    out->width = width;
    out->ibound = width + 1;
    out->bytes = (uint64_t)bytes;
    out->form = ZB_FORM_ORIGINAL;
}

/* An order that was given is for the model as given. */
static zb_status exact_with_order(const zb_model *model, const zb_options *opt,
                                  const zb_observer *observer, zb_result *out,
                                  zb_error *err)
{
    zb_scopes *scopes = NULL;
    zb_exact_plan plan;
    double log_z;
    zb_status status;
    TRY(zb_scopes_new(&scopes, model));
    TRY(zb_exact_forecast(scopes, opt->order_list, &plan));
    TRY(zb_exact_run(model, opt->order_list, opt->threads, zb_memory_limit(opt),
                     observer, &log_z, err));
    record_exact(out, log_z, plan.width, plan.bytes);
    out->order = ZB_ORDER_FILE;
done:
    if (status == ZB_EINVAL)
        zb_fail(err, status, "the order is not a permutation of the model's variables");
    zb_scopes_free(scopes);
    return status;
}

zb_status zb_exact_solve(const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_result *out, zb_error *err)
{
    zb_parts *parts = NULL;
    double sum = 0, log_z;
    zb_status status;
    if (opt->order == ZB_ORDER_FILE)
        return exact_with_order(model, opt, observer, out, err);
    TRY(zb_parts_new(&parts, model, opt->seed, 5));
    for (int i = 0; i < parts->count; i++) {
        zb_part *p = &parts->part[i];
        TRY(zb_exact_run(p->model, p->order, opt->threads, zb_memory_limit(opt),
                         observer, &log_z, err));
        sum += log_z;
    }
    record_exact(out, sum, parts->width, parts->bytes);
done:
    zb_parts_free(parts);
    return status;
}

zb_status zb_solve(const zb_model *model, const zb_options *opt,
                   const zb_observer *observer, zb_result *out, zb_error *err)
{
    double start = zb_now();
    zb_status status = ZB_OK;

    *out = (zb_result){ .method = opt->method };
    zb_fail(err, ZB_OK, "%s", "");
    if (opt->order == ZB_ORDER_FILE && opt->order_list == NULL)
        return zb_fail(err, ZB_EINVAL, "an order was asked for but none given");
    switch (opt->method) {
    case ZB_METHOD_AUTO:
    case ZB_METHOD_BE: status = zb_exact_solve(model, opt, observer, out, err); break;
    case ZB_METHOD_TRBP:
    case ZB_METHOD_BP:
    case ZB_METHOD_MF:
        status = zb_solve_baseline(model, opt, observer, out, err);
        break;
    default: status = zb_minibucket_solve(model, opt, observer, out, err); break;
    }
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    out->seconds = zb_now() - start;
    return status;
}
