/* Method count: reduce the model, split it, sum the parts by search. */
#ifndef ZB_SOLVE_COUNT_H
#define ZB_SOLVE_COUNT_H

#include "base/run.h"
#include "model/model.h"

/* zb_solve for method count: one number where it got to its end, else what was summed
   and what there is at most. */
zb_status zb_solve_count(const zb_model *model, const zb_options *opt, zb_run *run,
                         zb_result *out, zb_error *err);

#endif
