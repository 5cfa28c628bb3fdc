/* What the program prints of a bound, held against the bound itself: decimals are read
 * and units converted in ball arithmetic. Built where Arb is. */
#include "number.h"

#include "base/rng.h"
#include "test.h"

#include <arb.h>
#include <string.h>

enum { BITS = 2600, DRAWS = 20000 }; /* doubles have at most 2098 bits */

/* sign of a - b; 0 also where balls cannot tell */
static int compare(const arb_t a, const arb_t b) { return arb_gt(a, b) - arb_lt(a, b); }

/* All sizes, few and many digits. */
static double draw(zb_rng *rng)
{
    double u = 2 * zb_rng_uniform(rng) - 1;
    switch (zb_rng_below(rng, 5)) {
    case 0: return ldexp(u, zb_rng_below(rng, 2000) - 1000);
    case 1: return zb_rng_below(rng, 20001) - 10000;
    case 2: return (zb_rng_below(rng, 20001) - 10000) / 1000.0;
    case 3: return copysign(pow(10, zb_rng_below(rng, 40) - 20), u) * (1 - 0x1p-53);
    default: return 1e4 * u;
    }
}

/* Text against the number: outward, and by less than one unit of the last digit. */
static void outward_text(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(1);
    arb_t shown, meant;
    arb_init(shown);
    arb_init(meant);
    for (int i = 0; i < DRAWS; i++) {
        int digits = 1 + zb_rng_below(&rng, 15), outward = i % 2 ? 1 : -1;
        double x = draw(&rng);
        char text[APP_NUMBER];
        app_outward(x, digits, outward, text);
        assert_int_equal(arb_set_str(shown, text, BITS), 0);
        arb_set_d(meant, x);
        CHECK(compare(shown, meant) * outward >= 0, "%.17g as %s", x, text);
        CHECK(fabs(strtod(text, NULL) - x) <= fabs(x) * pow(10, 1 - digits),
              "%.17g as %s, %d digits", x, text, digits);
    }
    arb_clear(shown);
    arb_clear(meant);
}

static void special_numbers(void **state)
{
    (void)state;
    char text[2 * APP_NUMBER];
    assert_string_equal(app_outward(0, 12, 1, text), "0");
    assert_string_equal(app_outward(-0.0, 12, -1, text), "0");
    assert_string_equal(app_outward(INFINITY, 12, 1, text), "inf");
    assert_string_equal(app_outward(-INFINITY, 12, 1, text), "-inf");
    assert_string_equal(app_outward(2, 3, 1, text), "2");
    assert_string_equal(app_outward(0.1, 3, 1, text), "0.101"); /* the double is more */
    assert_string_equal(app_outward(0.1, 3, -1, text), "0.1");
    assert_string_equal(app_outward(-9.999, 2, -1, text), "-10");
    assert_string_equal(app_within(-3e-17, 3e-17, text), "0 \u00b1 4e-17");
    assert_string_equal(app_within(0, 1e-16, text), "0 \u00b1 1e-16");
    assert_string_equal(app_within(-INFINITY, -INFINITY, text), "-inf");
    assert_string_equal(app_within(1.25, 1.25, text), "1.25");
    assert_string_equal(app_within(1.2341, 1.2352, text), "1.2347 \u00b1 0.0007");
    assert_true(app_convert(-INFINITY, &APP_LOG10, 1) == -INFINITY);
    assert_true(app_convert(0, &APP_LOG10, 1) >= 0);
}

/* log10 e or log2 e, as they are. */
static void factor(arb_t out, unsigned long base)
{
    arb_log_ui(out, base, BITS);
    arb_inv(out, out, BITS);
}

static void units_are_converted_outward(void **state)
{
    (void)state;
    const app_unit each = { "ln Z / n", 1, 1, 7 };
    const app_unit *units[] = { &APP_LOG10, &APP_BITS, &each, &APP_NATS };
    zb_rng rng = zb_rng_seed(2);
    arb_t meant, got, ten, two;
    arb_init(meant), arb_init(got), arb_init(ten), arb_init(two);
    factor(ten, 10);
    factor(two, 2);
    for (int i = 0; i < DRAWS; i++) {
        const app_unit *unit = units[i % 4];
        int outward = i / 4 % 2 ? 1 : -1;
        double x = draw(&rng), y = app_convert(x, unit, outward);
        arb_set_d(meant, x);
        if (i % 4 < 2)
            arb_mul(meant, meant, i % 4 == 0 ? ten : two, BITS);
        if (unit == &each)
            arb_div_ui(meant, meant, 7, BITS);
        arb_set_d(got, y);
        CHECK(compare(got, meant) * outward >= 0, "%.17g is %.17g %s", x, y,
              unit->name);
        CHECK(fabs(y - app_convert(x, unit, 0)) <= 1e-15 * fabs(y) + 1e-320,
              "%.17g is %.17g %s", x, y, unit->name);
    }
    arb_clear(meant), arb_clear(got), arb_clear(ten), arb_clear(two);
}

/* Digits and reach contain the interval, and the reach is about its half. */
static void intervals(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(3);
    arb_t shown, reach, end;
    arb_init(shown), arb_init(reach), arb_init(end);
    for (int i = 0; i < DRAWS; i++) {
        double x = draw(&rng), half = pow(10, -16 * zb_rng_uniform(&rng));
        half *= i % 3 ? fabs(x) : 1;
        double side[2] = { nextafter(x - half, -INFINITY),
                           nextafter(x + half, INFINITY) };
        char text[2 * APP_NUMBER], *sign;
        app_within(side[0], side[1], text);
        assert_non_null(sign = strstr(text, " \u00b1 "));
        assert_int_equal(arb_set_str(reach, sign + strlen(" \u00b1 "), BITS), 0);
        *sign = '\0';
        assert_int_equal(arb_set_str(shown, text, BITS), 0);
        for (int k = 0; k < 2; k++) {
            arb_set_d(end, side[k]);
            arb_sub(end, end, shown, BITS);
            arb_abs(end, end);
            CHECK(compare(end, reach) <= 0, "%.17g is not within %s", side[k], text);
        }
        double about = arf_get_d(arb_midref(reach), ARF_RND_NEAR);
        CHECK(about <= 4 * half + 1e-14 * fabs(x) + 1e-300, "%s: %.3g for %.3g", text,
              about, half);
    }
    arb_clear(shown), arb_clear(reach), arb_clear(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_numbers),
        cmocka_unit_test(outward_text),
        cmocka_unit_test(units_are_converted_outward),
        cmocka_unit_test(intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
