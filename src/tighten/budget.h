/* The ibound that a budget of memory and seconds can pay for. */
#ifndef ZB_BUDGET_H
#define ZB_BUDGET_H

#include "base/run.h"
#include "model/model.h"

/* The largest ibound whose tables fit the memory and of which so many passes fit the
   time. */
typedef struct zb_ibound_request {
    const zb_model *model;
    uint64_t memory; /* bytes */
    double seconds;  /* INFINITY: no limit */
    double slowness; /* how much longer passes take than zb_cost_pass says; >= 1 */
    int passes;
    double slack; /* what takes at most so many times as long as the smallest fits too;
                     0: only that which fits the time */
    bool entries; /* the limit is one of entries: 2 to the ibound, however many
                     variables have them; the same where all have two values */
    zb_run *run;  /* may be NULL; when it ends, the largest found so far is taken */
} zb_ibound_request;

typedef struct zb_ibound_choice {
    int ibound;
    bool single; /* no larger than the largest factor */
    bool fits;   /* at least the smallest one does */
    bool memory; /* a larger one would need more memory, but not more time */
    double pass; /* seconds of a pass over it, as forecast; of one that does not fit the
                    memory INFINITY */
} zb_ibound_choice;

zb_status zb_budget_ibound(const zb_ibound_request *r, zb_ibound_choice *out);

#endif
