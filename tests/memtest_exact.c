/* Exact elimination when memory runs out, and whether the forecast was true. */
#include "within.h"
#include "exact/exact.h"
#include "mem_fail.h"
#include "oracle.h"
#include "test.h"

#include <inttypes.h>

static void natural(const zb_model *model, int *order)
{
    for (int v = 0; v < zb_model_nvars(model); v++)
        order[v] = v;
}

static zb_status run(void *context)
{
    int order[32];
    double z = 7;
    natural(context, order);
    zb_status status = exact_within(context, order, 1, 0, NULL, &z, NULL);
    CHECK((z == 7) == (status != ZB_OK), "an answer with status %d", status);
    return status;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    random_spec spec = { 10, 4, 14, 4, 0.1, 2, true };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        zb_model *model = random_model(seed, spec);
        long failures = fail_each_allocation(run, model);
        CHECK(failures > 10, "seed %" PRIu64 ": only %ld allocations", seed, failures);
        zb_model_free(model);
    }
}

static zb_status solve(void *context)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    opt.threads = 1;
    return zb_solve(context, &opt, NULL, &r, NULL);
}

static void every_allocation_fails_from_the_front_door(void **state)
{
    (void)state;
    random_spec spec = { 12, 3, 18, 3, 0, 2, true };
    for (uint64_t seed = 101; seed <= test_models(108); seed++) {
        zb_model *model = random_model(seed, spec);
        fail_many_allocations(solve, model, 100);
        zb_model_free(model);
    }
}

static void forecast_covers_what_is_taken(void **state)
{
    (void)state;
    random_spec spec = { 17, 3, 25, 4, 0, 1, false };
    for (uint64_t seed = 1; seed <= test_models(200); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_scopes *scopes;
        zb_exact_plan plan;
        int order[32];
        natural(model, order);
        assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
        assert_int_equal(zb_exact_forecast(scopes, order, NULL, &plan), ZB_OK);
        zb_scopes_free(scopes);
        zb_test_bytes_peak = zb_test_bytes_live;
        const long before = zb_test_bytes_live;
        assert_int_equal(run(model), ZB_OK);
        const double taken = (double)(zb_test_bytes_peak - before);
        CHECK(taken <= plan.bytes, "seed %" PRIu64 ": took %.0f of %.0f bytes", seed,
              taken, plan.bytes);
        CHECK(plan.bytes < 3e5 || plan.bytes < 1.5 * taken,
              "seed %" PRIu64 ": took only %.0f of %.0f bytes", seed, taken,
              plan.bytes);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_allocation_fails_from_the_front_door),
        cmocka_unit_test(forecast_covers_what_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
