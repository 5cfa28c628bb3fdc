/* A piece of an elimination, small enough for bit sets: m vertices, of which the first
   r are to be eliminated. Which order they go in changes no clique elsewhere, so the
   piece can be improved alone. */
#ifndef ZB_ORDER_LOCAL_H
#define ZB_ORDER_LOCAL_H

#include "base/rng.h"

enum { ZB_LOCAL_WORDS = 8, ZB_LOCAL_MAX = 64 * ZB_LOCAL_WORDS };

typedef struct zb_bits {
    uint64_t w[ZB_LOCAL_WORDS];
} zb_bits;

typedef struct zb_local {
    int r, m;
    zb_bits *edge; /* m rows, symmetric, no loops */
    double *card;  /* m */
    zb_bits *now,
        *clique; /* scratch m rows; result: cliques of the r, without itself */
    double *key, *noise, *cost; /* r each; cost: entries of the cliques */
    int *sequence;              /* result: the r vertices in order */
    int *left, nleft;           /* those that are not in it yet */
    double work;
} zb_local;

zb_status zb_local_init(zb_local *a); /* room for ZB_LOCAL_MAX; free it in any case */
void zb_local_free(zb_local *a);
void zb_local_clear(zb_local *a, int r, int m);
void zb_local_join(zb_local *a, int u, int v);

/* Greedy elimination with random ties, one of several rules drawn at random. Fills
   sequence, clique, cost; returns the total entries, INFINITY once they exceed limit.
 */
double zb_local_run(zb_local *a, zb_rng *rng, double limit);

#endif
