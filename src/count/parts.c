/* How what is left of a model falls apart: floods along pairs, clauses and tables. */
#include "count/parts_internal.h"

/* ---- lists ----------------------------------------------------------------------- */

bool zb_parts_room(zb_parts *p, void **list, size_t used, size_t *room, size_t need,
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
    bool fine =
        zb_parts_room(p, &list, p->used, &p->room, p->used + n, sizeof *p->pool);
    p->pool = list;
    return fine;
}

static bool push_part(zb_parts *p)
{
    void *list = p->part;
    size_t room = (size_t)p->part_room;
    bool fine = zb_parts_room(p, &list, (size_t)p->nparts, &room, (size_t)p->nparts + 1,
                              sizeof *p->part);
    p->part = list;
    p->part_room = (int)room;
    if (fine)
        p->part[p->nparts++] = (zb_part){ 0 };
    return fine;
}

/* Where the last run was stopped, what is set without any decision may not have been
   heard of by all clauses. */
void zb_parts_restart(zb_parts *p, zb_sat *sat, zb_run *run)
{
    ZB_ASSERT(sat->depth == 0);
    sat->tick = (zb_ticker){ .run = run };
    sat->head = 0;
    p->nparts = 0;
    p->used = p->key_used = 0;
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

/* ---- splitting ------------------------------------------------------------------- */

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
        if (zb_parts_is_open(p, b))
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

static void cross_table(zb_parts *p, wave *w, int t, zb_sum *term)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    double value;
    zb_tick(p->tick, 20.0 * a->arity);
    if (zb_parts_table_constant(p, t, &value)) {
        p->marks[ZB_TABLES][t] = w->dead;
        zb_sum_add(term, value);
        return;
    }
    p->marks[ZB_TABLES][t] = p->mark;
    for (int k = 0; k < a->arity; k++)
        reach_variable(p, w, a->scope[k]);
}

/* Mark the part that b is in. */
static void flood(zb_parts *p, wave *w, int b, zb_sum *term)
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
static void drop_free(zb_parts *p, int base, zb_sum *term)
{
    int n = base;
    for (int i = base; i < p->nparts; i++) {
        const zb_part *part = &p->part[i];
        if (part->n[ZB_BOOLS] == 1 && part->n[ZB_LONGS] == 0 && part->n[ZB_TABLES] == 0)
            term->exp2++;
        else
            p->part[n++] = *part;
    }
    p->nparts = n;
}

bool zb_parts_split(zb_parts *p, zb_part whole, zb_sum *term)
{
    wave w = { .in = p->mark + 1, .dead = p->mark + 2 };
    int base = p->nparts, nopen;
    p->mark += 2;
    for (int i = 0; i < whole.n[ZB_TABLES]; i++)
        p->marks[ZB_TABLES][p->pool[whole.at[ZB_TABLES] + (size_t)i]] = w.in;
    for (int i = 0; i < whole.n[ZB_BOOLS]; i++) {
        int b = p->pool[whole.at[ZB_BOOLS] + (size_t)i];
        if (!zb_parts_is_open(p, b) || p->marks[ZB_BOOLS][b] >= w.in)
            continue;
        flood(p, &w, b, term);
        if (p->tick->over || !push_part(p))
            return false;
    }
    for (int i = 0; i < whole.n[ZB_TABLES]; i++) {
        int t = p->pool[whole.at[ZB_TABLES] + (size_t)i];
        if (p->marks[ZB_TABLES][t] == w.in)
            zb_sum_add(term, p->model->factor[p->table[t]]
                                 .value[zb_parts_table_offset(p, t, &nopen)]);
    }
    if (!pool_reserve(p, (size_t)(whole.n[0] + whole.n[1] + whole.n[2])))
        return false;
    deal(p, whole, base, w.dead + 1);
    drop_free(p, base, term);
    return !p->tick->over;
}
