/* Blackman and Vigna's xoshiro256**, seeded by splitmix64 (both in the public domain).
 */
#include "base/rng.h"

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

zb_rng zb_rng_seed(uint64_t seed)
{
    zb_rng rng;
    for (int i = 0; i < 4; i++)
        rng.s[i] = splitmix(&seed);
    return rng;
}

static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t zb_rng_next(zb_rng *rng)
{
    uint64_t *s = rng->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

double zb_rng_uniform(zb_rng *rng)
{
    return (double)(zb_rng_next(rng) >> 11) * 0x1p-53;
}

int zb_rng_below(zb_rng *rng, int n)
{
    uint64_t m = (uint64_t)n, limit = UINT64_MAX - UINT64_MAX % m, x;
    do
        x = zb_rng_next(rng);
    while (x >= limit);
    return (int)(x % m);
}

void zb_rng_shuffle(zb_rng *rng, int n, int *list)
{
    for (int i = n - 1; i > 0; i--) {
        int j = zb_rng_below(rng, i + 1), t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
}
