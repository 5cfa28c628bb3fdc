/* Two proved results that contradict each other end a run, and name both, by however
   little they do. An exact answer that mini-buckets refute is not given. */
#include "auto/confirm.h"
#include "auto/ledger.h"
#include "given.h"
#include "oracle.h"
#include "test.h"
#include "within.h"

#include <string.h>

static const random_spec SPEC = { 8, 3, 12, 3, 0.1, 2, true };

typedef struct desk {
    zb_model *model;
    zb_run run;
    zb_ledger ledger;
} desk;

static void close_desk(desk *d)
{
    zb_ledger_close(&d->ledger);
    zb_run_close(&d->run);
    zb_model_free(d->model);
}

/* One component, whose first claims leave room on both sides of ln Z. */
static void open_desk(desk *d, uint64_t seed)
{
    random_spec plain = SPEC;
    plain.zeros = 0;
    for (bool roomy = false; !roomy; seed += 100) {
        d->model = random_model(seed, plain);
        d->run = open_run(NULL, 0, 1);
        assert_int_equal(zb_ledger_open(&d->ledger, d->model, &d->run), ZB_OK);
        assert_int_equal(zb_ledger_parts(&d->ledger, 1, &d->model), ZB_OK);
        double z = brute_force(d->model);
        zb_claim c = zb_ledger_claim(&d->ledger, 0);
        roomy = c.lower < z - 3 && c.upper > z + 3;
        if (!roomy)
            close_desk(d);
    }
}

static void first_claims_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        zb_model *model = random_model(seed, SPEC);
        zb_run run = open_run(NULL, 0, 1);
        zb_ledger ledger;
        interval z = brute_interval(model);
        assert_int_equal(zb_ledger_open(&ledger, model, &run), ZB_OK);
        zb_claim c = zb_ledger_total(&ledger);
        CHECK(is_below(c.lower, z) && is_above(c.upper, z),
              "seed %ju: [%.17g, %.17g], ln Z %.17g", (uintmax_t)seed, c.lower, c.upper,
              z.upper);
        CHECK(!ledger.broken, "seed %ju", (uintmax_t)seed);
        zb_ledger_close(&ledger);
        zb_run_close(&run);
        zb_model_free(model);
    }
}

static void bounds_close_the_bracket(void **state)
{
    (void)state;
    desk d;
    open_desk(&d, 1);
    double z = brute_force(d.model);
    assert_true(zb_ledger_bound(&d.ledger, 0, z - 1, z + 2, "one"));
    assert_true(zb_ledger_bound(&d.ledger, 0, z - 3, z + 1, "two"));
    zb_claim c = zb_ledger_claim(&d.ledger, 0);
    assert_true(c.lower == z - 1 && c.upper == z + 1 && !c.exact);
    assert_string_equal(c.lower_by, "one");
    assert_string_equal(c.upper_by, "two");
    zb_ledger_settle(&d.ledger, 0, (zb_ball){ z, 1e-6 }, "three");
    c = zb_ledger_total(&d.ledger);
    assert_true(c.exact && !d.ledger.broken);
    assert_true(c.lower == zb_down(z, 1e-6) && c.upper == zb_up(z, 1e-6));
    close_desk(&d);
}

/* Bounds that touch leave one number; the next double beyond is a contradiction. */
static void a_bracket_may_close_but_not_cross(void **state)
{
    (void)state;
    for (int by = 0; by < 2; by++) {
        desk d;
        open_desk(&d, 2);
        double z = brute_force(d.model);
        zb_ledger_bound(&d.ledger, 0, z, INFINITY, "one");
        zb_ledger_bound(&d.ledger, 0, -INFINITY, z, "two");
        zb_claim c = zb_ledger_total(&d.ledger);
        assert_true(!d.ledger.broken && c.lower == z && c.upper == z && !c.exact);
        zb_ledger_settle(&d.ledger, 0, (zb_ball){ z + 1e-6, 1e-6 }, "three");
        assert_false(d.ledger.broken);
        zb_ledger_bound(
            &d.ledger, 0, by == 0 ? nextafter(zb_up(z + 1e-6, 1e-6), INFINITY) : -1e9,
            by == 1 ? nextafter(zb_down(z + 1e-6, 1e-6), -INFINITY) : 1e9, "four");
        assert_true(d.ledger.broken);
        close_desk(&d);
    }
}

/* Intervals of exact answers: apart by next to nothing, or not. */
static void exact_answers_may_overlap(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        desk d;
        open_desk(&d, 2);
        double z = brute_force(d.model);
        zb_ledger_settle(&d.ledger, 0, (zb_ball){ z, 1e-6 }, "one");
        zb_ledger_settle(&d.ledger, 0, (zb_ball){ z + 2e-6, apart ? 0.999e-6 : 1e-6 },
                         "two");
        assert_int_equal(d.ledger.broken, apart);
        close_desk(&d);
    }
}

/* Parts add up outward: to no single double. */
static void sums_of_parts_contain_their_terms(void **state)
{
    (void)state;
    enum { PARTS = 1000 };
    zb_model *model, *part[PARTS];
    zb_run run = open_run(NULL, 0, 1);
    zb_ledger l;
    assert_int_equal(zb_model_new(&model, 1, (int[]){ 2 }), ZB_OK);
    for (int i = 0; i < PARTS; i++)
        part[i] = model;
    assert_int_equal(zb_ledger_open(&l, model, &run), ZB_OK);
    assert_int_equal(zb_ledger_parts(&l, PARTS, part), ZB_OK);
    for (int i = 0; i < PARTS; i++)
        zb_ledger_settle(&l, i, (zb_ball){ 0.7, 0.1 }, "one");
    zb_claim c = zb_ledger_total(&l);
    double low = zb_down(0.7, 0.1), high = zb_up(0.7, 0.1);
    assert_true(c.exact);
    CHECK(c.lower < PARTS * (long double)low && c.lower > PARTS * low - 1e-9, "%.17g",
          c.lower);
    CHECK(c.upper > PARTS * (long double)high && c.upper < PARTS * high + 1e-9, "%.17g",
          c.upper);
    zb_ledger_close(&l);
    zb_run_close(&run);
    zb_model_free(model);
}

typedef void contradiction(zb_ledger *l, double z);

static void lower_after_upper(zb_ledger *l, double z)
{
    zb_ledger_bound(l, 0, -INFINITY, z, "first");
    zb_ledger_bound(l, 0, z + 0.1, INFINITY, "second");
}

static void upper_after_lower(zb_ledger *l, double z)
{
    zb_ledger_bound(l, 0, z, INFINITY, "first");
    zb_ledger_bound(l, 0, -INFINITY, z - 0.1, "second");
}

static void zero_after_lower(zb_ledger *l, double z)
{
    zb_ledger_bound(l, 0, z - 1, INFINITY, "first");
    zb_ledger_settle(l, 0, (zb_ball){ -INFINITY, 0 }, "second");
}

static void exact_after_exact(zb_ledger *l, double z)
{
    zb_ledger_settle(l, 0, (zb_ball){ z, 0.01 }, "first");
    zb_ledger_settle(l, 0, (zb_ball){ z + 0.1, 0.08 }, "second");
}

static void pass_after_exact(zb_ledger *l, double z)
{
    zb_ledger_settle(l, 0, (zb_ball){ z, 0.01 }, "first");
    zb_ledger_pass(l, 0, ZB_SIDE_UPPER, 4, 1, z - 0.1);
}

static void contradictions_are_named(void **state)
{
    (void)state;
    static contradiction *const all[] = { lower_after_upper, upper_after_lower,
                                          zero_after_lower, exact_after_exact,
                                          pass_after_exact };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        desk d;
        open_desk(&d, 3 + i);
        all[i](&d.ledger, brute_force(d.model));
        const char *text = d.ledger.contradiction.text;
        CHECK(d.ledger.broken && !zb_run_more(&d.ledger.work), "%zu: it goes on", i);
        CHECK(strstr(text, "first") &&
                  (strstr(text, "second") || strstr(text, "mini-")),
              "%zu: %s", i, text);
        CHECK(!zb_run_interrupted(&d.run), "%zu: nobody interrupted", i);
        close_desk(&d);
    }
}

/* Mini-buckets of all variables of these models are exact, so that any wrong answer is
   refuted; of larger ones they are bounds. */
static void wrong_answers_are_refused(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        zb_model *given = random_model(seed, SPEC), *made;
        const zb_model *model = without_evidence(given, &made);
        zb_run run = open_run(NULL, 0, 1);
        double z = brute_force(given);
        zb_result r = { .method = ZB_METHOD_BE,
                        .has_lower = true,
                        .has_upper = true,
                        .exact = true,
                        .rounding = z > -INFINITY ? 1e-12 * fmax(1, fabs(z)) : 0 };
        zb_error err = { "" };
        r.log_lower = zb_down(z, r.rounding);
        r.log_upper = zb_up(z, r.rounding);
        CHECK(zb_confirm(model, &r, &run, &err) == ZB_OK, "seed %ju: %s",
              (uintmax_t)seed, err.text);
        r.log_lower = r.log_upper = z == -INFINITY ? 0 : z + 50;
        CHECK(zb_confirm(model, &r, &run, &err) == ZB_EBUG, "seed %ju: %g for %g",
              (uintmax_t)seed, r.log_upper, z);
        zb_run_close(&run);
        zb_model_free(made);
        zb_model_free(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_claims_hold),
        cmocka_unit_test(bounds_close_the_bracket),
        cmocka_unit_test(a_bracket_may_close_but_not_cross),
        cmocka_unit_test(exact_answers_may_overlap),
        cmocka_unit_test(sums_of_parts_contain_their_terms),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(wrong_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
