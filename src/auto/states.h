/* Lower bounds from states that were drawn. */
#ifndef ZB_STATES_H
#define ZB_STATES_H

#include "auto/steer.h"

/* A state's value, rounded down, is a bound of the component at work. */
zb_status zb_states_claim(zb_steer *p, const int *state, double bound);

/* The likeliest values by mean field (q: those of all variables, one after the other),
   if that state is better than what is known: where no draw ends well it is one. */
void zb_states_take(zb_steer *p, const double *q);

/* The best state of the component at work, improved by groups of variables; then sums
   around it, until `end` (zb_now()'s clock): most variables keep their values, the
   others are summed out exactly; then the same at neighbouring values, heaviest first.
   Which variables keep theirs: those of which draws say that they mostly have them.
   Nothing where no state was drawn. */
zb_status zb_states_run(zb_steer *p, double end);

/* The same on so many threads while the other side goes on: with a quarter of the
   memory in the place of half of it; and again and again, where it leads below. */
zb_status zb_states_once(zb_steer *p, double end, int threads);
zb_status zb_states_beside(zb_steer *p, double end, int threads);

/* How much of its share of a round that should have, by what came of it so far: most
   where it should stay ahead of mini-buckets for another round, at the pace of the last
   one, little where these will be far ahead. */
double zb_states_promise(zb_steer *p);
/* The best lower bound by sums around states, or from them by mean field. */
double zb_states_bound(const zb_steer *p);

#endif
