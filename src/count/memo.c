/* Keys are kept whole, never only hashed: a wrong answer would be a wrong bound. They
 * lie one after the other in a chunk; there are two chunks, an old and a new one. What
 * is found in the old one is copied to the new; when the new one is full the old one is
 * dropped. */
#include "count/memo.h"

#include "base/hash.h"

#include <string.h>

typedef struct chunk {
    uint32_t *word; /* records: lengths of key and value, key, value */
    size_t used, room;
    size_t *slot; /* of the records, by key: base/hash.h */
    size_t slots, count;
    bool
        stale; /* the time was over before all slots were empty: of no use until then */
} chunk;

struct zb_memo {
    chunk now, old;
    uint64_t most;  /* bytes that a chunk may have */
    uint32_t *held; /* the value that was found last in the old one */
    size_t held_room;
    zb_purse *purse;
    zb_ticker *tick;
};

enum {
    FIRST_BYTES = 1 << 20,
    LEAST_BYTES = 1 << 12,
    BALL = sizeof(zb_ball) / sizeof(uint32_t),
    HEAD = 2 /* words before the key */
};

/* Empty the slots, a megabyte at a time; stale when the time is over. */
static void chunk_clear(chunk *c, zb_ticker *tick)
{
    enum { STEP = 1 << 17 };
    size_t at = 0;
    c->used = c->count = 0;
    for (; at < c->slots && zb_tick(tick, STEP); at += STEP)
        memset(c->slot + at, 0, zb_min_size(STEP, c->slots - at) * sizeof *c->slot);
    c->stale = at < c->slots;
}

static void chunk_free(zb_memo *m, chunk *c)
{
    zb_purse_free(m->purse, c->word, c->room, sizeof *c->word);
    zb_purse_free(m->purse, c->slot, c->slots, sizeof *c->slot);
    *c = (chunk){ 0 };
}

static bool chunk_init(zb_memo *m, chunk *c, uint64_t bytes)
{
    c->room = (size_t)(bytes * 3 / 4 / sizeof *c->word);
    c->slots = (size_t)(bytes / 4 / sizeof *c->slot) | 1;
    c->word = zb_purse_alloc(m->purse, c->room, sizeof *c->word);
    c->slot = zb_purse_alloc(m->purse, c->slots, sizeof *c->slot);
    if (c->word == NULL || c->slot == NULL)
        return false;
    chunk_clear(c, m->tick);
    return true;
}

/* While a chunk grows there are the old one, the one that grows to twice its size, and
   the result: two chunks and a half. */
zb_status zb_memo_new(zb_memo **out, uint64_t bytes, zb_purse *purse, zb_ticker *tick)
{
    zb_memo *m = zb_calloc(1, sizeof *m);
    *out = NULL;
    if (m == NULL)
        return ZB_ENOMEM;
    m->purse = purse;
    m->tick = tick;
    m->most = bytes / 5 * 2 < LEAST_BYTES ? LEAST_BYTES : bytes / 5 * 2;
    uint64_t first = m->most < FIRST_BYTES ? m->most : FIRST_BYTES;
    if (!chunk_init(m, &m->now, first) || !chunk_init(m, &m->old, first)) {
        zb_memo_free(m);
        return zb_purse_status(purse);
    }
    *out = m;
    return ZB_OK;
}

void zb_memo_free(zb_memo *m)
{
    if (m == NULL)
        return;
    chunk_free(m, &m->now);
    chunk_free(m, &m->old);
    zb_free(m->held);
    zb_free(m);
}

static uint64_t hash_key(const uint32_t *key, size_t length)
{
    uint64_t h = ZB_HASH_START ^ length;
    for (size_t i = 0; i < length; i++)
        h = zb_hash_word(h, key[i]);
    return h;
}

typedef struct sought {
    const chunk *chunk;
    const uint32_t *key;
    size_t length;
} sought;

static bool same(const void *context, size_t place)
{
    const sought *k = context;
    const uint32_t *record = k->chunk->word + place;
    return record[0] == k->length &&
           memcmp(record + HEAD, k->key, k->length * sizeof *k->key) == 0;
}

/* The record, or NULL. */
static const uint32_t *chunk_find(const chunk *c, uint64_t hash, const uint32_t *key,
                                  size_t length)
{
    sought k = { c, key, length };
    size_t place = *zb_hash_slot(c->slot, c->slots, hash, same, &k);
    return place > 0 ? c->word + place - 1 : NULL;
}

typedef struct entry { /* what is put */
    const uint32_t *key, *value;
    size_t length, count;
    uint64_t hash;
} entry;

static size_t entry_words(const entry *e) { return HEAD + e->length + e->count; }

static bool chunk_put(chunk *c, const entry *e)
{
    if (c->used + entry_words(e) > c->room || 2 * (c->count + 1) > c->slots)
        return false;
    size_t *slot = zb_hash_slot(c->slot, c->slots, e->hash, NULL, NULL);
    uint32_t *record = c->word + c->used;
    record[0] = (uint32_t)e->length;
    record[1] = (uint32_t)e->count;
    memcpy(record + HEAD, e->key, e->length * sizeof *record);
    memcpy(record + HEAD + e->length, e->value, e->count * sizeof *record);
    *slot = c->used + 1;
    c->used += entry_words(e);
    c->count++;
    return true;
}

static entry entry_of(const uint32_t *record)
{
    return (entry){ .key = record + HEAD,
                    .value = record + HEAD + record[0],
                    .length = record[0],
                    .count = record[1],
                    .hash = hash_key(record + HEAD, record[0]) };
}

/* Is there time, and are both chunks fit for use? A search that goes on has a clock of
   its own. */
static bool is_ready(zb_memo *m)
{
    if (!m->tick->over && m->now.stale)
        chunk_clear(&m->now, m->tick);
    if (!m->tick->over && m->old.stale)
        chunk_clear(&m->old, m->tick);
    return !m->tick->over;
}

/* The memo can do without, so it does not empty the purse. */
static bool has_room(const zb_memo *m, uint64_t bytes)
{
    return m->purse == NULL || m->purse->used + bytes + 256 <= m->purse->most;
}

/* A chunk of twice the size with the same records; false when that is too much, or the
   time is over. */
static bool chunk_grow(zb_memo *m, chunk *c)
{
    uint64_t bytes =
        2 * (uint64_t)(c->room * sizeof *c->word + c->slots * sizeof *c->slot);
    chunk bigger = { 0 };
    if (bytes > m->most || !has_room(m, bytes) || !chunk_init(m, &bigger, bytes)) {
        chunk_free(m, &bigger);
        return false;
    }
    for (size_t at = 0; at < c->used && zb_tick(m->tick, 100);) {
        entry e = entry_of(c->word + at);
        chunk_put(&bigger, &e);
        at += entry_words(&e);
    }
    chunk_free(m, m->tick->over ? &bigger : c);
    if (m->tick->over)
        return false;
    *c = bigger;
    return true;
}

void zb_memo_put(zb_memo *m, const uint32_t *key, size_t length, const uint32_t *value,
                 size_t count)
{
    entry e = { key, value, length, count, hash_key(key, length) };
    if (length > UINT32_MAX || entry_words(&e) > m->most * 3 / 4 / sizeof *key)
        return; /* it would drive out all others and not be kept even so */
    if (!is_ready(m) || chunk_put(&m->now, &e) ||
        (chunk_grow(m, &m->now) && chunk_put(&m->now, &e)))
        return;
    chunk swap = m->old;
    m->old = m->now;
    m->now = swap;
    chunk_clear(&m->now, m->tick);
    if (m->tick->over)
        return;
    chunk_put(&m->now, &e); /* if its chunk is large enough yet */
}

const uint32_t *zb_memo_find(zb_memo *m, const uint32_t *key, size_t length,
                             size_t *count)
{
    uint64_t hash = hash_key(key, length);
    if (!is_ready(m))
        return NULL;
    const uint32_t *record = chunk_find(&m->now, hash, key, length);
    bool old = record == NULL;
    if (old)
        record = chunk_find(&m->old, hash, key, length);
    if (record == NULL)
        return NULL;
    const uint32_t *value = record + HEAD + record[0];
    *count = record[1];
    if (!old || !ZB_RESERVE(m->held, &m->held_room, 0, *count))
        return value;
    memcpy(m->held, value, *count * sizeof *value); /* the old one may be dropped */
    zb_memo_put(m, key, length, m->held, *count);
    return m->held;
}

/* ---- balls ----------------------------------------------------------------------- */

void zb_memo_put_ball(zb_memo *m, const uint32_t *key, size_t length, zb_ball value)
{
    uint32_t word[BALL];
    memcpy(word, &value, sizeof value);
    zb_memo_put(m, key, length, word, BALL);
}

bool zb_memo_find_ball(zb_memo *m, const uint32_t *key, size_t length, zb_ball *value)
{
    size_t count;
    const uint32_t *word = zb_memo_find(m, key, length, &count);
    if (word != NULL)
        memcpy(value, word, sizeof *value);
    return word != NULL;
}
