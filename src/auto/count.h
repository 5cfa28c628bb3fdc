/* Exact ln Z by search: branch on variables, propagate zeros, treat components that
 * fall apart one by one and remember what they sum to. It thrives on zeros (model
 * counting, pedigrees) where tables would be far too large; without zeros it is no
 * better than tables. */
#ifndef ZB_COUNT_H
#define ZB_COUNT_H

#include "model/model.h"

typedef struct zb_count_spec {
    uint64_t memory;               /* for the memo of components; bytes */
    bool wide;                     /* branch by how much zeros bite, not by the order */
    double deadline;               /* zb_now()'s clock; 0: none */
    bool (*report)(void *context); /* now and then; false: stop */
    void *context;
} zb_count_spec;

typedef struct zb_count_result {
    double log_z; /* ln Z if complete, else a lower bound: what was summed so far */
    bool complete;
    int64_t branches, hits; /* values tried, components found in the memo */
} zb_count_result;

/* model: reduced (log tables, no evidence, cardinalities from 2; at most 64, else
   ZB_EINVAL). order: a good elimination order; the search branches on what it would
   eliminate last. */
zb_status zb_count_run(const zb_model *model, const int *order,
                       const zb_count_spec *spec, zb_count_result *out);

#endif
