/* The one place that asks the system for memory. tests/mem_fail.c replaces it. */
#include "base/account.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, SMALL = 512 };

bool zb_size_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

void *zb_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!zb_size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = bytes < SMALL ? zb_max_size(bytes, 1) : (bytes + ALIGN) / ALIGN * ALIGN;
    if (!zb_account_take(bytes))
        return NULL;
    void *p = bytes < SMALL ? malloc(bytes) : aligned_alloc(ALIGN, bytes);
    zb_account_adjust((p != NULL ? (int64_t)ZB_BLOCK_SIZE(p) : 0) - (int64_t)bytes);
    return p;
}

void *zb_calloc(size_t count, size_t size)
{
    void *p = zb_alloc(count, size);
    if (p != NULL)
        memset(p, 0, count * size);
    return p;
}

void *zb_resize(void *old, size_t old_count, size_t count, size_t size)
{
    void *p = zb_alloc(count, size);
    if (p == NULL)
        return NULL;
    if (old != NULL)
        memcpy(p, old, (old_count < count ? old_count : count) * size);
    zb_free(old);
    return p;
}

void zb_free(void *p)
{
    if (p != NULL)
        zb_account_adjust(-(int64_t)ZB_BLOCK_SIZE(p));
    free(p);
}
