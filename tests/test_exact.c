/* Exact elimination against brute force, against itself and against hard numbers. */
#include "within.h"
#include "exact/exact.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void shuffled(int n, int *order, zb_rng *rng)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    zb_rng_shuffle(rng, n, order);
}

static double run(const zb_model *model, const int *order, int threads)
{
    double z = NAN;
    zb_error err = { "" };
    zb_status status = exact_within(model, order, threads, 0, NULL, &z, &err);
    CHECK(status == ZB_OK, "%s: %s", zb_status_text(status), err.text);
    return z;
}

static double run_natural(const zb_model *model)
{
    int order[512];
    for (int v = 0; v < zb_model_nvars(model); v++)
        order[v] = v;
    return run(model, order, 1);
}

static void same_as_brute_force(uint64_t from, uint64_t count, random_spec spec)
{
    for (uint64_t seed = from; seed < from + test_models(count); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_rng rng = zb_rng_seed(seed + 77);
        int order[32];
        shuffled(zb_model_nvars(model), order, &rng);
        double z = run(model, order, 2), truth = brute_force(model);
        CHECK(close_to(z, truth, 1e-11), "seed %" PRIu64 ": %.17g, brute force %.17g",
              seed, z, truth);
        zb_model_free(model);
    }
}

static void small_models(void **state)
{
    (void)state;
    random_spec spec = { 8, 5, 14, 4, 0.1, 2, true };
    same_as_brute_force(1, 1200, spec);
    spec.zeros = 0.5;
    same_as_brute_force(5001, 600, spec);
}

/* Up to 2^16 states: several blocks, joint products, every layout of the inputs. */
static void larger_models(void **state)
{
    (void)state;
    random_spec spec = { 17, 2, 30, 4, 0.02, 1, false };
    same_as_brute_force(10001, 60, spec);
    spec = (random_spec){ 12, 4, 20, 5, 0.02, 1, true };
    same_as_brute_force(20001, 100, spec);
    spec = (random_spec){ 7, 21, 9, 3, 0.02, 1, true };
    same_as_brute_force(30001, 60, spec);
}

/* Single tables over 10, 200 and 600 orders of magnitude: products underflow unless
   logarithms are used. */
static void wide_ranges(void **state)
{
    (void)state;
    const double spreads[] = { 20, 120, 230, 340, 700 };
    for (int i = 0; i < 5; i++) {
        random_spec spec = { 8, 4, 14, 3, 0.2, spreads[i], true };
        same_as_brute_force(40001 + 1000 * (uint64_t)i, 100, spec);
        spec = (random_spec){ 15, 2, 30, 4, 0.1, spreads[i], false };
        same_as_brute_force(50001 + 1000 * (uint64_t)i, 10, spec);
    }
}

/* ---- numbers that break careless code ----------------------------------------------
 */

static zb_model *new_model(int nvars, int card)
{
    zb_model *model;
    int cards[512];
    for (int v = 0; v < nvars; v++)
        cards[v] = card;
    assert_int_equal(zb_model_new(&model, nvars, cards), ZB_OK);
    return model;
}

static void add1(zb_model *model, int var, double a, double b)
{
    assert_int_equal(zb_model_add(model, 1, &var, (double[]){ a, b }), ZB_OK);
}

static void tiny_entries_may_be_all_there_is(void **state)
{
    (void)state;
    zb_model *model = new_model(1, 2);
    add1(model, 0, 1, 1e-200);
    add1(model, 0, 1, 1e-200);
    add1(model, 0, 0, 1);
    assert_true(close_to(run_natural(model), -400 * log(10), 1e-14));
    zb_model_free(model);

    model = new_model(3, 2); /* the same, met one bucket after the other */
    int pair[] = { 0, 1 }, next[] = { 1, 2 }, last = 2;
    double diagonal[] = { 1, 0, 0, 1e-300 };
    assert_int_equal(zb_model_add(model, 2, pair, diagonal), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, next, diagonal), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, &last, (double[]){ 0, 1e-300 }), ZB_OK);
    assert_true(close_to(run_natural(model), -900 * log(10), 1e-14));
    zb_model_free(model);
}

static void factors_near_underflow(void **state)
{
    (void)state;
    zb_model *model = new_model(21, 2); /* a chain; ln Z is near -9659 */
    for (int v = 0; v < 21; v++) {
        int scope[] = { v, v + 1 };
        double pair[] = { 1e-200, 2e-200, 3e-200, 4e-200 };
        add1(model, v, 1e-300, 1e-310);
        if (v < 20)
            assert_int_equal(zb_model_add(model, 2, scope, pair), ZB_OK);
    }
    double z = run_natural(model), shift = (21 * -300 + 20 * -200) * log(10);
    zb_model *same = new_model(21, 2);
    for (int v = 0; v < 21; v++) {
        int scope[] = { v, v + 1 };
        add1(same, v, 1, 1e-10);
        if (v < 20)
            assert_int_equal(zb_model_add(same, 2, scope, (double[]){ 1, 2, 3, 4 }),
                             ZB_OK);
    }
    assert_true(close_to(z, run_natural(same) + shift, 1e-13));
    zb_model_free(model);
    zb_model_free(same);
}

static void large_logarithms(void **state)
{
    (void)state;
    zb_model *model = new_model(4, 2);
    for (int v = 0; v < 4; v++) {
        int scope[] = { v, (v + 1) % 4 };
        double value[] = { -5000, 5000, 4999, -INFINITY };
        assert_int_equal(zb_model_add_log(model, 2, scope, value), ZB_OK);
    }
    assert_true(close_to(run_natural(model), brute_force(model), 1e-14));
    zb_model_free(model);
}

static void constants_and_absent_variables(void **state)
{
    (void)state;
    zb_model *model = new_model(5, 3);
    assert_true(close_to(run_natural(model), 5 * log(3), 1e-15));
    assert_int_equal(zb_model_add(model, 0, NULL, (double[]){ 10 }), ZB_OK);
    assert_true(close_to(run_natural(model), 5 * log(3) + log(10), 1e-15));
    assert_int_equal(zb_model_observe(model, 2, 1), ZB_OK);
    assert_true(close_to(run_natural(model), 4 * log(3) + log(10), 1e-15));
    assert_int_equal(zb_model_add_log(model, 0, NULL, (double[]){ -INFINITY }), ZB_OK);
    assert_true(run_natural(model) == -INFINITY);
    zb_model_free(model);

    model = new_model(0, 2);
    assert_true(run_natural(model) == 0);
    model->log_scale = 3.5;
    assert_true(run_natural(model) == 3.5);
    model->log_scale = -INFINITY;
    assert_true(run_natural(model) == -INFINITY);
    zb_model_free(model);
    model = new_model(6, 1);
    assert_true(run_natural(model) == 0);
    zb_model_free(model);
}

static void contradictions_are_answers(void **state)
{
    (void)state;
    zb_model *model = new_model(3, 2);
    int a[] = { 0, 1 }, b[] = { 1, 2 }, c[] = { 0, 2 };
    double equal[] = { 1, 0, 0, 1 }, differ[] = { 0, 1, 1, 0 };
    assert_int_equal(zb_model_add(model, 2, a, equal), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, b, equal), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, c, differ), ZB_OK);
    assert_true(run_natural(model) == -INFINITY);
    zb_model_free(model);
}

/* ---- shapes ------------------------------------------------------------------------
 */

static void add_random(zb_model *model, int arity, const int *scope, zb_rng *rng)
{
    size_t size = 1;
    for (int i = 0; i < arity; i++)
        size *= (size_t)zb_model_card(model, scope[i]);
    double *value = malloc(size * sizeof *value);
    for (size_t i = 0; i < size; i++)
        value[i] = zb_rng_uniform(rng);
    assert_int_equal(zb_model_add(model, arity, scope, value), ZB_OK);
    free(value);
}

static void long_axes(void **state)
{
    (void)state;
    int card[] = { 3, 2500, 4 };
    int a[] = { 0, 1 }, b[] = { 1, 2 }, c[] = { 0, 2 };
    zb_rng rng = zb_rng_seed(3);
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    add_random(model, 2, a, &rng);
    add_random(model, 2, b, &rng);
    add_random(model, 2, c, &rng);
    double truth = brute_force(model);
    int order[] = { 0, 1, 2 };
    do {
        double z = run(model, order, 1);
        CHECK(close_to(z, truth, 1e-12), "order %d %d %d: %.17g %.17g", order[0],
              order[1], order[2], z, truth);
        int first = order[0];
        order[0] = order[1], order[1] = order[2], order[2] = first;
    } while (order[0] != 0);
    zb_model_free(model);
}

/* More tables in one bucket than one contraction takes. */
static void crowded_bucket(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(5);
    zb_model *model = new_model(14, 2);
    for (int f = 0; f < 150; f++) {
        int scope[4] = { 0, 0, 0, 0 };
        for (int i = 1; i < 4; i++)
            scope[i] = 4 * i - 3 + zb_rng_below(&rng, i == 3 ? 5 : 4);
        add_random(model, 4, scope, &rng);
    }
    assert_true(close_to(run_natural(model), brute_force(model), 1e-12));
    zb_model_free(model);
}

static zb_model *random_grid(int rows, int cols, int card, double scale)
{
    zb_rng rng = zb_rng_seed(11);
    zb_model *model = new_model(rows * cols, card);
    double value[64];
    for (int v = 0; v < rows * cols; v++)
        for (int down = 0; down < 2; down++) {
            int scope[] = { v, down ? v + cols : v + 1 };
            if (down ? v + cols >= rows * cols : v % cols == cols - 1)
                continue;
            for (int i = 0; i < card * card; i++)
                value[i] = scale * (zb_rng_uniform(&rng) - 0.5);
            assert_int_equal(zb_model_add_log(model, 2, scope, value), ZB_OK);
        }
    return model;
}

static void by_columns(int rows, int cols, int *order)
{
    for (int v = 0; v < rows * cols; v++)
        order[v] = v % rows * cols + v / rows;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    const double scales[] = { 2, 100 }; /* the second one needs logarithms */
    for (int i = 0; i < 2; i++) {
        int side = i == 0 ? 15 : 13, order[512], threads[] = { 1, 2, 3, 7 };
        zb_model *model = random_grid(side, side, 2, scales[i]);
        by_columns(side, side, order);
        double one = run(model, order, 1);
        for (int k = 1; k < 4; k++) {
            double more = run(model, order, threads[k]);
            CHECK(memcmp(&one, &more, sizeof one) == 0, "%d threads: %.17g, not %.17g",
                  threads[k], more, one);
        }
        double natural = run_natural(model);
        CHECK(close_to(one, natural, 1e-12), "%.17g %.17g", one, natural);
        zb_model_free(model);
    }
}

static void orders_agree(void **state)
{
    (void)state;
    for (int card = 3; card <= 5; card++) {
        int cols = 8 - card, rows = 6, order[512];
        zb_model *model = random_grid(rows, cols, card, 4);
        by_columns(rows, cols, order);
        assert_true(close_to(run(model, order, 2), run_natural(model), 1e-12));
        zb_model_free(model);
    }
}

/* ---- limits ------------------------------------------------------------------------
 */

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    zb_model *model = random_grid(20, 20, 2, 1);
    int order[512];
    double z = 7;
    zb_error err;
    by_columns(20, 20, order);
    assert_int_equal(exact_within(model, order, 1, 1 << 22, NULL, &z, &err), ZB_ELIMIT);
    assert_true(z == 7);
    assert_non_null(strstr(err.text, "width 20"));
    assert_non_null(strstr(err.text, "zbound bound"));
    order[0] = order[1];
    assert_int_equal(exact_within(model, order, 1, 0, NULL, &z, &err), ZB_EINVAL);
    zb_model_free(model);
}

static void forecasts_the_astronomical(void **state)
{
    (void)state;
    int n = 400, order[512];
    zb_model *model = new_model(n, 50);
    zb_scopes *scopes;
    zb_exact_plan plan;
    double value[2500] = { 0 }, z;
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v += 1 + v % 7) {
            int scope[] = { u, v };
            assert_int_equal(zb_model_add_log(model, 2, scope, value), ZB_OK);
        }
    for (int v = 0; v < n; v++)
        order[v] = v;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_exact_forecast(scopes, order, NULL, &plan), ZB_OK);
    assert_true(plan.width > 200);
    assert_true(isfinite(plan.bytes) && plan.bytes > 1e290);
    assert_int_equal(exact_within(model, order, 1, 0, NULL, &z, NULL), ZB_ELIMIT);
    zb_scopes_free(scopes);
    zb_model_free(model);
}

static bool stop_at_once(void *context, const zb_progress *at)
{
    CHECK(at->fraction >= 0 && at->fraction <= 1, "fraction %g", at->fraction);
    ++*(int *)context;
    return false;
}

static void stops_when_asked(void **state)
{
    (void)state;
    zb_model *model = random_grid(18, 18, 2, 1);
    int order[512], calls = 0;
    double z = 7;
    zb_error err;
    zb_observer observer = { .context = &calls, .progress = stop_at_once };
    by_columns(18, 18, order);
    assert_int_equal(exact_within(model, order, 2, 0, &observer, &z, &err), ZB_ELIMIT);
    assert_int_equal(calls, 1);
    assert_true(z == 7);
    assert_string_equal(err.text, "interrupted: nothing yet");
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_models),
        cmocka_unit_test(larger_models),
        cmocka_unit_test(wide_ranges),
        cmocka_unit_test(tiny_entries_may_be_all_there_is),
        cmocka_unit_test(factors_near_underflow),
        cmocka_unit_test(large_logarithms),
        cmocka_unit_test(constants_and_absent_variables),
        cmocka_unit_test(contradictions_are_answers),
        cmocka_unit_test(long_axes),
        cmocka_unit_test(crowded_bucket),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(orders_agree),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(forecasts_the_astronomical),
        cmocka_unit_test(stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
