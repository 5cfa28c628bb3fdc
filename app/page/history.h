/* What a run found when, as far as a page can show it. */
#ifndef ZB_APP_HISTORY_H
#define ZB_APP_HISTORY_H

#include "zbound.h"

enum { HISTORY_MOST = 2048 };

typedef struct history_event {
    double seconds;
    double lower, upper;           /* best so far; infinite where there is none */
    double sure_lower, sure_upper; /* what draws say, with confidence; likewise */
    int ibound;
    zb_side side;   /* that the work was for; both: neither of them */
    const char *by; /* a literal of the library, or NULL */
} history_event;

/* Events in the order of time, each with another bracket or other work than the one
   before.
   When there are too many, every second one is forgotten, never the last: what is kept
   was true at its time. */
typedef struct history {
    int count;
    history_event event[HISTORY_MOST];
} history;

void history_add(history *h, const zb_progress *at);
/* The answer, which is the end of the story. */
void history_finish(history *h, const zb_result *r);

#endif
