/* Orders, surveys and phases with every allocation failing in turn. */
#include "zbound.h"

#include "mem_fail.h"
#include "test.h"

static zb_model *grid(void)
{
    zb_ising_spec spec = { .rows = 3, .cols = 3, .coupling = 1, .field = 1, .seed = 1 };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_status find(void *context)
{
    const zb_options opt = zb_options_default();
    int order[9];
    return zb_order_find(context, &opt, NULL, order, NULL, NULL);
}

static zb_status survey(void *context)
{
    const zb_options opt = zb_options_default();
    zb_survey s;
    return zb_survey_make(&s, context, &opt, NULL, NULL);
}

static zb_status given_order(void *context)
{
    const int order[9] = { 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    zb_options opt = zb_options_default();
    zb_survey s;
    zb_result r;
    opt.order = ZB_ORDER_FILE, opt.order_list = order, opt.method = ZB_METHOD_MBE;
    zb_status status = zb_survey_make(&s, context, &opt, NULL, NULL);
    return status != ZB_OK ? status : zb_solve(context, &opt, NULL, &r, NULL);
}

static zb_status phases(void *context)
{
    const zb_phase phase[] = { { ZB_PARAMETER_WEIGHT, 2 }, { ZB_PARAMETER_GAUGE, 2 } };
    zb_options opt = zb_options_default();
    double bound[5], seconds[5];
    zb_result r;
    opt.form = ZB_FORM_FORNEY, opt.ibound = 3, opt.threads = 1;
    return zb_solve_phases(context, &opt, 2, phase, NULL, bound, seconds, &r, NULL);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    zb_model *model = grid();
    assert_true(fail_each_allocation(find, model) > 0);
    assert_true(fail_each_allocation(survey, model) > 0);
    assert_true(fail_each_allocation(given_order, model) > 0);
    assert_true(fail_each_allocation(phases, model) > 0);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
