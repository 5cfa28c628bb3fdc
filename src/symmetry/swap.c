#include "symmetry/swap.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- colours --------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return zb_hash_word(zb_hash_word(ZB_HASH_START, a), b);
}

static int by_colour(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static int count_colours(zb_swaps *s, const uint64_t *colour, uint64_t *sorted)
{
    size_t n = (size_t)s->kinds->model->nvars;
    int count = n > 0;
    memcpy(sorted, colour, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_colour);
    for (size_t i = 1; i < n; i++)
        count += sorted[i] != sorted[i - 1];
    return count;
}

/* Every variable by its colour before, and by the factors that it has, each by the
   colours of its variables. Sums do not depend on the order of their terms. */
static bool refine_once(zb_swaps *s, uint64_t *colour)
{
    const zb_kinds *k = s->kinds;
    const zb_model *m = k->model;
    for (int f = 0; f < m->nfactors; f++) {
        uint64_t sum = 0;
        const int *class = k->class + k->axis[f];
        for (int i = 0; i < m->factor[f].arity; i++)
            sum += mix((uint64_t) class[i], colour[m->factor[f].scope[i]]);
        s->mixed[f] = mix((uint64_t)k->of[f], sum);
    }
    for (int v = 0; v < m->nvars; v++) {
        uint64_t sum = 0;
        for (size_t i = k->at[v]; i < k->at[v + 1]; i++)
            sum += mix(s->mixed[k->touch[i].factor], (uint64_t)k->touch[i].class);
        s->next[v] = mix(colour[v], sum);
    }
    memcpy(colour, s->next, (size_t)m->nvars * sizeof *colour);
    return zb_tick(&s->tick, 10.0 * (double)k->axis[m->nfactors] +
                                 10.0 * (m->nvars + m->nfactors));
}

enum { ROUNDS = 64 }; /* on long chains colours travel far: then they say less */

/* Until no colour is divided any more. */
static zb_status refine_all(zb_swaps *s)
{
    int count = count_colours(s, s->colour, s->sorted[0]), before = 0;
    for (int i = 0; i < ROUNDS && count > before; i++) {
        before = count;
        if (!refine_once(s, s->colour))
            return ZB_ELIMIT;
        count = count_colours(s, s->colour, s->sorted[0]);
    }
    return ZB_OK;
}

/* Both sides side by side; *alike: as many variables of every colour. */
static zb_status refine_both(zb_swaps *s, bool *alike)
{
    size_t bytes = (size_t)s->kinds->model->nvars * sizeof **s->side;
    int count = count_colours(s, s->side[0], s->sorted[0]), before = 0;
    *alike = true;
    for (int i = 0; i < ROUNDS && count > before && *alike; i++) {
        before = count;
        for (int k = 0; k < 2; k++)
            if (!refine_once(s, s->side[k]))
                return ZB_ELIMIT;
        count = count_colours(s, s->side[0], s->sorted[0]);
        (void)count_colours(s, s->side[1], s->sorted[1]);
        *alike = memcmp(s->sorted[0], s->sorted[1], bytes) == 0;
    }
    return ZB_OK;
}

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
            most = zb_max_int(most, m->factor[k->touch[j].factor].arity);
    }
    int *key = zb_alloc((size_t)most, sizeof *key);
    if (key == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < s->nmoved; i++)
        for (size_t j = k->at[s->moved[i]]; j < k->at[s->moved[i] + 1] && *found; j++) {
            int f = k->touch[j].factor;
            if (!s->seen[f])
                *found = is_kept(s, f, key);
            s->seen[f] = true;
        }
    for (int i = 0; i < s->nmoved; i++)
        for (size_t j = k->at[s->moved[i]]; j < k->at[s->moved[i] + 1]; j++)
            s->seen[k->touch[j].factor] = false;
    zb_free(key);
    return zb_tick(&s->tick, 0) ? ZB_OK : ZB_ELIMIT;
}

/* ---- guesses --------------------------------------------------------------------- */

static void list_moved(zb_swaps *s)
{
    s->nmoved = 0;
    for (int v = 0; v < s->kinds->model->nvars; v++)
        if (s->image[v] != v)
            s->moved[s->nmoved++] = v;
}

/* a and b alone. */
static zb_status try_two(zb_swaps *s, int a, int b, bool *found)
{
    for (int v = 0; v < s->kinds->model->nvars; v++)
        s->image[v] = v;
    s->image[a] = b;
    s->image[b] = a;
    list_moved(s);
    return check(s, found);
}

static int find_colour(const uint64_t *sorted, int n, uint64_t colour)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < colour)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Variables of a colour on either side, as `sorted` has the colours; ascending. */
static void place_variables(zb_swaps *s)
{
    int n = s->kinds->model->nvars;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++)
            s->place[k][i] = -1;
        for (int v = 0; v < n; v++) {
            int i = find_colour(s->sorted[k], n, s->side[k][v]);
            while (s->place[k][i] >= 0)
                i++;
            s->place[k][i] = v;
        }
    }
}

/* What may stay where it is does. */
static void stay(zb_swaps *s)
{
    for (int v = 0; v < s->kinds->model->nvars; v++)
        if (s->side[0][v] == s->side[1][v])
            s->side[0][v] = s->side[1][v] = mix(s->side[0][v], (uint64_t)v);
}

/* Of the first colour of more than one variable (with factors: without them all stay)
   the first one goes to the first one. False: every colour has one. */
static bool divide(zb_swaps *s)
{
    const zb_kinds *k = s->kinds;
    int n = k->model->nvars;
    place_variables(s);
    for (int i = 0; i + 1 < n; i++)
        if (s->sorted[0][i] == s->sorted[0][i + 1] &&
            zb_kinds_degree(k, s->place[0][i]) > 0) {
            int v = s->place[0][i], u = s->place[1][i];
            s->side[0][v] = s->side[1][u] = mix(s->sorted[0][i], UINT64_MAX);
            return true;
        }
    return false;
}

static void take_images(zb_swaps *s)
{
    for (int i = 0; i < s->kinds->model->nvars; i++)
        s->image[s->place[0][i]] = s->place[1][i];
    list_moved(s);
}

static zb_status guess(zb_swaps *s, int a, int b, bool *alike)
{
    enum { DIVISIONS = 16 };
    size_t bytes = (size_t)s->kinds->model->nvars * sizeof *s->colour;
    const uint64_t x = mix(1, 2), y = mix(3, 4);
    zb_status status;
    for (int k = 0; k < 2; k++)
        memcpy(s->side[k], s->colour, bytes);
    s->side[0][a] = s->side[1][b] = x;
    s->side[0][b] = s->side[1][a] = y;
    TRY(refine_both(s, alike));
    if (!*alike)
        goto done;
    stay(s);
    TRY(refine_both(s, alike));
    for (int i = 0; i < DIVISIONS && *alike; i++) {
        if (!divide(s)) {
            take_images(s);
            goto done;
        }
        TRY(refine_both(s, alike));
    }
    *alike = false;
done:
    return status;
}

zb_status zb_swaps_find(zb_swaps *s, int a, int b, bool *found)
{
    zb_status status;
    *found = false;
    if (s->colour[a] != s->colour[b])
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

static zb_status take_memory(zb_swaps *s)
{
    const zb_kinds *k = s->kinds;
    size_t n = (size_t)k->model->nvars, factors = (size_t)k->model->nfactors,
           axes = k->axis[factors];
    s->slots = 2 * factors + 1;
    s->colour = zb_hold_alloc(&s->hold, n, sizeof *s->colour);
    s->next = zb_hold_alloc(&s->hold, n, sizeof *s->next);
    for (int i = 0; i < 2; i++) {
        s->side[i] = zb_hold_alloc(&s->hold, n, sizeof *s->side[i]);
        s->sorted[i] = zb_hold_alloc(&s->hold, n, sizeof *s->sorted[i]);
        s->place[i] = zb_hold_alloc(&s->hold, n, sizeof *s->place[i]);
    }
    s->mixed = zb_hold_alloc(&s->hold, factors, sizeof *s->mixed);
    s->image = zb_hold_alloc(&s->hold, n, sizeof *s->image);
    s->moved = zb_hold_alloc(&s->hold, n, sizeof *s->moved);
    s->key = zb_hold_alloc(&s->hold, axes, sizeof *s->key);
    s->slot = zb_hold_calloc(&s->hold, s->slots, sizeof *s->slot);
    s->repeated = zb_hold_calloc(&s->hold, factors, sizeof *s->repeated);
    s->seen = zb_hold_calloc(&s->hold, factors, sizeof *s->seen);
    return zb_hold_status(&s->hold);
}

zb_status zb_swaps_open(zb_swaps *s, const zb_kinds *kinds, zb_run *run)
{
    zb_status status;
    *s = (zb_swaps){ .kinds = kinds, .tick = { .run = run } };
    TRY(take_memory(s));
    for (int v = 0; v < kinds->model->nvars; v++)
        s->colour[v] = mix((uint64_t)kinds->model->card[v], 0);
    TRY(refine_all(s));
    TRY(list_factors(s) ? ZB_OK : ZB_ELIMIT);
done:
    return status;
}

void zb_swaps_close(zb_swaps *s) { zb_hold_free(&s->hold); }
