/* Factors inside others, variables inside one factor: both leave without any table
 * growing. */
#include "simplify/reducer.h"

#include "base/explog.h"

/* Smallest list to search for factors that contain the scope of a. */
static int rarest_var(const zb_reducer *r, const zb_factor *a)
{
    int best = a->scope[0];
    for (int i = 1; i < a->arity; i++)
        if (r->var[a->scope[i]].degree < r->var[best].degree)
            best = a->scope[i];
    return best;
}

static bool contains(const zb_reducer *r, const zb_factor *b, int arity)
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
    const zb_factor *a = &r->factor[f];
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
        const zb_factor *b = &r->factor[list[k]];
        zb_tick(&r->tick, 10 + 2.0 * b->arity);
        if (b->arity > a->arity && contains(r, b, a->arity))
            return list[k];
    }
    return -1;
}

void zb_reduce_absorb(zb_reducer *r, int f)
{
    zb_factor *a = &r->factor[f];
    int g;

    if (a->arity == 0)
        return;
    g = zb_reducer_same_scope(r, f);
    if (g < 0)
        g = larger_scope(r, f);
    if (g < 0)
        return;
    zb_factor *b = &r->factor[g];
    zb_factor_absorb(a, b->arity, b->scope, r->card, b->value, NULL);
    zb_reducer_rounded(r, zb_absorb_radius(a, b->size, b->value));
    zb_tick(&r->tick, 50 + 3.0 * (double)b->size);
    zb_record_begin(r->record, ZB_RECORD_MULTIPLY);
    zb_record_push(r->record, f);
    zb_record_push(r->record, g);
    r->state[g].rounded = r->state[g].rounded || r->state[f].rounded;
    zb_queue_push(&r->factors, g);
    zb_reducer_remove_factor(r, f);
    r->report->absorbed++;
}

static void record_sum(zb_reducer *r, int v, int f)
{
    zb_record_begin(r->record, ZB_RECORD_SUM);
    zb_record_push(r->record, v);
    zb_record_push(r->record, f);
}

void zb_reduce_degree(zb_reducer *r, int v)
{
    const int *list;

    if (r->keep)
        return;
    if (r->var[v].degree == 0) {
        record_sum(r, v, -1);
        zb_reducer_scale(r, zb_log_ball(r->card[v]));
        zb_trail_isolated(r->report->trail, v, r->card[v], r->value + r->value_at[v]);
        zb_reducer_remove_var(r, v, &r->report->isolated);
    } else if (r->var[v].degree == 1) {
        zb_reducer_factors(r, v, &list);
        record_sum(r, v, list[0]);
        zb_factor *a = &r->factor[list[0]];
        int axis = zb_factor_axis(a, v);
        zb_shape shape = zb_factor_shape(a, r->card, axis);
        zb_trail_summed(r->report->trail, v, a, r->card, r->value_at, r->value);
        zb_axis_sum(shape, a->value, a->value, NULL);
        zb_reducer_rounded(r, zb_axis_sum_radius(shape, a->value));
        zb_tick(&r->tick, 50 + 15.0 * (double)a->size);
        a->size /= shape.n;
        r->state[list[0]].rounded = true;
        zb_reducer_forget_axis(r, list[0], axis);
        zb_reducer_remove_var(r, v, &r->report->summed);
    }
}
