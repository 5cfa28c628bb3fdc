/* One pass of maxima over a tree, and the state that it leads to. */
#ifndef ZB_CLIMB_H
#define ZB_CLIMB_H

#include "tighten/attempt.h"

typedef struct zb_climbing {
    const zb_model *model; /* of the tree; factors in logarithms */
    const zb_tree *tree;
    const zb_attempt *shifts; /* whose tree it is, and whose shifts count; NULL: none */
} zb_climbing;

/* The pass that a climber makes. */
zb_pass_spec zb_climb_spec(zb_run *run, bool theta, bool shared);

typedef struct zb_climber {
    zb_climbing how;
    zb_pass *pass; /* forward was run */
    zb_ball top; /* ln of the largest product that the bound allows, constants included,
                    and what rounding may have done to it but for the model's radius */
} zb_climber;

/* ZB_ELIMIT when the run ended first. */
zb_status zb_climber_open(zb_climber *c, const zb_climbing *how, zb_run *run);
void zb_climber_close(zb_climber *c);

/* Variables in the reverse of the order, each at the largest product of its bucket
   given those before; where nothing is split, the best state. */
zb_status zb_climber_follow(const zb_climber *c, zb_run *run, int *state);

/* Of some draws from an upper bound, at its temperature, the one of the largest weight;
   state stays where there is none. */
zb_status zb_climb_draws(zb_attempt *upper, uint64_t seed, zb_run *run, int *state);

#endif
