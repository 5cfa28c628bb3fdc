/* Lower bounds from states that were drawn. */
#ifndef ZB_STATES_H
#define ZB_STATES_H

#include "auto/steer.h"

/* Sums around the best state of the component at work, until `end` (zb_now()'s clock):
   most variables keep their values, the others are summed out exactly; then the same at
   neighbouring values, heaviest first. Which variables keep theirs: those of which
   draws say that they mostly have them. Nothing where no state was drawn. */
zb_status zb_states_run(zb_steer *p, double end);

/* How much of its share of a round that should have, by what came of it so far: most
   where the best lower bound is one of these, little where others are far ahead. */
double zb_states_promise(zb_steer *p);

#endif
