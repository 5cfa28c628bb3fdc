/* Marginals and the best state, asked for without sense: refused with a sentence. */
#include "test.h"
#include "zbound.h"

static zb_model *pair(void)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 2, (int[]){ 2, 2 }), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 1 }, (double[]){ 1, 2, 3, 4 }),
                     ZB_OK);
    return model;
}

static void marginals_without_sense(void **state)
{
    (void)state;
    const zb_options opt = zb_options_default();
    zb_options bad = opt;
    zb_model *model = pair();
    zb_marginals *m = (zb_marginals *)&model;
    zb_marginals_request none = { .variables = (int[]){ -1 }, .count = 1 };
    zb_error err = { "" };
    bad.iterations = -1;
    assert_int_equal(zb_marginals_new(NULL, model, &opt, NULL, NULL, &err), ZB_EINVAL);
    assert_true(err.text[0] != '\0');
    assert_int_equal(zb_marginals_new(&m, NULL, &opt, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_marginals_new(&m, model, NULL, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_marginals_new(&m, model, &bad, NULL, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_marginals_new(&m, model, &opt, &none, NULL, &err), ZB_EINVAL);
    assert_null(m);
    assert_false(zb_marginals_about(NULL).exact);
    assert_int_equal(zb_marginals_of(NULL, 0).size, 0);
    assert_int_equal(zb_marginals_of_factor(NULL, 0).size, 0);
    zb_marginals_free(NULL);
    zb_model_free(model);
}

static void no_place_for_a_state(void **state)
{
    (void)state;
    const zb_options opt = zb_options_default();
    zb_model *model = pair();
    zb_error err = { "" };
    zb_best best;
    int x[2];
    assert_int_equal(zb_best_state(model, &opt, NULL, NULL, &best, &err), ZB_EINVAL);
    assert_true(err.text[0] != '\0');
    assert_int_equal(zb_best_state(NULL, NULL, NULL, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_best_state(model, &opt, NULL, x, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_best_state(model, &opt, NULL, x, &best, &err), ZB_OK);
    assert_true(best.optimal && x[0] == 1 && x[1] == 1);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_without_sense),
        cmocka_unit_test(no_place_for_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
