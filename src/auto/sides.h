/* Searches by mini-buckets on both sides of a component. */
#ifndef ZB_SIDES_H
#define ZB_SIDES_H

#include "auto/arms.h"
#include "tighten/attempt.h"

typedef struct zb_side_search { /* one side's searches */
    zb_side side;
    int threads;
    uint64_t memory;
    double slowness;   /* seconds of passes, over those that were expected; >= 1 */
    double setup;      /* seconds a search takes before its first pass, about */
    int reached;       /* largest ibound of a search that made passes */
    bool gauged;       /* the kind of form that did best */
    double told;       /* when the search under way first reported */
    double begin, end; /* of its passes */
    int64_t seen, passes;
    bool converged; /* it ended before its time */
    bool hurried;   /* the last search that made passes did not */
    struct zb_steer *steer;
} zb_side_search;

typedef struct zb_sides {
    zb_steer *steer;
    zb_side_search upper, lower;
    zb_arms above, below;    /* what the long run has of each */
    pthread_mutex_t drawing; /* draws and states are of one side at a time */
    _Atomic bool fresh;      /* there is a new source */
    zb_attempt *guide; /* the first upper bound's, whose beliefs guide the other side */
} zb_sides;

/* setup: seconds that a search takes before its first pass, about; size: ld of the
   entries of the smallest mini-buckets that are worth tightening. */
void zb_sides_open(zb_sides *f, zb_steer *p, double setup, int size);
void zb_sides_close(zb_sides *f);
/* Another component's turn: what is kept takes a part of the memory only. */
void zb_sides_leave(zb_sides *f);

/* Until `end` (zb_now()'s clock): small mini-buckets, so that there is a bracket soon;
   above, the other kind of form, and below, where the first found nothing or zeros are
   in its way, slices of a cutset; the kind that did best, as large as the time can pay
   for. */
zb_status zb_sides_first(zb_sides *f, double end);
zb_status zb_sides_second(zb_sides *f, double end);
zb_status zb_sides_long(zb_sides *f, double end);
/* The slices of the second look alone. */
zb_status zb_sides_support(zb_sides *f, double end);

/* ---- for by_arms.c ----------------------------------------------------------------
 */

typedef zb_status zb_side_step(zb_sides *f, double end);

/* Threads and memory of both sides; true: each has a thread of its own. */
bool zb_sides_apart(zb_sides *f);
/* Side by side until `end`, or one after the other with half of the time each. */
zb_status zb_sides_both(zb_sides *f, zb_side_step *upper, zb_side_step *lower,
                        double end);
double zb_sides_bound(const zb_side_search *f); /* what is known on its side */

zb_status zb_sides_by_arms(zb_sides *f, double end);
/* Upper bounds by arms, as there, beside something else. */
zb_status zb_sides_beside(zb_sides *f, zb_side_step *lower, double end);

#endif
