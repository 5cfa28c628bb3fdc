/* Method be: reduce the model, split it, order the parts, forecast, eliminate, add up.
 */
#ifndef ZB_SOLVE_EXACT_H
#define ZB_SOLVE_EXACT_H

#include "exact/exact.h"
#include "simplify/simplify.h"

/* Everything about an exact solution that is known before numbers are touched. */
typedef struct zb_exact_job {
    zb_reduction *reduction;
    int count; /* connected parts of the reduced model */
    zb_model **part;
    int **order;         /* of each part */
    zb_exact_plan *plan; /* of each part */
    zb_exact_plan all;   /* width, largest, bytes: of the worst part; total: the sum */
} zb_exact_job;

/* Options used: order, order_list, seed. effort: most seconds of order search, counted
   in operations, so that the same request gives the same orders everywhere. */
zb_status zb_exact_job_new(zb_exact_job **out, const zb_model *model,
                           const zb_options *opt, double effort, zb_error *err);
void zb_exact_job_free(zb_exact_job *job); /* NULL is fine */

/* Eliminate. deadline is a zb_now() time, INFINITY for none; memory 0: no limit.
   ZB_ELIMIT with a sentence when it does not fit or has to stop before the answer. */
zb_status zb_exact_job_run(const zb_exact_job *job, int threads, uint64_t memory,
                           double deadline, const zb_observer *observer, double *log_z,
                           zb_error *err);

/* What was reduced and what an exact answer takes, for the report. */
void zb_exact_job_describe(const zb_exact_job *job, zb_result *out);

/* zb_solve for method be. */
zb_status zb_solve_exact(const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_result *out, zb_error *err);

/* opt->memory, or 80 % of the machine's; 0 when that is not known. */
uint64_t zb_memory_limit(const zb_options *opt);

#endif
