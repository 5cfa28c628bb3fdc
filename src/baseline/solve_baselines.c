/* Form and reductions first, then one of the three methods, then the result. */
#include "baseline/solve_baselines.h"

#include "baseline/bp.h"
#include "form/form.h"
#include "baseline/meanfield.h"
#include "simplify/simplify.h"
#include "baseline/trbp.h"

enum { MERGED_IBOUND = 6 }; /* joint scopes of the merged form when none is given */

bool zb_is_baseline(zb_method method)
{
    return method == ZB_METHOD_TRBP || method == ZB_METHOD_BP || method == ZB_METHOD_MF;
}

/* The model to work on. Reductions never loosen trbp or mf; mf is spared zeros that
   were not there before. bp keeps the factors it was given: its estimate belongs to
   them. */
static zb_status prepare(zb_model **made, zb_reduction **reduced, const zb_model *model,
                         const zb_options *opt, zb_error *err)
{
    int ibound = opt->ibound > 0 ? opt->ibound : MERGED_IBOUND;

    if (opt->form != ZB_FORM_AUTO && opt->form != ZB_FORM_ORIGINAL)
        return zb_form_make(made, model, opt->form, ibound, 0, NULL, err);
    if (opt->method == ZB_METHOD_BP)
        return ZB_OK;
    return zb_simplify_with(reduced, model, opt->method != ZB_METHOD_MF);
}

static zb_status run(const zb_model *model, zb_method method,
                     const zb_baseline_options *opt, const zb_observer *observer,
                     zb_baseline_result *out)
{
    switch (method) {
    case ZB_METHOD_TRBP: return zb_trbp_run(model, opt, observer, out);
    case ZB_METHOD_BP: return zb_bp_run(model, opt, observer, out);
    case ZB_METHOD_MF: return zb_meanfield_run(model, opt, observer, out);
    default: return ZB_EINVAL;
    }
}

static void note(const zb_observer *observer, const char *sentence)
{
    if (observer != NULL && observer->note != NULL)
        observer->note(observer->context, sentence);
}

static void fill(zb_result *out, const zb_options *opt, const zb_baseline_result *r,
                 const zb_observer *observer)
{
    *out =
        (zb_result){ .log_lower = -INFINITY,
                     .log_upper = INFINITY,
                     .guaranteed = r->guaranteed,
                     .method = opt->method,
                     .form = opt->form == ZB_FORM_AUTO ? ZB_FORM_ORIGINAL : opt->form,
                     .order = opt->order,
                     .iterations = r->iterations,
                     .stop = r->stop,
                     .bytes = r->bytes };
    out->upper_by = out->lower_by =
        (zb_recipe){ out->method, out->form, out->order, 0 };
    if (opt->method == ZB_METHOD_TRBP && opt->side != ZB_SIDE_LOWER)
        out->has_upper = true, out->log_upper = r->log_value;
    if (opt->method == ZB_METHOD_MF && opt->side != ZB_SIDE_UPPER)
        out->has_lower = true, out->log_lower = r->log_value;
    if (opt->method == ZB_METHOD_BP) {
        out->has_estimate = true, out->log_estimate = r->log_value;
        if (!r->converged)
            note(observer, "bp did not converge; its estimate is not at a fixed point");
    }
    if (opt->method == ZB_METHOD_MF && r->log_value == -INFINITY && !r->exact)
        note(observer, "mf found no configuration of positive weight in its budget");
}

zb_status zb_solve_baseline(const zb_model *model, const zb_options *opt,
                            const zb_observer *observer, zb_result *out, zb_error *err)
{
    zb_baseline_options base = zb_baseline_default();
    zb_baseline_result r;
    zb_reduction *reduced = NULL;
    zb_model *made = NULL;
    double start = zb_now();
    zb_status status;

    if (!zb_is_baseline(opt->method))
        return zb_fail(err, ZB_EINVAL, "%s is not one of trbp, bp and mf",
                       zb_method_name(opt->method));
    TRY(prepare(&made, &reduced, model, opt, err));
    if (reduced != NULL)
        model = reduced->model;
    else if (made != NULL)
        model = made;
    base.iterations = opt->iterations;
    base.tolerance = opt->tolerance;
    base.seed = opt->seed;
    if (opt->time > 0)
        base.seconds = fmax(1e-3, opt->time - (zb_now() - start));
    TRY(run(model, opt->method, &base, observer, &r));
    fill(out, opt, &r, observer);
    out->seconds = zb_now() - start;
done:
    if (status == ZB_ENOMEM)
        zb_fail(err, status, "%s: out of memory", zb_method_name(opt->method));
    zb_reduction_free(reduced);
    zb_model_free(made);
    return status;
}
