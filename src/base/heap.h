/* A priority queue of numbered items whose keys change: a binary heap in which each
 * item's place is known, so that one whose key changed can move.
 *
 * before(keys, a, b) says whether item a is to leave before b. It is a strict total
 * order (ties are settled by the number), so that what leaves next does not depend on
 * what came when. The functions are inlined with it. */
#ifndef ZB_HEAP_H
#define ZB_HEAP_H

#include "base/base.h"

typedef struct zb_heap {
    int size;
    int *item;  /* the next to leave in front; item[(i - 1) / 2] is before item[i] */
    int *place; /* item[place[a]] == a; -1 when a is not queued */
} zb_heap;

typedef bool zb_heap_before(const void *keys, int a, int b);

ZB_INLINE void zb_heap_put(zb_heap *h, int at, int a)
{
    h->item[at] = a;
    h->place[a] = at;
}

/* Empty, for the items 0 .. n-1. */
ZB_INLINE void zb_heap_clear(zb_heap *h, int n)
{
    h->size = 0;
    for (int a = 0; a < n; a++)
        h->place[a] = -1;
}

/* a may have to leave earlier than its place says. */
ZB_INLINE void zb_heap_up(zb_heap *h, int a, zb_heap_before *before, const void *keys)
{
    int at = h->place[a];
    while (at > 0 && before(keys, a, h->item[(at - 1) / 2])) {
        zb_heap_put(h, at, h->item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    zb_heap_put(h, at, a);
}

/* a may have to leave later. */
ZB_INLINE void zb_heap_down(zb_heap *h, int a, zb_heap_before *before, const void *keys)
{
    int at = h->place[a];
    for (int child; (child = 2 * at + 1) < h->size; at = child) {
        if (child + 1 < h->size && before(keys, h->item[child + 1], h->item[child]))
            child++;
        if (!before(keys, h->item[child], a))
            break;
        zb_heap_put(h, at, h->item[child]);
    }
    zb_heap_put(h, at, a);
}

ZB_INLINE void zb_heap_update(zb_heap *h, int a, zb_heap_before *before,
                              const void *keys)
{
    zb_heap_up(h, a, before, keys);
    zb_heap_down(h, a, before, keys);
}

ZB_INLINE void zb_heap_push(zb_heap *h, int a, zb_heap_before *before, const void *keys)
{
    ZB_ASSERT(h->place[a] < 0);
    zb_heap_put(h, h->size++, a);
    zb_heap_up(h, a, before, keys);
}

ZB_INLINE void zb_heap_remove(zb_heap *h, int a, zb_heap_before *before,
                              const void *keys)
{
    int last = h->item[--h->size];
    if (last != a) {
        zb_heap_put(h, h->place[a], last);
        zb_heap_update(h, last, before, keys);
    }
    h->place[a] = -1;
}

/* The next to leave; the heap is not empty. */
ZB_INLINE int zb_heap_pop(zb_heap *h, zb_heap_before *before, const void *keys)
{
    ZB_ASSERT(h->size > 0);
    int a = h->item[0], last = h->item[--h->size];
    if (last != a) {
        zb_heap_put(h, 0, last);
        zb_heap_down(h, last, before, keys);
    }
    h->place[a] = -1;
    return a;
}

#endif
