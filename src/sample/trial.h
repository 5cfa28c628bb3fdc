/* What a source is worth, by a few of its draws. */
#ifndef ZB_TRIAL_H
#define ZB_TRIAL_H

#include "sample/source.h"

enum { ZB_TRIAL_DRAWS = 2048 }; /* at most */

typedef struct zb_trial {
    int draws;
    double log_mean; /* ln of the mean of w / U; -INFINITY: all were 0 */
    double spread;   /* variance of w over its squared mean; INFINITY: unknown */
    double dead;     /* share of the draws that zeros left no value */
    double seconds;  /* that a draw took, on one thread */
} zb_trial;

/* Up to ZB_TRIAL_DRAWS of them, of streams that nobody else uses, and no more of them
   once `seconds` have gone by, but a few hundred at least. seen, or NULL: per value of
   each variable, one variable after the other, how often it was drawn. ZB_ELIMIT when
   the run ended first. */
zb_status zb_trial_run(zb_trial *out, const zb_source *source, uint64_t seed,
                       double seconds, double *seen, zb_run *run);

/* How wide, in nats, n draws would leave the bracket that misses with probability
   delta: about the error of the mean, and what bets on so few draws cannot refute,
   log_u - log_z nats above. */
double zb_trial_width(const zb_trial *t, double n, double above, double delta);

#endif
