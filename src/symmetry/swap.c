#include "symmetry/swap.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- factors by their variables -------------------------------------------------- */

/* The variables of f, as `image` has them (NULL: as they are): class by class. */
static void make_key(const zb_kinds *k, int f, const int *image, int *key)
{
    const zb_factor *a = &k->model->factor[f];
    const int *class = k->class + k->axis[f];
    int n = 0;
    for (int c = 0; c < a->arity; c++)
        for (int i = c, first = n; i < a->arity && class[c] == c; i++) {
            if (class[i] != c)
                continue;
            int v = image != NULL ? image[a->scope[i]] : a->scope[i], at = n++;
            for (; at > first && key[at - 1] > v; at--)
                key[at] = key[at - 1];
            key[at] = v;
        }
}

typedef struct wanted {
    const zb_swaps *s;
    const int *key;
    int kind, arity;
} wanted;

static bool is_same(const void *context, size_t f)
{
    const wanted *w = context;
    const zb_kinds *k = w->s->kinds;
    return k->of[f] == w->kind && memcmp(w->s->key + k->axis[f], w->key,
                                         (size_t)w->arity * sizeof *w->key) == 0;
}

static size_t *slot_of(const zb_swaps *s, int f, const int *key)
{
    const zb_kinds *k = s->kinds;
    wanted w = { s, key, k->of[f], k->model->factor[f].arity };
    uint64_t h = zb_hash_ints(zb_hash_word(ZB_HASH_START, (uint64_t)w.kind), key,
                              (size_t)w.arity);
    return zb_hash_slot(s->slot, s->slots, h, is_same, &w);
}

static bool list_factors(zb_swaps *s)
{
    const zb_kinds *k = s->kinds;
    for (int f = 0; f < k->model->nfactors; f++) {
        int *key = s->key + k->axis[f];
        make_key(k, f, NULL, key);
        size_t *slot = slot_of(s, f, key);
        if (*slot == 0)
            *slot = (size_t)f + 1;
        s->repeated[*slot - 1]++;
        if (!zb_tick(&s->tick, 20 + 5.0 * k->model->factor[f].arity))
            return false;
    }
    return true;
}

/* ---- is it one ------------------------------------------------------------------- */

/* Does the image of f, with the same table, stand in the model as often as f does? */
static bool is_kept(zb_swaps *s, int f, int *key)
{
    const zb_kinds *k = s->kinds;
    make_key(k, f, s->image, key);
    size_t image = *slot_of(s, f, key), self = *slot_of(s, f, s->key + k->axis[f]);
    zb_tick(&s->tick, 100 + 10.0 * k->model->factor[f].arity);
    return image != 0 && s->repeated[image - 1] == s->repeated[self - 1];
}

/* Images are one-to-one on variables, so they are on sets of them: factors are permuted
   if every one of a moved variable has an image. */
static zb_status check(zb_swaps *s, bool *found)
{
    const zb_kinds *k = s->kinds;
    const zb_model *m = k->model;
    int most = 1;
    *found = true;
    for (int i = 0; i < s->nmoved && *found; i++) {
        int v = s->moved[i], u = s->image[v];
        *found = s->image[u] == v && m->card[u] == m->card[v];
        for (size_t j = k->at[v]; j < k->at[v + 1]; j++)
            most = zb_max_int(most, m->factor[k->touch[j]].arity);
    }
    int *key = zb_alloc((size_t)most, sizeof *key);
    if (key == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < s->nmoved; i++)
        for (size_t j = k->at[s->moved[i]]; j < k->at[s->moved[i] + 1] && *found; j++) {
            int f = k->touch[j];
            if (!s->seen[f])
                *found = is_kept(s, f, key);
            s->seen[f] = true;
        }
    for (int i = 0; i < s->nmoved; i++)
        for (size_t j = k->at[s->moved[i]]; j < k->at[s->moved[i] + 1]; j++)
            s->seen[k->touch[j]] = false;
    zb_free(key);
    return zb_tick(&s->tick, 0) ? ZB_OK : ZB_ELIMIT;
}

/* ---- guesses --------------------------------------------------------------------- */

/* All stay, as at the beginning. */
static void begin_images(zb_swaps *s)
{
    for (int i = 0; i < s->nmoved; i++)
        s->image[s->moved[i]] = s->moved[i];
    s->nmoved = 0;
}

static void move(zb_swaps *s, int v, int image)
{
    s->image[v] = image;
    if (v != image)
        s->moved[s->nmoved++] = v;
}

static int by_number(const void *x, const void *y)
{
    const int *a = x, *b = y;
    return *a - *b;
}

/* a and b alone. */
static zb_status try_two(zb_swaps *s, int a, int b, bool *found)
{
    begin_images(s);
    move(s, zb_min_int(a, b), zb_max_int(a, b));
    move(s, zb_max_int(a, b), zb_min_int(a, b));
    return check(s, found);
}

/* Until no colour is divided any more; *alike: both sides are divided alike. */
static zb_status refine(zb_swaps *s, bool *alike)
{
    *alike = true;
    while (*alike && (s->side[0].nfresh > 0 || s->side[1].nfresh > 0)) {
        uint64_t sight[2];
        for (int k = 0; k < 2; k++)
            if (!zb_colours_round(&s->side[k], &s->divider, &sight[k]))
                return ZB_ELIMIT;
        *alike = sight[0] == sight[1];
    }
    return ZB_OK;
}

static void tell_apart(zb_swaps *s, int v, int u, uint64_t colour)
{
    zb_colours_single(&s->side[0], v, colour);
    zb_colours_single(&s->side[1], u, colour);
}

/* What may stay where it is does, also where nothing has been told apart so far. */
static void stay(zb_swaps *s)
{
    zb_colours *here = &s->side[0], *there = &s->side[1];
    for (int v = 0; v < s->kinds->model->nvars; v++) {
        uint64_t colour = zb_colours_of(here, v);
        if (zb_kinds_degree(s->kinds, v) > 0 && !zb_colours_is_single(here, v) &&
            colour == zb_colours_of(there, v))
            tell_apart(s, v, v, zb_colours_mix(colour, (uint64_t)v));
    }
}

/* A variable of the other side with that colour; -1: there is none that has a new one.
 */
static int find_colour(zb_swaps *s, uint64_t colour)
{
    const zb_colours *there = &s->side[1];
    s->tick.work += 3.0 * there->nchanged;
    for (int i = 0; i < there->nchanged; i++)
        if (zb_colours_of(there, there->changed[i]) == colour)
            return there->changed[i];
    return -1;
}

/* Of the first colour of more than one variable the first one goes to the first one.
   False: there is none, or nothing it could go to. */
static bool divide(zb_swaps *s)
{
    zb_colours *here = &s->side[0];
    for (int i = 0; i < here->nchanged; i++) {
        int v = here->changed[i];
        if (zb_colours_is_single(here, v))
            continue;
        uint64_t colour = zb_colours_of(here, v);
        int u = find_colour(s, colour);
        if (u >= 0)
            tell_apart(s, v, u, zb_colours_mix(colour, UINT64_MAX));
        return u >= 0;
    }
    return false;
}

static int by_sight(const void *x, const void *y)
{
    const zb_sight *a = x, *b = y;
    return a->seen != b->seen ? (a->seen > b->seen) - (a->seen < b->seen) : a->v - b->v;
}

static int list_colours(const zb_colours *c, zb_sight *list)
{
    for (int i = 0; i < c->nchanged; i++) {
        int v = c->changed[i];
        list[i] = (zb_sight){ zb_colours_of(c, v), 0, v };
    }
    qsort(list, (size_t)c->nchanged, sizeof *list, by_sight);
    return c->nchanged;
}

/* Variables that have no new colour stay, and so do those whose colour nothing has on
   the other side. */
static void take_images(zb_swaps *s)
{
    zb_sight *here = s->listed, *there = s->divider.item;
    int n = list_colours(&s->side[0], here), m = list_colours(&s->side[1], there);
    begin_images(s);
    for (int i = 0, j = 0; i < n; i++) {
        while (j < m && there[j].seen < here[i].seen)
            j++;
        if (j < m && there[j].seen == here[i].seen)
            move(s, here[i].v, there[j].v);
    }
    qsort(s->moved, (size_t)s->nmoved, sizeof *s->moved, by_number);
    s->tick.work += 100.0 * (n + m);
}

static bool is_told_apart(const zb_swaps *s)
{
    const zb_colours *here = &s->side[0];
    for (int i = 0; i < here->nchanged; i++)
        if (!zb_colours_is_single(here, here->changed[i]))
            return false;
    return true;
}

static zb_status guess(zb_swaps *s, int a, int b, bool *alike)
{
    enum { DIVISIONS = 16 };
    const uint64_t x = zb_colours_mix(1, 2), y = zb_colours_mix(3, 4);
    zb_status status;
    TRY(zb_tick(&s->tick, 50.0 * s->kinds->model->nvars) ? ZB_OK : ZB_ELIMIT);
    for (int k = 0; k < 2; k++)
        zb_colours_copy(&s->side[k], &s->colours);
    tell_apart(s, a, b, x);
    tell_apart(s, b, a, y);
    TRY(refine(s, alike));
    if (*alike && !is_told_apart(s)) {
        stay(s);
        TRY(refine(s, alike));
    }
    for (int i = 0; i < DIVISIONS && *alike && divide(s); i++)
        TRY(refine(s, alike));
    *alike = *alike && is_told_apart(s);
    if (*alike)
        take_images(s);
done:
    return status;
}

zb_status zb_swaps_find(zb_swaps *s, int a, int b, bool *found)
{
    zb_status status;
    *found = false;
    if (s->colours.cell[a] != s->colours.cell[b])
        return ZB_OK;
    TRY(try_two(s, a, b, found));
    if (*found)
        goto done;
    TRY(guess(s, a, b, found));
    if (*found)
        TRY(check(s, found));
done:
    return status;
}

/* ---- all ------------------------------------------------------------------------- */

static zb_status take_memory(zb_swaps *s, zb_run *run)
{
    const zb_kinds *k = s->kinds;
    size_t n = (size_t)k->model->nvars, factors = (size_t)k->model->nfactors;
    zb_status status;
    s->slots = 2 * factors + 1;
    TRY(zb_divider_open(&s->divider, k, run, &s->hold));
    TRY(zb_colours_open(&s->colours, k, &s->hold));
    for (int i = 0; i < 2; i++)
        TRY(zb_colours_open(&s->side[i], k, &s->hold));
    s->image = zb_hold_alloc(&s->hold, n, sizeof *s->image);
    s->listed = zb_hold_alloc(&s->hold, n, sizeof *s->listed);
    s->moved = zb_hold_alloc(&s->hold, n, sizeof *s->moved);
    s->key = zb_hold_alloc(&s->hold, k->axis[factors], sizeof *s->key);
    s->slot = zb_hold_calloc(&s->hold, s->slots, sizeof *s->slot);
    s->repeated = zb_hold_calloc(&s->hold, factors, sizeof *s->repeated);
    s->seen = zb_hold_calloc(&s->hold, factors, sizeof *s->seen);
    TRY(zb_hold_status(&s->hold));
done:
    return status;
}

zb_status zb_swaps_open(zb_swaps *s, const zb_kinds *kinds, zb_run *run)
{
    zb_status status;
    *s = (zb_swaps){ .kinds = kinds, .tick = { .run = run } };
    TRY(take_memory(s, run));
    for (int v = 0; v < kinds->model->nvars; v++)
        s->image[v] = v;
    TRY(zb_colours_begin(&s->colours, &s->divider));
    TRY(list_factors(s) ? ZB_OK : ZB_ELIMIT);
done:
    return status;
}

void zb_swaps_close(zb_swaps *s) { zb_hold_free(&s->hold); }
