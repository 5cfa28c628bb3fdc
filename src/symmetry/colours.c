#include "symmetry/colours.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

uint64_t zb_colours_mix(uint64_t a, uint64_t b)
{
    return zb_hash_word(zb_hash_word(ZB_HASH_START, a), b);
}

/* ---- room ------------------------------------------------------------------------ */

zb_status zb_divider_open(zb_divider *d, const zb_kinds *kinds, zb_run *run,
                          zb_hold *hold)
{
    size_t n = (size_t)kinds->model->nvars, factors = (size_t)kinds->model->nfactors;
    *d = (zb_divider){ .kinds = kinds, .tick = { .run = run } };
    d->factor = zb_hold_alloc(hold, factors, sizeof *d->factor);
    d->listed = zb_hold_calloc(hold, factors, sizeof *d->listed);
    d->seen = zb_hold_alloc(hold, n, sizeof *d->seen);
    d->touched = zb_hold_alloc(hold, n, sizeof *d->touched);
    d->met = zb_hold_calloc(hold, n, sizeof *d->met);
    d->item = zb_hold_alloc(hold, n, sizeof *d->item);
    return zb_hold_status(hold);
}

zb_status zb_colours_open(zb_colours *c, const zb_kinds *kinds, zb_hold *hold)
{
    size_t n = (size_t)kinds->model->nvars;
    *c = (zb_colours){ .kinds = kinds };
    c->member = zb_hold_alloc(hold, n, sizeof *c->member);
    c->place = zb_hold_alloc(hold, n, sizeof *c->place);
    c->cell = zb_hold_alloc(hold, n, sizeof *c->cell);
    c->size = zb_hold_calloc(hold, n, sizeof *c->size);
    c->colour = zb_hold_calloc(hold, n, sizeof *c->colour);
    c->fresh = zb_hold_alloc(hold, n, sizeof *c->fresh);
    c->changed = zb_hold_alloc(hold, n, sizeof *c->changed);
    c->is_changed = zb_hold_calloc(hold, n, sizeof *c->is_changed);
    return zb_hold_status(hold);
}

void zb_colours_copy(zb_colours *to, const zb_colours *from)
{
    size_t n = (size_t)from->kinds->model->nvars;
    memcpy(to->member, from->member, n * sizeof *to->member);
    memcpy(to->place, from->place, n * sizeof *to->place);
    memcpy(to->cell, from->cell, n * sizeof *to->cell);
    memcpy(to->size, from->size, n * sizeof *to->size);
    memcpy(to->colour, from->colour, n * sizeof *to->colour);
    memset(to->is_changed, 0, n * sizeof *to->is_changed);
    to->nfresh = to->nchanged = 0;
}

/* ---- cells ----------------------------------------------------------------------- */

static void put(zb_colours *c, int v, int place)
{
    c->member[place] = v;
    c->place[v] = place;
}

static void exchange(zb_colours *c, int v, int place)
{
    int from = c->place[v], u = c->member[place];
    put(c, u, from);
    put(c, v, place);
}

static void note_change(zb_colours *c, int v)
{
    c->fresh[c->nfresh++] = v;
    if (!c->is_changed[v])
        c->changed[c->nchanged++] = v;
    c->is_changed[v] = true;
}

/* The last `count` members of a cell become one of their own. */
static void cut_off(zb_colours *c, int cell, int count, uint64_t colour)
{
    int start = cell + c->size[cell] - count;
    c->size[cell] -= count;
    c->size[start] = count;
    c->colour[start] = colour;
    for (int i = start; i < start + count; i++) {
        c->cell[c->member[i]] = start;
        note_change(c, c->member[i]);
    }
}

void zb_colours_single(zb_colours *c, int v, uint64_t colour)
{
    int cell = c->cell[v];
    exchange(c, v, cell + c->size[cell] - 1);
    cut_off(c, cell, 1, colour);
}

/* ---- one round ------------------------------------------------------------------- */

static uint64_t look_at_factor(const zb_colours *c, int f)
{
    const zb_kinds *k = c->kinds;
    const int *class = k->class + k->axis[f];
    uint64_t sum = 0;
    for (int i = 0; i < k->model->factor[f].arity; i++)
        sum += zb_colours_mix((uint64_t) class[i],
                              zb_colours_of(c, k->model->factor[f].scope[i]));
    return zb_colours_mix((uint64_t)k->of[f], sum);
}

/* Factors of fresh variables, and what these look like from each of their variables.
   Sums do not depend on the order of their terms. Returns how many are touched. */
static int touch(zb_colours *c, zb_divider *d)
{
    const zb_kinds *k = c->kinds;
    int factors = 0, touched = 0;
    for (int i = 0; i < c->nfresh; i++)
        for (size_t j = k->at[c->fresh[i]]; j < k->at[c->fresh[i] + 1]; j++) {
            int f = k->touch[j];
            if (!d->listed[f])
                d->factor[factors++] = f;
            d->listed[f] = true;
        }
    for (int i = 0; i < factors; i++) {
        int f = d->factor[i];
        const zb_factor *a = &k->model->factor[f];
        const int *class = k->class + k->axis[f];
        uint64_t sight = look_at_factor(c, f);
        d->listed[f] = false;
        for (int j = 0; j < a->arity; j++) {
            int v = a->scope[j];
            if (!d->met[v]) {
                d->touched[touched++] = v;
                d->seen[v] = 0;
            }
            d->met[v] = true;
            d->seen[v] += zb_colours_mix(sight, (uint64_t) class[j]);
        }
        d->tick.work += 20 + 20.0 * a->arity;
    }
    for (int i = 0; i < touched; i++)
        d->met[d->touched[i]] = false;
    return touched;
}

static int by_cell(const void *x, const void *y)
{
    const zb_sight *a = x, *b = y;
    if (a->cell != b->cell)
        return a->cell - b->cell;
    if (a->seen != b->seen)
        return (a->seen > b->seen) - (a->seen < b->seen);
    return a->v - b->v;
}

/* The touched ones of a cell, sorted by what they see: all that see the same are cut
   off, unless nothing else is left. */
static uint64_t divide_cell(zb_colours *c, const zb_sight *item, int count)
{
    int cell = item->cell;
    uint64_t colour = c->colour[cell], sight = 0;
    if (count == c->size[cell] && item[0].seen == item[count - 1].seen)
        return 0;
    for (int end = count, first; end > 0; end = first) {
        uint64_t seen = item[end - 1].seen;
        for (first = end; first > 0 && item[first - 1].seen == seen; first--)
            exchange(c, item[first - 1].v, cell + c->size[cell] - 1 - (end - first));
        uint64_t made = zb_colours_mix(colour, seen);
        cut_off(c, cell, end - first, made);
        sight += zb_colours_mix(made, (uint64_t)(end - first));
    }
    return sight;
}

bool zb_colours_round(zb_colours *c, zb_divider *d, uint64_t *sight)
{
    int touched = touch(c, d);
    zb_sight *item = d->item;
    *sight = 0;
    c->nfresh = 0;
    for (int i = 0; i < touched; i++) {
        int v = d->touched[i];
        item[i] = (zb_sight){ d->seen[v], c->cell[v], v };
    }
    qsort(item, (size_t)touched, sizeof *item, by_cell);
    for (int i = 0, end; i < touched; i = end) {
        for (end = i + 1; end < touched && item[end].cell == item[i].cell;)
            end++;
        *sight += divide_cell(c, item + i, end - i);
    }
    return zb_tick(&d->tick, 50.0 * touched);
}

/* ---- the beginning --------------------------------------------------------------- */

static int by_card(const void *x, const void *y)
{
    const zb_sight *a = x, *b = y;
    return a->cell != b->cell ? a->cell - b->cell : a->v - b->v;
}

zb_status zb_colours_begin(zb_colours *c, zb_divider *d)
{
    const zb_model *m = c->kinds->model;
    zb_sight *item = d->item;
    uint64_t sight;
    for (int v = 0; v < m->nvars; v++)
        item[v] = (zb_sight){ 0, m->card[v], v };
    qsort(item, (size_t)m->nvars, sizeof *item, by_card);
    for (int i = 0, end = 0; i < m->nvars; i = end) {
        for (; end < m->nvars && item[end].cell == item[i].cell; end++) {
            put(c, item[end].v, end);
            c->cell[item[end].v] = i;
        }
        c->size[i] = end - i;
        c->colour[i] = zb_colours_mix((uint64_t)item[i].cell, 0);
    }
    for (int v = 0; v < m->nvars; v++)
        note_change(c, v);
    while (c->nfresh > 0)
        if (!zb_colours_round(c, d, &sight))
            return ZB_ELIMIT;
    return ZB_OK;
}
