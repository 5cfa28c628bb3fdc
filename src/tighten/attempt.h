/* One way to bound a model: a form, an order, an ibound, and the parameters found so
 * far. */
#ifndef ZB_ATTEMPT_H
#define ZB_ATTEMPT_H

#include "base/rounding.h"
#include "order/order.h"
#include "tighten/fleet.h"

typedef struct zb_attempt_spec {
    zb_form form; /* not AUTO */
    int variant;
    int form_ibound;         /* 0: ibound */
    zb_order order;          /* not AUTO; FILE: order_list, for the formed model */
    const int *order_list;   /* borrowed */
    const int *formed_order; /* the formed model's own, whatever `order` says; or NULL;
                                borrowed */
    int formed_nvars;        /* its length: ZB_EINVAL when the form has another */
    uint64_t seed;
    zb_ties ties;  /* of minsplit */
    int tries;     /* restarts of the order's rule */
    double effort; /* most seconds of them, counted in operations; 0: no limit */
    int ibound;
    double max_entries; /* per clique; 0: no limit */
    int less;    /* order and mini-buckets are made for so many variables of two values
                    less, and cliques then extended up to the ibound */
    double most; /* clique entries in all, beyond which there is no attempt
                    (ZB_ELIMIT); 0: no limit */
    zb_partition partition;
    bool extreme;     /* MBE: max or min instead of weights */
    bool unevaluated; /* no pass is made, and there is no bound: for who wants to see
                         the parameters alone */
    bool over_ranks;  /* over the run's ranks, where there are some and it pays. What
                         parameters the attempt has is then told by nobody */
    bool gauged;      /* with that: gauges may be added later */
    zb_tighten_spec tighten;
} zb_attempt_spec;

typedef struct zb_attempt {
    zb_attempt_spec spec;
    const zb_model *model; /* in the form; the given one where that is clean as it is */
    zb_model *made;        /* the form, if it is another model */
    int *order;
    zb_tree *tree;
    zb_tighten *tighten;
    zb_fleet *fleet;         /* whose own part tighten is then; NULL: it is all here */
    zb_descender *descender; /* of a descent in pieces; NULL: none was begun */
    double spread;  /* of its factors, nats: what steps of shifts are measured in */
    double bound;   /* the best so far, constants and rounding included; +-INFINITY at
                       first */
    zb_ball value;  /* the last that was evaluated, before rounding goes outward; of a
                       tree without splits ln Z */
    int64_t passes; /* spent so far, */
    int64_t steps;  /* and iterations: without where descents begin */
} zb_attempt;

/* ZB_ELIMIT with a sentence when the tables would not fit the run's memory, or when it
   ends before the first bound. The run, which may be NULL, is asked as long as the
   attempt lives, unless zb_attempt_watch names another; the model is borrowed. */
zb_status zb_attempt_new(zb_attempt **out, const zb_model *model,
                         const zb_attempt_spec *spec, zb_run *run, zb_error *err);
void zb_attempt_free(zb_attempt *attempt);

/* Its order by rule, and its tree, for the scopes of the model in its form. */
zb_status zb_attempt_order(const zb_attempt_spec *spec, const zb_scopes *s, zb_run *run,
                           int *order);
zb_status zb_attempt_tree(zb_tree **out, const zb_attempt_spec *spec,
                          const zb_scopes *s, zb_run *run, const int *order);
void zb_attempt_watch(zb_attempt *attempt, zb_run *run);

/* Tighten; updates bound and passes. What is reported, in the place of values, are
   bounds, constants and rounding included: the best so far, which with gauges is that
   of some iterations before, unless each is asked for. */
zb_status zb_attempt_descend(zb_attempt *attempt, zb_descent how, zb_stop *stop);

/* The same as a piece of one descent, which goes on with the next call: how.open. */
zb_status zb_attempt_go_on(zb_attempt *attempt, zb_descent how, zb_stop *stop);
size_t zb_attempt_bytes(const zb_attempt *attempt);

/* value at the present parameters becomes that of the last evaluation; returns what it
   proves on the attempt's side: nothing (an infinite bound) if it was cut. */
double zb_attempt_note(zb_attempt *attempt);

/* bound becomes what the present parameters alone give, to the last digit, whatever
   points were visited on the way; unless the run ends before that is known. */
void zb_attempt_settle(zb_attempt *attempt);

/* a is a tighter bound than b on this side. */
bool zb_tighter(zb_side side, double a, double b);

#endif
