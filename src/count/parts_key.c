/* Keys: what a part looks like, as short as it can be said. */
#include "count/parts_internal.h"

typedef struct writer {
    uint8_t *out;
    size_t n;
} writer;

/* Seven bits at a time, the last byte below 128. */
static void put(writer *w, uint64_t x)
{
    for (; x >= 128; x >>= 7)
        w->out[w->n++] = (uint8_t)(x | 128);
    w->out[w->n++] = (uint8_t)x;
}

/* Some literal false; a clause that is whole follows from the Booleans. */
static bool is_shortened(const zb_parts *p, int clause)
{
    int n;
    const uint32_t *lit = zb_sat_literals(p->sat, p->sat->long_at[clause], &n);
    for (int i = 0; i < n; i++)
        if (p->sat->value[lit[i]] != 0)
            return true;
    return false;
}

static void write_key(const zb_parts *p, const zb_part *part, writer *w)
{
    int last = -1;
    put(w, (uint64_t)part->n[ZB_BOOLS]);
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int b = p->pool[part->at[ZB_BOOLS] + (size_t)i];
        put(w, (uint64_t)(b - last));
        last = b;
    }
    last = -1;
    for (int i = 0; i < part->n[ZB_LONGS]; i++) {
        int c = p->pool[part->at[ZB_LONGS] + (size_t)i];
        if (!is_shortened(p, c))
            continue;
        put(w, (uint64_t)(c - last));
        last = c;
    }
    put(w, 0);
    for (int i = 0; i < part->n[ZB_TABLES]; i++) {
        int t = p->pool[part->at[ZB_TABLES] + (size_t)i], nopen;
        size_t at = zb_parts_table_offset(p, t, &nopen);
        if (nopen == p->model->factor[p->table[t]].arity)
            continue;
        put(w, (uint64_t)t + 1);
        put(w, at);
    }
    put(w, 0);
}

bool zb_parts_key(zb_parts *p, zb_part *part)
{
    size_t most = 16 + 5 * (size_t)(part->n[ZB_BOOLS] + part->n[ZB_LONGS]) +
                  15 * (size_t)part->n[ZB_TABLES];
    void *list = p->key;
    bool fine = zb_parts_room(p, &list, p->key_used, &p->key_room,
                              p->key_used + most / 4 + 1, sizeof *p->key);
    p->key = list;
    if (!fine)
        return false;
    if (!zb_tick(p->tick, 50 + 10.0 * (double)most))
        return false;
    writer w = { .out = (uint8_t *)(p->key + p->key_used) };
    write_key(p, part, &w);
    while (w.n % 4 != 0)
        w.out[w.n++] = 0;
    part->key = p->key_used;
    part->key_length = w.n / 4;
    p->key_used += part->key_length;
    return true;
}
