/* The objective: a mini-bucket bound as a function of weights, shifts and gauges. */
#ifndef ZB_TIGHTEN_H
#define ZB_TIGHTEN_H

#include "tighten/gauge.h"
#include "tighten/optimize.h"
#include "pass/pass.h"

typedef struct zb_tighten_spec {
    zb_side side; /* UPPER or LOWER */
    bool weights, theta, gauges;
    bool gradient; /* none of them moves yet, but gauges may be added */
    bool shared;   /* weights and shifts by the shared variables */
    bool absolute; /* as the paper: absolute values in every sum */
    int threads;
    zb_run *run; /* may be NULL; see zb_pass_spec */
} zb_tighten_spec;

typedef struct zb_tighten {
    const zb_tree *tree;   /* borrowed */
    const zb_model *model; /* borrowed: in the form that is bounded */
    zb_tighten_spec spec;
    zb_pass *pass;
    zb_pass_param *param; /* of the pass */
    zb_gauge *gauge; /* NULL without gauges */
    double *
        logit; /* per weight. Upper: of a softmax. Lower: ln(-w) of the negative ones */
    int *positive; /* lower, per bucket: the mini-bucket whose weight is positive */
    bool *touched; /* per factor: has a variable that is gauged */
    double *derivative; /* scratch: a factor's */
    double *tables;     /* scratch: a factor's logs */
    double *best;       /* logits, shifts, gauges of the best point */
    int *best_positive;
    double bound; /* of the last evaluation */
    bool
        invalid; /* lower: a transformed factor has a negative entry; no bound at all */
    zb_objective objective;
} zb_tighten;

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

/* As if built anew with the present parameters: the next value does not depend on the
   points that were visited before. */
void zb_tighten_renew(zb_tighten *t);

/* What moves from now on, the rest staying where it is. Only kinds that were in the
   spec (or added since) can be selected. */
void zb_tighten_select(zb_tighten *t, bool weights, bool theta, bool gauges);

/* Weights as limits: sum in one mini-bucket, max or min in the others (MBE). */
void zb_tighten_extreme_weights(zb_tighten *t);
/* Lower bounds: make mini-bucket m (0 ..) of a bucket the positive one; negatives'
 * ln(-w). */
void zb_tighten_set_positive(zb_tighten *t, int bucket, int m);
void zb_tighten_apply_weights(zb_tighten *t); /* after logits were written */

#endif
