/* Hashes of words, and tables of places found by them.
 *
 * A table has slots that hold a place in some array plus one, or 0 where they are
 * empty; what stands at a place, and whether that is the key, the array's owner knows.
 * Some slots are always empty. */
#ifndef ZB_HASH_H
#define ZB_HASH_H

#include "base/base.h"

#define ZB_HASH_START UINT64_C(0xCBF29CE484222325)

/* One to one in h for every word, and h's upper half comes down: a change in the sign
   bits of two words does not cancel. */
static inline uint64_t zb_hash_word(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

/* Integers, as if they were 64 bits wide. */
static inline uint64_t zb_hash_ints(uint64_t h, const int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        h = zb_hash_word(h, (uint64_t)(int64_t)list[i]);
    return h;
}

/* The slot of the key, or the empty one where it belongs. same says whether the key
   stands at a place; NULL: it is known that it stands nowhere. */
ZB_INLINE size_t *zb_hash_slot(size_t *slot, size_t slots, uint64_t hash,
                               bool (*same)(const void *key, size_t place),
                               const void *key)
{
    ZB_ASSERT(slots > 0);
    size_t h = (size_t)(hash % slots);
    while (slot[h] != 0 && (same == NULL || !same(key, slot[h] - 1)))
        h = h + 1 < slots ? h + 1 : 0;
    return &slot[h];
}

#endif
