/* The containers of base/: heaps, tables of slots, holds, arrays that grow. */
#include "base/hash.h"
#include "base/heap.h"
#include "base/hold.h"
#include "base/rng.h"
#include "oracle.h"
#include "test.h"

#include <string.h>

enum { ITEMS = 50 };

static bool smaller(const void *keys, int a, int b)
{
    const double *key = keys;
    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

/* What has to leave next, by looking at all. */
static int least(const double *key, const bool *in)
{
    int best = -1;
    for (int a = 0; a < ITEMS; a++)
        if (in[a] && (best < 0 || smaller(key, a, best)))
            best = a;
    return best;
}

static void heaps_give_the_least(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int item[ITEMS], place[ITEMS];
        bool in[ITEMS] = { false };
        double key[ITEMS];
        zb_heap h = { .item = item, .place = place };
        zb_heap_clear(&h, ITEMS);
        for (int step = 0; step < 500; step++) {
            int a = zb_rng_below(&rng, ITEMS);
            if (!in[a]) {
                key[a] = zb_rng_below(&rng, 10);
                zb_heap_push(&h, a, smaller, key);
                in[a] = true;
            } else if (zb_rng_below(&rng, 2) == 0) {
                key[a] = zb_rng_below(&rng, 10);
                zb_heap_update(&h, a, smaller, key);
            } else if (zb_rng_below(&rng, 2) == 0) {
                zb_heap_remove(&h, a, smaller, key);
                in[a] = false;
            } else {
                int next = zb_heap_pop(&h, smaller, key);
                CHECK(next == least(key, in), "seed %ju, step %d", (uintmax_t)seed,
                      step);
                in[next] = false;
            }
        }
        while (h.size > 0) {
            int next = zb_heap_pop(&h, smaller, key);
            CHECK(next == least(key, in) && place[next] < 0, "seed %ju",
                  (uintmax_t)seed);
            in[next] = false;
        }
        assert_int_equal(least(key, in), -1);
    }
}

typedef struct sought {
    const int *list;
    int value;
} sought;

static bool is_value(const void *context, size_t place)
{
    const sought *k = context;
    return k->list[place] == k->value;
}

static void slots_find_what_was_put(void **state)
{
    (void)state;
    enum { SLOTS = 61 };
    int list[ITEMS];
    size_t slot[SLOTS] = { 0 };
    for (int i = 0; i < ITEMS; i++) {
        list[i] = 7 * i;
        sought k = { list, list[i] };
        uint64_t hash = zb_hash_ints(ZB_HASH_START, &list[i], 1);
        size_t *at = zb_hash_slot(slot, SLOTS, hash, is_value, &k);
        assert_true(*at == 0);
        *at = (size_t)i + 1;
    }
    for (int value = 0; value < 7 * ITEMS; value++) {
        sought k = { list, value };
        uint64_t hash = zb_hash_ints(ZB_HASH_START, &value, 1);
        size_t found = *zb_hash_slot(slot, SLOTS, hash, is_value, &k);
        CHECK(found == (value % 7 == 0 ? (size_t)value / 7 + 1 : 0), "%d", value);
    }
}

static void holds_remember_a_failure(void **state)
{
    (void)state;
    zb_hold h = { 0 };
    int *zeros = zb_hold_calloc(&h, 100, sizeof *zeros);
    assert_non_null(zeros);
    assert_int_equal(zeros[99], 0);
    assert_int_equal(zb_hold_status(&h), ZB_OK);
    assert_null(zb_hold_alloc(&h, SIZE_MAX, 2));
    assert_null(zb_hold_alloc(&h, 1, 1));
    assert_int_equal(zb_hold_status(&h), ZB_ENOMEM);
    zb_hold_free(&h);
    assert_int_equal(zb_hold_status(&h), ZB_OK);
}

static void arrays_keep_what_they_have(void **state)
{
    (void)state;
    int *list = NULL;
    size_t room = 0;
    for (size_t n = 0; n < 1000; n++) {
        assert_true(ZB_RESERVE(list, &room, n, n + 1));
        assert_true(room > n);
        list[n] = (int)n;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    assert_false(ZB_RESERVE(list, &room, 1000, SIZE_MAX));
    assert_int_equal(list[999], 999);
    zb_free(list);
    assert_true(zb_room(0, 1, 3) == 3 && zb_room(3, 4, 3) == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_give_the_least),
        cmocka_unit_test(slots_find_what_was_put),
        cmocka_unit_test(holds_remember_a_failure),
        cmocka_unit_test(arrays_keep_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
