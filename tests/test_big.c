/* Integers of any size, against 128 bits and against each other. */
#include "base/big.h"
#include "base/rng.h"
#include "test.h"

#include <string.h>

__extension__ typedef __int128 wide;

static wide value_of(const zb_big *a)
{
    wide x = 0;
    assert_true(a->n <= 4);
    assert_true(a->n == 0 ? !a->negative : a->limb[a->n - 1] > 0);
    for (size_t i = a->n; i-- > 0;)
        x = (x << 32) + a->limb[i];
    return a->negative ? -x : x;
}

/* Of any size up to 62 bits, small ones and powers of two often. */
static int64_t random_number(zb_rng *rng)
{
    int64_t x = (int64_t)(zb_rng_next(rng) >> (2 + zb_rng_below(rng, 62)));
    if (zb_rng_below(rng, 4) == 0)
        x = ((int64_t)1 << zb_rng_below(rng, 62)) - zb_rng_below(rng, 2);
    return zb_rng_below(rng, 2) == 0 ? x : -x;
}

static void text_of(wide x, char *out)
{
    char reversed[64];
    int n = 0, at = 0;
    wide size = x < 0 ? -x : x;
    do
        reversed[n++] = (char)('0' + (int)(size % 10));
    while ((size /= 10) > 0);
    if (x < 0)
        out[at++] = '-';
    while (n > 0)
        out[at++] = reversed[--n];
    out[at] = '\0';
}

static void check_text(const zb_big *a, wide x)
{
    char expected[64], *text = zb_big_text(a);
    text_of(x, expected);
    CHECK(strcmp(text, expected) == 0, "%s is not %s", text, expected);
    zb_free(text);
}

static void operations_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(20000); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int64_t x = random_number(&rng), y = random_number(&rng);
        uint32_t d = 1 + (uint32_t)(zb_rng_next(&rng) >> (33 + zb_rng_below(&rng, 31)));
        int bits = zb_rng_below(&rng, 64);
        wide size = x < 0 ? -(wide)x : x;
        zb_big a = { 0 }, b = { 0 };
        assert_int_equal(zb_big_set(&a, x), ZB_OK);
        assert_int_equal(zb_big_set(&b, y), ZB_OK);
        assert_true(zb_big_modulo(&a, d) == (uint32_t)(size % d));
        assert_int_equal(zb_big_add(&a, &b), ZB_OK);
        CHECK(value_of(&a) == (wide)x + y, "seed %ju: sum", (uintmax_t)seed);
        assert_int_equal(zb_big_set(&a, x), ZB_OK);
        assert_int_equal(zb_big_multiply(&a, &b), ZB_OK);
        CHECK(value_of(&a) == (wide)x * y, "seed %ju: product", (uintmax_t)seed);
        check_text(&a, (wide)x * y);
        assert_int_equal(zb_big_set(&a, x), ZB_OK);
        assert_true(zb_big_divide(&a, d) == (uint32_t)(size % d));
        CHECK(value_of(&a) == (x < 0 ? -(size / d) : size / d), "seed %ju: quotient",
              (uintmax_t)seed);
        assert_int_equal(zb_big_set(&a, x), ZB_OK);
        assert_int_equal(zb_big_shift(&a, (uint64_t)bits), ZB_OK);
        CHECK(value_of(&a) == (wide)x * ((wide)1 << bits), "seed %ju: shift",
              (uintmax_t)seed);
        zb_big_clear(&a);
        zb_big_clear(&b);
    }
}

/* (a + b)^2 - (a - b)^2 = 4 a b, with some thousand bits; stored and loaded. */
static void long_numbers_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(100); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_big x[2] = { { 0 }, { 0 } }, sum = { 0 }, less = { 0 }, other = { 0 };
        for (int i = 0; i < 2; i++)
            for (int k = zb_rng_below(&rng, 100); k >= 0; k--) {
                uint32_t word = (uint32_t)zb_rng_next(&rng);
                assert_int_equal(zb_big_shift(&x[i], 32), ZB_OK);
                assert_int_equal(zb_big_scale(&x[i], 1, word), ZB_OK);
            }
        assert_int_equal(zb_big_copy(&sum, &x[0]), ZB_OK);
        assert_int_equal(zb_big_add(&sum, &x[1]), ZB_OK);
        assert_int_equal(zb_big_multiply(&sum, &sum), ZB_OK);
        assert_int_equal(zb_big_copy(&less, &x[1]), ZB_OK);
        less.negative = less.n > 0;
        assert_int_equal(zb_big_add(&less, &x[0]), ZB_OK);
        assert_int_equal(zb_big_multiply(&less, &less), ZB_OK);
        less.negative = less.n > 0;
        assert_int_equal(zb_big_add(&sum, &less), ZB_OK);
        assert_int_equal(zb_big_multiply(&x[0], &x[1]), ZB_OK);
        assert_int_equal(zb_big_shift(&x[0], 2), ZB_OK);
        uint32_t word[512];
        zb_big_store(&x[0], word);
        assert_int_equal(zb_big_load(&other, word, zb_big_words(&x[0])), ZB_OK);
        other.negative = other.n > 0;
        assert_int_equal(zb_big_add(&other, &sum), ZB_OK);
        CHECK(zb_big_is_zero(&other), "seed %ju", (uintmax_t)seed);
        double bits = zb_big_log(&x[0]) / log(2);
        assert_true(x[0].n == 0 || (bits > 32.0 * (double)x[0].n - 33 &&
                                    bits < 32.0 * (double)x[0].n + 1e-9));
        zb_big *all[] = { &x[0], &x[1], &sum, &less, &other };
        for (int i = 0; i < 5; i++)
            zb_big_clear(all[i]);
    }
}

static void logarithms(void **state)
{
    (void)state;
    zb_big a = { 0 };
    assert_true(zb_big_log(&a) == -INFINITY);
    assert_int_equal(zb_big_set(&a, -1), ZB_OK);
    for (int i = 1; i <= 3000; i++) {
        assert_int_equal(zb_big_scale(&a, 3, 0), ZB_OK);
        double expected = i * log(3);
        CHECK(fabs(zb_big_log(&a) - expected) < 1e-15 * (4 + 4 * expected), "3^%d", i);
    }
    assert_true(a.negative);
    zb_big_clear(&a);
    assert_int_equal(zb_big_set(&a, 1), ZB_OK);
    assert_int_equal(zb_big_shift(&a, UINT64_MAX), ZB_ELIMIT);
    zb_big_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree),
        cmocka_unit_test(long_numbers_agree),
        cmocka_unit_test(logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
