/* Bytes that structures which grow together may take. A purse of NULL has no limit. */
#ifndef ZB_PURSE_H
#define ZB_PURSE_H

#include "base/base.h"

typedef struct zb_purse {
    uint64_t used, most;
    bool empty; /* something was refused, or charged beyond the limit */
} zb_purse;

/* What an array takes of the process's memory. */
static inline uint64_t zb_purse_cost(size_t count, size_t size)
{
    return ((uint64_t)count * size + 64) / 64 * 64 + 16;
}

/* Refused when there is not so much left. */
bool zb_purse_take(zb_purse *p, uint64_t bytes);
/* Taken in any case, where a refusal would do harm; the purse is then empty. */
void zb_purse_charge(zb_purse *p, uint64_t bytes);
void zb_purse_give(zb_purse *p, uint64_t bytes);

/* Like zb_alloc, zb_calloc, zb_resize. NULL when the purse says no (it is then empty)
   or the allocation failed; `old`, of which the first `used` of `room` elements are
   kept, is then as it was. While one is copied, both count. */
void *zb_purse_alloc(zb_purse *p, size_t count, size_t size);
void *zb_purse_calloc(zb_purse *p, size_t count, size_t size);
void *zb_purse_resize(zb_purse *p, void *old, size_t used, size_t room, size_t count,
                      size_t size);
/* Like ZB_RESERVE: ZB_ELIMIT when the purse says no. */
#define ZB_PURSE_RESERVE(purse, array, room, used, need)                               \
    zb_purse_reserve(purse, &(array), room, used, need, sizeof *(array))
zb_status zb_purse_reserve(zb_purse *p, void *array, size_t *room, size_t used,
                           size_t need, size_t size);
void zb_purse_free(zb_purse *p, void *old, size_t count, size_t size);

/* Why an allocation gave NULL. */
static inline zb_status zb_purse_status(const zb_purse *p)
{
    return p != NULL && p->empty ? ZB_ELIMIT : ZB_ENOMEM;
}

#endif
