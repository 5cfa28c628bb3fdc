/* A bracket with confidence, from draws r_i = w_i / U in [0, 1] of mean mu = Z / U.
 *
 * Bets against a value m of the mean (Waudby-Smith and Ramdas, "Estimating means of
 * bounded random variables by betting", 2024). If m is the mean, both
 *
 *   K+(m) = mean over a of prod_i (1 + a (r_i / m - 1)),           0 < a < 1,
 *   K-(m) = mean over a of prod_i (1 - a (r_i - m) / (1 - m)),     0 < a < 1,
 *
 * are non-negative martingales that begin at 1, so that either ever reaches 2 / delta
 * with a chance of at most delta / 2 (Ville). K+ falls with m and K- rises with it. So
 * every m with K+(m) >= 2 / delta bounds the mean from below, every m with
 * K-(m) >= 2 / delta from above, all of this at every moment at once: the bracket may
 * be watched, and the draws stopped at will. The lower side uses nothing but r >= 0.
 *
 * Draws with signs have r_i in [-1, 1], and in the place of the first
 *
 *   K+(m) = mean over a of prod_i (1 + a (r_i - m) / (1 + m)),     0 < a < 1,
 *
 * which says nothing before there are so many draws that their mean stands out. */
#ifndef ZB_CONFIDENCE_H
#define ZB_CONFIDENCE_H

#include "base/run.h"

/* Draws that are kept, 8 bytes each: further ones are left out. */
enum { ZB_DRAWS_MOST = 1 << 22 };

typedef struct zb_confidence {
    double delta;
    size_t count, room;
    bool is_signed;
    double *log_ratio;   /* ln r_i; -INFINITY: 0. With signs r_i itself */
    double lower, upper; /* lower <= ln mu <= upper, with probability 1 - delta */
    /* as of the last update */
    double log_mean;  /* ln of the mean of r_i; -INFINITY: all are 0 */
    double error;     /* its standard error */
    double effective; /* (sum of r)^2 / sum of r^2 */
} zb_confidence;

void zb_confidence_open(zb_confidence *c, double delta); /* 0 < delta < 1 */
void zb_confidence_close(zb_confidence *c);

/* n more draws, ln |r| each, as they came; those beyond ZB_DRAWS_MOST are not taken.
   sign: 1 or -1 each, of all draws or of none; NULL: none is negative. */
zb_status zb_confidence_add(zb_confidence *c, size_t n, const double *log_ratio,
                            const double *sign);

/* Narrow the bracket by what was added since. It takes some 20 passes over all draws:
   not to be called after every draw. When the run, which may be NULL, ends, the bracket
   stays as it is. */
void zb_confidence_update(zb_confidence *c, zb_run *run);

#endif
