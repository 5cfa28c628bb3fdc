/* Draws whose mean is known, many models together. What of n draws is accepted with a
 * chance is a binomial number, of which the variance is known and need not be
 * estimated: squared deviations add up to a chi-square. */
#ifndef ACCEPTED_H
#define ACCEPTED_H

#include <math.h>

#include "test.h"

typedef struct accepted {
    double terms, chi, spread; /* of squared deviations of accepted draws */
    double mean, variance;     /* of all means together */
} accepted;

typedef struct draws_seen { /* from one model */
    double n, sum, squares;
    double accepted;
} draws_seen;

/* truth: what the draws' mean should be; rate: the chance of being accepted. Models
   with next to no variance of what is accepted say nothing of it. */
static inline void accepted_add(accepted *a, const draws_seen *d, double truth,
                                double rate)
{
    double mean = d->sum / d->n, var = d->n * rate * (1 - rate);
    a->mean += mean - truth;
    a->variance += (d->squares / d->n - mean * mean) / d->n;
    if (var < 5)
        return;
    a->chi += (d->accepted - d->n * rate) * (d->accepted - d->n * rate) / var;
    a->spread += 2 + (1 - 6 * var / d->n) / var;
    a->terms++;
}

/* Within four sigma, both. */
static inline void accepted_check(const accepted *a)
{
    assert_true(fabs(a->chi - a->terms) < 4 * sqrt(a->spread));
    assert_true(fabs(a->mean) < 4 * sqrt(a->variance));
}

#endif
