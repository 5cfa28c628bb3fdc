/* Best states over ranks. */
#include "over_ranks.h"
#include "oracle.h"
#include "sample/ascent.h"
#include "thread_ranks.h"
#include "test.h"

#include <inttypes.h>

static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES, VARS_MOST = 512 };

static zb_best best_of(const zb_model *model, zb_options opt, zb_ranks *ranks,
                       int *state)
{
    zb_best best;
    zb_error err = { "" };
    opt.ranks = ranks;
    zb_status status = zb_best_state(model, &opt, NULL, state, &best, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    return best;
}

/* Without a clock: until all is proved, or the iterations are spent. */
static void components_have_the_same_states(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(3); seed++) {
        zb_model *model = grids(4, 4 + (int)(seed % 3), seed);
        int one[VARS_MOST] = { 0 }, many[VARS_MOST] = { 0 };
        zb_options opt = zb_options_default();
        opt.time = 0;
        opt.threads = 1;
        opt.ibound = seed % 2 == 0 ? 3 : 0;
        zb_best want = best_of(model, opt, NULL, one);
        assert_true(want.found && want.optimal);
        for (int k = 0; k < SIZES_COUNT; k++) {
            thread_ranks t;
            zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
            zb_best got = best_of(model, opt, ranks, many);
            CHECK(got.log_value == want.log_value && got.log_upper == want.log_upper &&
                      got.optimal && got.stop == want.stop &&
                      memcmp(one, many, sizeof one) == 0,
                  "seed %" PRIu64 ", %d ranks: %.17g %.17g", seed, SIZES[k],
                  got.log_value, want.log_value);
            assert_true(SIZES[k] == 1 || ranks->letters > 0);
            thread_ranks_close(&t);
        }
        zb_model_free(model);
    }
}

/* With a clock all ranks look at the one component: the state is one, and the bound
   holds, however early it ends. */
static void bounds_hold_with_a_clock(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = grids(1, 9, 5);
    int one[VARS_MOST] = { 0 }, many[VARS_MOST] = { 0 };
    zb_options opt = zb_options_default();
    opt.threads = 1;
    opt.time = 0;
    zb_best want = best_of(model, opt, NULL, one);
    assert_true(want.optimal);
    opt.ibound = 2;
    for (double time = 0.05; time < 1; time *= 2) {
        opt.time = time;
        zb_best got = best_of(model, opt, ranks, many);
        CHECK(got.log_upper >= want.log_value && got.log_value <= want.log_upper,
              "%g s: %.17g %.17g for %.17g", time, got.log_value, got.log_upper,
              want.log_value);
        CHECK(!got.found ||
                  fabs(zb_state_value(model, many).mid - got.log_value) < 1e-9,
              "%g s", time);
    }
    opt.ibound = 0;
    opt.time = 60; /* proved long before, and then all of them stop */
    zb_best got = best_of(model, opt, ranks, many);
    assert_true(got.optimal && fabs(got.log_value - want.log_value) < 1e-9);
    assert_true(got.seconds < 30);
    zb_model_free(model);
    thread_ranks_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_have_the_same_states),
        cmocka_unit_test(bounds_hold_with_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
