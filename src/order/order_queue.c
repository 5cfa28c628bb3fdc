#include "order/order_queue.h"

zb_status zb_order_queue_init(zb_order_queue *q, int n)
{
    size_t count = (size_t)n;
    q->heap.item = zb_alloc(2 * count, sizeof *q->heap.item);
    q->key = zb_calloc(2 * count, sizeof *q->key);
    q->tie = zb_calloc(count, sizeof *q->tie);
    if (q->heap.item == NULL || q->key == NULL || q->tie == NULL)
        return ZB_ENOMEM;
    q->heap.place = q->heap.item + count;
    q->second = q->key + count;
    zb_heap_clear(&q->heap, n);
    return ZB_OK;
}

void zb_order_queue_free(zb_order_queue *q)
{
    zb_free(q->heap.item);
    zb_free(q->key);
    zb_free(q->tie);
}

static bool before(const void *queue, int u, int v)
{
    const zb_order_queue *q = queue;
    if (q->key[u] != q->key[v])
        return q->key[u] < q->key[v];
    if (q->second[u] != q->second[v])
        return q->second[u] < q->second[v];
    return q->tie[u] < q->tie[v] || (q->tie[u] == q->tie[v] && u < v);
}

void zb_order_queue_push(zb_order_queue *q, int v)
{
    zb_heap_push(&q->heap, v, before, q);
}

int zb_order_queue_pop(zb_order_queue *q) { return zb_heap_pop(&q->heap, before, q); }

void zb_order_queue_update(zb_order_queue *q, int v)
{
    zb_heap_update(&q->heap, v, before, q);
}

void zb_order_queue_up(zb_order_queue *q, int v) { zb_heap_up(&q->heap, v, before, q); }
