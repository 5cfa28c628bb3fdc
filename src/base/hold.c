#include "base/hold.h"

#include <string.h>

void *zb_hold_alloc(zb_hold *h, size_t count, size_t size)
{
    void *p = NULL;
    if (!h->failed && ZB_RESERVE(h->block, &h->room, h->count, h->count + 1))
        p = zb_alloc(count, size);
    h->failed = p == NULL;
    if (p != NULL)
        h->block[h->count++] = p;
    return p;
}

void *zb_hold_calloc(zb_hold *h, size_t count, size_t size)
{
    void *p = zb_hold_alloc(h, count, size);
    if (p != NULL)
        memset(p, 0, count * size);
    return p;
}

void zb_hold_free(zb_hold *h)
{
    for (size_t i = 0; i < h->count; i++)
        zb_free(h->block[i]);
    zb_free(h->block);
    *h = (zb_hold){ 0 };
}
