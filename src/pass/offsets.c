#include "pass/offsets.h"

#include <string.h>

static size_t hash_table(size_t n, const int32_t *at)
{
    uint64_t h = 1469598103934665603u ^ n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint32_t)at[i]) * 1099511628211u;
    return (size_t)(h ^ (h >> 32));
}

static bool rehash(zb_offsets *o)
{
    size_t places = o->places > 0 ? 2 * o->places : 256;
    size_t *start = zb_calloc(places, sizeof *start),
           *length = zb_calloc(places, sizeof *length);
    if (start == NULL || length == NULL) {
        zb_free(start);
        zb_free(length);
        return false;
    }
    for (size_t i = 0; i < o->places; i++) {
        if (o->start[i] == 0)
            continue;
        size_t h = hash_table(o->length[i], o->data + o->start[i] - 1) & (places - 1);
        while (start[h] != 0)
            h = (h + 1) & (places - 1);
        start[h] = o->start[i];
        length[h] = o->length[i];
    }
    zb_free(o->start);
    zb_free(o->length);
    o->start = start;
    o->length = length;
    o->places = places;
    return true;
}

zb_status zb_offsets_find(zb_offsets *o, size_t n, const int32_t *at, size_t *where)
{
    if (2 * (o->tables + 1) > o->places && !rehash(o))
        return ZB_ENOMEM;
    size_t h = hash_table(n, at) & (o->places - 1);
    for (; o->start[h] != 0; h = (h + 1) & (o->places - 1))
        if (o->length[h] == n &&
            memcmp(o->data + o->start[h] - 1, at, n * sizeof *at) == 0) {
            *where = o->start[h] - 1;
            return ZB_OK;
        }
    if (!ZB_RESERVE(o->data, &o->room, o->used, o->used + n))
        return ZB_ENOMEM;
    *where = o->used;
    memcpy(o->data + o->used, at, n * sizeof *at);
    o->used += n;
    o->start[h] = *where + 1;
    o->length[h] = n;
    o->tables++;
    return ZB_OK;
}

void zb_offsets_free(zb_offsets *o)
{
    zb_free(o->data);
    zb_free(o->start);
    zb_free(o->length);
}
