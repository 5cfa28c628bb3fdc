#include "symmetry/kinds.h"

#include "base/hash.h"
#include "model/table.h"

#include <string.h>

/* Tables of more axes, or entries, may be symmetric without being known to be. */
enum { MOST_AXES = 16, MOST_ENTRIES = 1 << 16 };

/* ---- kinds ----------------------------------------------------------------------- */

static uint64_t hash_table(const zb_model *m, const zb_factor *f)
{
    uint64_t h = zb_hash_word(ZB_HASH_START, (uint64_t)f->log);
    for (int i = 0; i < f->arity; i++)
        h = zb_hash_word(h, (uint64_t)m->card[f->scope[i]]);
    for (size_t i = 0; i < f->size; i++) {
        uint64_t word;
        memcpy(&word, &f->value[i], sizeof word);
        h = zb_hash_word(h, word);
    }
    return h;
}

typedef struct wanted {
    const zb_kinds *k;
    const zb_factor *f;
} wanted;

static bool is_same(const void *key, size_t kind)
{
    const wanted *w = key;
    const zb_model *m = w->k->model;
    const zb_factor *f = w->f, *g = &m->factor[w->k->factor[kind]];
    if (f->arity != g->arity || f->log != g->log || f->size != g->size)
        return false;
    for (int i = 0; i < f->arity; i++)
        if (m->card[f->scope[i]] != m->card[g->scope[i]])
            return false;
    return memcmp(f->value, g->value, f->size * sizeof *f->value) == 0;
}

static zb_status sort_out(zb_kinds *k)
{
    const zb_model *m = k->model;
    size_t slots = 2 * (size_t)m->nfactors + 1;
    size_t *slot = zb_calloc(slots, sizeof *slot);
    zb_status status = slot != NULL ? ZB_OK : ZB_ENOMEM;
    for (int f = 0; f < m->nfactors && status == ZB_OK; f++) {
        wanted w = { k, &m->factor[f] };
        size_t *at = zb_hash_slot(slot, slots, hash_table(m, w.f), is_same, &w);
        if (*at == 0) {
            k->factor[k->count++] = f;
            *at = (size_t)k->count;
        }
        k->of[f] = (int)*at - 1;
        status = zb_tick(&k->tick, 20 + 3.0 * (double)w.f->size) ? ZB_OK : ZB_ELIMIT;
    }
    zb_free(slot);
    return status;
}

/* ---- classes --------------------------------------------------------------------- */

/* Is the table the same with two axes of it exchanged? */
static bool is_symmetric(const zb_model *m, const zb_factor *f, int i, int j)
{
    int scope[ZB_MAX_AXES];
    zb_walk w;
    size_t e = 0;
    if (m->card[f->scope[i]] != m->card[f->scope[j]])
        return false;
    memcpy(scope, f->scope, (size_t)f->arity * sizeof *scope);
    scope[i] = f->scope[j];
    scope[j] = f->scope[i];
    zb_walk_begin(&w, f->arity, scope, m->card, f);
    do
        if (memcmp(&f->value[e++], &f->value[w.at], sizeof *f->value) != 0)
            return false;
    while (zb_walk_next(&w) >= 0);
    return true;
}

/* Exchanging an axis with the first one of its class, for all of them, is enough for
   any permutation of a class. */
static zb_status find_classes(zb_kinds *k, int kind)
{
    const zb_factor *f = &k->model->factor[k->factor[kind]];
    int *class = k->class + k->axis[k->factor[kind]];
    bool small = f->arity <= MOST_AXES && f->size <= MOST_ENTRIES;
    for (int j = 0; j < f->arity; j++) {
        class[j] = j;
        for (int i = 0; i < j && small && class[j] == j; i++)
            if (class[i] == i) {
                if (!zb_tick(&k->tick, 5.0 * (double)f->size))
                    return ZB_ELIMIT;
                class[j] = is_symmetric(k->model, f, i, j) ? i : j;
            }
    }
    return ZB_OK;
}

static zb_status link_variables(zb_kinds *k)
{
    const zb_model *m = k->model;
    zb_status status = ZB_OK;
    for (int kind = 0; kind < k->count && status == ZB_OK; kind++)
        status = find_classes(k, kind);
    if (status != ZB_OK)
        return status;
    if (!zb_tick(&k->tick, 20.0 * (double)k->axis[m->nfactors] + 10.0 * m->nvars))
        return ZB_ELIMIT;
    for (int f = 0; f < m->nfactors; f++) {
        const int *from = k->class + k->axis[k->factor[k->of[f]]];
        for (int i = 0; i < m->factor[f].arity; i++) {
            k->class[k->axis[f] + (size_t)i] = from[i];
            k->at[m->factor[f].scope[i] + 1]++;
        }
    }
    for (int v = 0; v < m->nvars; v++)
        k->at[v + 1] += k->at[v];
    for (int f = m->nfactors - 1; f >= 0; f--)
        for (int i = m->factor[f].arity - 1; i >= 0; i--)
            k->touch[--k->at[m->factor[f].scope[i] + 1]] = f;
    /* at[v + 1] has gone down to where the list of v begins */
    for (int v = 0; v < m->nvars; v++)
        k->at[v] = k->at[v + 1];
    k->at[m->nvars] = k->axis[m->nfactors];
    return ZB_OK;
}

zb_status zb_kinds_open(zb_kinds *k, const zb_model *model, zb_run *run)
{
    size_t n = (size_t)model->nvars, factors = (size_t)model->nfactors, axes = 0;
    zb_status status;
    *k = (zb_kinds){ .model = model, .tick = { .run = run } };
    k->of = zb_hold_alloc(&k->hold, factors, sizeof *k->of);
    k->factor = zb_hold_alloc(&k->hold, factors, sizeof *k->factor);
    k->axis = zb_hold_alloc(&k->hold, factors + 1, sizeof *k->axis);
    k->at = zb_hold_calloc(&k->hold, n + 2, sizeof *k->at);
    TRY(zb_hold_status(&k->hold));
    for (int f = 0; f < model->nfactors; f++) {
        k->axis[f] = axes;
        axes += (size_t)model->factor[f].arity;
    }
    k->axis[model->nfactors] = axes;
    k->class = zb_hold_alloc(&k->hold, axes, sizeof *k->class);
    k->touch = zb_hold_alloc(&k->hold, axes, sizeof *k->touch);
    TRY(zb_hold_status(&k->hold));
    TRY(sort_out(k));
    TRY(link_variables(k));
done:
    return status;
}

void zb_kinds_close(zb_kinds *k) { zb_hold_free(&k->hold); }
