#include "order/order_heap.h"

zb_status zb_heap_init(zb_heap *q, int n)
{
    size_t count = (size_t)n;
    q->heap = zb_alloc(2 * count, sizeof *q->heap);
    q->key = zb_calloc(2 * count, sizeof *q->key);
    q->tie = zb_calloc(count, sizeof *q->tie);
    if (q->heap == NULL || q->key == NULL || q->tie == NULL)
        return ZB_ENOMEM;
    q->place = q->heap + count;
    q->second = q->key + count;
    zb_heap_clear(q, n);
    return ZB_OK;
}

void zb_heap_free(zb_heap *q)
{
    zb_free(q->heap);
    zb_free(q->key);
    zb_free(q->tie);
}

void zb_heap_clear(zb_heap *q, int n)
{
    q->size = 0;
    for (int v = 0; v < n; v++)
        q->place[v] = -1;
}

static bool less(const zb_heap *q, int u, int v)
{
    if (q->key[u] != q->key[v])
        return q->key[u] < q->key[v];
    if (q->second[u] != q->second[v])
        return q->second[u] < q->second[v];
    return q->tie[u] < q->tie[v] || (q->tie[u] == q->tie[v] && u < v);
}

static void put(zb_heap *q, int at, int v)
{
    q->heap[at] = v;
    q->place[v] = at;
}

void zb_heap_up(zb_heap *q, int at)
{
    int v = q->heap[at];
    while (at > 0 && less(q, v, q->heap[(at - 1) / 2])) {
        put(q, at, q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(q, at, v);
}

static void down(zb_heap *q, int at)
{
    int v = q->heap[at];
    for (int child; (child = 2 * at + 1) < q->size; at = child) {
        if (child + 1 < q->size && less(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!less(q, q->heap[child], v))
            break;
        put(q, at, q->heap[child]);
    }
    put(q, at, v);
}

int zb_heap_pop(zb_heap *q)
{
    int v = q->heap[0];
    if (--q->size > 0) {
        put(q, 0, q->heap[q->size]);
        down(q, 0);
    }
    q->place[v] = -1;
    return v;
}

void zb_heap_push(zb_heap *q, int v)
{
    put(q, q->size++, v);
    zb_heap_up(q, q->size - 1);
}

void zb_heap_update(zb_heap *q, int v)
{
    zb_heap_up(q, q->place[v]);
    down(q, q->place[v]);
}
