#include "simplify/trail.h"

#include "base/explog.h"
#include "model/table.h"

#include <string.h>

zb_status zb_trail_new(zb_trail **out, int nvars, zb_trail *before)
{
    zb_trail *t = *out = zb_calloc(1, sizeof *t);
    if (t == NULL)
        return ZB_ENOMEM;
    t->nvars = nvars;
    t->before = before;
    return ZB_OK;
}

void zb_trail_free(zb_trail *t)
{
    while (t != NULL) {
        zb_trail *before = t->before;
        zb_free(t->var);
        zb_free(t->value_at);
        zb_free(t->value);
        zb_free(t->undo);
        zb_free(t->list);
        zb_free(t->table);
        zb_free(t);
        t = before;
    }
}

/* ---- going there ----------------------------------------------------------------- */

/* Room for a removal and what it needs of the two lists. */
static bool extend(zb_trail *t, zb_undo u, size_t list, size_t table)
{
    if (t == NULL || t->failed)
        return false;
    t->failed = !ZB_RESERVE(t->undo, &t->undo_room, t->count, t->count + 1) ||
                !ZB_RESERVE(t->list, &t->list_room, t->used, t->used + list) ||
                !ZB_RESERVE(t->table, &t->table_room, t->entries, t->entries + table);
    if (t->failed)
        return false;
    u.at = t->used;
    u.table_at = t->entries;
    t->undo[t->count++] = u;
    return true;
}

static void append(zb_trail *t, int count, const int *value)
{
    if (count > 0)
        memcpy(t->list + t->used, value, (size_t)count * sizeof *value);
    t->used += (size_t)count;
}

void zb_trail_fixed(zb_trail *t, int v, int value)
{
    if (extend(t, (zb_undo){ .kind = ZB_FIXED, .var = v, .count = 1 }, 1, 0))
        append(t, 1, &value);
}

void zb_trail_isolated(zb_trail *t, int v, int count, const int *value)
{
    zb_undo u = { .kind = ZB_ISOLATED, .var = v, .count = count };
    if (extend(t, u, (size_t)count, 0))
        append(t, count, value);
}

void zb_trail_tied(zb_trail *t, int v, int other, int count, const int *of_other,
                   const int *of_v)
{
    zb_undo u = { .kind = ZB_TIED, .var = v, .count = count, .other = other };
    if (!extend(t, u, 2 * (size_t)count, 0))
        return;
    append(t, count, of_other);
    append(t, count, of_v);
}

void zb_trail_summed(zb_trail *t, int v, const zb_factor *f, const int *card,
                     const size_t *value_at, const int *value)
{
    zb_undo u = { .kind = ZB_SUMMED, .var = v, .count = f->arity };
    size_t list = 0;
    for (int i = 0; i < f->arity; i++)
        list += 2 + (size_t)card[f->scope[i]];
    if (!extend(t, u, list, f->size))
        return;
    for (int i = 0; i < f->arity; i++) {
        int w = f->scope[i];
        append(t, 1, &w);
        append(t, 1, &card[w]);
        append(t, card[w], value + value_at[w]);
    }
    memcpy(t->table + t->entries, f->value, f->size * sizeof *t->table);
    t->entries += f->size;
}

zb_status zb_trail_close(zb_trail *t, int nkept, const int *var, const int *value_at,
                         const int *value)
{
    size_t n = (size_t)nkept, values = (size_t)value_at[nkept];
    t->nkept = nkept;
    t->var = zb_alloc(n, sizeof *t->var);
    t->value_at = zb_alloc(n + 1, sizeof *t->value_at);
    t->value = zb_alloc(values, sizeof *t->value);
    if (t->failed || !t->var || !t->value_at || !t->value)
        return ZB_ENOMEM;
    memcpy(t->var, var, n * sizeof *var);
    memcpy(t->value_at, value_at, (n + 1) * sizeof *value_at);
    memcpy(t->value, value, values * sizeof *value);
    return ZB_OK;
}

/* ---- coming back ----------------------------------------------------------------- */

static int place_of(int value, int count, const int *list)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return i;
    ZB_ASSERT(false); /* a state of weight zero */
    return 0;
}

/* An index drawn with probability e^x / sum, x of `count` entries, `step` apart. */
static int draw_from(const double *x, int count, size_t step, zb_rng *rng)
{
    double top = -INFINITY, sum = 0, below = 0;
    int chosen = 0;
    for (int i = 0; i < count; i++)
        top = fmax(top, x[(size_t)i * step]);
    for (int i = 0; i < count && top > -INFINITY; i++)
        sum += zb_exp(x[(size_t)i * step] - top);
    double u = zb_rng_uniform(rng) * sum;
    for (int i = 0; i < count && top > -INFINITY; i++) {
        double here = zb_exp(x[(size_t)i * step] - top);
        below += here;
        chosen = here > 0 ? i : chosen;
        if (here > 0 && u < below)
            break;
    }
    return chosen;
}

static int undo_summed(const zb_trail *t, const zb_undo *u, zb_rng *rng,
                       const int *state)
{
    const int *axis = t->list + u->at, *mine = NULL;
    size_t offset = 0, stride = 0;
    for (int i = 0; i < u->count; i++, axis += 2 + axis[1]) {
        bool is_mine = axis[0] == u->var;
        int x = is_mine ? 0 : place_of(state[axis[0]], axis[1], axis + 2);
        offset = offset * (size_t)axis[1] + (size_t)x;
        stride = is_mine ? 1 : stride * (size_t)axis[1];
        mine = is_mine ? axis : mine;
    }
    const double *x = t->table + u->table_at + offset;
    return mine[2 + draw_from(x, mine[1], stride, rng)];
}

static int undo(const zb_trail *t, const zb_undo *u, zb_rng *rng, const int *state)
{
    const int *list = t->list + u->at;
    switch (u->kind) {
    case ZB_FIXED: return list[0];
    case ZB_TIED: return list[u->count + place_of(state[u->other], u->count, list)];
    case ZB_ISOLATED: return list[zb_rng_below(rng, u->count)];
    case ZB_SUMMED: break;
    }
    return undo_summed(t, u, rng, state);
}

static void lift_round(const zb_trail *t, const int *from, zb_rng *rng, int *to)
{
    for (int v = 0; v < t->nkept; v++)
        to[t->var[v]] = t->value[t->value_at[v] + from[v]];
    for (size_t i = t->count; i-- > 0;)
        to[t->undo[i].var] = undo(t, &t->undo[i], rng, to);
}

void zb_trail_lift(const zb_trail *trail, const int *state, zb_rng *rng, int *scratch,
                   int *out)
{
    const int *from = state;
    int *to = out;
    for (const zb_trail *t = trail; t != NULL; t = t->before) {
        lift_round(t, from, rng, to);
        from = to;
        to = to == out ? scratch : out;
    }
    int n = 0;
    for (const zb_trail *t = trail; t != NULL; t = t->before)
        n = t->nvars;
    if (from != out && n > 0)
        memcpy(out, from, (size_t)n * sizeof *out);
}
