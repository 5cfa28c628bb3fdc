/* trbp, bp and mf through the public options: forms, sides, evidence, zeros. */
#include "oracle.h"
#include "baseline/solve_baselines.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

static const random_spec mixed = { .max_vars = 7,
                                   .max_card = 3,
                                   .max_factors = 12,
                                   .max_arity = 3,
                                   .zeros = 0.05,
                                   .spread = 2,
                                   .evidence = true };

/* Every form is the same sum: the bounds hold in each. */
static void holds_in_every_form(void **state)
{
    (void)state;
    const zb_form forms[] = { ZB_FORM_AUTO, ZB_FORM_ORIGINAL, ZB_FORM_FORNEY,
                              ZB_FORM_MERGED };
    for (uint64_t seed = 0; seed < test_models(400); seed++) {
        zb_model *model = random_model(seed, mixed);
        interval z = brute_interval(model);
        zb_options opt = zb_options_default();
        zb_result r;
        opt.form = forms[seed % 4];
        opt.iterations = 40;
        opt.method = ZB_METHOD_TRBP;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.has_upper && !r.has_lower && !r.has_estimate && r.guaranteed,
              "seed %" PRIu64, seed);
        CHECK(brackets(&r, z), "seed %" PRIu64 ": %.17g, %.17g", seed, r.log_upper,
              z.lower);
        opt.method = ZB_METHOD_MF;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.has_lower && !r.has_upper && !r.has_estimate && r.guaranteed,
              "seed %" PRIu64, seed);
        CHECK(brackets(&r, z), "seed %" PRIu64 ": %.17g, %.17g", seed, r.log_lower,
              z.upper);
        opt.method = ZB_METHOD_BP;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.has_estimate && !r.has_upper && !r.has_lower && !r.guaranteed &&
                  !isnan(r.log_estimate),
              "seed %" PRIu64, seed);
        CHECK(r.form != ZB_FORM_AUTO, "seed %" PRIu64, seed);
        zb_model_free(model);
    }
}

/* Reductions sum trees away, so mf is exact there too. */
static void reductions_first(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    opt.method = ZB_METHOD_MF;
    for (uint64_t seed = 1; seed < 20; seed++) {
        zb_random_tree_spec spec = { .variables = 8, .cardinality = 3, .seed = seed };
        zb_model *model;
        zb_result r;
        assert_int_equal(zb_generate_tree(&model, &spec), ZB_OK);
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(close_to(r.log_lower, brute_force(model), 1e-12), "seed %" PRIu64, seed);
        zb_model_free(model);
    }
}

static void heard(void *context, const char *sentence)
{
    *(bool *)context = strstr(sentence, "converge") != NULL;
}

static void sides_notes_and_refusals(void **state)
{
    (void)state;
    zb_ising_spec spec = { .rows = 5, .cols = 5, .coupling = 4, .field = 1, .seed = 3 };
    bool said = false;
    zb_observer observer = { .context = &said, .note = heard };
    zb_options opt = zb_options_default();
    zb_error err = { "" };
    zb_result r;
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    opt.method = ZB_METHOD_BP, opt.iterations = 1;
    assert_int_equal(zb_solve(model, &opt, &observer, &r, NULL), ZB_OK);
    assert_true(said && r.iterations == 1 && r.stop == ZB_STOP_ITERATIONS);
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve_baseline(model, &opt, NULL, NULL, &r, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "be is not"));
    opt.method = ZB_METHOD_TRBP, opt.side = ZB_SIDE_BOTH, opt.iterations = 1000000000;
    opt.tolerance = 0, opt.time = 0.05;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    assert_int_equal(r.stop, ZB_STOP_TIME);
    assert_true(r.has_upper && r.log_upper < INFINITY && r.seconds < 2);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_in_every_form),
        cmocka_unit_test(reductions_first),
        cmocka_unit_test(sides_notes_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
