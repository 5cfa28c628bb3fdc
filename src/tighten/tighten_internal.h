/* The inside of zb_tighten, for those who set its parameters: tighten.c, lower.c, which
 * chooses signs, and state.c, which keeps and restores them. */
#ifndef ZB_TIGHTEN_INTERNAL_H
#define ZB_TIGHTEN_INTERNAL_H

#include "pass/pass.h"
#include "tighten/gauge.h"
#include "tighten/tighten.h"

struct zb_tighten {
    const zb_tree *tree;   /* borrowed */
    const zb_model *model; /* borrowed: in the form that is bounded */
    zb_tighten_spec spec;
    zb_pass *pass;
    zb_pass_param *param; /* of the pass */
    zb_gauge *gauge;      /* NULL without gauges */
    double *
        logit; /* per weight. Upper: of a softmax. Lower: ln(-w) of the negative ones */
    int *positive; /* lower, per bucket: the mini-bucket whose weight is positive */
    bool *touched; /* per factor: has a variable that is gauged */
    double *derivative; /* scratch: a factor's */
    double *tables;     /* scratch: a factor's logs */
    double *scratch;    /* three numbers a mini-bucket of any bucket */
    double *best;       /* logits, shifts, gauges of the best point */
    int *best_positive;
    double bound, radius; /* of the last evaluation */
    bool cut;             /* the run ended it */
    bool
        invalid; /* lower: a transformed factor has a negative entry; no bound at all */
    zb_objective objective;
};

void zb_tighten_load_factors(zb_tighten *t); /* into the pass, without gauges */
void zb_tighten_describe(zb_tighten *t);     /* its objective, by what moves */
void zb_tighten_keep(zb_tighten *t);

/* After shifts were moved: they add up to zero in every bucket, within what rounding
   allows. */
void zb_tighten_hold_shifts(zb_tighten *t);

/* One evaluation at the present point for zb_tighten_certify, here and by all parts. */
typedef enum zb_loading {
    ZB_LOAD_NONE, /* as if there were no gauges */
    ZB_LOAD_MAGNITUDES,
    ZB_LOAD_UPPER,
    ZB_LOAD_LOWER
} zb_loading;
zb_ball zb_tighten_evaluate_as(zb_tighten *t, zb_signed how, zb_loading load);

/* ---- tighten_gauges.c ------------------------------------------------------------ */

zb_status zb_tighten_begin_gauges(zb_tighten *t);
void zb_tighten_load_gauged(zb_tighten *t); /* tables with gauges, into the pass */
void zb_tighten_move_gauges(zb_tighten *t, const double *step);
void zb_tighten_gauge_gradient(zb_tighten *t, double *grad);

/* ---- weights.c ------------------------------------------------------------------- */

/* Lower bounds: make mini-bucket m (0 ..) of a bucket the positive one; negatives'
 * ln(-w). */
void zb_tighten_set_positive(zb_tighten *t, int bucket, int m);
void zb_tighten_apply_weights(zb_tighten *t); /* after logits were written */

/* After a backward pass: `part` of the way (0 to 1) to the weights that lose least to
   second order; shifts move so that beliefs stay. Below, the positive weight moves to a
   mini-bucket whose spread is more than `ratio` times that of its own (INFINITY: it
   stays). Without gauges. (fit.c) */
void zb_tighten_fit(zb_tighten *t, double part, double ratio);

/* d bound / d logit, from the entropies d bound / d w of the last backward pass. */
void zb_tighten_weight_gradient(const zb_tighten *t, double *grad);

#endif
