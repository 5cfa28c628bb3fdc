/* Exact ln Z by search, as model counters do it: zeros are clauses; decide on Booleans,
 * propagate, learn from conflicts, treat parts that fall apart one by one and remember
 * what they sum to. It thrives on zeros (model counting, pedigrees) where tables would
 * be far too large; without zeros it is no better than tables. */
#ifndef ZB_COUNT_H
#define ZB_COUNT_H

#include "base/rounding.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_count_spec {
    uint64_t memory; /* bytes, for everything */
    uint64_t memo;   /* of these, most for the memo of parts; 0: half of what is left */
    bool wide;       /* decide by clauses and conflicts alone, not by the order */
    zb_run *run;     /* may be NULL; is told now and then what is proved */
} zb_count_spec;

typedef struct zb_count_result {
    double log_z;  /* ln Z if complete, else that of what was summed so far */
    double radius; /* nats: what rounding may have done to it, the model's own radius
                      included (base/rounding.h) */
    bool complete;
    int64_t decisions, hits, conflicts; /* hits: parts found in the memo */
} zb_count_result;

/* model: reduced (log tables, no evidence, cardinalities from 2; else ZB_EINVAL; where
   memory is too little, or the run ended, before the search began ZB_ELIMIT). order: a
   good elimination order; the search prefers to decide on what it would eliminate last.
   The lower bound is finite as soon as a solution was found, which takes most models no
   time; it is what there is when the run ends or the memory is spent. */
zb_status zb_count_run(const zb_model *model, const int *order,
                       const zb_count_spec *spec, zb_count_result *out);

#endif
