/* zb_solve with method be: reduced, split, ordered, eliminated, added up. */
#include "oracle.h"
#include "base/rng.h"
#include "exact/solve_exact.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void same_as_brute_force(void **state)
{
    (void)state;
    random_spec spec = { 12, 4, 16, 4, 0.2, 2, true };
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err;
    for (uint64_t seed = 1; seed <= test_models(400); seed++) {
        zb_model *model = random_model(seed, spec);
        opt.method = ZB_METHOD_BE;
        opt.order = (zb_order)(seed % ZB_ORDER_FILE);
        assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_OK);
        double truth = brute_force(model);
        CHECK(close_to(r.log_upper, truth, 1e-11), "seed %" PRIu64 ": %.17g, not %.17g",
              seed, r.log_upper, truth);
        assert_true(spans_its_rounding(&r) && r.exact && r.guaranteed);
        assert_true(r.has_lower && r.has_upper && !r.has_estimate);
        assert_int_equal(r.method, ZB_METHOD_BE);
        assert_int_equal(r.stop, ZB_STOP_EXACT);
        zb_model_free(model);
    }
}

static void orders_from_outside(void **state)
{
    (void)state;
    random_spec spec = { 12, 4, 20, 3, 0.1, 2, true };
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err;
    int order[32];
    opt.method = ZB_METHOD_BE;
    opt.order = ZB_ORDER_FILE;
    opt.order_list = order;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_rng rng = zb_rng_seed(seed);
        int n = zb_model_nvars(model);
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, n, order);
        assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_OK);
        CHECK(close_to(r.log_upper, brute_force(model), 1e-11), "seed %" PRIu64, seed);
        zb_model_free(model);
    }
}

static zb_model *dense_model(int n)
{
    zb_model *model;
    zb_rng rng = zb_rng_seed(1);
    int card[64];
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            int scope[] = { u, v };
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] = zb_rng_uniform(&rng);
            assert_int_equal(zb_model_add_log(model, 2, scope, value), ZB_OK);
        }
    return model;
}

static void limits_are_named(void **state)
{
    (void)state;
    zb_model *model = dense_model(40);
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err;
    opt.method = ZB_METHOD_BE;
    opt.memory = 1 << 30;
    opt.order = ZB_ORDER_MINFILL;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_ELIMIT);
    assert_non_null(strstr(err.text, "width 39"));
    assert_non_null(strstr(err.text, "zbound bound"));
    int twice[40] = { 0 };
    opt.order = ZB_ORDER_FILE;
    opt.order_list = twice;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_EINVAL);
    zb_model_free(model);

    model = dense_model(27);
    opt = zb_options_default();
    opt.method = ZB_METHOD_BE;
    opt.time = 1e-3;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_ELIMIT);
    assert_non_null(strstr(err.text, "time limit"));
    zb_model_free(model);
}

static void sides(void **state)
{
    (void)state;
    zb_model *model = dense_model(5);
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    opt.side = ZB_SIDE_UPPER;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    assert_true(r.has_upper && !r.has_lower);
    opt.side = ZB_SIDE_LOWER;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    assert_true(!r.has_upper && r.has_lower);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute_force),
        cmocka_unit_test(orders_from_outside),
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
