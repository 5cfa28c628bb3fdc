/* Descent on a smooth manifold of parameters. Knows no graphs: an objective gives
 * values and gradients in tangent coordinates and can be moved along them. */
#ifndef ZB_OPTIMIZE_H
#define ZB_OPTIMIZE_H

#include "base/run.h"

/* Blocks of parameters, with a step size each. */
enum { ZB_BLOCK_WEIGHTS, ZB_BLOCK_THETA, ZB_BLOCK_GAUGES, ZB_BLOCKS };

typedef struct zb_rates {
    double of[ZB_BLOCKS];
} zb_rates;

/* What a descent does to all coordinates at once. */
typedef struct zb_stride {
    enum {
        ZB_STRIDE_KEEP,
        ZB_STRIDE_BACK,
        ZB_STRIDE_FORGET,
        ZB_STRIDE_PLAIN,
        ZB_STRIDE_ADAM,
        ZB_STRIDE_MATCH, /* shifts by matching, the others as Adam says */
        ZB_STRIDE_FIT
    } what;
    double rate[ZB_BLOCKS];
    double fix1, fix2;  /* of Adam's moments, which are young */
    double part, ratio; /* of a fit */
} zb_stride;

typedef struct zb_objective {
    void *context;
    size_t n;                       /* tangent dimension */
    size_t block_at[ZB_BLOCKS + 1]; /* coordinates of block b: block_at[b] .. [b + 1] */
    double (*value)(void *context, double *grad);    /* to be minimised */
    void (*move)(void *context, const double *step); /* along the tangent */
    void (*keep)(void *context); /* remember the present point as the best */
    void (*back)(void *context); /* return to it */
    /* After value, a direction for the shifts in the place of their gradient, along
       which a step of 1 would be right if no bucket depended on another. NULL: there is
       none. */
    void (*match)(void *context, double *direction);
    /* After value, weights by formula, `part` of the way; if it `jumps`, what was
       chosen between is chosen anew, where something else is better by this ratio.
       NULL: there is no formula. */
    void (*fit)(void *context, double part, double ratio);
    bool jumps;
    /* There are coordinates elsewhere: they go the same way (zb_descender_follow).
       NULL: these are all. */
    void (*tell)(void *context, const zb_stride *stride);
} zb_objective;

typedef struct zb_descent {
    zb_optimizer optimizer;
    zb_rates rates; /* paper: the step sizes; default: first step sizes */
    int64_t iterations;
    /* There may be more after these: rates fall when progress ends, and by the clock,
       not with the iterations; the paper's optimiser's never do. */
    bool open;
    double behind;    /* with that, the share of its time that is over, 0 to 1 */
    bool plain;       /* without fits */
    double tolerance; /* relative change over 10 iterations; negative: none */
    zb_run *run;      /* may be NULL */
    /* After every iteration, with the value of this point and of the best so far;
       false: stop. May be NULL. */
    bool (*report)(void *context, int64_t iteration, double value, double best);
    void *context;
    bool each; /* of an attempt with gauges: every point that is reported is proved, not
                  only some, which takes passes of its own */
} zb_descent;

typedef struct zb_descent_result {
    double best;
    int64_t iterations; /* passes: forward and backward */
    zb_stop stop;
} zb_descent_result;

/* A descent in pieces: moments, rates and the history of its values are kept between
   them. The objective's dimension must not change while it lives. */
typedef struct zb_descender zb_descender;
zb_status zb_descender_new(zb_descender **out, const zb_objective *objective);
void zb_descender_free(zb_descender *d);
size_t zb_descender_bytes(const zb_descender *d);
/* Leaves the objective at the best point found in all pieces; out->best is its value.
 */
void zb_descender_run(zb_descender *d, const zb_descent *spec, zb_descent_result *out);

/* Elsewhere: the gradient at this point; a stride, as the descent that is told of took
   it. */
void zb_descender_look(zb_descender *d);
void zb_descender_follow(zb_descender *d, const zb_stride *stride);

/* In one piece: leaves the objective at the best point found. */
zb_status zb_descend(const zb_objective *objective, const zb_descent *spec,
                     zb_descent_result *out);

#endif
