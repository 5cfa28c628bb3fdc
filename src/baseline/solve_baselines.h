/* trbp, bp and mf behind the public options and result. */
#ifndef ZB_SOLVE_BASELINES_H
#define ZB_SOLVE_BASELINES_H

#include "base/run.h"
#include "simplify/simplify.h"

/* What proves a bound of mf. */
typedef struct zb_field {
    zb_reduction *reduction; /* traced */
    double *q;               /* of the reduced model: see zb_baseline_options */
} zb_field;
void zb_field_clear(zb_field *field);

/* zb_solve for these three. Form auto is the original one. trbp fills log_upper, mf
   log_lower, both guaranteed, and only if the side was asked for; bp fills
   log_estimate. ZB_ELIMIT with a sentence where the run ended before trbp had a bound
   or bp an estimate. run and err may be NULL. field, unless it is NULL, is what proves
   the bound: ZB_EINVAL where there is none, with trbp, bp and forms. */
zb_status zb_solve_baseline(const zb_model *model, const zb_options *opt, zb_run *run,
                            zb_field *field, zb_result *out, zb_error *err);

#endif
