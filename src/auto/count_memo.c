/* Keys are kept whole, never only hashed: a wrong answer would be a wrong bound. They
 * lie one after the other in a chunk; there are two chunks, an old and a new one. What
 * is found in the old one is copied to the new; when the new one is full the old one is
 * dropped. */
#include "auto/count_memo.h"

#include <string.h>

typedef struct chunk {
    uint32_t *word; /* records: length, value (2 words), key */
    size_t used, room;
    size_t *slot; /* hash: place + 1 */
    size_t slots, count;
} chunk;

struct zb_memo {
    chunk now, old;
    uint64_t most; /* bytes that a chunk may have */
};

enum { FIRST_BYTES = 1 << 20 };

static bool chunk_init(chunk *c, uint64_t bytes)
{
    c->room = (size_t)(bytes * 3 / 4 / sizeof *c->word);
    c->slots = (size_t)(bytes / 4 / sizeof *c->slot) | 1;
    c->word = zb_alloc(c->room, sizeof *c->word);
    c->slot = zb_calloc(c->slots, sizeof *c->slot);
    return c->word != NULL && c->slot != NULL;
}

zb_status zb_memo_new(zb_memo **out, uint64_t bytes)
{
    zb_memo *m = zb_calloc(1, sizeof *m);
    *out = NULL;
    if (m == NULL)
        return ZB_ENOMEM;
    m->most = bytes / 2 < 1 << 15 ? 1 << 15 : bytes / 2;
    uint64_t first = m->most < FIRST_BYTES ? m->most : FIRST_BYTES;
    if (!chunk_init(&m->now, first) || !chunk_init(&m->old, first)) {
        zb_memo_free(m);
        return ZB_ENOMEM;
    }
    *out = m;
    return ZB_OK;
}

void zb_memo_free(zb_memo *m)
{
    if (m == NULL)
        return;
    zb_free(m->now.word);
    zb_free(m->now.slot);
    zb_free(m->old.word);
    zb_free(m->old.slot);
    zb_free(m);
}

static size_t hash_key(const uint32_t *key, size_t length)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ length;
    for (size_t i = 0; i < length; i++) {
        h = (h ^ key[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (size_t)h;
}

static bool chunk_find(const chunk *c, size_t hash, const uint32_t *key, size_t length,
                       double *value)
{
    for (size_t h = hash % c->slots; c->slot[h] != 0; h = (h + 1) % c->slots) {
        const uint32_t *record = c->word + c->slot[h] - 1;
        if (record[0] != length || memcmp(record + 3, key, length * sizeof *key) != 0)
            continue;
        memcpy(value, record + 1, sizeof *value);
        return true;
    }
    return false;
}

static bool chunk_put(chunk *c, size_t hash, const uint32_t *key, size_t length,
                      double value)
{
    if (c->used + length + 3 > c->room || 2 * (c->count + 1) > c->slots)
        return false;
    size_t h = hash % c->slots;
    while (c->slot[h] != 0)
        h = (h + 1) % c->slots;
    uint32_t *record = c->word + c->used;
    record[0] = (uint32_t)length;
    memcpy(record + 1, &value, sizeof value);
    memcpy(record + 3, key, length * sizeof *key);
    c->slot[h] = c->used + 1;
    c->used += length + 3;
    c->count++;
    return true;
}

/* A chunk of twice the size with the same records; false when that is too much. */
static bool chunk_grow(chunk *c, uint64_t most)
{
    uint64_t bytes =
        2 * (uint64_t)(c->room * sizeof *c->word + c->slots * sizeof *c->slot);
    chunk bigger = { 0 };
    if (bytes > most || !chunk_init(&bigger, bytes)) {
        zb_free(bigger.word);
        zb_free(bigger.slot);
        return false;
    }
    for (size_t at = 0; at < c->used;) {
        const uint32_t *record = c->word + at;
        double value;
        memcpy(&value, record + 1, sizeof value);
        chunk_put(&bigger, hash_key(record + 3, record[0]), record + 3, record[0],
                  value);
        at += record[0] + 3;
    }
    zb_free(c->word);
    zb_free(c->slot);
    *c = bigger;
    return true;
}

void zb_memo_put(zb_memo *m, const uint32_t *key, size_t length, double value)
{
    if (length > UINT32_MAX || length + 3 > m->most * 3 / 4 / sizeof *key)
        return; /* it would drive out all others and not be kept even so */
    size_t hash = hash_key(key, length);
    if (chunk_put(&m->now, hash, key, length, value) ||
        (chunk_grow(&m->now, m->most) && chunk_put(&m->now, hash, key, length, value)))
        return;
    chunk swap = m->old;
    m->old = m->now;
    m->now = swap;
    m->now.used = m->now.count = 0;
    memset(m->now.slot, 0, m->now.slots * sizeof *m->now.slot);
    chunk_put(&m->now, hash, key, length, value); /* if its chunk is large enough yet */
}

bool zb_memo_find(zb_memo *m, const uint32_t *key, size_t length, double *value)
{
    size_t hash = hash_key(key, length);
    if (chunk_find(&m->now, hash, key, length, value))
        return true;
    if (!chunk_find(&m->old, hash, key, length, value))
        return false;
    zb_memo_put(m, key, length, *value);
    return true;
}
