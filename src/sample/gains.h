/* What every change of a single variable would gain, kept while a state moves: asking
 * takes no time, and only a change takes as long as its factors are many. For long
 * walks; zb_landscape is quicker to open. */
#ifndef ZB_GAINS_H
#define ZB_GAINS_H

#include "sample/landscape.h"

/* Logarithms are whole multiples of a unit, so that no walk is too long for them: sums
   that go up and down again are where they were. */
typedef struct zb_gains {
    zb_landscape l;
    double unit;  /* nats */
    int64_t zero; /* instead of ln 0: below whatever entries that are not 0 add up to */
    size_t *at;   /* per variable: where its values begin, */
    int64_t *sum; /* per value: over its variable's factors, all others as they are */
    size_t *log_at; /* per factor: where its entries begin */
    int64_t *log;
} zb_gains;

/* state, whose value must not be zero, is borrowed. ZB_ELIMIT: the run has ended, or
   tables of logarithms do not fit its memory. */
zb_status zb_gains_open(zb_gains *g, const zb_model *m, int *state, zb_run *run);
void zb_gains_close(zb_gains *g);

void zb_gains_move(zb_gains *g, int v, int x);

/* Does v at x make some factor zero? */
static inline bool zb_gains_is_zero(const zb_gains *g, int v, int x)
{
    return g->sum[g->at[v] + (size_t)x] < -g->zero / 2;
}

/* In units; not for values that make a factor zero. */
static inline int64_t zb_gains_of(const zb_gains *g, int v, int x)
{
    const int64_t *sum = g->sum + g->at[v];
    return sum[x] - sum[g->l.state[v]];
}

#endif
