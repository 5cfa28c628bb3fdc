/* Random numbers by their place: number i of stream k of a seed, without those before.
 *
 * A stream has two keys. splitmix64's finaliser is applied to an arithmetic sequence
 * that begins at the first key, and the second is mixed in between its two steps, so
 * that streams whose sequences meet still differ. */
#ifndef ZB_STREAM_H
#define ZB_STREAM_H

#include "base/rng.h"

typedef struct zb_stream {
    uint64_t first, second;
} zb_stream;

static inline zb_stream zb_stream_open(uint64_t seed, uint64_t number)
{
    zb_rng a = zb_rng_seed(seed);
    zb_rng b = zb_rng_seed(zb_rng_next(&a) + number);
    uint64_t first = zb_rng_next(&b);
    return (zb_stream){ first, zb_rng_next(&b) };
}

ZB_INLINE double zb_stream_uniform(zb_stream s, uint64_t i) /* [0, 1), 53 bits */
{
    uint64_t z = s.first + i * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u ^ s.second;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(int64_t)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#endif
