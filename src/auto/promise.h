/* What a second of an arm promises: for arms.c. */
#ifndef ZB_PROMISE_H
#define ZB_PROMISE_H

#include "auto/arms.h"

/* The arm of largest promise in so many seconds; -1: a new one. *most: nats a second, 0
   if nothing is promised. */
int zb_promise_choose(const zb_arms *s, double seconds, double *most);

/* The size of the next larger arm: one whose price is a part of the seconds, if such a
   one is at all larger than the last; the first one where there is none yet. */
int zb_promise_size(const zb_arms *s, double seconds);

/* There will be time for a larger one than that. */
bool zb_promise_is_step(const zb_arms *s, int size, double seconds);

/* How many times more entries than the last arm one of that size has, about. */
double zb_promise_growth(const zb_arms *s, int size);

/* Seconds that a pass of such a one takes. */
double zb_promise_pass(const zb_arms *s, int size);

/* There are passes or a larger arm to come, whatever they promise in the time at hand.
 */
bool zb_promise_unfinished(const zb_arms *s);

/* How much tighter a is than b; negative where it is not. */
double zb_promise_ahead(const zb_arms *s, double a, double b);
/* Between both sides, as far as that is known. */
double zb_promise_gap(const zb_arms *s);
/* Nats that so many more seconds of an arm gain, by its curve and those of others. */
double zb_promise_outlook(const zb_arms *s, const zb_arm *a, double seconds);
/* Passes at which a curve has its i-th point; and so many have led to this bound. */
double zb_promise_point(int i);
void zb_promise_note(zb_arm *a, double passes, double bound);
/* A smaller arm was far better after as many passes: orders are of all kinds. */
bool zb_promise_is_poor(const zb_arms *s, const zb_arm *a);
/* The last one before it that was not given up; NULL: none. */
const zb_arm *zb_promise_before(const zb_arms *s, const zb_arm *a);
/* It has not made the passes after which it is judged. */
bool zb_promise_on_trial(const zb_arm *a);

/* Passes until the next arm shows what it is worth; bytes that it may take, and those
   that the others have. */
double zb_promise_passes(const zb_arms *s);
double zb_promise_room(const zb_arms *s);
double zb_promise_held(const zb_arms *s);

#endif
