/* The state of one run of method auto, and what its parts do to it. */
#ifndef ZB_PILOT_H
#define ZB_PILOT_H

#include "exact/solve_exact.h"
#include "tighten/minibucket.h"

#include <pthread.h>

typedef struct zb_pilot {
    const zb_options *opt;
    const zb_observer *observer;
    double start, deadline; /* deadline 0: none */
    double exact_start;     /* of the exact elimination under way */
    uint64_t memory;
    int threads;
    zb_exact_job *job;
    double *lower, *upper; /* per component */
    bool *exact;
    int now;    /* the component at work */
    int ibound; /* for reports */
    int64_t passes;
    _Atomic bool stopped; /* the caller wants no more */
    bool hurried;         /* a search was ended by the clock */
    pthread_mutex_t lock; /* of bounds and reports: both sides may be at work */
    zb_result *out;
} zb_pilot;

double zb_pilot_left(const zb_pilot *p); /* seconds */
bool zb_pilot_tell(zb_pilot *p);         /* false: stop */

/* New bounds of the component at work, the second of a pass; false: stop. */
bool zb_pilot_bound(zb_pilot *p, double lower, double upper);
bool zb_pilot_pass(zb_pilot *p, int ibound, double lower, double upper);
void zb_pilot_settle(zb_pilot *p, double log_z);
void zb_pilot_bounds(zb_pilot *p, double *lower, double *upper);

/* Is there anything to do on this side of the component at work? */
bool zb_pilot_open(zb_pilot *p, zb_side side);

/* Note in the result how a bound was found. */
void zb_pilot_describe(zb_pilot *p, const zb_attempt *a, zb_side side);

/* ---- searches on both sides of a component --------------------------------------- */

typedef struct zb_flank { /* one side's searches */
    zb_side side;
    int threads;
    uint64_t memory;
    double slowness;   /* seconds of passes, over those that were expected; >= 1 */
    double setup;      /* seconds a search takes before its first pass, about */
    int next;          /* ibound of the next search; 0: what fits its time */
    int reached;       /* largest ibound of a search that made passes */
    bool gauged;       /* the kind of form that did best */
    double told;       /* when the search under way first reported */
    double begin, end; /* of its passes */
    int64_t seen, passes;
    bool converged; /* it ended before its time */
    bool hurried;   /* the last search that made passes did not */
    struct zb_pilot *pilot;
} zb_flank;

typedef struct zb_flanks {
    zb_pilot *pilot;
    zb_flank upper, lower;
    zb_attempt *guide; /* the first upper bound's, whose beliefs guide the other side */
    double seconds;
    bool zeros;
} zb_flanks;

/* setup: seconds that a search takes before its first pass, about; ibound: of the next
   search, 0: what fits its time. */
void zb_flanks_open(zb_flanks *f, zb_pilot *p, double seconds, double setup, int ibound,
                    bool zeros);
void zb_flanks_close(zb_flanks *f);

/* Small mini-buckets, so that there is a bracket soon. */
zb_status zb_flanks_first(zb_flanks *f);
/* The kind that did best, until `end` (zb_now()'s clock). */
zb_status zb_flanks_long(zb_flanks *f, double end);

#endif
