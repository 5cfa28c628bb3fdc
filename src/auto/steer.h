/* The state of one run of method auto, and the searches on the two sides of a bracket.
 */
#ifndef ZB_STEER_H
#define ZB_STEER_H

#include "auto/ledger.h"
#include "exact/solve_exact.h"
#include "tighten/attempt.h"

typedef struct zb_steer {
    const zb_options *opt;
    zb_ledger ledger;
    uint64_t memory; /* for tables, beside the model and its parts */
    zb_exact_job *job;
    int now;                  /* the component at work */
    bool hurried;             /* the last search was ended by the clock */
    _Atomic bool short_of;    /* larger mini-buckets would need more memory */
    double exact_start;       /* of the exact elimination under way */
    pthread_mutex_t describe; /* of the result */
    zb_result *out;
} zb_steer;

/* Is there anything to do on this side of the component at work? */
bool zb_steer_open(zb_steer *p, zb_side side);
bool zb_steer_limited(const zb_steer *p); /* is there a clock? */
const zb_model *zb_steer_model(const zb_steer *p);

/* A share of the work's time, with a relay for its reports. */
zb_run zb_steer_share(zb_steer *p, double seconds, uint64_t memory, int threads);

/* ---- searches on both sides of a component --------------------------------------- */

typedef struct zb_side_search { /* one side's searches */
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
    struct zb_steer *steer;
} zb_side_search;

typedef struct zb_sides {
    zb_steer *steer;
    zb_side_search upper, lower;
    zb_attempt *guide; /* the first upper bound's, whose beliefs guide the other side */
    double seconds;
    bool zeros;
} zb_sides;

/* setup: seconds that a search takes before its first pass, about; ibound: of the next
   search, 0: what fits its time. */
void zb_sides_open(zb_sides *f, zb_steer *p, double seconds, double setup, int ibound,
                   bool zeros);
void zb_sides_close(zb_sides *f);

/* Small mini-buckets, so that there is a bracket soon. */
zb_status zb_sides_first(zb_sides *f);
/* The kind that did best, until `end` (zb_now()'s clock). */
zb_status zb_sides_long(zb_sides *f, double end);

#endif
