/* The objective: a mini-bucket bound as a function of weights, shifts and gauges. */
#ifndef ZB_TIGHTEN_H
#define ZB_TIGHTEN_H

#include "model/model.h"
#include "pass/pass.h"
#include "tighten/optimize.h"
#include "tree/tree.h"

typedef struct zb_tighten_spec {
    zb_side side; /* UPPER or LOWER */
    bool weights, theta, gauges;
    bool gradient; /* none of them moves yet, but gauges may be added */
    bool shared;   /* weights and shifts by the shared variables */
    bool absolute; /* as the paper: absolute values in every sum */
    int threads;
    zb_run *run; /* may be NULL; see zb_pass_spec */
    /* A part of a tree that is spread over ranks (fleet.h), or NULL. */
    const zb_part *part;
    struct zb_crew *crew;
    struct zb_fleet *fleet;       /* rank 0 */
    const struct zb_seams *seams; /* of a part with gauges, or that may get some */
} zb_tighten_spec;

typedef struct zb_tighten zb_tighten;

static inline bool zb_tighten_wants_gradient(const zb_tighten_spec *spec)
{
    return spec->weights || spec->theta || spec->gauges || spec->gradient;
}

zb_status zb_tighten_new(zb_tighten **out, const zb_tree *tree, const zb_model *model,
                         const zb_tighten_spec *spec);
void zb_tighten_free(zb_tighten *t);

/* The bound at the present point; grad may be NULL (forward only). In tangent
   coordinates: by logits, by shifts, by E in G <- (I + E) G. */
double zb_tighten_evaluate(zb_tighten *t, double *grad);

/* Let gauges move too, from the present point on; the model must be Forney-style and
   the spec ask for some gradient (else ZB_EINVAL). On
   the lower side steps keep every transformed factor non-negative. */
zb_status zb_tighten_add_gauges(zb_tighten *t);

/* The bound at the present point, as if built anew, and a radius that holds with gauges
   too: that of evaluations is infinite then. At most three passes. On the lower side
   -INFINITY where a transformed factor may be negative. */
void zb_tighten_certify(zb_tighten *t);

/* As if built anew with the present parameters: the next value does not depend on the
   points that were visited before. */
void zb_tighten_renew(zb_tighten *t);

/* Gauges have been added. */
bool zb_tighten_has_gauges(const zb_tighten *t);

/* All gauges back to the identity, if any have been added, from where they may move
   again; else false. */
bool zb_tighten_drop_gauges(zb_tighten *t);

/* What moves from now on, the rest staying where it is. Only kinds that were in the
   spec (or added since) can be selected. */
void zb_tighten_select(zb_tighten *t, bool weights, bool theta, bool gauges);

/* Weights as limits: sum in one mini-bucket, max or min in the others (MBE). */
void zb_tighten_extreme_weights(zb_tighten *t);

/* ---- looking at it --------------------------------------------------------------- */

/* Of the last evaluation, and what rounding may have done to it: to the bound of the
   model's tables, its own radius not included. */
zb_ball zb_tighten_value(const zb_tighten *t);
bool zb_tighten_was_cut(const zb_tighten *t); /* the run ended it: it has no value */
size_t zb_tighten_bytes(const zb_tighten *t);
/* To be minimised: the bound, or on the lower side its negative. */
const zb_objective *zb_tighten_objective(const zb_tighten *t);

/* The pass beneath, with the tables of the last evaluation. */
zb_pass *zb_tighten_pass(zb_tighten *t);

/* The table of a factor as the last evaluation had it, with signs, in the tree's layout
   but for its scale; NULL: no gauge touches it, and nothing in it is negative. */
const double *zb_tighten_hat(const zb_tighten *t, int factor);

/* With gauges, upper: ln of how far rounding may have moved the sum over all states of
   the product of the tables, signs included. One pass; the present point is then
   evaluated anew. INFINITY: nothing is known. */
double zb_tighten_noise(zb_tighten *t);

/* The run to ask from now on, or NULL. */
void zb_tighten_watch(zb_tighten *t, zb_run *run);

/* The bound and its derivatives at the present point; then, per factor, d bound / d
   ln|f|, a distribution over its entries in the tree's layout. */
zb_status zb_tighten_differentiate(zb_tighten *t);
void zb_tighten_belief(const zb_tighten *t, int factor, double *out);

#endif
