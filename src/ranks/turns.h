/* Parts of a model that are given out one after the other, the largest first, each with
 * a share of the time by its size. */
#ifndef ZB_TURNS_H
#define ZB_TURNS_H

#include "base/run.h"

typedef struct zb_turn {
    int part, vars;
    uint64_t seed; /* 0, or another one for a part that has its turn again */
    double rest;   /* variables of this one and all that follow: zb_turns_add_up */
} zb_turn;

void zb_turns_sort(int count, zb_turn *turn);
void zb_turns_add_up(int count, zb_turn *turn);

/* By its size among those that are not given out yet, when as many at a time are worked
   on as the run has ranks; a little is left for answers that are on their way.
   INFINITY: there is no clock. */
double zb_turn_seconds(const zb_turn *turn, zb_run *run);

#endif
