/* The best state: against enumeration, its value and the bound. */
#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

static const random_spec KINDS[] = { { 8, 3, 10, 3, 0, 2, true },
                                     { 8, 3, 12, 3, 0.3, 2, true },
                                     { 9, 2, 8, 2, 0.4, 1, true },
                                     { 7, 4, 9, 3, 0.1, 300, false } };
enum { KINDS_COUNT = sizeof KINDS / sizeof *KINDS };

static zb_options options(int ibound)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.ibound = ibound;
    opt.iterations = 10;
    opt.threads = 1;
    return opt;
}

/* What holds of every answer: the state has the value that is said, and no state more
   than the bound. */
static void check(const zb_model *model, const zb_best *b, const int *state,
                  uint64_t seed)
{
    interval best = brute_best(model);
    CHECK(b->log_upper >= best.lower, "seed %" PRIu64 ": %.17g below %.17g", seed,
          b->log_upper, best.lower);
    CHECK(b->found || b->log_value == -INFINITY, "seed %" PRIu64, seed);
    if (!b->found)
        return;
    interval value = brute_value(model, state);
    CHECK(b->log_value <= value.upper && close_to(b->log_value, value.lower, 1e-12),
          "seed %" PRIu64 ": %.17g for %.17g", seed, b->log_value, value.upper);
    CHECK(b->log_value <= b->log_upper, "seed %" PRIu64, seed);
    CHECK(!b->optimal || close_to(b->log_value, best.upper, 1e-11),
          "seed %" PRIu64 ": %.17g is said to be optimal, not %.17g", seed,
          b->log_value, best.upper);
}

static void elimination_finds_the_best(void **state)
{
    (void)state;
    zb_options opt = options(0);
    int none = 0;
    for (uint64_t seed = 1; seed <= test_models(2000); seed++) {
        zb_model *model = random_model(seed, KINDS[seed % KINDS_COUNT]);
        int x[32];
        zb_best b;
        assert_int_equal(zb_best_state(model, &opt, NULL, x, &b, NULL), ZB_OK);
        check(model, &b, x, seed);
        CHECK(b.optimal && b.found == isfinite(brute_best(model).upper),
              "seed %" PRIu64, seed);
        none += !b.found;
        zb_model_free(model);
    }
    assert_true(none >= test_share(20) && none < test_share(1500));
}

static void branching_finds_the_best(void **state)
{
    (void)state;
    int split = 0;
    for (uint64_t seed = 1; seed <= test_models(200); seed++) {
        zb_random_spec spec = { .variables = 8,
                                .factors = 14,
                                .arity = 3,
                                .cardinality = 2 + (int)(seed % 2),
                                .zeros = seed % 3 ? 0 : 0.3,
                                .seed = seed };
        zb_options opt = options(3 + (int)(seed % 2));
        zb_model *model;
        zb_best b;
        int x[8];
        assert_int_equal(zb_generate_random(&model, &spec), ZB_OK);
        assert_int_equal(zb_best_state(model, &opt, NULL, x, &b, NULL), ZB_OK);
        check(model, &b, x, seed);
        CHECK(b.log_upper > -INFINITY, "seed %" PRIu64 ": Z > 0", seed);
        CHECK(b.found && b.optimal, "seed %" PRIu64 ": there was no limit", seed);
        split += b.ibound < 8;
        zb_model_free(model);
    }
    CHECK(split >= test_share(150), "%d split", split);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    zb_ising_spec spec = {
        .rows = 7, .cols = 7, .coupling = 1, .field = 0.3, .seed = 2
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    for (int ibound = 0; ibound <= 4; ibound += 4) {
        zb_options opt = options(ibound);
        zb_best one, three;
        int x[49], y[49];
        assert_int_equal(zb_best_state(model, &opt, NULL, x, &one, NULL), ZB_OK);
        opt.threads = 3;
        assert_int_equal(zb_best_state(model, &opt, NULL, y, &three, NULL), ZB_OK);
        assert_memory_equal(x, y, sizeof x);
        assert_true(one.log_value == three.log_value);
        assert_true(one.log_upper == three.log_upper);
    }
    zb_model_free(model);
}

static void arguments(void **state)
{
    (void)state;
    zb_options opt = options(0);
    zb_model *model;
    zb_best b;
    zb_error err;
    int x[2];
    assert_int_equal(zb_model_new(&model, 2, (int[]){ 2, 1 }), ZB_OK);
    assert_int_equal(zb_best_state(model, &opt, NULL, NULL, &b, &err), ZB_EINVAL);
    assert_int_equal(zb_best_state(NULL, &opt, NULL, x, &b, &err), ZB_EINVAL);
    assert_int_equal(zb_best_state(model, NULL, NULL, x, &b, &err), ZB_EINVAL);
    assert_int_equal(zb_best_state(model, &opt, NULL, x, NULL, &err), ZB_EINVAL);
    opt.ibound = -1;
    assert_int_equal(zb_best_state(model, &opt, NULL, x, &b, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "ibound"));
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elimination_finds_the_best),
        cmocka_unit_test(branching_finds_the_best),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
