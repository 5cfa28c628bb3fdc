#include "base/purse.h"

#include <string.h>

bool zb_purse_take(zb_purse *p, uint64_t bytes)
{
    if (p == NULL)
        return true;
    if (bytes > p->most || p->used > p->most - bytes) {
        p->empty = true;
        return false;
    }
    p->used += bytes;
    return true;
}

void zb_purse_charge(zb_purse *p, uint64_t bytes)
{
    if (p == NULL)
        return;
    p->used += bytes;
    p->empty = p->empty || p->used > p->most;
}

void zb_purse_give(zb_purse *p, uint64_t bytes)
{
    if (p != NULL)
        p->used -= bytes;
}

void *zb_purse_alloc(zb_purse *p, size_t count, size_t size)
{
    size_t bytes;
    if (!zb_size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2 ||
        !zb_purse_take(p, zb_purse_cost(count, size)))
        return NULL;
    void *out = zb_alloc(count, size);
    if (out == NULL)
        zb_purse_give(p, zb_purse_cost(count, size));
    return out;
}

void *zb_purse_calloc(zb_purse *p, size_t count, size_t size)
{
    void *out = zb_purse_alloc(p, count, size);
    if (out != NULL)
        memset(out, 0, count * size);
    return out;
}

void *zb_purse_resize(zb_purse *p, void *old, size_t used, size_t room, size_t count,
                      size_t size)
{
    void *out = zb_purse_alloc(p, count, size);
    if (out == NULL)
        return NULL;
    if (old != NULL)
        memcpy(out, old, used * size);
    zb_purse_free(p, old, room, size);
    return out;
}

zb_status zb_purse_reserve(zb_purse *p, void *array, size_t *room, size_t used,
                           size_t need, size_t size)
{
    if (need <= *room)
        return ZB_OK;
    void *old, *bigger; /* copied byte by byte, as in zb_reserve */
    size_t more = zb_room(*room, need, SIZE_MAX);
    memcpy(&old, array, sizeof old);
    bigger = zb_purse_resize(p, old, used, *room, more, size);
    if (bigger == NULL)
        return zb_purse_status(p);
    memcpy(array, &bigger, sizeof bigger);
    *room = more;
    return ZB_OK;
}

void zb_purse_free(zb_purse *p, void *old, size_t count, size_t size)
{
    if (old != NULL)
        zb_purse_give(p, zb_purse_cost(count, size));
    zb_free(old);
}
