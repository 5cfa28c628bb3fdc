/* Every allocation of bp, trbp and mf fails in turn. */
#include "baseline/bp.h"
#include "given.h"
#include "mem_fail.h"
#include "baseline/blockfield.h"
#include "baseline/blocks.h"
#include "baseline/meanfield.h"
#include "model/model.h"
#include "test.h"
#include "baseline/trbp.h"

/* Cycles, a factor inside another, a repeated scope, zeros, evidence. */
static zb_model *small_model(void)
{
    const int card[] = { 2, 3, 1, 2, 2, 3 };
    const int scope[][3] = { { 0, 1, 3 }, { 1, 3, 4 }, { 4, 0, 2 }, { 3, 1, 0 },
                             { 5, 4, 0 }, { 0, 5, 1 }, { 1, 5, 0 }, { 3, 5, 2 } };
    const double value[18] = { 1, 2, 0, 3, 1, 2, 5, 4, 1, 0.5, 2, 7, 0, 1, 1, 2, 3, 1 };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
    for (int f = 0; f < 8; f++)
        assert_int_equal(zb_model_add(model, 2 + f % 2, scope[f], value), ZB_OK);
    assert_int_equal(zb_model_observe(model, 2, 0), ZB_OK);
    return model;
}

static zb_baseline_options short_run(void)
{
    zb_baseline_options opt = zb_baseline_default();
    opt.iterations = 60; /* enough for the mixture of forests to grow */
    opt.restarts = 2;
    return opt;
}

static zb_status bp_run(void *context)
{
    zb_baseline_options opt = short_run();
    zb_baseline_result r;
    return run_given(zb_bp_run, context, &opt, &r);
}

static zb_status trbp_run(void *context)
{
    zb_baseline_options opt = short_run();
    zb_baseline_result r;
    return run_given(zb_trbp_run, context, &opt, &r);
}

static zb_status mf_run(void *context)
{
    zb_baseline_options opt = short_run();
    zb_baseline_result r;
    return run_given(zb_meanfield_run, context, &opt, &r);
}

static zb_status blocks_run(void *context)
{
    zb_model *made;
    const zb_model *model = without_evidence(context, &made);
    zb_blockfield_result r;
    zb_run run;
    double q[64];
    zb_status status =
        model != NULL ? zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1) : ZB_ENOMEM;
    if (status == ZB_OK) {
        begin_alike(model, q);
        zb_blockfield_spec spec = { .q = q,
                                    .known = -INFINITY,
                                    .entries = 8,
                                    .rounds = ZB_SEQUENCES,
                                    .seed = 1,
                                    .run = &run };
        status = zb_blockfield_run(model, &spec, &r);
        zb_run_close(&run);
    }
    zb_model_free(made);
    return status;
}

static void all_survive(void **state)
{
    (void)state;
    zb_model *model = small_model();
    assert_true(fail_each_allocation(bp_run, model) > 20);
    assert_true(fail_each_allocation(trbp_run, model) > 60);
    assert_true(fail_each_allocation(mf_run, model) > 40);
    assert_true(fail_each_allocation(blocks_run, model) > 100);
    zb_model_free(model);
    assert_true(zb_test_allocs_live == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
