/* Exact ln Z by bucket elimination. */
#ifndef ZB_EXACT_H
#define ZB_EXACT_H

#include "base/rounding.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_exact_plan {
    int width; /* largest clique less one */
    double largest,
        total;    /* entries of the largest clique, of all cliques; may be huge */
    double bytes; /* most memory taken at any time; may be huge */
} zb_exact_plan;

/* What eliminating in this order takes, from the scopes alone. Variables with a single
   value cost nothing. ZB_EINVAL when order is no permutation of the variables. */
zb_status zb_exact_forecast(const zb_scopes *s, const int *order, zb_run *run,
                            zb_exact_plan *out);

/* ZB_ELIMIT and a sentence when that is more than memory bytes (UINT64_MAX: no limit
   but that of addresses). */
zb_status zb_exact_fits(const zb_exact_plan *plan, uint64_t memory, zb_error *err);

/* ln Z of the model, evidence included, with all that rounding may have moved it (the
   model's own radius included); -INFINITY, with radius 0, when Z = 0. The run's threads
   never change a bit of the answer. Fails with ZB_ELIMIT and a sentence when the tables
   need more than its memory, before taking any of them, and when it has to stop. A run
   of NULL has no limits and one thread; err may be NULL. */
zb_status zb_exact_run(const zb_model *model, const int *order, zb_run *run,
                       zb_ball *log_z, zb_error *err);

#endif
