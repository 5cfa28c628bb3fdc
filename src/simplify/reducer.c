/* Bookkeeping of the shrinking model: queues, incidence, scopes by hash. */
#include "simplify/reducer.h"

#include <string.h>

zb_status zb_queue_init(zb_queue *q, int n)
{
    *q = (zb_queue){ .room = n };
    q->item = zb_alloc((size_t)n, sizeof *q->item);
    q->waits = zb_calloc((size_t)n, sizeof *q->waits);
    return q->item != NULL && q->waits != NULL ? ZB_OK : ZB_ENOMEM;
}

void zb_queue_clear(zb_queue *q)
{
    zb_free(q->item);
    zb_free(q->waits);
    *q = (zb_queue){ 0 };
}

void zb_queue_push(zb_queue *q, int item)
{
    if (q->waits[item])
        return;
    int at = q->head + q->count < q->room ? q->head + q->count
                                          : q->head - (q->room - q->count);
    q->item[at] = item;
    q->waits[item] = true;
    q->count++;
}

int zb_queue_pop(zb_queue *q)
{
    if (q->count == 0)
        return -1;
    int item = q->item[q->head];
    q->head = q->head + 1 < q->room ? q->head + 1 : 0;
    q->count--;
    q->waits[item] = false;
    return item;
}

/* Compensated: a hundred thousand constants cost no digits. */
void zb_reducer_scale(zb_reducer *r, zb_ball log_constant)
{
    if (log_constant.mid == -INFINITY)
        r->zero = true;
    else
        zb_sum_add_ball(&r->scale, log_constant);
}

void zb_reducer_rounded(zb_reducer *r, double radius) { r->scale.radius += radius; }

void zb_reducer_set_value(zb_reducer *r, int f, double *value)
{
    if (r->state[f].owned)
        zb_free(r->factor[f].value);
    r->factor[f].value = value;
    r->state[f].owned = value != NULL;
}

int zb_reducer_factors(zb_reducer *r, int v, const int **list)
{
    zb_rvar *a = &r->var[v];
    int count = 0;

    r->round++;
    zb_tick(&r->tick, 10.0 * a->count);
    for (int i = 0; i < a->count; i++) {
        int f = a->list[i];
        if (!r->state[f].alive || r->seen_by[f] == r->round ||
            zb_factor_axis(&r->factor[f], v) < 0)
            continue;
        r->seen_by[f] = r->round;
        a->list[count++] = f;
    }
    a->count = count;
    *list = a->list;
    return count;
}

zb_status zb_reducer_list_add(zb_reducer *r, int v, int f)
{
    zb_rvar *a = &r->var[v];

    if (a->count == a->room) {
        int room = 2 * a->room + 4;
        int *list = zb_alloc((size_t)room, sizeof *list);
        if (list == NULL)
            return ZB_ENOMEM;
        memcpy(list, a->list, (size_t)a->count * sizeof *list);
        if (a->owned)
            zb_free(a->list);
        a->list = list;
        a->room = room;
        a->owned = true;
    }
    a->list[a->count++] = f;
    return ZB_OK;
}

void zb_reducer_forget_axis(zb_reducer *r, int f, int axis)
{
    zb_factor *a = &r->factor[f];
    int v = a->scope[axis];

    zb_reducer_unlink(r, f);
    for (int i = axis + 1; i < a->arity; i++)
        a->scope[i - 1] = a->scope[i];
    a->arity--;
    zb_reducer_link(r, f);
    r->var[v].degree--;
    zb_queue_push(&r->vars, v);
    zb_queue_push(&r->factors, f);
    zb_queue_push(&r->scopes, f);
}

void zb_reducer_remove_factor(zb_reducer *r, int f)
{
    zb_factor *a = &r->factor[f];

    zb_reducer_unlink(r, f);
    r->state[f].alive = false;
    for (int i = 0; i < a->arity; i++) {
        r->var[a->scope[i]].degree--;
        zb_queue_push(&r->vars, a->scope[i]);
    }
    zb_reducer_set_value(r, f, NULL);
}

void zb_reducer_remove_var(zb_reducer *r, int v, int *counter)
{
    r->var[v].alive = false;
    (*counter)++;
}

static unsigned scope_bucket(const zb_reducer *r, const zb_factor *f)
{
    uint64_t sum = 0; /* order does not matter */
    for (int i = 0; i < f->arity; i++) {
        uint64_t z = ((uint64_t)f->scope[i] + 1) * 0x9e3779b97f4a7c15u;
        sum += (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    }
    return (unsigned)(sum >> 32) & r->mask;
}

void zb_reducer_link(zb_reducer *r, int f)
{
    int *head = &r->bucket[scope_bucket(r, &r->factor[f])];
    r->state[f].next = *head;
    r->state[f].prev = -1;
    if (*head >= 0)
        r->state[*head].prev = f;
    *head = f;
}

void zb_reducer_unlink(zb_reducer *r, int f)
{
    const zb_fstate *a = &r->state[f];
    if (a->prev >= 0)
        r->state[a->prev].next = a->next;
    else
        r->bucket[scope_bucket(r, &r->factor[f])] = a->next;
    if (a->next >= 0)
        r->state[a->next].prev = a->prev;
}

int zb_reducer_same_scope(const zb_reducer *r, int f)
{
    const zb_factor *a = &r->factor[f];
    for (int g = r->bucket[scope_bucket(r, a)]; g >= 0; g = r->state[g].next)
        if (g != f && a->arity == r->factor[g].arity &&
            zb_factor_contains(&r->factor[g], a))
            return g;
    return -1;
}
