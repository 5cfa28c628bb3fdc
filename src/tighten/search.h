/* A search for one side's bound: candidate forms and orders are tried cheaply, the best
 * is tightened. */
#ifndef ZB_SEARCH_H
#define ZB_SEARCH_H

#include "tighten/state.h"

typedef struct zb_search {
    const zb_model *model; /* borrowed: as given, evidence included */
    const zb_options *opt; /* ibound > 0 */
    zb_run *run;
    double other;         /* the other side's bound so far, for reports */
    const zb_state *from; /* to start from, or NULL */
    int asked;            /* with from: the ibound asked for; 0: the state's */
    /* Bounds that a certificate can prove: lower ones have no gauges, and the
       reduction, if there is one, has a record and is handed over here. NULL: any
       bounds. */
    struct zb_reduction **certified;
} zb_search;

/* Is there a clock to be beaten? */
static inline bool zb_search_limited(const zb_search *s)
{
    return isfinite(s->run->deadline);
}

/* The best attempt on one side. The caller frees it; it asks the search's run as long
   as it lives. */
zb_status zb_search_run(zb_attempt **out, const zb_search *search, zb_side side,
                        zb_stop *stop, zb_error *err);

/* First bounds of both sides, in one order, so that there are some whenever the run is
   ended; nothing but the numbers is kept. Infinite where there is none. */
zb_status zb_search_first(const zb_search *search, double *lower, double *upper);

#endif
