/* Draws from the upper bounds that auto finds: a bracket with confidence beside the
 * proved one, and states, whose values are proved lower bounds. */
#ifndef ZB_DRAWS_H
#define ZB_DRAWS_H

#include "auto/fields.h"
#include "auto/steer.h"
#include "sample/confidence.h"
#include "sample/trial.h"

/* Most batches side by side: what fits must not depend on the number of threads. */
enum { ZB_DRAWS_AT_ONCE = 8 };

typedef struct zb_estimate {
    size_t samples; /* 0: none */
    double log_z, error, effective;
} zb_estimate;

/* Of one component. The k-th source that brackets are taken from has 1 / k (k + 1) of
   the chance to miss, which add up to 1: all their brackets hold at once, and the best
   of each side may be kept. */
typedef struct zb_draws {
    zb_source source; /* in use; without a proposal: none yet */
    zb_confidence confidence;
    zb_trial trial;      /* of the source in use */
    double *seen;        /* per value: how often a trial has drawn it; NULL: none */
    int tried;           /* in so many draws */
    bool zeros_told;     /* it has been said that many draws end at zeros */
    int sources;         /* that a bracket was taken from, the one in use included, */
    bool watched;        /* if one was taken from that; */
    int taken;           /* in all */
    uint64_t next;       /* batch */
    double lower, upper; /* of ln Z, by all sources so far; infinite: nothing yet */
    zb_estimate last;    /* of the source that was drawn from last */
    double making;       /* seconds that the last source takes one thread to be made */
    double entries, nodes; /* of its tree */
    double reserved;       /* seconds that were last asked for, for draws */
    int *best;             /* the state of the largest value, improved; NULL: none */
    double best_value;     /* its ln f */
    double redrawn;   /* that of a state which groups of variables did not improve */
    uint64_t redraws; /* searches by groups so far: each has its own seed */
    double sought;    /* seconds that a state was sought where no draw met one */
    int cold;         /* annealing did not improve it so many times; */
    int sweeps;       /* its next descent has so many */
    double sliced;    /* the best lower bound by slices around it, */
    zb_fields fields; /* and those by mean field from it */
    double sliced_past, searched_past; /* the better of these and the one by
                                          mini-buckets, a round ago */
} zb_draws;

/* p->draws stays NULL where the options want none: then all else does nothing. */
zb_status zb_draws_open(zb_steer *p);
void zb_draws_close(zb_steer *p);

/* An upper bound of the component at work that may be worth drawing from: its tree is
   one of the model itself and fits the memory, and a few draws from it promise a
   narrower bracket than further ones from the source in use. Evaluates the attempt once
   more, and makes tables by so many threads. */
zb_status zb_draws_offer(zb_steer *p, zb_attempt *attempt, int threads); /* sources.c */

/* Seconds that a source from a tree of so many entries takes so many threads to be made
   and tried, by what the last one took; 0 where there was none. */
double zb_draws_making(const zb_draws *d, double entries, int threads); /* sources.c */

/* Draw for the component at work until `end` (zb_now()'s clock; INFINITY: a number that
   does not depend on it), by so many threads. */
zb_status zb_draws_run(zb_steer *p, double end, int threads);

/* The same for their best state alone: no bracket is taken, nor any of the chance to
   miss it. */
zb_status zb_draws_look(zb_steer *p, double end, int threads);

/* Seconds at the end of a round of so many for draws, which makes the most of both
   brackets. entries: of the largest tree that will be there by then. */
double zb_draws_reserve(const zb_steer *p, double seconds, double entries);

/* Further ones would change nothing for the component at work, or there are none. */
bool zb_draws_are_enough(const zb_steer *p);

/* What all draws say, into the result. */
void zb_draws_fill(zb_steer *p, zb_result *out);

#endif
