/* exp and ln: ends of their ranges, the same bits from every kind of code and for ever,
 * errors. */
#include "explog_error.h"

#include <string.h>

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* ---- ends ------------------------------------------------------------------------ */

static void ends_of_exp(void **state)
{
    (void)state;
    assert_true(zb_exp(0) == 1 && zb_exp(-0.0) == 1 && zb_exp(0x1p-60) == 1);
    assert_true(same(zb_exp(-INFINITY), 0) && same(zb_exp(NAN), 0));
    assert_true(same(zb_exp(-746), 0) && same(zb_exp(-DBL_MAX), 0));
    assert_true(zb_exp(-745.13) == 0x1p-1074 && zb_exp(-745.14) == 0);
    assert_true(zb_exp(709.78) < INFINITY && zb_exp(709.79) == INFINITY);
    assert_true(zb_exp(DBL_MAX) == INFINITY && zb_exp(INFINITY) == INFINITY);
}

static void ends_of_log(void **state)
{
    (void)state;
    assert_true(same(zb_log(1), 0));
    assert_true(zb_log(0) == -INFINITY && zb_log(-0.0) == -INFINITY);
    assert_true(zb_log(INFINITY) == INFINITY && isnan(zb_log(NAN)));
    assert_true(zb_log(0x1p-1074) == -0x1.74385446d71c3p+9);
    assert_true(zb_log(DBL_MIN) == -0x1.6232bdd7abcd2p+9);
    assert_true(zb_log(DBL_MAX) == 0x1.62e42fefa39efp+9);
    assert_true(isfinite(zb_vlog_normal(0))); /* kernels add it to -inf */
}

static void ends_of_the_others(void **state)
{
    (void)state;
    for (int k = -1074; k < 1024; k++) {
        CHECK(zb_exp2(k) == ldexp(1, k), "2^%d", k);
        CHECK(zb_log2(ldexp(1, k)) == k, "2^%d", k);
    }
    assert_true(zb_exp2(-INFINITY) == 0 && zb_exp2(INFINITY) == INFINITY);
    assert_true(zb_exp2(1e300) == INFINITY && zb_log2(0) == -INFINITY);
    assert_true(zb_log1p(0) == 0 && zb_log1p(1e-300) == 1e-300);
    assert_true(zb_log1p(INFINITY) == INFINITY && isfinite(zb_log1p(DBL_MAX)));
    assert_true(zb_expm1(0) == 0 && zb_expm1(1e-300) == 1e-300);
    assert_true(zb_expm1(-INFINITY) == -1 && zb_expm1(-50) == -1);
    assert_true(zb_expm1(INFINITY) == INFINITY && zb_expm1(1000) == INFINITY);
    assert_true(zb_pow(0.9, 0) == 1 && fabs(zb_pow(3, 4) - 81) < 1e-13);
}

static void sums_of_logarithms(void **state)
{
    (void)state;
    assert_true(zb_log_add(-INFINITY, -INFINITY) == -INFINITY);
    assert_true(zb_log_add(-INFINITY, 3) == 3 && zb_log_add(3, -INFINITY) == 3);
    assert_true(zb_log_add(-1000, 3) == 3);
    assert_true(fabs(zb_log_add(-2000, -2000) + 2000 - zb_log(2)) < 1e-12);
    assert_true(zb_log_add(INFINITY, INFINITY) == INFINITY);
}

/* ---- bits ------------------------------------------------------------------------ */

enum { MANY = 4099 }; /* what is left over of whole vectors takes another way */

typedef void loop(const double *restrict x, double *restrict y);

#define LOOP(kind, name, expression)                                                   \
    kind static void name(const double *restrict x, double *restrict y)                \
    {                                                                                  \
        for (size_t i = 0; i < MANY; i++)                                              \
            y[i] = expression;                                                         \
    }

#define LOOPS(kind, size)                                                              \
    LOOP(kind, size##_exp, zb_vexp(x[i]))                                              \
    LOOP(kind, size##_exp_normal, zb_vexp_normal(x[i]))                                \
    LOOP(kind, size##_log, zb_vlog(x[i]))                                              \
    LOOP(kind, size##_log_normal, zb_vlog_normal(x[i]))

LOOPS(, plain)
LOOPS(ZB_AVX2, wide)
LOOPS(ZB_AVX512, widest)

static void compare(const char *name, double (*one)(double), loop *all, const double *x)
{
    double y[MANY];
    all(x, y);
    for (size_t i = 0; i < MANY; i++)
        CHECK(same(one(x[i]), y[i]), "%s(%a): alone %a, in a loop %a", name, x[i],
              one(x[i]), y[i]);
}

/* One number after the other, vectors of the plain target, vectors of AVX2, of AVX-512.
 */
static void loops_agree(void **state)
{
    (void)state;
    double x[MANY], u[MANY];
    zb_rng rng = zb_rng_seed(1);
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < MANY; i++) {
            double s = zb_rng_uniform(&rng);
            x[i] = round % 2 == 0 ? 1420 * s - 708 : -40 * s * s;
            u[i] =
                round % 2 == 0 ? ldexp(1 + s, zb_rng_below(&rng, 2046) - 1022) : 1 + s;
        }
        for (size_t i = 0; i < MANY && round % 2 == 0; i++)
            x[i] = x[i] <= 709 ? x[i] : 709;
        compare("exp", zb_exp, plain_exp_normal, x);
        compare("log", zb_log, plain_log_normal, u);
        if (ZB_HAS_AVX2) {
            compare("exp", zb_exp, wide_exp_normal, x);
            compare("log", zb_log, wide_log_normal, u);
        }
        if (ZB_HAS_AVX512) {
            compare("exp", zb_exp, widest_exp_normal, x);
            compare("log", zb_log, widest_log_normal, u);
        }
    }
}

static void loops_agree_at_the_ends(void **state)
{
    (void)state;
    double x[MANY], u[MANY];
    static const double end[] = {
        0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, DBL_MIN
    };
    zb_rng rng = zb_rng_seed(2);
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < MANY; i++) {
            double s = zb_rng_uniform(&rng);
            int at = zb_rng_below(&rng, 20);
            x[i] = at < 7 ? end[at] : at < 14 ? -760 + 60 * s : 700 + 20 * s;
            u[i] = at < 7 ? fabs(end[at]) : ldexp(s, -1020 - zb_rng_below(&rng, 60));
        }
        compare("exp", zb_exp, plain_exp, x);
        compare("log", zb_log, plain_log, u);
        if (ZB_HAS_AVX2) {
            compare("exp", zb_exp, wide_exp, x);
            compare("log", zb_log, wide_log, u);
        }
        if (ZB_HAS_AVX512) {
            compare("exp", zb_exp, widest_exp, x);
            compare("log", zb_log, widest_log, u);
        }
    }
}

static uint64_t fingerprint(double (*f)(double), double low, double high)
{
    zb_rng rng = zb_rng_seed(3);
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < 100000; i++)
        hash = (hash ^ zb_bits_of(f(low + (high - low) * zb_rng_uniform(&rng)))) *
               1099511628211u;
    return hash;
}

/* The same on every machine, or numbers are not. */
static void bits_are_golden(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*f)(double);
        double low, high;
        uint64_t hash;
    } all[] = {
        { "exp", zb_exp, -746, 710, 0xc0c67bb9d58ee3b0 },
        { "exp", zb_exp, -5, 5, 0x30eac5b671888d91 },
        { "log", zb_log, 0, 1e-307, 0xdc375e9377e85934 },
        { "log", zb_log, 0, 20, 0x82aac1e3a26fb2c9 },
        { "log1p", zb_log1p, 0, 2, 0x75d73461edff11d0 },
        { "expm1", zb_expm1, -3, 3, 0xc06a654158c24a73 },
        { "exp2", zb_exp2, -1074, 1024, 0xa9519a99507c1d1d },
        { "log2", zb_log2, 0, 100, 0x5a08a114192ae3ba },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t hash = fingerprint(all[i].f, all[i].low, all[i].high);
        CHECK(hash == all[i].hash, "%s from %g: 0x%llx", all[i].name, all[i].low,
              (unsigned long long)hash);
    }
}

/* ---- errors ---------------------------------------------------------------------- */

static double error_by_long_double(const char *f, double x, double got)
{
    long double a = (long double)x;
    long double y = strcmp(f, "exp") == 0     ? expl(a)
                    : strcmp(f, "log") == 0   ? logl(a)
                    : strcmp(f, "log1p") == 0 ? log1pl(a)
                    : strcmp(f, "expm1") == 0 ? expm1l(a)
                    : strcmp(f, "exp2") == 0  ? exp2l(a)
                                              : log2l(a);
    return (double)ldexpl((long double)got - y, -last_place((double)y));
}

static void errors_are_as_promised(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) {
        print_message("skipped: errors_are_as_promised: long double is double\n");
        skip();
    }
    check_errors(20000, error_by_long_double);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_exp),        cmocka_unit_test(ends_of_log),
        cmocka_unit_test(ends_of_the_others), cmocka_unit_test(sums_of_logarithms),
        cmocka_unit_test(loops_agree),        cmocka_unit_test(loops_agree_at_the_ends),
        cmocka_unit_test(bits_are_golden),    cmocka_unit_test(errors_are_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
