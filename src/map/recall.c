#include "map/recall.h"

#include "base/hash.h"

#include <string.h>

enum { MOST_WORDS = 8, WAYS = 2 };

typedef struct entry {
    double loss;
    int place; /* position plus one; negative: exact; 0: free */
} entry;

struct zb_recall {
    const zb_branches *b;
    int *bits;  /* per position: of its value */
    int *words; /* per position: of its context; 0: too long to be kept */
    int most;   /* words of the longest that is kept */
    uint64_t most_bytes;
    size_t sets;  /* a power of two */
    size_t told;  /* lessons since the sets were taken */
    entry *entry; /* WAYS to a set */
    uint64_t *key;
};

static int bits_of(int card)
{
    int bits = 0;
    while (bits < 31 && (1u << bits) < (unsigned)card)
        bits++;
    return bits;
}

/* Words of a context whose values are packed one after the other. */
static void measure(zb_recall *r, const int *card)
{
    const zb_branches *b = r->b;
    r->most = 1;
    for (int i = 0; i < b->count; i++)
        r->bits[i] = bits_of(card[i]);
    for (int i = 0; i < b->count; i++) {
        size_t bits = 0;
        for (size_t a = b->at[i]; a < b->at[i + 1] && bits <= 64 * MOST_WORDS; a++)
            bits += (size_t)r->bits[b->context[a]];
        r->words[i] = bits <= 64 * MOST_WORDS ? (int)(bits / 64) + 1 : 0;
        r->words[i] = r->words[i] <= MOST_WORDS ? r->words[i] : 0;
        r->most = zb_max_int(r->most, r->words[i]);
    }
}

/* Free sets; as it was where memory is out. */
static bool take_sets(zb_recall *r, size_t sets)
{
    entry *entries = zb_calloc(sets * WAYS, sizeof *entries);
    uint64_t *keys = zb_calloc(sets * WAYS * (size_t)r->most, sizeof *keys);
    if (entries == NULL || keys == NULL) {
        zb_free(entries);
        zb_free(keys);
        return false;
    }
    r->sets = sets;
    r->told = 0;
    r->entry = entries;
    r->key = keys;
    return true;
}

zb_status zb_recall_new(zb_recall **out, const zb_branches *b, const int *card,
                        uint64_t bytes)
{
    zb_recall *r = zb_calloc(1, sizeof *r);
    *out = NULL;
    if (r == NULL)
        return ZB_ENOMEM;
    r->b = b;
    r->most_bytes = bytes;
    r->bits = zb_alloc((size_t)b->count, sizeof *r->bits);
    r->words = zb_alloc((size_t)b->count, sizeof *r->words);
    if (r->bits != NULL && r->words != NULL) {
        measure(r, card);
        take_sets(r, 64);
    }
    if (r->entry == NULL) {
        zb_recall_free(r);
        return ZB_ENOMEM;
    }
    *out = r;
    return ZB_OK;
}

void zb_recall_free(zb_recall *r)
{
    if (r == NULL)
        return;
    zb_free(r->bits);
    zb_free(r->words);
    zb_free(r->entry);
    zb_free(r->key);
    zb_free(r);
}

static size_t set_of(const zb_recall *r, int i, const uint64_t *key)
{
    uint64_t hash = zb_hash_word(ZB_HASH_START, (uint64_t)i);
    for (int k = 0; k < r->words[i]; k++)
        hash = zb_hash_word(hash, key[k]);
    return (size_t)(hash & (r->sets - 1)) * WAYS;
}

/* The context's values, packed; returns its set. */
static size_t pack(const zb_recall *r, int i, const int *state, uint64_t *key)
{
    const zb_branches *b = r->b;
    int shift = 0, word = 0;
    memset(key, 0, (size_t)r->most * sizeof *key);
    for (size_t a = b->at[i]; a < b->at[i + 1]; a++) {
        int p = b->context[a];
        uint64_t x = (uint64_t)state[p];
        key[word] |= x << shift;
        shift += r->bits[p];
        if (shift >= 64) {
            word++;
            shift -= 64;
            if (shift > 0)
                key[word] = x >> (r->bits[p] - shift);
        }
    }
    return set_of(r, i, key);
}

static bool stands(const zb_recall *r, size_t at, int i, const uint64_t *key)
{
    int place = r->entry[at].place;
    return (place == i + 1 || place == -i - 1) &&
           memcmp(r->key + at * (size_t)r->most, key,
                  (size_t)r->words[i] * sizeof *key) == 0;
}

zb_lesson zb_recall_ask(const zb_recall *r, int i, const int *state)
{
    uint64_t key[MOST_WORDS];
    if (r->words[i] == 0)
        return (zb_lesson){ 0, false };
    size_t at = pack(r, i, state, key);
    for (int w = 0; w < WAYS; w++, at++)
        if (stands(r, at, i, key))
            return (zb_lesson){ r->entry[at].loss, r->entry[at].place < 0 };
    return (zb_lesson){ 0, false };
}

static void put(zb_recall *r, size_t at, entry e, const uint64_t *key)
{
    r->entry[at] = e;
    memmove(r->key + at * (size_t)r->most, key, (size_t)r->most * sizeof *key);
}

static void enter(zb_recall *r, size_t at, int i, entry e, const uint64_t *key)
{
    if (!stands(r, at, i, key) && r->entry[at].place != 0)
        put(r, at + 1, r->entry[at], r->key + at * (size_t)r->most);
    put(r, at, e, key);
    r->told++;
}

/* Twice as many sets, if there is memory for both. */
static void grow(zb_recall *r)
{
    entry *entries = r->entry;
    uint64_t *keys = r->key, each = WAYS * (sizeof(entry) + 8 * (uint64_t)r->most);
    size_t sets = r->sets;
    r->told = 0;
    if (3 * sets * each > r->most_bytes || !take_sets(r, 2 * sets))
        return;
    for (size_t at = 0; at < sets * WAYS; at++) {
        int place = entries[at].place, i = (place > 0 ? place : -place) - 1;
        const uint64_t *key = keys + at * (size_t)r->most;
        if (place != 0)
            enter(r, set_of(r, i, key), i, entries[at], key);
    }
    zb_free(entries);
    zb_free(keys);
}

void zb_recall_tell(zb_recall *r, int i, const int *state, zb_lesson lesson)
{
    uint64_t key[MOST_WORDS];
    entry e = { lesson.loss, lesson.is_exact ? -i - 1 : i + 1 };
    if (r->words[i] == 0)
        return;
    if (r->told > r->sets)
        grow(r);
    size_t at = pack(r, i, state, key);
    enter(r, at, i, e, key);
}
