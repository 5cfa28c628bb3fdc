/* Accuracy against the long double functions, and bits that may never change. */
#include "base/portable_math.h"
#include "test.h"

#include <float.h>

static double ulps(double got, long double exact)
{
    int e;
    frexp((double)exact, &e);
    if (e < DBL_MIN_EXP)
        e = DBL_MIN_EXP;
    return fabs((double)(((long double)got - exact) / ldexpl(1, e - DBL_MANT_DIG)));
}

static void exp_is_accurate(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(1);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double range = i % 4 == 0 ? 708 : i % 4 == 1 ? 1 : i % 4 == 2 ? 30 : 1e-3;
        double x = range * (2 * zb_rng_uniform(&rng) - 1);
        double off = ulps(zb_portable_exp(x), expl((long double)x));
        CHECK(off < 1, "exp(%a) is off by %g units", x, off);
        worst = fmax(worst, off);
    }
    print_message("exp: %.3f units in the last place\n", worst);
}

static void log_is_accurate(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(2);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double x = zb_rng_uniform(&rng);
        if (i % 4 == 1)
            x = ldexp(1 + x, zb_rng_below(&rng, 2000) - 1000);
        if (i % 4 == 2)
            x = 1 + (x - 0.5) * 0.1;
        if (i % 4 == 3)
            x = 1 + ldexp(x - 0.5, -zb_rng_below(&rng, 40));
        if (x == 0)
            continue;
        double off = ulps(zb_portable_log(x), logl((long double)x));
        CHECK(off < 1, "log(%a) is off by %g units", x, off);
        worst = fmax(worst, off);
    }
    print_message("log: %.3f units in the last place\n", worst);
}

static void ends_are_right(void **state)
{
    (void)state;
    assert_true(zb_portable_exp(0) == 1);
    assert_true(zb_portable_exp(-INFINITY) == 0 && zb_portable_exp(-1000) == 0);
    assert_true(zb_portable_exp(INFINITY) == INFINITY &&
                zb_portable_exp(710) == INFINITY && zb_portable_exp(709) < INFINITY);
    assert_true(zb_portable_exp(-745) > 0);
    assert_true(zb_portable_log(1) == 0 && zb_portable_log(0) == -INFINITY &&
                zb_portable_log(INFINITY) == INFINITY);
    assert_true(fabs(zb_portable_log(0x1p-1074) - log(0x1p-1074)) < 1e-12);
}

static void bits_are_golden(void **state)
{
    (void)state;
    static const double exp_of[][2] = {
        { 0.5, 0x1.a61298e1e069cp+0 },        { -0.5, 0x1.368b2fc6f960ap-1 },
        { 1, 0x1.5bf0a8b14576ap+1 },          { -1, 0x1.78b56362cef38p-2 },
        { 1e-09, 0x1.000000044b83p+0 },       { 10.25, 0x1.b9ea2aed2a0f2p+14 },
        { -300.125, 0x1.01fc80984719dp-433 }, { 700, 0x1.d945df4f8ec8ep+1009 }
    };
    static const double log_of[][2] = {
        { 0.5, -0x1.62e42fefa39efp-1 },        { 0.7, -0x1.6d3c324e13f5p-2 },
        { 0.70703125, -0x1.630030b3aac49p-2 }, { 1.5, 0x1.9f323ecbf984cp-2 },
        { 3, 0x1.193ea7aad030ap+0 },           { 1e-09, -0x1.4b927f32bffb8p+4 },
        { 1e+300, 0x1.5963447f87fb5p+9 },      { 10, 0x1.26bb1bbb55516p+1 }
    };
    static const double normal[] = { 0x1.edc0d635eea0bp-1,  -0x1.3739755916c21p-2,
                                     0x1.381c0324118c3p-2,  -0x1.b375fc61f0764p+0,
                                     -0x1.ab9043786fd34p+0, -0x1.088cef0d25c93p+0 };
    for (size_t i = 0; i < sizeof exp_of / sizeof *exp_of; i++)
        CHECK(zb_portable_exp(exp_of[i][0]) == exp_of[i][1], "exp(%g) = %a",
              exp_of[i][0], zb_portable_exp(exp_of[i][0]));
    for (size_t i = 0; i < sizeof log_of / sizeof *log_of; i++)
        CHECK(zb_portable_log(log_of[i][0]) == log_of[i][1], "log(%g) = %a",
              log_of[i][0], zb_portable_log(log_of[i][0]));
    zb_rng rng = zb_rng_seed(7);
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++) {
        double x = zb_portable_normal(&rng);
        CHECK(x == normal[i], "normal %zu is %a", i, x);
    }
}

static void normals_have_their_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    zb_rng rng = zb_rng_seed(3);
    double sum = 0, square = 0, fourth = 0;
    for (int i = 0; i < N; i++) {
        double x = zb_portable_normal(&rng);
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
    }
    assert_true(fabs(sum / N) < 0.01);
    assert_true(fabs(square / N - 1) < 0.015);
    assert_true(fabs(fourth / N - 3) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_accurate),
        cmocka_unit_test(log_is_accurate),
        cmocka_unit_test(ends_are_right),
        cmocka_unit_test(bits_are_golden),
        cmocka_unit_test(normals_have_their_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
