/* Method be: reduce the model, split it, order the parts, forecast, eliminate, add up.
 */
#ifndef ZB_SOLVE_EXACT_H
#define ZB_SOLVE_EXACT_H

#include "exact/exact.h"
#include "order/order.h"
#include "simplify/simplify.h"

/* Everything about an exact solution that is known before numbers are touched. */
typedef struct zb_exact_job {
    zb_reduction *reduction;
    int components; /* connected parts of the reduced model */
    int count;      /* parts that are solved by themselves: the components, or all in
                       one where that takes no time */
    zb_model **part;
    bool whole;              /* one part: the reduction's model */
    int *part_of, *index_in; /* per variable of the reduced model: its part, and its
                                number there; NULL where `whole` */
    int **order;             /* of each part */
    double rough;            /* entries of a plain order of everything */
    zb_exact_plan *plan;     /* of each part */
    zb_exact_plan all; /* width, largest, bytes: of the worst part; total: the sum */
} zb_exact_job;

/* Options used: order, order_list, seed. effort: most seconds of order search over all
   parts, counted in operations, so that the same request gives the same orders
   everywhere. Of formulas, variables that others define may be gone
   (zb_simplify_formula), and variables that may be exchanged may be counted
   (zb_exchange): states of the parts are then no states of the model, and the
   reduction has neither record nor trail. ZB_ELIMIT when the run (which may be NULL)
   ends before the model is reduced; parts that it leaves no time to plan cost an
   infinite number of bytes. */
zb_status zb_exact_job_new(zb_exact_job **out, const zb_model *model,
                           const zb_options *opt, double effort, zb_run *run,
                           zb_error *err);
/* The same for those who sum by search what elimination cannot do: what helps only
   these is done, too (zb_exchange_sorted). */
zb_status zb_exact_job_searched(zb_exact_job **out, const zb_model *model,
                                const zb_options *opt, double effort, zb_run *run,
                                zb_error *err);
/* The same with a reduction that has a record (zb_simplify_traced). */
zb_status zb_exact_job_traced(zb_exact_job **out, const zb_model *model,
                              const zb_options *opt, double effort, zb_run *run,
                              zb_error *err);
void zb_exact_job_free(zb_exact_job *job); /* NULL is fine */

/* An order for one part (unless the request's is ZB_ORDER_FILE: then it is there), and
   what it takes: infinite where the run left no time for it. */
zb_status zb_exact_plan_part(const zb_model *part, const zb_order_request *request,
                             int *order, zb_exact_plan *plan);

/* Eliminate. ZB_ELIMIT with a sentence when it does not fit the run or has to stop
   before the answer. */
zb_status zb_exact_job_run(const zb_exact_job *job, zb_run *run, zb_ball *log_z,
                           zb_error *err);

/* What was reduced and what an exact answer takes, for the report. */
void zb_exact_job_describe(const zb_exact_job *job, zb_result *out);

/* zb_solve for method be. The job, traced, is handed over to *kept, unless that is
   NULL: then it is any job. */
zb_status zb_solve_exact(const zb_model *model, const zb_options *opt, zb_run *run,
                         zb_exact_job **kept, zb_result *out, zb_error *err);

#endif
