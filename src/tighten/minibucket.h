/* The mini-bucket methods (mbe, wmbe, wmbe-w .. wmbe-wg): candidate forms and orders
 * are tried cheaply, the best is tightened. */
#ifndef ZB_MINIBUCKET_H
#define ZB_MINIBUCKET_H

#include "tighten/state.h"

typedef struct zb_search {
    const zb_model *model; /* borrowed: as given, evidence included */
    const zb_options *opt; /* ibound > 0 */
    zb_run *run;
    double other;         /* the other side's bound so far, for reports */
    const zb_state *from; /* to start from, or NULL */
    int asked;            /* with from: the ibound asked for; 0: the state's */
} zb_search;

/* The best attempt on one side. The caller frees it; it asks the search's run as long
   as it lives. */
zb_status zb_search_run(zb_attempt **out, const zb_search *search, zb_side side,
                        zb_stop *stop, zb_error *err);

/* The largest ibound whose tables fit the memory and of which so many passes fit the
   time. */
typedef struct zb_ibound_request {
    const zb_model *model;
    uint64_t memory; /* bytes */
    double seconds;  /* INFINITY: no limit */
    double slowness; /* how much longer passes take than zb_cost_pass says; >= 1 */
    int passes;
    zb_run *run; /* may be NULL; when it ends, the largest found so far is taken */
} zb_ibound_request;

typedef struct zb_ibound_choice {
    int ibound;
    bool fits;   /* at least the smallest one does */
    bool memory; /* a larger one would need more memory, but not more time */
} zb_ibound_choice;

zb_status zb_search_ibound(const zb_ibound_request *r, zb_ibound_choice *out);

zb_status zb_minibucket_solve(const zb_model *model, const zb_options *opt,
                              const zb_state *from, zb_state **to, zb_run *run,
                              zb_result *out, zb_error *err);

#endif
