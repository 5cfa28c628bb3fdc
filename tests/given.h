/* Steps behind zb_solve, for models as they are given: their evidence is conditioned on
 * first, as zb_solve does. */
#ifndef ZB_TEST_GIVEN_H
#define ZB_TEST_GIVEN_H

#include "baseline/baseline.h"
#include "form/form.h"
#include "simplify/simplify.h"

/* The model itself, or *made, which the caller frees; NULL when memory is out. */
static inline const zb_model *without_evidence(const zb_model *model, zb_model **made)
{
    *made = NULL;
    if (!zb_model_observed(model))
        return model;
    return zb_model_condition(made, model, model->evidence) == ZB_OK ? *made : NULL;
}

static inline zb_status simplify_given(zb_reduction **out, const zb_model *given,
                                       bool new_zeros, zb_run *run)
{
    zb_model *made;
    const zb_model *model = without_evidence(given, &made);
    *out = NULL;
    zb_status status =
        model != NULL ? zb_simplify_with(out, model, new_zeros, run) : ZB_ENOMEM;
    zb_model_free(made);
    return status;
}

static inline zb_status clean_given(zb_model **out, const zb_model *given, zb_run *run)
{
    zb_model *made;
    const zb_model *model = without_evidence(given, &made);
    *out = NULL;
    zb_status status = model != NULL ? zb_form_clean(out, model, run) : ZB_ENOMEM;
    zb_model_free(made);
    return status;
}

typedef zb_status baseline_run(const zb_model *, const zb_baseline_options *,
                               zb_baseline_result *);

/* One of zb_trbp_run, zb_bp_run, zb_meanfield_run. */
static inline zb_status run_given(baseline_run *run, const zb_model *given,
                                  const zb_baseline_options *opt,
                                  zb_baseline_result *out)
{
    zb_model *made;
    const zb_model *model = without_evidence(given, &made);
    zb_status status = model != NULL ? run(model, opt, out) : ZB_ENOMEM;
    zb_model_free(made);
    return status;
}

/* All values of a variable alike, one variable behind the other. */
static inline void begin_alike(const zb_model *model, double *q)
{
    for (int v = 0; v < model->nvars; q += model->card[v++])
        for (int x = 0; x < model->card[v]; x++)
            q[x] = 1.0 / model->card[v];
}

#endif
