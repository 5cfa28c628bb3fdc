/* Variables tied one-to-one. If the non-zero entries of a factor pair the values of u
 * and v by a bijection, x_v = pi(x_u) wherever the product is not zero: v is replaced
 * by pi(u) in every factor, which keeps Z and shrinks tables that held both. */
#include "simplify/reducer.h"

#include <string.h>

static size_t count_support(const zb_factor *a)
{
    size_t count = 0;
    for (size_t e = 0; e < a->size; e++)
        count += a->value[e] > -INFINITY;
    return count;
}

/* Is the support of a a bijection between axes i and j? to[x_i] = x_j, from the
   inverse; both have n entries. */
static bool bijection(const zb_reducer *r, const zb_factor *a, int i, int j, int *to,
                      int *from)
{
    zb_shape u = zb_factor_shape(a, r->card, i), v = zb_factor_shape(a, r->card, j);
    size_t n = u.n;

    for (size_t x = 0; x < n; x++)
        to[x] = from[x] = -1;
    for (size_t e = 0; e < a->size; e++) {
        if (a->value[e] == -INFINITY)
            continue;
        int x = (int)(e / u.inner % n), y = (int)(e / v.inner % n);
        if ((to[x] >= 0 && to[x] != y) || (from[y] >= 0 && from[y] != x))
            return false;
        to[x] = y;
        from[y] = x;
    }
    for (size_t x = 0; x < n; x++)
        if (to[x] < 0)
            return false;
    return true;
}

/* Reorder axis v so that value x stands for pi(x). */
static zb_status permute(zb_reducer *r, int f, int axis, const int *pi)
{
    const zb_factor *a = &r->factor[f];
    zb_shape shape = zb_factor_shape(a, r->card, axis);
    bool identity = true;

    for (size_t x = 0; x < shape.n; x++)
        identity = identity && pi[x] == (int)x;
    if (identity)
        return ZB_OK;
    double *value = zb_alloc(a->size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    zb_axis_take(shape, shape.n, pi, a->value, value);
    zb_reducer_set_value(r, f, value);
    return ZB_OK;
}

/* Keep the entries with x_u = x_v; axis v leaves the table. */
static zb_status diagonal(zb_reducer *r, int f, int axis_u, int axis_v)
{
    zb_factor *a = &r->factor[f];
    zb_shape v = zb_factor_shape(a, r->card, axis_v);
    int scope[ZB_MAX_AXES], axes = 0;
    zb_walk w;

    for (int i = 0; i < a->arity; i++)
        if (i != axis_v)
            scope[axes++] = a->scope[i];
    size_t size = zb_walk_begin(&w, axes, scope, r->card, a);
    w.stride[axis_u - (axis_u > axis_v)] += v.inner;
    double *value = zb_alloc(size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    zb_walk_copy(&w, a->value, value, NULL);
    zb_reducer_set_value(r, f, value);
    a->size = size;
    return ZB_OK;
}

/* v becomes u in the scope of f, which does not have u yet. */
static zb_status rename_axis(zb_reducer *r, int f, int axis, int u)
{
    zb_factor *a = &r->factor[f];

    r->var[a->scope[axis]].degree--;
    zb_reducer_unlink(r, f);
    a->scope[axis] = u;
    zb_reducer_link(r, f);
    r->var[u].degree++;
    r->var[u].widest = zb_max_int(r->var[u].widest, a->arity);
    zb_queue_push(&r->factors, f);
    zb_queue_push(&r->scopes, f);
    return zb_reducer_list_add(r, u, f);
}

/* A factor with a new variable u may contain the scopes of others: these have u and, as
   singletons do not last, a further variable in common with it. */
static void queue_neighbours(zb_reducer *r, int f, int u)
{
    const zb_factor *a = &r->factor[f];
    for (int i = 0; i < a->arity && !r->tick.over; i++) {
        const int *list;
        int count = a->scope[i] == u ? 0 : zb_reducer_factors(r, a->scope[i], &list);
        for (int k = 0; k < count; k++)
            zb_queue_push(&r->scopes, list[k]);
    }
}

/* Remember x_v = pi(x_u) in the values that the model had at first. */
static void record(zb_reducer *r, int v, int u, const int *pi)
{
    int *value = r->value + r->value_at[v], *mate = r->mate + r->value_at[v];
    int n = r->card[v];

    for (int x = 0; x < n; x++)
        mate[x] = value[pi[x]];
    for (int x = 0; x < n; x++) {
        value[x] = mate[x];
        mate[x] = r->value[r->value_at[u] + (size_t)x];
    }
    r->merged_into[v] = u;
    r->merged[r->nmerged++] = v;
    zb_trail_tied(r->report->trail, v, u, n, mate, value);
}

zb_status zb_reduce_substitute(zb_reducer *r, int v, int u, const int *pi)
{
    const int *list;
    int count = zb_reducer_factors(r, v, &list);
    zb_status status = ZB_OK;

    for (int i = 0; i < count; i++) {
        zb_factor *a = &r->factor[list[i]];
        int axis_v = zb_factor_axis(a, v), axis_u = zb_factor_axis(a, u);
        if (!zb_tick(&r->tick, 100 + 5.0 * (double)a->size))
            return ZB_OK;
        TRY(permute(r, list[i], axis_v, pi));
        if (axis_u >= 0) {
            TRY(diagonal(r, list[i], axis_u, axis_v));
            zb_reducer_forget_axis(r, list[i], axis_v);
        } else {
            TRY(rename_axis(r, list[i], axis_v, u));
            queue_neighbours(r, list[i], u);
        }
    }
    record(r, v, u, pi);
    zb_reducer_remove_var(r, v, &r->report->merged);
    zb_queue_push(&r->vars, u);
done:
    return status;
}

static zb_status tie(zb_reducer *r, int f, int v, int u, const int *pi)
{
    zb_record_begin(r->record, ZB_RECORD_TIE);
    zb_record_push(r->record, v);
    zb_record_push(r->record, u);
    zb_record_push(r->record, f);
    for (int x = 0; x < r->card[u]; x++)
        zb_record_push(r->record, pi[x]);
    return zb_reduce_substitute(r, v, u, pi);
}

zb_status zb_reduce_tie(zb_reducer *r, int f)
{
    zb_factor *a = &r->factor[f];
    size_t support = count_support(a);

    zb_tick(&r->tick, (double)a->size);
    for (int i = 0; i < a->arity; i++)
        for (int j = i + 1; j < a->arity && !r->tick.over; j++) {
            const zb_rvar *u = &r->var[a->scope[i]], *v = &r->var[a->scope[j]];
            int n = r->card[a->scope[i]], *to = r->index, *from = r->index + n;
            zb_tick(&r->tick, 10);
            if (n != r->card[a->scope[j]] || u->gone > 0 || v->gone > 0 ||
                support > a->size / (size_t)n || !bijection(r, a, i, j, to, from))
                continue;
            return u->degree >= v->degree ? tie(r, f, a->scope[j], a->scope[i], to)
                                          : tie(r, f, a->scope[i], a->scope[j], from);
        }
    return ZB_OK;
}
