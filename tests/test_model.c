#include "oracle.h"
#include "test.h"

static void refuses_bad_factors(void **state)
{
    (void)state;
    zb_model *model;
    int card[] = { 2, 3 }, twice[] = { 0, 0 }, outside[] = { 2 }, first[] = { 0 };
    assert_int_equal(zb_model_new(&model, 2, card), ZB_OK);
    double ok[] = { 1, 2 }, minus[] = { 1, -2 }, nan[] = { 1, NAN },
           inf[] = { INFINITY, 1 };
    assert_int_equal(zb_model_add(model, 2, twice, ok), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 1, outside, ok), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 1, first, minus), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 1, first, nan), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 1, first, inf), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 1, first, ok), ZB_OK);
    assert_int_equal(zb_model_add_log(model, 1, first, minus), ZB_OK);
    assert_int_equal(zb_model_observe(model, 1, 3), ZB_EINVAL);
    assert_int_equal(zb_model_nfactors(model), 2);
    zb_model_free(model);
}

static void sums_by_hand(void **state)
{
    (void)state;
    zb_model *model;
    int card[] = { 2, 3 }, both[] = { 0, 1 };
    double value[] = { 1, 2, 3, 4, 5, 6 }, ten[] = { 10 };
    assert_int_equal(zb_model_new(&model, 2, card), ZB_OK);
    assert_true(
        close_to(brute_force(model), log(6), 1e-14)); /* no factor: the states */
    assert_int_equal(zb_model_add(model, 2, both, value), ZB_OK);
    assert_int_equal(zb_model_add(model, 0, NULL, ten), ZB_OK);
    assert_true(close_to(brute_force(model), log(210), 1e-14));
    assert_int_equal(zb_model_observe(model, 0, 1), ZB_OK);
    assert_true(close_to(brute_force(model), log(150), 1e-14));
    zb_model_free(model);
}

static void options_have_ranges(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    zb_error err;
    assert_int_equal(opt.iterations, 300);
    assert_int_equal(zb_options_set(&opt, "ibound", "12", &err), ZB_OK);
    assert_int_equal(opt.ibound, 12);
    assert_int_equal(zb_options_set(&opt, "ibound", "-1", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "ibound", "2.5", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "method", "wmbe-wg", &err), ZB_OK);
    assert_int_equal(opt.method, ZB_METHOD_WMBE_WG);
    assert_int_equal(zb_options_set(&opt, "method", "magic", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "memory", "4G", &err), ZB_OK);
    assert_true(opt.memory == (uint64_t)4 << 30);
    assert_int_equal(zb_options_set(&opt, "memory", "lots", &err), ZB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_factors),
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(options_have_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
