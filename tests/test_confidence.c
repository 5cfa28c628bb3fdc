/* Brackets with confidence: how often they miss, how wide they are, and what they do
   with draws that say little. */
#include "proposals.h"
#include "sample/confidence.h"

/* Watched at random moments and stopped at one of them. */
static zb_confidence watch(const double *log_ratio, int most, double delta, zb_rng *rng)
{
    zb_confidence c;
    zb_confidence_open(&c, delta);
    int stop = 1 + zb_rng_below(rng, most), used = 0;
    while (used < stop) {
        int n = zb_min_int(stop - used, 1 + zb_rng_below(rng, most / 2 + 1));
        assert_int_equal(zb_confidence_add(&c, (size_t)n, log_ratio + used, NULL),
                         ZB_OK);
        used += n;
        double lower = c.lower, upper = c.upper;
        zb_confidence_update(&c, NULL);
        assert_true(c.lower >= lower && c.upper <= upper);
    }
    return c;
}

static void test_coverage(void **state)
{
    enum { MODELS = 50, RUNS = 200 };
    const double delta = 0.05;
    int missed = 0, runs = 0, narrow = 0;
    zb_rng rng = zb_rng_seed(5);
    (void)state;
    for (uint64_t seed = 1; runs < (int)test_models(MODELS * RUNS); seed++) {
        zb_model *model =
            random_model(seed, (random_spec){ .max_vars = 8,
                                              .max_card = 3,
                                              .max_factors = 30,
                                              .max_arity = 2,
                                              .zeros = seed % 2 == 0 ? 0.1 : 0,
                                              .spread = seed % 3 == 0 ? 4 : 1 });
        drawing d = drawing_new(model, seed, 2);
        double truth = brute_force(model) - d.log_upper;
        for (uint64_t k = 0; truth < -0.01 && truth > -INFINITY && k < RUNS; k++) {
            zb_proposal_draw(d.proposal, seed, k, d.batch, NULL);
            zb_confidence c = watch(d.batch->log_ratio, ZB_LANES, delta, &rng);
            missed += truth < c.lower || truth > c.upper;
            narrow += c.upper - c.lower < 1;
            runs++;
            zb_confidence_close(&c);
        }
        drawing_free(&d);
        zb_model_free(model);
    }
    print_message("%d of %d brackets missed, %d narrower than 1\n", missed, runs,
                  narrow);
    assert_true(missed <= delta * runs);
    assert_true(narrow > 0.3 * runs);
}

/* r is 1 or 0: the binomial case, where the width is known. */
static void test_width(void **state)
{
    enum { N = 20000 };
    double *x = malloc(N * sizeof *x), delta = 1e-6;
    zb_rng rng = zb_rng_seed(2);
    zb_confidence c;
    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = zb_rng_uniform(&rng) < 0.2 ? 0 : -INFINITY;
    zb_confidence_open(&c, delta);
    assert_int_equal(zb_confidence_add(&c, N, x, NULL), ZB_OK);
    zb_confidence_update(&c, NULL);
    double sigma = sqrt(0.8 / 0.2 / N);
    assert_true(c.lower < log(0.2) && log(0.2) < c.upper);
    assert_true(c.upper - c.lower > 2 * 4.9 * sigma); /* normal, one moment only */
    assert_true(c.upper - c.lower < 2 * 7.5 * sigma);
    assert_true(close_to(c.error, sigma, 0.03));
    assert_true(close_to(c.effective, 0.2 * N, 0.05));
    zb_confidence_close(&c);
    free(x);
}

/* All draws are dead ends: nothing below, and above about ln(2 / delta) / n. */
static void test_nothing_but_dead_ends(void **state)
{
    double x[1000];
    zb_confidence c;
    (void)state;
    for (int i = 0; i < 1000; i++)
        x[i] = -INFINITY;
    zb_confidence_open(&c, 1e-6);
    zb_confidence_update(&c, NULL);
    assert_true(c.lower == -INFINITY && c.upper == 0);
    assert_int_equal(zb_confidence_add(&c, 1000, x, NULL), ZB_OK);
    zb_confidence_update(&c, NULL);
    assert_true(c.lower == -INFINITY && c.log_mean == -INFINITY);
    assert_true(c.upper < log(40.0 / 1000) && c.upper > log(10.0 / 1000));
    zb_confidence_close(&c);
}

/* Weights far below the bound: the upper side hardly moves, the lower one does. */
static void test_far_below(void **state)
{
    double x[4000];
    zb_rng rng = zb_rng_seed(3);
    zb_confidence c;
    (void)state;
    for (int i = 0; i < 4000; i++)
        x[i] = -900 + log(zb_rng_uniform(&rng) + 0.5);
    zb_confidence_open(&c, 1e-6);
    assert_int_equal(zb_confidence_add(&c, 4000, x, NULL), ZB_OK);
    zb_confidence_update(&c, NULL);
    assert_true(c.lower > -900.1 && c.lower < -900);
    assert_true(c.upper > log(10.0 / 4000) && c.upper < log(40.0 / 4000));
    zb_confidence_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_nothing_but_dead_ends),
        cmocka_unit_test(test_far_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
