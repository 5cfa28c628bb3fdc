#include "auto/count_parts.h"

#include <string.h>

/* ---- lists --------------------------------------------------------------------------
 */

static bool more_room(zb_parts *p, void **list, size_t used, size_t *room, size_t need,
                      size_t size)
{
    if (need <= *room)
        return true;
    size_t n = 2 * need + 1024;
    void *more = zb_purse_resize(p->purse, *list, used, *room, n, size);
    if (more == NULL) {
        p->failed = p->failed || zb_purse_status(p->purse) == ZB_ENOMEM;
        return false;
    }
    *list = more;
    *room = n;
    return true;
}

static bool pool_reserve(zb_parts *p, size_t n)
{
    void *list = p->pool;
    bool fine = more_room(p, &list, p->used, &p->room, p->used + n, sizeof *p->pool);
    p->pool = list;
    return fine;
}

static bool push_part(zb_parts *p)
{
    void *list = p->part;
    size_t room = (size_t)p->part_room;
    bool fine = more_room(p, &list, (size_t)p->nparts, &room, (size_t)p->nparts + 1,
                          sizeof *p->part);
    p->part = list;
    p->part_room = (int)room;
    if (fine)
        p->part[p->nparts++] = (zb_part){ 0 };
    return fine;
}

/* ---- tables -------------------------------------------------------------------------
 */

static bool is_open(const zb_parts *p, int b) { return p->sat->value[2 * b] == 0; }

/* The value of v that is set, or -1. */
static int value_of(const zb_parts *p, int v)
{
    const zb_clauses *c = p->clauses;
    if (c->card[v] == 2) {
        int8_t set = p->sat->value[2 * c->first[v]];
        return set == 0 ? -1 : set > 0;
    }
    for (int b = c->first[v]; b < c->first[v + 1]; b++)
        if (p->sat->value[2 * b] > 0)
            return b - c->first[v];
    return -1;
}

static int model_value(const zb_parts *p, int v)
{
    const zb_clauses *c = p->clauses;
    int set = value_of(p, v);
    if (set >= 0)
        return set;
    if (c->card[v] == 2)
        return p->sat->model[c->first[v]];
    int x = 0;
    for (int b = c->first[v]; b < c->first[v + 1]; b++)
        if (is_open(p, b) && p->sat->model[b])
            x = b - c->first[v];
    return x;
}

double zb_parts_model_weight(const zb_parts *p, const zb_part *part)
{
    double sum = 0;
    for (int i = 0; i < part->n[ZB_TABLES]; i++) {
        int t = p->pool[part->at[ZB_TABLES] + (size_t)i];
        const zb_factor *a = &p->model->factor[p->table[t]];
        size_t at = 0;
        for (int k = 0; k < a->arity; k++)
            at = at * (size_t)p->model->card[a->scope[k]] +
                 (size_t)model_value(p, a->scope[k]);
        sum += a->value[at];
    }
    return sum;
}

/* Where the values that are set lead in a table; how many variables are not set. */
static size_t table_offset(const zb_parts *p, int t, int *nopen)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    size_t at = 0;
    *nopen = 0;
    for (int k = 0; k < a->arity; k++) {
        int x = value_of(p, a->scope[k]);
        *nopen += x < 0;
        at = at * (size_t)p->model->card[a->scope[k]] + (size_t)(x < 0 ? 0 : x);
    }
    return at;
}

/* The next value of v from x that it may still have, or -1. */
static int next_value(const zb_parts *p, int v, int x)
{
    for (; x < p->model->card[v]; x++)
        if (p->sat->value[zb_clauses_literal(p->clauses, v, x)] >= 0)
            return x;
    return -1;
}

/* Are all entries that are left, but for zeros, equal? Zeros are the clauses' affair.
 */
static bool is_constant(const zb_parts *p, int t, double *value)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    int var[ZB_TABLE_SLOTS], x[ZB_TABLE_SLOTS], n = 0;
    size_t stride[ZB_TABLE_SLOTS], at = 0, size = 1;
    for (int k = a->arity - 1; k >= 0; k--) {
        int v = a->scope[k], set = value_of(p, v);
        if (set < 0) {
            var[n] = v;
            stride[n] = size;
            set = x[n++] = next_value(p, v, 0);
        }
        at += (size_t)set * size;
        size *= (size_t)p->model->card[v];
    }
    *value = -INFINITY;
    for (;;) {
        if (!zb_tick(p->tick, 10)) /* whatever is said, it is not used */
            return false;
        if (a->value[at] > -INFINITY && *value > -INFINITY && *value != a->value[at])
            return false;
        *value = fmax(*value, a->value[at]);
        int k = 0;
        for (; k < n; k++) {
            int next = next_value(p, var[k], x[k] + 1);
            at -= (size_t)x[k] * stride[k];
            x[k] = next >= 0 ? next : next_value(p, var[k], 0);
            at += (size_t)x[k] * stride[k];
            if (next >= 0)
                break;
        }
        if (k == n)
            return true;
    }
}

/* ---- splitting ----------------------------------------------------------------------
 */

typedef struct wave {
    int64_t in, dead; /* marks: tables to be looked at; clauses and tables done with */
    int n;            /* of the queue */
} wave;

static void reach(zb_parts *p, wave *w, int b)
{
    if (p->marks[ZB_BOOLS][b] >= w->in)
        return;
    p->marks[ZB_BOOLS][b] = p->mark;
    p->frequency[b] = 0;
    p->queue[w->n++] = b;
}

static void reach_variable(zb_parts *p, wave *w, int v)
{
    for (int b = p->clauses->first[v]; b < p->clauses->first[v + 1]; b++)
        if (is_open(p, b))
            reach(p, w, b);
}

static void cross_pairs(zb_parts *p, wave *w, int b)
{
    const zb_sat *s = p->sat;
    for (size_t i = s->pair_at[2 * b]; i < s->pair_at[2 * b + 2]; i++) {
        uint32_t other = s->pair[i];
        if (s->value[other] == 0) {
            reach(p, w, (int)(other >> 1));
            p->frequency[b]++;
        }
    }
}

static void cross_clause(zb_parts *p, wave *w, int clause)
{
    int n;
    const int8_t *value = p->sat->value;
    const uint32_t *lit = zb_sat_literals(p->sat, p->sat->long_at[clause], &n);
    for (int i = 0; i < n; i++)
        if (value[lit[i]] > 0) {
            p->marks[ZB_LONGS][clause] = w->dead;
            return;
        }
    p->marks[ZB_LONGS][clause] = p->mark;
    for (int i = 0; i < n; i++)
        if (value[lit[i]] == 0) {
            reach(p, w, (int)(lit[i] >> 1));
            p->frequency[lit[i] >> 1]++;
        }
}

static void cross_table(zb_parts *p, wave *w, int t, double *term)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    double value;
    zb_tick(p->tick, 20.0 * a->arity);
    if (is_constant(p, t, &value)) {
        p->marks[ZB_TABLES][t] = w->dead;
        *term += value;
        return;
    }
    p->marks[ZB_TABLES][t] = p->mark;
    for (int k = 0; k < a->arity; k++)
        reach_variable(p, w, a->scope[k]);
}

/* Mark the part that b is in. */
static void flood(zb_parts *p, wave *w, int b, double *term)
{
    w->n = 0;
    p->mark++;
    reach(p, w, b);
    for (int i = 0; i < w->n; i++) {
        int u = p->queue[i], v = p->clauses->owner[u];
        double near = p->clause_at[u + 1] - p->clause_at[u];
        if (!zb_tick(p->tick, 30 + 20 * near))
            return;
        cross_pairs(p, w, u);
        if (p->clauses->card[v] > 2)
            reach_variable(p, w, v);
        for (int k = p->clause_at[u]; k < p->clause_at[u + 1]; k++)
            if (p->marks[ZB_LONGS][p->clause_of[k]] < w->in)
                cross_clause(p, w, p->clause_of[k]);
        for (int k = p->table_at[v]; k < p->table_at[v + 1]; k++)
            if (p->marks[ZB_TABLES][p->table_of[k]] == w->in)
                cross_table(p, w, p->table_of[k], term);
    }
}

/* Deal the lists of the whole out to the parts that begin at `base`, by marks from
   `first`; they stay sorted. Room in the pool has been made. */
static void deal(zb_parts *p, zb_part whole, int base, int64_t first)
{
    for (int kind = 0; kind < ZB_KINDS; kind++) {
        const int64_t *mark = p->marks[kind];
        for (int pass = 0; pass < 2; pass++) {
            zb_tick(p->tick, 5.0 * whole.n[kind]);
            for (int i = 0; i < whole.n[kind]; i++) {
                int x = p->pool[whole.at[kind] + (size_t)i];
                if (mark[x] < first)
                    continue;
                zb_part *part = &p->part[base + (int)(mark[x] - first)];
                if (pass == 1)
                    p->pool[part->at[kind] + (size_t)part->n[kind]] = x;
                part->n[kind]++;
            }
            for (int i = base; i < p->nparts && pass == 0; i++) {
                p->part[i].at[kind] = p->used;
                p->used += (size_t)p->part[i].n[kind];
                p->part[i].n[kind] = 0;
            }
        }
    }
}

/* A Boolean alone: both of its values. */
static void drop_free(zb_parts *p, int base, double *term)
{
    int n = base;
    for (int i = base; i < p->nparts; i++) {
        const zb_part *part = &p->part[i];
        if (part->n[ZB_BOOLS] == 1 && part->n[ZB_LONGS] == 0 && part->n[ZB_TABLES] == 0)
            *term += 0.693147180559945309417;
        else
            p->part[n++] = *part;
    }
    p->nparts = n;
}

bool zb_parts_split(zb_parts *p, zb_part whole, double *term)
{
    wave w = { .in = p->mark + 1, .dead = p->mark + 2 };
    int base = p->nparts, nopen;
    p->mark += 2;
    for (int i = 0; i < whole.n[ZB_TABLES]; i++)
        p->marks[ZB_TABLES][p->pool[whole.at[ZB_TABLES] + (size_t)i]] = w.in;
    for (int i = 0; i < whole.n[ZB_BOOLS]; i++) {
        int b = p->pool[whole.at[ZB_BOOLS] + (size_t)i];
        if (!is_open(p, b) || p->marks[ZB_BOOLS][b] >= w.in)
            continue;
        flood(p, &w, b, term);
        if (p->tick->over || !push_part(p))
            return false;
    }
    for (int i = 0; i < whole.n[ZB_TABLES]; i++) {
        int t = p->pool[whole.at[ZB_TABLES] + (size_t)i];
        if (p->marks[ZB_TABLES][t] == w.in)
            *term += p->model->factor[p->table[t]].value[table_offset(p, t, &nopen)];
    }
    if (!pool_reserve(p, (size_t)(whole.n[0] + whole.n[1] + whole.n[2])))
        return false;
    deal(p, whole, base, w.dead + 1);
    drop_free(p, base, term);
    return !p->tick->over;
}

/* ---- keys ---------------------------------------------------------------------------
 */

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
        size_t at = table_offset(p, t, &nopen);
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
    bool fine = more_room(p, &list, p->key_used, &p->key_room,
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

/* ---- construction -------------------------------------------------------------------
 */

/* Entries other than zero that are not all equal. */
static bool has_weights(const zb_factor *a)
{
    double first = -INFINITY;
    for (size_t i = 0; i < a->size; i++) {
        if (a->value[i] == -INFINITY)
            continue;
        if (first > -INFINITY && a->value[i] != first)
            return true;
        first = a->value[i];
    }
    return false;
}

static zb_status index_clauses(zb_parts *p)
{
    const zb_sat *s = p->sat;
    size_t total = 0;
    int n;
    p->clause_at =
        zb_purse_calloc(p->purse, (size_t)s->nbools + 2, sizeof *p->clause_at);
    if (p->clause_at == NULL)
        return zb_purse_status(p->purse);
    for (int i = 0; i < s->nlong; i++) {
        const uint32_t *lit = zb_sat_literals(s, s->long_at[i], &n);
        total += (size_t)n;
        for (int k = 0; k < n; k++)
            p->clause_at[(lit[k] >> 1) + 2]++;
    }
    p->clause_of = zb_purse_alloc(p->purse, total, sizeof *p->clause_of);
    if (p->clause_of == NULL)
        return zb_purse_status(p->purse);
    for (int b = 0; b < s->nbools; b++)
        p->clause_at[b + 2] += p->clause_at[b + 1];
    for (int i = 0; i < s->nlong; i++) {
        const uint32_t *lit = zb_sat_literals(s, s->long_at[i], &n);
        for (int k = 0; k < n; k++)
            p->clause_of[p->clause_at[(lit[k] >> 1) + 1]++] = i;
    }
    return ZB_OK;
}

static zb_status index_tables(zb_parts *p)
{
    const zb_model *m = p->model;
    size_t total = 0;
    p->table = zb_purse_alloc(p->purse, (size_t)m->nfactors, sizeof *p->table);
    p->table_at = zb_purse_calloc(p->purse, (size_t)m->nvars + 2, sizeof *p->table_at);
    if (p->table == NULL || p->table_at == NULL)
        return zb_purse_status(p->purse);
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        if (!zb_tick(p->tick, 20 + (double)a->size))
            return ZB_ELIMIT;
        if (!has_weights(a))
            continue;
        p->table[p->ntables++] = f;
        total += (size_t)a->arity;
        for (int k = 0; k < a->arity; k++)
            p->table_at[a->scope[k] + 2]++;
    }
    p->table_of = zb_purse_alloc(p->purse, total, sizeof *p->table_of);
    if (p->table_of == NULL)
        return zb_purse_status(p->purse);
    for (int v = 0; v < m->nvars; v++)
        p->table_at[v + 2] += p->table_at[v + 1];
    for (int t = 0; t < p->ntables; t++) {
        const zb_factor *a = &m->factor[p->table[t]];
        for (int k = 0; k < a->arity; k++)
            p->table_of[p->table_at[a->scope[k] + 1]++] = t;
    }
    return ZB_OK;
}

zb_status zb_parts_init(zb_parts *p, const zb_model *model, const zb_clauses *clauses,
                        zb_sat *sat)
{
    zb_status status;
    size_t n = (size_t)sat->nbools, size = sizeof *p->marks[0];
    zb_purse *purse = clauses->purse;
    *p = (zb_parts){ .model = model,
                     .clauses = clauses,
                     .sat = sat,
                     .purse = purse,
                     .tick = &sat->tick };
    TRY(index_clauses(p));
    TRY(index_tables(p));
    p->queue = zb_purse_alloc(purse, n, sizeof *p->queue);
    p->frequency = zb_purse_calloc(purse, n, sizeof *p->frequency);
    p->marks[ZB_BOOLS] = zb_purse_calloc(purse, n, size);
    p->marks[ZB_LONGS] = zb_purse_calloc(purse, (size_t)sat->nlong, size);
    p->marks[ZB_TABLES] = zb_purse_calloc(purse, (size_t)p->ntables, size);
    TRY(p->queue && p->frequency && p->marks[0] && p->marks[1] && p->marks[2]
            ? ZB_OK
            : zb_purse_status(purse));
done:
    return status;
}

void zb_parts_clear(zb_parts *p)
{
    void *owned[] = { p->clause_at, p->clause_of, p->table,    p->table_at, p->table_of,
                      p->queue,     p->frequency, p->marks[0], p->marks[1], p->marks[2],
                      p->pool,      p->part,      p->key };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
}

bool zb_parts_whole(zb_parts *p)
{
    int n[ZB_KINDS] = { p->sat->nbools, p->sat->nlong, p->ntables };
    if (!push_part(p))
        return false;
    zb_part *part = &p->part[p->nparts - 1];
    for (int kind = 0; kind < ZB_KINDS; kind++) {
        if (!pool_reserve(p, (size_t)n[kind]))
            return false;
        part->at[kind] = p->used;
        part->n[kind] = n[kind];
        for (int i = 0; i < n[kind]; i++)
            p->pool[p->used++] = i;
    }
    return true;
}
