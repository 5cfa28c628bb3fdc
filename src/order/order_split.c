#include "order/order_split.h"

#include <stdlib.h>

void zb_splitter_free(zb_splitter *p)
{
    for (int v = 0; p->of != NULL && v < p->s->nvars; v++)
        zb_free(p->of[v].id);
    zb_free(p->of);
    zb_free(p->item_at);
    zb_free(p->dead);
    zb_free(p->pool);
    zb_free(p->item);
    zb_packer_clear(&p->packer);
}

static zb_status item_add(zb_splitter *p, int size, const int *var)
{
    size_t n = (size_t)p->nitems, at = p->item_at[n], end = at + (size_t)size;

    if (!ZB_RESERVE(p->dead, &p->dead_room, n, n + 1) ||
        !ZB_RESERVE(p->item_at, &p->at_room, n + 1, n + 2) ||
        !ZB_RESERVE(p->pool, &p->pool_room, at, end))
        return ZB_ENOMEM;
    for (int i = 0; i < size; i++) {
        zb_split_list *of = &p->of[var[i]];
        size_t count = (size_t)of->count;
        if (!ZB_RESERVE(of->id, &of->room, count, count + 1))
            return ZB_ENOMEM;
        of->id[of->count++] = p->nitems;
        p->pool[at + (size_t)i] = var[i];
    }
    p->dead[p->nitems++] = false;
    p->item_at[p->nitems] = end;
    return ZB_OK;
}

zb_status zb_splitter_reset(zb_splitter *p)
{
    zb_status status = ZB_OK;
    p->nitems = 0;
    p->item_at[0] = 0;
    for (int v = 0; v < p->s->nvars; v++)
        p->of[v].count = 0;
    for (int f = 0; f < p->s->count; f++) {
        TRY(item_add(p, zb_scopes_arity(p->s, f), zb_scopes_of(p->s, f)));
        TRY(zb_tick(p->tick, 20.0 * (2 + zb_scopes_arity(p->s, f))) ? ZB_OK
                                                                    : ZB_ELIMIT);
    }
done:
    return status;
}

zb_status zb_splitter_init(zb_splitter *p, const zb_scopes *s, int ibound,
                           double max_entries, zb_ticker *tick)
{
    size_t n = (size_t)s->nvars;
    zb_status status;
    p->s = s;
    p->tick = tick;
    p->of = zb_calloc(n, sizeof *p->of);
    p->item_at = zb_calloc(1, sizeof *p->item_at);
    p->at_room = 1;
    TRY(zb_packer_init(&p->packer, s->nvars, s->card, tick));
    p->packer.ibound = ibound;
    p->packer.max_entries = max_entries;
    TRY(p->of != NULL && p->item_at != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_splitter_reset(p));
done:
    return status;
}

/* ---- one bucket -------------------------------------------------------------------
 */

zb_status zb_splitter_gather(zb_splitter *p, int v)
{
    zb_split_list *of = &p->of[v];
    int live = 0, total = 0;
    if (!ZB_RESERVE(p->item, &p->item_room, 0, (size_t)of->count))
        return ZB_ENOMEM;
    for (int i = 0; i < of->count; i++) {
        int id = of->id[i];
        if (p->dead[id])
            continue;
        of->id[live] = id;
        p->item[live].id = id;
        p->item[live].scope = p->pool + p->item_at[id];
        p->item[live].arity = (int)(p->item_at[id + 1] - p->item_at[id]);
        total += p->item[live].arity;
        live++;
    }
    p->work += of->count + total;
    of->count = p->item_count = live;
    return zb_tick(p->tick, 30.0 + 10.0 * of->count) ? ZB_OK : ZB_ELIMIT;
}

zb_status zb_splitter_divide(zb_splitter *p, int v)
{
    zb_status status;
    TRY(zb_splitter_gather(p, v));
    TRY(zb_packer_divide(&p->packer, ZB_PARTITION_REFERENCE, v, p->item_count,
                         p->item));
    for (int i = 0; i < p->item_count; i++)
        p->work += 4 * p->item[i].arity + p->item[i].bin;
done:
    return status;
}

static int by_bin(const void *x, const void *y)
{
    const zb_member *a = x, *b = y;
    return a->bin != b->bin ? a->bin - b->bin : a->index - b->index;
}

zb_status zb_splitter_eliminate(zb_splitter *p, int v, int *scope)
{
    const zb_packer *k = &p->packer;
    zb_status status = ZB_OK;
    for (int i = 0; i < p->item_count; i++)
        p->dead[p->item[i].id] = true;
    p->of[v].count = 0;
    if (k->bins > 1)
        qsort(k->member, (size_t)k->members, sizeof *k->member, by_bin);
    for (int i = 0; i < k->members;) {
        int size = 0, b = k->member[i].bin;
        for (; i < k->members && k->member[i].bin == b; i++)
            if (k->member[i].var != v)
                scope[size++] = k->member[i].var;
        if (size > 0)
            TRY(item_add(p, size, scope));
    }
    p->work += 4 * k->members;
done:
    return status;
}

void zb_splitter_cost(const zb_splitter *p, int v, zb_split_cost *cost)
{
    const zb_packer *k = &p->packer;
    if (k->bins == 0) {
        cost->total += p->s->card[v];
        cost->largest = fmax(cost->largest, p->s->card[v]);
        return;
    }
    cost->splits += k->bins - 1;
    for (int b = 0; b < k->bins; b++) {
        cost->total += k->bin[b].entries;
        cost->largest = fmax(cost->largest, k->bin[b].entries);
    }
}

zb_status zb_order_splits(const zb_scopes *s, const int *order, int ibound,
                          double max_entries, zb_run *run, zb_split_cost *out)
{
    zb_ticker tick = { .run = run };
    zb_splitter p = { 0 };
    int *scope = zb_calloc((size_t)s->nvars, sizeof *scope);
    zb_split_cost cost = { 0 };
    zb_status status;

    TRY(ibound >= 1 && !isnan(max_entries) ? ZB_OK : ZB_EINVAL);
    TRY(scope != NULL ? ZB_OK : ZB_ENOMEM);
    for (int k = 0; k < s->nvars; k++) {
        TRY(order[k] >= 0 && order[k] < s->nvars && !scope[order[k]] ? ZB_OK
                                                                     : ZB_EINVAL);
        scope[order[k]] = 1;
    }
    TRY(zb_splitter_init(&p, s, ibound, max_entries, &tick));
    for (int k = 0; k < s->nvars; k++) {
        TRY(zb_splitter_divide(&p, order[k]));
        zb_splitter_cost(&p, order[k], &cost);
        TRY(zb_splitter_eliminate(&p, order[k], scope));
    }
    *out = cost;
done:
    if (p.s != NULL)
        zb_splitter_free(&p);
    zb_free(scope);
    return status;
}
