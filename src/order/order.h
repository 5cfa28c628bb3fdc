/* Elimination orders: heuristics, what an order costs, how often it splits.
 *
 * Everything here looks at scopes and cardinalities only. Budgets are counted in
 * elementary operations, not on a clock (ZB_ORDER_SPEED of them are a "second"), so the
 * same request gives the same order on every machine and under any load, unless its run
 * ends first. */
#ifndef ZB_ORDER_H
#define ZB_ORDER_H

#include "base/cost.h"
#include "base/run.h"
#include "model/model.h"

/* Entries beyond which no search makes an order feasible. */
#define ZB_ORDER_HOPELESS 1e24

/* What settles ties of minsplit. Regular orders split buckets in regular places, which
   is worth far more than a few splits less: numbers that come from how a model was made
   do that, and so do places in a search breadth first, from its start or its end. Where
   a model has nothing regular, chance finds orders of all kinds. */
typedef enum zb_ties {
    ZB_TIES_NUMBER,
    ZB_TIES_BREADTH,
    ZB_TIES_BACK,
    ZB_TIES_CHANCE,
} zb_ties;

typedef struct zb_order_request {
    zb_order kind;
    int ibound;         /* minsplit only: variables per mini-bucket */
    double max_entries; /* minsplit only: entries per mini-bucket, 0 for no limit */
    zb_ties ties;       /* minsplit only: of the first run; others have random ones */
    uint64_t seed;
    int tries;      /* runs; 1: no randomised restart, no local search */
    double seconds; /* budget for restarts and improvement, <= 0: tries alone count */
    zb_run *run;    /* may be NULL */
} zb_order_request;

/* Cliques of an order, in time near linear in the scopes' length whatever the width.
   ZB_EINVAL unless order is a permutation of the variables, ZB_ELIMIT when the run
   (which may be NULL) ended first. */
zb_status zb_order_evaluate(const zb_scopes *s, const int *order, zb_run *run,
                            zb_order_cost *out);

/* The same elimination from its first variable to its last in so many columns of
   equally many, at most one each: the variables of the largest clique of each. */
zb_status zb_order_profile(const zb_scopes *s, const int *order, zb_run *run,
                           int columns, int *profile);

/* Fill order (nvars entries, first eliminated first); cost may be NULL. AUTO keeps the
   cheapest by total entries over all rules; with tries > 1 it goes on with restarts and
   local search, but no longer than solving the model would take. Every other kind is
   that rule alone, the cheapest of `tries` runs (minsplit: the one with fewest splits).
   ZB_ORDER_FILE is refused. When the run ends there is an order all the same: the best
   so far, what a rule had chosen with the rest as it came, or, by then, variables in
   small scopes first; its cost may then not be known: width nvars - 1, entries
   infinite. */
zb_status zb_order_make(const zb_scopes *s, const zb_order_request *req, int *order,
                        zb_order_cost *cost);

/* An order of n variables (NULL: none), of which var[0 .. count-1] are left and now
   have these numbers: the order of those. ZB_EINVAL when one of them is not named. */
zb_status zb_order_restrict(int n, const int *order, int count, const int *var,
                            int *out);

typedef struct zb_split_cost {
    double splits;         /* sum over buckets of (mini-buckets - 1) */
    double total, largest; /* entries of all mini-buckets' tables, of the largest */
} zb_split_cost;

/* What the reference partition rule makes of an order: a bucket's items sorted by scope
   size (largest first, stable), first fit. An item fits if the joint scope stays within
   ibound variables and max_entries entries (0: no limit), or does not grow at all; one
   that is too large by itself stands alone. ZB_ELIMIT when the run (which may be NULL)
   ended first. */
zb_status zb_order_splits(const zb_scopes *s, const int *order, int ibound,
                          double max_entries, zb_run *run, zb_split_cost *out);

#endif
