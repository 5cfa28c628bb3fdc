/* Candidates that are still in a search, and who hears of their progress. */
#ifndef ZB_RACE_H
#define ZB_RACE_H

#include "tighten/menu.h"

enum { ZB_CANDIDATES = 24 };

typedef struct zb_race {
    const zb_search *s;
    zb_side side;
    zb_attempt *attempt[ZB_CANDIDATES];
    int count;
    double best;    /* of all candidates, the losers too */
    int64_t passes; /* likewise */
    int64_t told;   /* of passes, the most that was reported */
    bool stopped;   /* by the run */
} zb_race;

/* Attempts from the menu while time, memory and the size of trees allow; alone if one
   of them is exact. */
zb_status zb_race_enter(zb_race *r, const zb_menu *m, zb_error *err);

/* Rounds of so many passes each, after each of which the worse half drops out, until
   one is left. With a time limit the race is over after a third of it: whoever leads
   then goes on. */
zb_status zb_race_run(zb_race *r, int64_t each);

/* So many passes at the first step sizes, reported as the race's. */
zb_descent zb_race_passes(zb_race *r, int64_t iterations);

#endif
