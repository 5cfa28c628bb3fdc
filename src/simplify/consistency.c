/* What one table says by itself: its maximum goes into the constant; values of its
 * variables that meet only zeros are marked and later cut out of every table
 * (generalised arc consistency); axes that it does not depend on are dropped. */
#include "simplify/reducer.h"

#include <string.h>

/* Sums of ours carry rounding errors of a few units; where a table that holds such sums
   varies along an axis by no more, it is constant: rows of a conditional probability
   table that sum to one must not leave a factor behind. Given tables are compared bit
   by bit. */
static const double ROUNDING = 0x1p-50;

/* Marks values without support; true if there is any, marked now or before. */
static bool mark_unsupported(zb_reducer *r, const zb_factor *a)
{
    size_t at[ZB_MAX_AXES], missing = 0;
    zb_walk w;

    zb_walk_begin(&w, a->arity, a->scope, r->card, a);
    for (int i = 0; i < a->arity; i++) {
        at[i] = missing;
        missing += (size_t)w.card[i];
    }
    memset(r->supported, 0, missing * sizeof *r->supported);
    for (size_t e = 0; e < a->size && missing > 0; e++) {
        for (int i = 0; a->value[e] > -INFINITY && i < a->arity; i++) {
            bool *seen = &r->supported[at[i] + (size_t)w.x[i]];
            missing -= !*seen;
            *seen = true;
        }
        zb_walk_next(&w);
    }
    for (int i = 0; i < a->arity && missing > 0; i++) {
        zb_rvar *v = &r->var[a->scope[i]];
        bool *gone = r->gone + r->value_at[a->scope[i]];
        for (int k = 0; k < w.card[i]; k++)
            if (!r->supported[at[i] + (size_t)k] && !gone[k]) {
                gone[k] = true;
                v->gone++;
                zb_queue_push(&r->vars, a->scope[i]);
            }
    }
    return missing > 0;
}

static void drop_constant_axes(zb_reducer *r, int f)
{
    zb_factor *a = &r->factor[f];
    double tol = r->state[f].rounded ? ROUNDING : 0, spread;
    static const int first[1] = { 0 };

    for (int i = a->arity - 1; i >= 0; i--) {
        zb_shape shape = zb_factor_shape(a, r->card, i);
        if (!zb_axis_constant(shape, tol, a->value, &spread))
            continue;
        zb_record_begin(r->record, ZB_RECORD_DROP);
        zb_record_push(r->record, f);
        zb_record_push(r->record, a->scope[i]);
        zb_reducer_rounded(r, ZB_MARGIN * spread);
        zb_axis_take(shape, 1, first, a->value, a->value);
        a->size /= shape.n;
        zb_reducer_forget_axis(r, f, i);
        r->report->axes_dropped++;
    }
}

void zb_reduce_table(zb_reducer *r, int f)
{
    zb_factor *a = &r->factor[f];
    double top, low;

    zb_tick(&r->tick, 50 + (4.0 + 3.0 * a->arity) * (double)a->size);
    zb_table_range(a->size, a->value, &low, &top);
    zb_reducer_scale(r, (zb_ball){ top, 0 });
    if (r->zero) {
        zb_record_begin(r->record, ZB_RECORD_ZERO);
        zb_record_push(r->record, a->arity > 0 ? f : -1);
        return;
    }
    for (size_t e = 0; top != 0 && e < a->size; e++)
        a->value[e] -= top;
    if (top != 0)
        zb_reducer_rounded(r, zb_once_radius(a->size, a->value));
    if (a->arity == 0) {
        zb_reducer_remove_factor(r, f);
        r->report->constants++;
        return;
    }
    r->state[f].zeros = low == -INFINITY;
    if (r->state[f].zeros)
        zb_queue_push(&r->patterns, f);
    if (!r->state[f].zeros || !mark_unsupported(r, a))
        drop_constant_axes(r, f);
}

/* Cut the values keep[0 .. k-1] of v out of all tables and forget the others. */
static void cut(zb_reducer *r, int v, int k, const int *keep)
{
    int *value = r->value + r->value_at[v];
    bool *gone = r->gone + r->value_at[v];
    const int *list;
    int count = zb_reducer_factors(r, v, &list);

    for (int i = 0; i < count; i++) {
        zb_factor *a = &r->factor[list[i]];
        zb_shape shape = zb_factor_shape(a, r->card, zb_factor_axis(a, v));
        size_t before = a->size;
        zb_axis_take(shape, (size_t)k, keep, a->value, a->value);
        a->size = shape.outer * (size_t)k * shape.inner;
        zb_queue_push(&r->factors, list[i]);
        zb_tick(&r->tick, 50 + 2.0 * (double)before);
    }
    for (int j = 0; j < k; j++)
        value[j] = value[keep[j]];
    memset(gone, 0, (size_t)r->card[v] * sizeof *gone);
}

void zb_reduce_values(zb_reducer *r, int v)
{
    zb_rvar *a = &r->var[v];
    int *keep = r->index, k = 0, count;
    const int *list;

    if (a->gone == 0)
        return;
    for (int x = 0; x < r->card[v]; x++)
        if (!r->gone[r->value_at[v] + (size_t)x])
            keep[k++] = x;
    zb_record_begin(r->record, ZB_RECORD_VALUES);
    zb_record_push(r->record, v);
    for (int i = 0; i < k; i++)
        zb_record_push(r->record, keep[i]);
    r->report->values_removed += (size_t)a->gone;
    r->zero = k == 0;
    if (r->zero)
        return;
    cut(r, v, k, keep);
    r->card[v] = k;
    a->gone = 0;
    if (k > 1)
        return;
    count = zb_reducer_factors(r, v, &list);
    for (int i = 0; i < count; i++)
        zb_reducer_forget_axis(r, list[i], zb_factor_axis(&r->factor[list[i]], v));
    zb_trail_fixed(r->report->trail, v, r->value[r->value_at[v]]);
    zb_reducer_remove_var(r, v, &r->report->fixed);
}
