/* The mini-bucket methods when memory runs out, and whether their forecast was true. */
#include "engine.h"
#include "mem_fail.h"
#include "pass/pass.h"

#include <inttypes.h>

/* ---- every allocation fails in turn ---------------------------------------------- */

typedef struct job {
    const zb_model *model;
    zb_options opt;
} job;

static zb_status solve(void *context)
{
    const job *j = context;
    zb_result r;
    zb_error err;
    return zb_solve(j->model, &j->opt, NULL, &r, &err);
}

/* A ring of factors with chords: split at small ibounds, on every form. */
static zb_model *small_model(bool zeros)
{
    const int card[7] = { 2, 3, 2, 2, 1, 2, 2 };
    const int scope[][3] = { { 0, 1, 2 }, { 2, 3, 5 }, { 5, 6, 0 }, { 1, 3, 4 },
                             { 1, 6, 3 }, { 0, 3, 6 }, { 2, 6, 4 } };
    double value[12];
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 7, card), ZB_OK);
    for (int f = 0; f < 7; f++) {
        for (int i = 0; i < 12; i++)
            value[i] = zeros && (i + f) % 6 == 0 ? 0 : 1 + (7 * i + 3 * f) % 5;
        assert_int_equal(zb_model_add(model, 3, scope[f], value), ZB_OK);
    }
    return model;
}

static void check_method(zb_method method, zb_form form, zb_optimizer optimizer)
{
    zb_model *model = small_model(optimizer == ZB_OPTIMIZER_PAPER);
    job j = { .model = model, .opt = zb_options_default() };
    j.opt.method = method;
    j.opt.form = form;
    j.opt.optimizer = optimizer;
    j.opt.order = form == ZB_FORM_AUTO ? ZB_ORDER_AUTO : ZB_ORDER_NATURAL;
    j.opt.ibound = 3;
    j.opt.iterations = 3;
    j.opt.threads = 1;
    long failures = fail_each_allocation(solve, &j);
    CHECK(failures > 40, "%s %s: only %ld allocations", zb_method_name(method),
          zb_form_name(form), failures);
    zb_model_free(model);
}

static void every_method(void **state)
{
    (void)state;
    for (int m = ZB_METHOD_MBE; m <= ZB_METHOD_WMBE_WG; m++) {
        bool gauged = m >= ZB_METHOD_WMBE_G;
        check_method((zb_method)m, gauged ? ZB_FORM_FORNEY : ZB_FORM_ORIGINAL,
                     ZB_OPTIMIZER_PAPER);
        check_method((zb_method)m, m % 2 ? ZB_FORM_AUTO : ZB_FORM_MERGED,
                     ZB_OPTIMIZER_DEFAULT);
    }
    assert_true(zb_test_allocs_live == 0);
}

static zb_status choose_ibound(void *context)
{
    job j = *(const job *)context;
    j.opt.ibound = 0;
    return solve(&j);
}

static zb_status run_gauges(void *context)
{
    const double turn[4] = { 1, 1, -1, 1 };
    zb_gauges *g;
    zb_status status = zb_gauges_new(&g, context, NULL);
    if (status == ZB_OK) {
        assert_int_equal(zb_gauges_set(g, 0, turn), ZB_OK);
        assert_int_equal(zb_gauges_invert(g, 0), ZB_OK);
    }
    zb_gauges_free(g);
    return status;
}

static void the_rest(void **state)
{
    (void)state;
    zb_model *model = small_model(false);
    job j = { .model = model, .opt = zb_options_default() };
    j.opt.method = ZB_METHOD_WMBE;
    j.opt.threads = 1;
    assert_true(fail_each_allocation(choose_ibound, &j) > 40);
    zb_model_free(model);
    model = random_forney(3, (forney_spec){ 5, 2, 2, 4, 3, 0, 1, false });
    assert_true(fail_each_allocation(run_gauges, model) > 20);
    zb_model_free(model);
    assert_true(zb_test_allocs_live == 0);
}

/* ---- the forecast ---------------------------------------------------------------- */

static zb_model *any_model(uint64_t seed)
{
    zb_model *model;
    random_spec rs = { .max_vars = 24,
                       .max_card = 2 + (int)(seed % 4),
                       .max_factors = 60,
                       .max_arity = 3,
                       .spread = 1 };
    zb_ising_spec grid = { .rows = 12, .cols = 4 + (int)seed, .coupling = 1 };
    if (seed > 16)
        return random_model(seed, rs);
    assert_int_equal(zb_generate_ising(&model, &grid), ZB_OK);
    return model;
}

static void check_forecast(uint64_t seed)
{
    zb_model *model = any_model(seed);
    zb_rng rng = zb_rng_seed(seed);
    zb_tree *tree = tree_of(model, NULL,
                            (zb_split_spec){ .ibound = 2 + zb_rng_below(&rng, 14),
                                             .max_entries = 1 << 16 });
    zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                          .gradient = zb_rng_below(&rng, 2),
                          .theta = zb_rng_below(&rng, 2),
                          .shared = zb_rng_below(&rng, 2),
                          .threads = 1 + zb_rng_below(&rng, 2) };
    zb_pass *pass;
    double forecast = zb_pass_forecast(tree, &spec);
    const long before = zb_test_bytes_live;
    zb_test_bytes_peak = before;
    assert_int_equal(zb_pass_new(&pass, tree, &spec), ZB_OK);
    double taken = (double)(zb_test_bytes_live - before),
           peak = (double)(zb_test_bytes_peak - before);
    CHECK(forecast >= peak, "seed %" PRIu64 ": forecast %.0f, taken %.0f, peak %.0f",
          seed, forecast, taken, peak);
    CHECK(taken < 2e6 || forecast < 2 * taken,
          "seed %" PRIu64 ": forecast %.0f, taken only %.0f", seed, forecast, taken);
    CHECK((double)zb_pass_bytes(pass) <= taken,
          "seed %" PRIu64 ": %zu bytes claimed, %.0f", seed, zb_pass_bytes(pass),
          taken);
    CHECK(taken < 1e6 || (double)zb_pass_bytes(pass) > 0.8 * taken,
          "seed %" PRIu64 ": %zu bytes claimed, %.0f taken", seed, zb_pass_bytes(pass),
          taken);
    zb_pass_free(pass);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void forecast_covers_what_is_taken(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(200); seed++)
        check_forecast(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(the_rest),
        cmocka_unit_test(forecast_covers_what_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
