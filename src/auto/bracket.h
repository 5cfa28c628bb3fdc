/* A bracket of one component within a round: the steps of the steering table. */
#ifndef ZB_BRACKET_H
#define ZB_BRACKET_H

#include "auto/sides.h"
#include "tighten/budget.h"

/* Of one component, for the whole run. */
typedef struct zb_bracket {
    zb_steer *steer;
    double start, seconds;   /* of the round; INFINITY: until nothing more is gained */
    unsigned facts;          /* enum zb_fact */
    bool looked;             /* what mini-buckets fit is known, */
    double setup;            /* and the seconds that this took */
    bool first;              /* there was a first look by both kinds of searches */
    bool lost[2];            /* baselines did not lead above, below */
    zb_ibound_choice choice; /* the mini-buckets to begin with */
    zb_sides sides;
} zb_bracket;

/* Seconds, about, that arms will have after `end` (zb_now()'s clock) in this round; 0
   without a clock. */
double zb_bracket_later(const zb_bracket *b, double end);

/* Bracket the component at work. What it found stays, for the next round. */
zb_status zb_bracket_run(zb_steer *p, double seconds);
void zb_bracket_free(zb_bracket *b);

zb_step_fn zb_step_lower;    /* mean field, so that there is a lower bound */
zb_step_fn zb_step_look;     /* what mini-buckets fit: more facts */
zb_step_fn zb_step_first;    /* small mini-buckets */
zb_step_fn zb_step_second;   /* the other kind of form; slices of a cutset */
zb_step_fn zb_step_count;    /* summing by search */
zb_step_fn zb_step_baseline; /* mixtures of forests, mean field */
zb_step_fn zb_step_early;    /* arms, before what may take all of a round's time; only
                                where there is a clock */
zb_step_fn zb_step_long;     /* arms; without a clock the kind that did best */
zb_step_fn zb_step_meet;     /* a few draws, for the states among them */
zb_step_fn zb_step_draw;     /* draws from the best upper bound so far */
zb_step_fn zb_step_state;    /* sums around the best state that was drawn */
zb_step_fn zb_step_rest;     /* likewise, where arms have left time and those lead */

#endif
