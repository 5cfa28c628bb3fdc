/* Method auto when memory runs out: no memory, or an answer that holds. */
#include "mem_fail.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"

#include <inttypes.h>

/* All pairs of binary variables: no order is cheap. */
static zb_model *dense_model(uint64_t seed, int n, double zeros)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[16];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] = zb_rng_uniform(&rng) < zeros
                               ? 0
                               : exp(2 * zb_rng_uniform(&rng) - 1);
            assert_int_equal(zb_model_add(model, 2, (int[]){ u, v }, value), ZB_OK);
        }
    return model;
}

static bool keep_going(void *context, const zb_progress *at)
{
    int *left = context;
    (void)at;
    return (*left)-- > 0;
}

typedef struct tally {
    int short_of, answered, exact;
} tally;

/* One run with `budget` allocations; false when it did not need all of them. */
static bool run_auto(const zb_model *model, const zb_options *opt, interval z,
                     long budget, tally *t)
{
    const long live = zb_test_allocs_live;
    int calls = 2000; /* enough to see every stage, and an end for each run */
    zb_observer observer = { .context = &calls, .progress = keep_going };
    zb_result r;
    zb_test_allocs_left = budget;
    zb_status status = zb_solve(model, opt, &observer, &r, NULL);
    bool used_up = zb_test_allocs_left == 0;
    zb_test_allocs_left = -1;
    CHECK(zb_test_allocs_live == live, "after %ld allocations %ld were leaked", budget,
          zb_test_allocs_live - live);
    CHECK(status == ZB_OK, /* with what there was until then */
          "after %ld allocations: %s", budget, zb_status_text(status));
    CHECK(brackets(&r, z) && (!r.exact || close_to(r.log_upper, z.upper, 1e-9)),
          "after %ld allocations: [%.17g, %.17g] without %.17g", budget, r.log_lower,
          r.log_upper, z.lower);
    t->short_of += status == ZB_OK && r.stop == ZB_STOP_MEMORY;
    t->answered += status == ZB_OK;
    t->exact += status == ZB_OK && r.exact;
    return used_up;
}

/* Every budget at first, then in growing strides, up to one that suffices. */
static tally run_all(const zb_model *model, const zb_options *opt, long all)
{
    tally t = { 0 };
    interval z = brute_interval(model);
    long budget = 0;
    while (run_auto(model, opt, z, budget, &t) && budget < 200000)
        budget += budget < all ? 1 : 1 + budget / 40;
    CHECK(t.short_of > 0 && t.answered > 0, "%d short of memory, %d answered",
          t.short_of, t.answered);
    return t;
}

/* No limit of time: `run_auto` ends each run. */
static zb_options options(uint64_t memory)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.memory = memory;
    opt.threads = 1;
    return opt;
}

static void exact_runs(void **state)
{
    (void)state;
    random_spec spec = { 10, 3, 14, 3, 0.1, 2, true };
    zb_options opt = options(0);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        zb_model *model = random_model(seed, spec);
        run_all(model, &opt, 400);
        zb_model_free(model);
    }
}

static void slices(void **state)
{
    (void)state;
    zb_model *model = dense_model(1, 16, 0);
    zb_options opt = options(1500 << 10);
    tally t = run_all(model, &opt, 150);
    CHECK(t.exact > 0, "never exact");
    zb_model_free(model);
}

static void bracketing(void **state)
{
    (void)state;
    for (int zeros = 0; zeros < 2; zeros++) {
        zb_model *model = dense_model(1, 14, zeros ? 0.05 : 0);
        zb_options opt = options(200 << 10);
        opt.ibound = 3;
        run_all(model, &opt, 150);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_runs),
        cmocka_unit_test(slices),
        cmocka_unit_test(bracketing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
