#include "mem_fail.h"
#include "model/model.h"
#include "oracle.h"
#include "test.h"

enum { NVARS = 5, NFACTORS = 40 }; /* more factors than there is room for at first */

static zb_status build(zb_model **out)
{
    const int card[NVARS] = { 2, 3, 1, 4, 2 };
    const double value[12] = { 1, 2, 0, 3, 1, 2, 5, 4, 1, 0.5, 2, 7 };
    zb_model *model = NULL;
    zb_status status;

    *out = NULL;
    TRY(zb_model_new(&model, NVARS, card));
    for (int f = 0; f < NFACTORS; f++) {
        const int scope[2] = { f % NVARS, (f + 1) % NVARS };
        TRY(f % 2 == 0 ? zb_model_add(model, f % 3, scope, value)
                       : zb_model_add_log(model, f % 3, scope, value));
    }
    TRY(zb_model_observe(model, 3, 1));
    *out = model, model = NULL;
done:
    zb_model_free(model);
    return status;
}

static zb_status build_run(void *context)
{
    (void)context;
    zb_model *model;
    zb_status status = build(&model);
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status copy_run(void *context)
{
    zb_model *copy;
    zb_status status = zb_model_copy(&copy, context);
    CHECK((copy != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    if (copy != NULL)
        assert_true(close_to(brute_force(copy), brute_force(context), 0));
    zb_model_free(copy);
    return status;
}

static zb_status scopes_run(void *context)
{
    zb_scopes *scopes;
    zb_status status = zb_scopes_new(&scopes, context);
    CHECK((scopes != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_scopes_free(scopes);
    return status;
}

static void building_survives(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(build_run, NULL) >= 3 + 2 * NFACTORS);
}

static void copying_survives(void **state)
{
    (void)state;
    zb_model *model;
    assert_int_equal(build(&model), ZB_OK);
    assert_true(fail_each_allocation(copy_run, model) >= 3 + 2 * NFACTORS);
    assert_true(fail_each_allocation(scopes_run, model) == 4);
    zb_model_free(model);
}

/* A factor that cannot be added leaves the model as it was. */
static void failed_add_changes_nothing(void **state)
{
    (void)state;
    const double value[6] = { 1, 2, 3, 4, 5, 6 };
    const int scope[2] = { 0, 1 };
    zb_model *model;
    assert_int_equal(build(&model), ZB_OK);
    double before = brute_force(model);
    long failures = 0;
    for (long budget = 0;; budget++, failures++) {
        zb_test_allocs_left = budget;
        zb_status status = zb_model_add(model, 2, scope, value);
        zb_test_allocs_left = -1;
        if (status == ZB_OK)
            break;
        assert_int_equal(zb_model_nfactors(model), NFACTORS);
        assert_true(close_to(brute_force(model), before, 0));
    }
    assert_true(failures >= 2);
    assert_int_equal(zb_model_nfactors(model), NFACTORS + 1);
    zb_model_free(model);
    assert_true(zb_test_allocs_live == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_survives),
        cmocka_unit_test(copying_survives),
        cmocka_unit_test(failed_add_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
