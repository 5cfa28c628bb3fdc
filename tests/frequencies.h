/* Frequencies of drawn states against their probabilities. */
#ifndef ZB_TEST_FREQUENCIES_H
#define ZB_TEST_FREQUENCIES_H

#include "proposals.h"

enum { STATES = 1 << 11 };

/* All states of a small model with their probabilities; how many there are. */
static inline int enumerate(const zb_model *m, double *log_value)
{
    int n = 1, state[64];
    for (int v = 0; v < m->nvars; v++)
        n *= m->card[v];
    for (int k = 0; k < n && n <= STATES; k++) {
        for (int v = m->nvars - 1, rest = k; v >= 0; rest /= m->card[v--])
            state[v] = rest % m->card[v];
        log_value[k] = log_value_at(m, state);
    }
    return n;
}

static inline int number_of(const zb_model *m, const int *state)
{
    int k = 0;
    for (int v = 0; v < m->nvars; v++)
        k = k * m->card[v] + state[v];
    return k;
}

typedef struct deviation {
    double terms, chi, spread; /* of chi: the sum of terms, and its variance */
} deviation;

/* n states seen seen[k] times in all draws; those of few expected draws count as one.
 */
static inline void compare(const double *log_value, const int *seen, int n,
                           double log_z, int draws, deviation *t)
{
    double rest = 0, rest_seen = 0, terms = 0;
    for (int k = 0; k <= n; k++) {
        double p = k < n ? exp(log_value[k] - log_z) : rest,
               s = k < n ? seen[k] : rest_seen;
        if (p == 0)
            assert_true(s == 0);
        if (k < n && draws * p < 10) {
            rest += p;
            rest_seen += s;
            continue;
        }
        if (draws * p < 10)
            continue;
        t->chi += (s - draws * p) * (s - draws * p) / (draws * p);
        terms++;
    }
    if (terms > 1) {
        t->terms += terms - 1;
        t->spread += 2 * (terms - 1) + 1.0 / draws;
    }
}

static inline bool is_plausible(const deviation *t)
{
    return fabs(t->chi - t->terms) < 4 * sqrt(t->spread);
}

#endif
