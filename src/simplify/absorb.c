/* Factors inside others, variables inside one factor: both leave without any table
 * growing. */
#include "simplify/reducer.h"

#include "base/explog.h"

/* Smallest list to search for factors that contain the scope of a. */
static int rarest_var(const zb_reducer *r, const zb_rfactor *a)
{
    int best = a->scope[0];
    for (int i = 1; i < a->arity; i++)
        if (r->var[a->scope[i]].degree < r->var[best].degree)
            best = a->scope[i];
    return best;
}

static bool contains(const zb_reducer *r, const zb_rfactor *b, int arity)
{
    const int *met = r->seen_by + r->nfactors;
    int common = 0;
    for (int i = 0; i < b->arity; i++)
        common += met[b->scope[i]] == r->round;
    return common == arity;
}

/* A factor whose scope properly contains that of f; -1: none. */
static int larger_scope(zb_reducer *r, int f)
{
    const zb_rfactor *a = &r->factor[f];
    const int *list;
    int count;

    for (int i = 0; i < a->arity; i++)
        if (r->var[a->scope[i]].widest <= a->arity)
            return -1;
    count = zb_reducer_factors(r, rarest_var(r, a), &list);
    r->round++;
    for (int i = 0; i < a->arity; i++)
        r->seen_by[r->nfactors + a->scope[i]] = r->round;
    for (int k = 0; k < count; k++) {
        const zb_rfactor *b = &r->factor[list[k]];
        zb_tick(&r->tick, 10 + 2.0 * b->arity);
        if (b->arity > a->arity && contains(r, b, a->arity))
            return list[k];
    }
    return -1;
}

void zb_reduce_absorb(zb_reducer *r, int f)
{
    zb_rfactor *a = &r->factor[f];
    size_t stride[ZB_MAX_AXES], outer, n;
    int card[ZB_MAX_AXES], g;

    if (a->arity == 0)
        return;
    g = zb_reducer_same_scope(r, f);
    if (g < 0)
        g = larger_scope(r, f);
    if (g < 0)
        return;
    zb_rfactor *b = &r->factor[g];
    for (int i = 0; i < b->arity; i++) {
        int axis = zb_reducer_axis(a, b->scope[i]);
        card[i] = r->var[b->scope[i]].card;
        stride[i] = 0;
        if (axis >= 0)
            zb_reducer_shape(r, a, axis, &outer, &n, &stride[i]);
    }
    zb_axis_add(b->arity, card, stride, a->value, b->value);
    zb_tick(&r->tick, 50 + 3.0 * (double)b->size);
    b->rounded = b->rounded || a->rounded;
    zb_queue_push(&r->factors, g);
    zb_reducer_remove_factor(r, f);
    r->report->absorbed++;
}

void zb_reduce_degree(zb_reducer *r, int v)
{
    const int *list;
    size_t outer, n, inner;

    if (r->var[v].degree == 0) {
        zb_reducer_scale(r, zb_log(r->var[v].card));
        zb_reducer_remove_var(r, v, &r->report->isolated);
    } else if (r->var[v].degree == 1) {
        zb_reducer_factors(r, v, &list);
        zb_rfactor *a = &r->factor[list[0]];
        int axis = zb_reducer_axis(a, v);
        zb_reducer_shape(r, a, axis, &outer, &n, &inner);
        zb_axis_sum(outer, n, inner, a->value, a->value);
        zb_tick(&r->tick, 50 + 15.0 * (double)a->size);
        a->size /= n;
        a->rounded = true;
        zb_reducer_forget_axis(r, list[0], axis);
        zb_reducer_remove_var(r, v, &r->report->summed);
    }
}
