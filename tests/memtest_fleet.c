/* A tree over ranks when memory runs out, here and there: no memory, nothing left. */
#include "mem_fail.h"
#include "oracle.h"
#include "thread_ranks.h"
#include "test.h"

/* Ranks share the budget, so that who runs out is a matter of chance; all of them do.
 */
static zb_status solve_with(long budget, const zb_model *model, bool gauged,
                            zb_result *r)
{
    thread_ranks t;
    zb_options opt = zb_options_default();
    opt.ranks = thread_ranks_open(&t, 3, 0);
    opt.method = gauged ? ZB_METHOD_WMBE_WG : ZB_METHOD_WMBE_WTHETA;
    opt.form = gauged ? ZB_FORM_FORNEY : ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_MINFILL;
    opt.time = 0;
    opt.ibound = gauged ? 3 : 2;
    opt.iterations = 3;
    opt.threads = 1;
    zb_test_allocs_left = budget;
    zb_status status = zb_solve(model, &opt, NULL, r, NULL);
    zb_test_allocs_left = -1;
    thread_ranks_close(&t);
    return status;
}

static void starve(bool gauged)
{
    zb_ising_spec spec = { .rows = 4, .cols = 4, .coupling = 1, .field = 1, .seed = 5 };
    zb_model *model;
    zb_result whole, r;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    assert_int_equal(solve_with(-1, model, gauged, &whole), ZB_OK);
    long live = zb_test_allocs_live, failed = 0, step = test_models(1) > 1 ? 1 : 23;
    for (long budget = 1;; budget += step) {
        zb_status status = solve_with(budget, model, gauged, &r);
        CHECK(zb_test_allocs_live == live, "after %ld allocations %ld were leaked",
              budget, zb_test_allocs_live - live);
        if (status == ZB_OK)
            break;
        CHECK(status == ZB_ENOMEM, "after %ld allocations: %s", budget,
              zb_status_text(status));
        failed++;
    }
    assert_true(failed > 20);
    CHECK(r.log_upper == whole.log_upper && r.log_lower == whole.log_lower,
          "%.17g %.17g, %.17g %.17g, %d %d", r.log_lower, r.log_upper, whole.log_lower,
          whole.log_upper, (int)r.stop, (int)r.iterations);
    zb_model_free(model);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    starve(false);
}

static void no_memory_for_gauges_is_one(void **state)
{
    (void)state;
    starve(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(no_memory_for_gauges_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
