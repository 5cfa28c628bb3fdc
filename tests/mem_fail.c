/* The functions of src/mem.c with a budget and a count of what is live. The counters
 * are updated atomically, since the library allocates from several threads. No block is
 * enlarged in place, so that a pointer kept across zb_resize is found by the sanitizer.
 */
#include "mem_fail.h"

#include "base/base.h"
#include "test.h"

#include <malloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

long zb_test_allocs_left = -1;
long zb_test_allocs_live = 0;
long zb_test_bytes_live = 0, zb_test_bytes_peak = 0;

enum { ALIGN = 64 };

static bool allowed(void)
{
    long left = __atomic_load_n(&zb_test_allocs_left, __ATOMIC_SEQ_CST);
    while (left > 0)
        if (__atomic_compare_exchange_n(&zb_test_allocs_left, &left, left - 1, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
    return left < 0;
}

static void count_bytes(long more)
{
    long live = __atomic_add_fetch(&zb_test_bytes_live, more, __ATOMIC_SEQ_CST);
    long peak = __atomic_load_n(&zb_test_bytes_peak, __ATOMIC_SEQ_CST);
    while (peak < live &&
           !__atomic_compare_exchange_n(&zb_test_bytes_peak, &peak, live, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

bool zb_size_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

void *zb_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!zb_size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2 || !allowed())
        return NULL;
    void *p = aligned_alloc(ALIGN, (bytes + ALIGN) / ALIGN * ALIGN);
    if (p != NULL) {
        __atomic_add_fetch(&zb_test_allocs_live, 1, __ATOMIC_SEQ_CST);
        count_bytes((long)malloc_usable_size(p));
    }
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
    if (p != NULL) {
        __atomic_sub_fetch(&zb_test_allocs_live, 1, __ATOMIC_SEQ_CST);
        count_bytes(-(long)malloc_usable_size(p));
    }
    free(p);
}

/* Run with so many allocations: true when they were enough. */
static bool enough(zb_status (*run)(void *context), void *context, long budget)
{
    const long live = zb_test_allocs_live;
    zb_test_allocs_left = budget;
    zb_status status = run(context);
    zb_test_allocs_left = -1;
    CHECK(zb_test_allocs_live == live, "after %ld allocations %ld were leaked", budget,
          zb_test_allocs_live - live);
    CHECK(status == ZB_OK || status == ZB_ENOMEM, "after %ld allocations: %s", budget,
          zb_status_text(status));
    return status == ZB_OK;
}

long fail_each_allocation(zb_status (*run)(void *context), void *context)
{
    for (long budget = 0; budget < 1000000; budget++)
        if (enough(run, context, budget))
            return budget;
    fail_msg("a million allocations were not enough");
    return -1;
}

void fail_many_allocations(zb_status (*run)(void *context), void *context, long ends)
{
    zb_test_allocs_left = LONG_MAX;
    assert_int_equal(run(context), ZB_OK);
    const long all = LONG_MAX - zb_test_allocs_left;
    const long stride = 1 + all / 100;
    long failures = 0;
    for (long budget = 0; budget < all;
         budget += budget < ends || budget >= all - ends - stride ? 1 : stride)
        failures += !enough(run, context, budget);
    CHECK(failures > 0 || all == 0, "%ld allocations, and none was missed", all);
}
