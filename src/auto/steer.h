/* The state of one run of method auto. */
#ifndef ZB_STEER_H
#define ZB_STEER_H

#include "auto/ledger.h"
#include "auto/steering.h"
#include "certificate/proof.h"
#include "exact/solve_exact.h"

typedef struct zb_steer {
    const zb_options *opt;
    zb_error *err; /* may be NULL */
    zb_ledger ledger;
    uint64_t memory; /* for tables, beside the model and its components */
    zb_model *fixed; /* what is solved in the place of the model; NULL: that one */
    zb_exact_job *job;
    zb_proofs *proofs; /* NULL: none are asked for. Else no bound is entered into the
                          ledger without one */
    struct zb_farm *helpers;      /* NULL: no rank helps */
    struct zb_draws *draws;       /* of each component; NULL: none are wanted */
    struct zb_counting *counting; /* of each component; NULL: none yet */
    struct zb_bracket **bracket;  /* likewise */
    int now;                      /* the component at work */
    bool hurried;                 /* the last search was ended by the clock */
    bool last;                    /* there is no round after this one, */
    bool leaving;                 /* nor anything for arms to do in it */
    double spare;                 /* bytes that arms have left to draws */
    bool searchless;       /* it has been said that proofs leave sums by search out */
    _Atomic bool short_of; /* larger mini-buckets would need more memory */
    double exact_start, exact_end; /* of the exact elimination under way */
    pthread_mutex_t describe;      /* of the result */
    zb_result *out;
} zb_steer;

/* Is there anything to do on this side of the component at work? */
bool zb_steer_open(zb_steer *p, zb_side side);
bool zb_steer_wanted(const zb_steer *p, zb_side side);
bool zb_steer_limited(const zb_steer *p); /* is there a clock? */
double zb_steer_left(const zb_steer *p);  /* seconds; INFINITY: no clock */
const zb_model *zb_steer_model(const zb_steer *p);
const int *zb_steer_order(const zb_steer *p);
bool zb_steer_has_zeros(const zb_steer *p);

/* Component i is not known yet. */
bool zb_steer_is_open(zb_steer *p, int i);
/* There is time, and a component that is not known. */
bool zb_steer_goes_on(zb_steer *p);

/* A share of the work's time. */
zb_run zb_steer_share(zb_steer *p, double seconds, uint64_t memory, int threads);

/* The same for work on the component at work that tells of a lower bound which grows:
   what it says goes into the ledger, as proved by `by`. */
typedef struct zb_lower_share {
    zb_steer *steer;
    const char *by;
    zb_run share;
} zb_lower_share;
void zb_steer_share_lower(zb_lower_share *t, zb_steer *p, const char *by, zb_run share);

/* ---- stages ---------------------------------------------------------------------- */

/* What a stage may take, as long as nothing else runs. */
typedef struct zb_allowance {
    double forecast; /* seconds that its forecast may say; else it is left out */
    double seconds;  /* of work; INFINITY: until it is done */
} zb_allowance;
zb_allowance zb_steer_allow(const zb_steer *p, const zb_stage *stage);

zb_stage_fn zb_stage_exact, zb_stage_slices;   /* exact_parts.c */
zb_stage_fn zb_stage_bracket, zb_stage_rounds; /* auto.c: one round; rounds */

/* Seconds of eliminating so many entries. */
double zb_steer_exact_seconds(const zb_steer *p, double entries);

#endif
