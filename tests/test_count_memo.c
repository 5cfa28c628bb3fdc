/* The memo of parts: what it finds is what was put there, whatever it forgets. */
#include "count/memo.h"
#include "awkward.h"
#include "engines.h"
#include "within.h"

enum { LENGTH = 12 };

/* Key number i, of length 1 to LENGTH; its value. */
static zb_ticker ticker; /* no run: it never ends */

static size_t key_of(uint32_t i, uint32_t *key)
{
    size_t length = 1 + i % LENGTH;
    for (size_t k = 0; k < length; k++)
        key[k] = k == 0 ? i : i * 2654435761u + (uint32_t)k;
    return length;
}

static zb_ball value_of(uint32_t i) { return (zb_ball){ -1.5 * i, 0.25 * i }; }

static bool is_value(zb_ball value, uint32_t i)
{
    return value.mid == value_of(i).mid && value.radius == value_of(i).radius;
}

static void put(zb_memo *memo, uint32_t i)
{
    uint32_t key[LENGTH];
    size_t length = key_of(i, key);
    zb_memo_put_ball(memo, key, length, value_of(i));
}

static bool find(zb_memo *memo, uint32_t i)
{
    uint32_t key[LENGTH];
    size_t length = key_of(i, key);
    zb_ball value = { NAN, NAN };
    bool found = zb_memo_find_ball(memo, key, length, &value);
    CHECK(!found || is_value(value, i), "key %u: %.17g", i, value.mid);
    return found;
}

/* A chunk begins with 1 MB and doubles up to half of the memory: nothing is lost. */
static void grows_without_loss(void **state)
{
    (void)state;
    zb_memo *memo;
    enum { MANY = 200000 }; /* 8 MB of records */
    assert_int_equal(zb_memo_new(&memo, 1 << 26, NULL, &ticker), ZB_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(!find(memo, i), "key %u was never put", i);
        put(memo, i);
        CHECK(find(memo, i) && find(memo, i / 2), "key %u or %u is lost", i, i / 2);
    }
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(find(memo, i), "key %u is lost", i);
    zb_memo_free(memo);
}

/* Full, it forgets the half that was not used of late. Key 0 is asked for all the time
   and stays; old ones go, and come back when they are put again. */
static void forgets_what_is_old(void **state)
{
    (void)state;
    static const uint64_t bytes[] = { 1 << 16, 1 << 18, 3 << 20, 1 << 22 };
    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
        zb_memo *memo;
        uint32_t many = 20000 + (uint32_t)(bytes[b] / 16), left = 0;
        assert_int_equal(zb_memo_new(&memo, bytes[b], NULL, &ticker), ZB_OK);
        put(memo, 0);
        for (uint32_t i = 1; i < many; i++) {
            put(memo, i);
            CHECK(find(memo, i), "%ju bytes: key %u is lost", (uintmax_t)bytes[b], i);
            CHECK(find(memo, 0), "%ju bytes: key 0 is lost", (uintmax_t)bytes[b]);
        }
        uint64_t held = 0; /* records of the last keys, from behind */
        for (uint32_t i = many; i-- > 1;) {
            uint32_t key[LENGTH];
            size_t length = key_of(i, key);
            zb_ball value;
            if (!zb_memo_find_ball(memo, key, length, &value))
                break;
            CHECK(is_value(value, i), "key %u: %.17g", i, value.mid);
            left++;
            held += 4 * length + 20;
        }
        uint64_t room = bytes[b] > 1 << 16 ? bytes[b] : 1 << 16;
        CHECK(left > 200 && left + 1 < many, "%ju bytes: %u of %u left",
              (uintmax_t)bytes[b], left, many);
        CHECK(held <= room, "%ju bytes hold %ju", (uintmax_t)bytes[b], (uintmax_t)held);
        put(memo, 1);
        CHECK(find(memo, 1), "%ju bytes: key 1 did not come back", (uintmax_t)bytes[b]);
        zb_memo_free(memo);
    }
}

/* A key that fits no chunk is not kept, and does no harm to those that do. */
static void keys_larger_than_all(void **state)
{
    (void)state;
    enum { LARGE = 100000 };
    zb_memo *memo;
    uint32_t *key = calloc(LARGE, sizeof *key);
    zb_ball value;
    assert_int_equal(zb_memo_new(&memo, 1 << 16, NULL, &ticker), ZB_OK);
    put(memo, 7);
    for (int tries = 0; tries < 3; tries++)
        zb_memo_put_ball(memo, key, LARGE, (zb_ball){ 1, 0 });
    assert_false(zb_memo_find_ball(memo, key, LARGE, &value));
    CHECK(find(memo, 7), "a large key has driven out another");
    put(memo, 8);
    assert_true(find(memo, 8));
    zb_memo_put_ball(memo, key, 0, (zb_ball){ 3.5, 0.5 }); /* and one without words */
    assert_true(zb_memo_find_ball(memo, key, 0, &value) && value.mid == 3.5 &&
                value.radius == 0.5);
    zb_memo_free(memo);
    free(key);
}

/* Independent sets of a rows x cols grid with weights: ln Z by sums over rows. */
static zb_model *hard_core(int rows, int cols, double weight, double *log_z)
{
    zb_model *model = spins(rows * cols);
    uint32_t all = (uint32_t)1 << cols;
    long double *now = calloc(all, sizeof *now), *next = calloc(all, sizeof *next),
                sum = 0;
    const double apart[] = { 0, 0, 0, -INFINITY };
    now[0] = 1;
    for (int r = 0; r < rows; r++) {
        for (uint32_t s = 0; s < all; s++) {
            next[s] = 0;
            if (s & s << 1)
                continue;
            for (uint32_t before = 0; before < all; before++)
                next[s] += before & s ? 0 : now[before];
            next[s] *= expl(weight * __builtin_popcount(s));
        }
        memcpy(now, next, all * sizeof *now);
        for (int c = 0; c < cols; c++) {
            int v = r * cols + c;
            add_logs_to(model, 1, &v, (double[]){ 0, weight });
            if (c + 1 < cols)
                add_logs_to(model, 2, (int[]){ v, v + 1 }, apart);
            if (r + 1 < rows)
                add_logs_to(model, 2, (int[]){ v, v + cols }, apart);
        }
    }
    for (uint32_t s = 0; s < all; s++)
        sum += now[s];
    free(now);
    free(next);
    *log_z = (double)logl(sum);
    return model;
}

/* Counting sums the same with a memo that forgets nearly all, one that forgets some and
   one that forgets nothing. */
static void counts_the_same_whatever_is_forgotten(void **state)
{
    (void)state;
    double z;
    zb_model *model = hard_core(12, 9, 0.3, &z);
    int64_t decisions[3];
    for (int i = 0; i < 3; i++) {
        static const uint64_t memory[] = { 1 << 12, 1 << 17, 1 << 27 };
        zb_count_result r;
        double got = by_search(model, false, memory[i], &r);
        CHECK(close_to(got, z, 1e-11), "%ju bytes: %.17g, not %.17g",
              (uintmax_t)memory[i], got, z);
        decisions[i] = r.decisions;
    }
    CHECK(decisions[0] > decisions[1] && decisions[1] > decisions[2],
          "decisions %jd, %jd, %jd: nothing was forgotten", (intmax_t)decisions[0],
          (intmax_t)decisions[1], (intmax_t)decisions[2]);
    zb_model_free(model);
}

/* The time is over while a memo is made, out of memory that another one had, or while
   it forgets: with a new clock it finds what was put since, and nothing else. */
static void goes_on_after_the_time_was_over(void **state)
{
    (void)state;
    enum { MANY = 50 };
    zb_memo *memo;
    zb_run run = open_run(NULL, 0, 1);
    zb_ticker clock = { .run = NULL };
    zb_run_stop(&run);
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t i = 1000 * round;
        assert_int_equal(zb_memo_new(&memo, 1, NULL, &clock), ZB_OK);
        for (uint32_t k = 0; k < MANY; k++)
            put(memo, i + k);
        zb_memo_free(memo);
        clock = (zb_ticker){ .run = &run, .work = 250000 };
        assert_int_equal(zb_memo_new(&memo, 1, NULL, &clock), ZB_OK);
        assert_true(clock.over);
        put(memo, i);
        CHECK(!find(memo, i), "key %u, without time", i);
        clock = (zb_ticker){ .run = NULL };
        for (uint32_t k = 0; k < MANY; k++)
            CHECK(!find(memo, i + k), "key %u was never put", i + k);
        for (uint32_t k = 0; k < 500; k++) {
            clock = (zb_ticker){ .run = k % 100 == 0 ? &run : NULL, .work = 250000 };
            put(memo, i + k);
            CHECK(clock.over || find(memo, i + k), "key %u is lost", i + k);
            clock = (zb_ticker){ .run = NULL };
        }
        zb_memo_free(memo);
    }
    zb_run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_without_loss),
        cmocka_unit_test(forgets_what_is_old),
        cmocka_unit_test(keys_larger_than_all),
        cmocka_unit_test(goes_on_after_the_time_was_over),
        cmocka_unit_test(counts_the_same_whatever_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
