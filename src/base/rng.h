/* Seeded random numbers (xoshiro256**, splitmix64), the same on every platform: integer
   arithmetic and correctly rounded operations only. */
#ifndef ZB_RNG_H
#define ZB_RNG_H

#include "base/base.h"

typedef struct zb_rng {
    uint64_t s[4];
} zb_rng;

zb_rng zb_rng_seed(uint64_t seed);
uint64_t zb_rng_next(zb_rng *rng);
double zb_rng_uniform(zb_rng *rng);   /* [0, 1), 53 bits */
int zb_rng_below(zb_rng *rng, int n); /* 0 .. n-1, n >= 1, unbiased */
void zb_rng_shuffle(zb_rng *rng, int n, int *list);

#endif
