/* From clauses to the state of a search. */
#include "sat/sat_internal.h"

#include <string.h>

void zb_sat_free(zb_sat *s)
{
    if (s == NULL)
        return;
    if (s->watch != NULL)
        for (int l = 0; l < 2 * s->nbools; l++)
            zb_free(s->watch[l].list);
    void *owned[] = {
        s->value,   s->level,       s->reason,     s->trail,         s->start,
        s->pair_at, s->pair,        s->arena,      s->watch,         s->long_at,
        s->learnt,  s->seen,        s->activity,   s->long_activity, s->phase,
        s->model,   s->heap.item,   s->heap.place, s->wanted,        s->unit,
        s->lemma,   s->lemma_stamp, s->is_unit,    s->set_upto,      s
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
}

static bool allocate(zb_sat *s)
{
    size_t n = (size_t)s->nbools;
    zb_purse *p = s->purse;
    s->value = zb_purse_calloc(p, 2 * n, sizeof *s->value);
    s->level = zb_purse_calloc(p, n, sizeof *s->level);
    s->reason = zb_purse_calloc(p, n, sizeof *s->reason);
    s->trail = zb_purse_alloc(p, n, sizeof *s->trail);
    s->start = zb_purse_calloc(p, n + 2, sizeof *s->start);
    s->pair_at = zb_purse_calloc(p, 2 * n + 2, sizeof *s->pair_at);
    s->watch = zb_purse_calloc(p, 2 * n, sizeof *s->watch);
    s->seen = zb_purse_calloc(p, n, sizeof *s->seen);
    s->activity = zb_purse_calloc(p, n, sizeof *s->activity);
    s->long_activity = zb_purse_calloc(p, n, sizeof *s->long_activity);
    s->phase = zb_purse_calloc(p, n, sizeof *s->phase);
    s->model = zb_purse_calloc(p, n, sizeof *s->model);
    s->heap.item = zb_purse_alloc(p, n, sizeof *s->heap.item);
    s->heap.place = zb_purse_alloc(p, n, sizeof *s->heap.place);
    s->wanted = zb_purse_calloc(p, n, sizeof *s->wanted);
    s->unit = zb_purse_alloc(p, n, sizeof *s->unit);
    s->is_unit = zb_purse_calloc(p, 2 * n, sizeof *s->is_unit);
    s->set_upto = zb_purse_calloc(p, n + 2, sizeof *s->set_upto);
    s->lemma = zb_purse_alloc(p, 2 * n + 2, sizeof *s->lemma);
    s->lemma_stamp = zb_purse_calloc(p, n + 2, sizeof *s->lemma_stamp);
    s->bump = s->long_bump = 1;
    for (size_t b = 0; b < n && s->heap.place != NULL; b++)
        s->heap.place[b] = -1;
    return s->value && s->level && s->reason && s->trail && s->start && s->pair_at &&
           s->watch && s->seen && s->activity && s->long_activity && s->phase &&
           s->model && s->heap.item && s->heap.place && s->wanted && s->unit &&
           s->is_unit && s->set_upto && s->lemma && s->lemma_stamp;
}

/* A watch that is missing would be a clause forgotten, so the purse is not asked: what
   is too much is noticed soon enough. */
bool zb_sat_watch(zb_sat *s, uint32_t literal, zb_watched w)
{
    zb_watches *l = &s->watch[literal];
    if (l->n == l->room) {
        uint32_t room = 2 * l->room + 4;
        zb_watched *more = zb_resize(l->list, l->n, room, sizeof *more);
        if (more == NULL) {
            s->failed = true;
            return false;
        }
        zb_purse_charge(s->purse, zb_purse_cost(room, sizeof *more));
        if (l->room > 0)
            zb_purse_give(s->purse, zb_purse_cost(l->room, sizeof *more));
        l->list = more;
        l->room = room;
    }
    l->list[l->n++] = w;
    return true;
}

bool zb_sat_attach(zb_sat *s, uint32_t clause)
{
    const uint32_t *lit = s->arena + clause + ZB_SAT_HEADER;
    return zb_sat_watch(s, lit[0], (zb_watched){ clause, lit[1] }) &&
           zb_sat_watch(s, lit[1], (zb_watched){ clause, lit[0] });
}

/* Clauses of two, by literal. */
static bool take_pairs(zb_sat *s)
{
    const zb_clauses *c = s->clauses;
    size_t total = 0;
    for (int i = 0; i < c->count; i++)
        if (c->at[i + 1] - c->at[i] == 2)
            for (int k = 0; k < 2; k++, total++)
                s->pair_at[c->lit[c->at[i] + (size_t)k] + 2]++;
    s->pair = zb_purse_alloc(s->purse, total, sizeof *s->pair);
    if (s->pair == NULL)
        return false;
    for (int l = 2; l < 2 * s->nbools + 2; l++)
        s->pair_at[l] += s->pair_at[l - 1];
    for (int i = 0; i < c->count; i++)
        if (c->at[i + 1] - c->at[i] == 2)
            for (int k = 0; k < 2; k++) {
                const uint32_t *lit = c->lit + c->at[i];
                s->pair[s->pair_at[lit[k] + 1]++] = lit[1 - k];
            }
    return true;
}

static bool take_longs(zb_sat *s)
{
    const zb_clauses *c = s->clauses;
    s->long_at = zb_purse_alloc(s->purse, (size_t)c->count, sizeof *s->long_at);
    if (s->long_at == NULL)
        return false;
    for (int i = 0; i < c->count && zb_tick(&s->tick, 200); i++) {
        uint32_t n = (uint32_t)(c->at[i + 1] - c->at[i]);
        uint32_t *at = &s->long_at[s->nlong];
        if (n < 3)
            continue;
        if (!zb_sat_store(s, n, c->lit + c->at[i], at) || !zb_sat_attach(s, *at) ||
            zb_sat_over(s))
            return false;
        s->nlong++;
    }
    s->given = (uint32_t)s->used;
    return true;
}

static void take_units(zb_sat *s)
{
    const zb_clauses *c = s->clauses;
    for (int i = 0; i < c->count; i++) {
        size_t n = c->at[i + 1] - c->at[i];
        uint32_t literal = n > 0 ? c->lit[c->at[i]] : 0;
        if (n == 0 || (n == 1 && s->value[literal] < 0))
            s->empty = true;
        else if (n == 1 && s->value[literal] == 0)
            zb_sat_set(s, literal, ZB_SAT_NONE);
    }
}

zb_status zb_sat_new(zb_sat **out, const zb_clauses *clauses, zb_run *run)
{
    zb_sat *s = zb_calloc(1, sizeof *s);
    zb_status status;
    *out = NULL;
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    s->clauses = clauses;
    s->nbools = clauses->nbools;
    s->purse = clauses->purse;
    s->tick.run = run;
    bool made = allocate(s) && take_pairs(s) && take_longs(s);
    TRY(s->tick.over ? ZB_ELIMIT : ZB_OK);
    TRY(made ? ZB_OK : zb_purse_status(s->purse));
    take_units(s);
    *out = s, s = NULL;
done:
    zb_sat_free(s);
    return status;
}
