/* A search for one side's bound: candidate forms and orders are tried cheaply, the best
 * is tightened. */
#ifndef ZB_SEARCH_H
#define ZB_SEARCH_H

#include "tighten/state.h"

typedef struct zb_search {
    const zb_model *model; /* borrowed: as given, evidence included */
    const zb_options *opt; /* ibound > 0 */
    zb_run *run;
    double other;                /* the other side's bound so far, for reports */
    const zb_state *from;        /* to start from, or NULL */
    int asked;                   /* with from: the ibound asked for; 0: the state's */
    double max_entries;          /* of a clique, besides the ibound; 0: no limit */
    double most;                 /* clique entries of a candidate in all; 0: no limit */
    int *entered;                /* how many candidates there were; may be NULL */
    const zb_attempt_spec *like; /* its order's rule is tried first, or NULL */
    bool over_ranks;             /* trees may be, over the run's ranks */
    double race;                 /* seconds of the race; 0: a third of what is left */
    int few;                     /* candidates, at most, and */
    int decide; /* passes after which the best of them is taken; 0: by rounds
                   that the worse half leaves */
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

/* The candidate that leads after the race, no further: to be tightened by pieces
   (zb_attempt_go_on). */
zb_status zb_search_begin(zb_attempt **out, const zb_search *search, zb_side side,
                          zb_error *err);

/* When a race that begins now is to be over. */
static inline double zb_search_race_end(const zb_search *s)
{
    double left = zb_run_left(s->run);
    return zb_now() + (s->race > 0 ? fmin(s->race, left) : left / 3);
}

/* First bounds of both sides, in one order, so that there are some whenever the run is
   ended; nothing but the numbers is kept. Infinite where there is none. */
zb_status zb_search_first(const zb_search *search, double *lower, double *upper);

#endif
