/* One pass of maxima over a tree, and the state that it leads to. */
#ifndef ZB_CLIMB_H
#define ZB_CLIMB_H

#include "tighten/attempt.h"

typedef struct zb_climbing {
    const zb_model *model; /* of the tree; factors in logarithms */
    const zb_tree *tree;
    const zb_attempt *shifts; /* whose tree it is, and whose shifts count; NULL: none */
} zb_climbing;

/* The pass that zb_climb makes. */
zb_pass_spec zb_climb_spec(zb_run *run, bool theta, bool shared);

/* *top: ln of the largest product that the bound allows, constants included, and what
   rounding may have done to it but for the model's radius. state: variables in the
   reverse of the order, each at the largest product of its bucket given those before;
   where nothing is split, the best state. ZB_ELIMIT when the run ended first. */
zb_status zb_climb(const zb_climbing *how, zb_run *run, zb_ball *top, int *state);

/* Of some draws from an upper bound, at its temperature, the one of the largest weight;
   state stays where there is none. */
zb_status zb_climb_draws(zb_attempt *upper, uint64_t seed, zb_run *run, int *state);

#endif
