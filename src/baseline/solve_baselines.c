/* Form and reductions first, then one of the three methods, then the result. */
#include "baseline/solve_baselines.h"

#include "base/method.h"
#include "baseline/bp.h"
#include "form/form.h"
#include "baseline/meanfield.h"
#include "simplify/simplify.h"
#include "baseline/trbp.h"

enum { MERGED_IBOUND = 6 }; /* joint scopes of the merged form when none is given */

/* Entries that a form may have: its tables are there three times, in the form, in the
   factor graph and once for messages. */
static double form_entries(const zb_run *run)
{
    bool limited = run != NULL && run->memory < UINT64_MAX;
    return limited ? (double)run->memory / (3 * sizeof(double)) : 0;
}

/* The model to work on. Reductions never loosen trbp or mf; mf is spared zeros that
   were not there before. bp keeps the factors it was given: its estimate belongs to
   them. What there is no time to reduce is taken as it is. */
static zb_status prepare(zb_model **made, zb_reduction **reduced, const zb_model *model,
                         const zb_options *opt, zb_run *run, zb_error *err)
{
    zb_form_request request = { .form = opt->form,
                                .ibound = opt->ibound > 0 ? opt->ibound : MERGED_IBOUND,
                                .max_entries = form_entries(run),
                                .run = run };

    if (opt->form != ZB_FORM_AUTO && opt->form != ZB_FORM_ORIGINAL)
        return zb_form_build(made, model, &request, NULL, err);
    if (opt->method == ZB_METHOD_BP)
        return ZB_OK;
    zb_run half = zb_run_share(run, INFINITY, UINT64_MAX, 1);
    if (!isinf(half.deadline))
        half.deadline -= zb_run_left(run) / 2;
    zb_status status =
        zb_simplify_with(reduced, model, opt->method != ZB_METHOD_MF, &half);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

void zb_field_clear(zb_field *field)
{
    zb_reduction_free(field->reduction);
    zb_free(field->q);
    *field = (zb_field){ 0 };
}

/* The same for a bound that is to be proved. */
static zb_status prepare_field(zb_field *field, const zb_model *model,
                               const zb_options *opt, zb_run *run, zb_error *err)
{
    size_t values = 0;
    zb_status status;
    if (opt->method != ZB_METHOD_MF ||
        (opt->form != ZB_FORM_AUTO && opt->form != ZB_FORM_ORIGINAL))
        return zb_fail(err, ZB_EINVAL,
                       "method '%s' in form '%s' has no certificate: mf in the "
                       "original form has",
                       zb_method_name(opt->method), zb_form_name(opt->form));
    TRY(zb_simplify_traced(&field->reduction, model, run));
    const zb_model *reduced = field->reduction->model;
    for (int v = 0; v < reduced->nvars; v++)
        values += (size_t)reduced->card[v];
    field->q = zb_alloc(values, sizeof *field->q);
    TRY(field->q != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < values; i++)
        field->q[i] = 1;
done:
    return status;
}

static zb_status run_method(const zb_model *model, zb_method method,
                            const zb_baseline_options *opt, zb_baseline_result *out)
{
    switch (method) {
    case ZB_METHOD_TRBP: return zb_trbp_run(model, opt, out);
    case ZB_METHOD_BP: return zb_bp_run(model, opt, out);
    case ZB_METHOD_MF: return zb_meanfield_run(model, opt, out);
    default: return ZB_EINVAL;
    }
}

static void fill(zb_result *out, const zb_options *opt, const zb_baseline_result *r,
                 zb_run *run)
{
    const zb_method_row *m = zb_method_find(opt->method);
    *out =
        (zb_result){ .log_lower = -INFINITY,
                     .log_upper = INFINITY,
                     .guaranteed = r->guaranteed,
                     .rounding = r->radius,
                     .method = opt->method,
                     .form = opt->form == ZB_FORM_AUTO ? ZB_FORM_ORIGINAL : opt->form,
                     .order = opt->order,
                     .iterations = r->iterations,
                     .stop = r->stop,
                     .bytes = r->bytes };
    out->upper_by = out->lower_by =
        (zb_recipe){ out->method, out->form, out->order, 0 };
    if (m->upper && opt->side != ZB_SIDE_LOWER)
        out->has_upper = true, out->log_upper = r->log_value;
    if (m->lower && opt->side != ZB_SIDE_UPPER)
        out->has_lower = true, out->log_lower = r->log_value;
    if (!m->upper && !m->lower) {
        out->has_estimate = true, out->log_estimate = r->log_value;
        if (!r->converged)
            zb_run_note(run,
                        "bp did not converge; its estimate is not at a fixed point");
    }
    if (opt->method == ZB_METHOD_MF && r->log_value == -INFINITY && !r->exact)
        zb_run_note(run, "mf found no configuration of positive weight in its budget");
}

zb_status zb_solve_baseline(const zb_model *model, const zb_options *opt, zb_run *run,
                            zb_field *field, zb_result *out, zb_error *err)
{
    const char *name = zb_method_name(opt->method);
    zb_baseline_options base = zb_baseline_default();
    zb_baseline_result r;
    zb_reduction *reduced = NULL;
    zb_model *made = NULL;
    double start = zb_now();
    zb_status status;

    if (zb_method_find(opt->method)->solver != ZB_SOLVER_BASELINE)
        return zb_fail(err, ZB_EINVAL, "%s is not one of trbp, bp and mf", name);
    TRY(field != NULL ? prepare_field(field, model, opt, run, err)
                      : prepare(&made, &reduced, model, opt, run, err));
    if (field != NULL)
        model = field->reduction->model;
    else if (reduced != NULL)
        model = reduced->model;
    else if (made != NULL)
        model = made;
    base.iterations = opt->iterations;
    base.tolerance = opt->tolerance;
    base.seed = opt->seed;
    base.run = run;
    base.q = field != NULL ? field->q : NULL;
    TRY(run_method(model, opt->method, &base, &r));
    if (!r.found && opt->method != ZB_METHOD_MF)
        TRY(zb_fail(err, ZB_ELIMIT, "%s: stopped before there was a value", name));
    fill(out, opt, &r, run);
    out->seconds = zb_now() - start;
done:
    if (status == ZB_ENOMEM)
        zb_fail(err, status, "%s: out of memory", name);
    zb_reduction_free(reduced);
    zb_model_free(made);
    return status;
}
