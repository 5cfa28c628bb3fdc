/* What is held is counted, and what may not be held is refused. */
#include "base/account.h"
#include "test.h"

#include <string.h>

static const uint64_t MIB = 1 << 20;

static void blocks_are_counted(void **state)
{
    (void)state;
    uint64_t before = zb_account_used();
    char *small = zb_alloc(1, 3), *large = zb_alloc(MIB, 4);
    assert_non_null(small);
    assert_non_null(large);
    uint64_t held = zb_account_used() - before;
    CHECK(held >= 4 * MIB + 3 && held < 4 * MIB + 8192, "%ju", (uintmax_t)held);
    large = zb_resize(large, MIB, 2 * MIB, 4);
    held = zb_account_used() - before;
    CHECK(held >= 8 * MIB && held < 8 * MIB + 8192, "%ju", (uintmax_t)held);
    zb_free(small);
    zb_free(large);
    assert_int_equal(zb_account_used(), before);
}

static void limits_are_kept(void **state)
{
    (void)state;
    uint64_t before = zb_account_used(), left = zb_account_enter(100 * MIB);
    CHECK(left < 100 * MIB && left > 45 * MIB, "%ju", (uintmax_t)left);
    assert_null(zb_alloc(100, MIB)); /* with the program itself that is too much */
    void *most = zb_alloc(left / MIB - 1, MIB);
    assert_non_null(most);
    assert_null(zb_alloc(2, MIB));
    zb_free(most);
    CHECK(zb_account_peak() <= 100 * MIB, "%ju", (uintmax_t)zb_account_peak());
    zb_account_leave(100 * MIB);
    void *more = zb_alloc(100, MIB);
    assert_non_null(more);
    zb_free(more);
    assert_int_equal(zb_account_used(), before);
}

/* Runs at the same time: the sum of what they may take, each within its own. */
static void limits_add_up(void **state)
{
    (void)state;
    uint64_t one = zb_account_enter(64 * MIB), two = zb_account_enter(128 * MIB);
    CHECK(one < 64 * MIB && two < 128 * MIB, "%ju and %ju", (uintmax_t)one,
          (uintmax_t)two);
    void *a = zb_alloc(two / MIB - 2, MIB), *b = zb_alloc(one / MIB - 4, MIB);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(zb_alloc(64, MIB));
    zb_account_leave(64 * MIB);
    assert_null(zb_alloc(4, MIB));
    zb_free(a);
    zb_free(b);
    zb_account_leave(128 * MIB);
    assert_int_equal(zb_account_left(), UINT64_MAX);
}

static void small_limits_are_of_tables(void **state)
{
    (void)state;
    uint64_t left = zb_account_enter(2 * MIB);
    CHECK(left <= 2 * MIB && left > MIB, "%ju", (uintmax_t)left);
    void *list = zb_alloc(4, MIB); /* not a table: the program may have 24 MiB */
    assert_non_null(list);
    assert_null(zb_alloc(30, MIB));
    zb_free(list);
    zb_account_leave(2 * MIB);
}

static void the_process_may_be_limited(void **state)
{
    (void)state;
    zb_limit_memory(64 * MIB);
    assert_null(zb_alloc(64, MIB));
    uint64_t left = zb_account_enter(1024 * MIB);
    CHECK(left < 64 * MIB, "%ju", (uintmax_t)left);
    zb_account_leave(1024 * MIB);
    zb_limit_memory(0);
    void *p = zb_alloc(64, MIB);
    assert_non_null(p);
    zb_free(p);
}

static void the_default_is_coarse(void **state)
{
    (void)state;
    uint64_t limit = zb_memory_default(), all = zb_memory_available(), step = limit;
    assert_true(limit > 0);
    if (limit == UINT64_MAX)
        return;
    while (step % 2 == 0)
        step /= 2;
    CHECK(step == 1 || step == 3, "%ju is not 1 or 1.5 times a power of two",
          (uintmax_t)limit);
    CHECK(limit <= all / 5 * 4 + 5 && 2 * limit > all / 2, "%ju of %ju",
          (uintmax_t)limit, (uintmax_t)all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_counted),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(limits_add_up),
        cmocka_unit_test(small_limits_are_of_tables),
        cmocka_unit_test(the_process_may_be_limited),
        cmocka_unit_test(the_default_is_coarse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
