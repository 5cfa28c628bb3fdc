/* Mean field and its starting points against enumeration. */
#include "baseline/factorgraph.h"
#include "baseline/meanfield.h"
#include "given.h"
#include "oracle.h"
#include "base/rng.h"
#include "baseline/support.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

static void never_above(void **state)
{
    (void)state;
    const int iterations[] = { 0, 1, 3, 100 };
    random_spec spec = { .max_vars = 8,
                         .max_card = 3,
                         .max_factors = 14,
                         .max_arity = 4,
                         .spread = 3,
                         .evidence = true };
    int finite = 0, zero = 0;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        spec.zeros = 0.1 * (double)(seed % 5);
        spec.spread = seed % 11 == 0 ? 300 : 3; /* 260 orders of magnitude */
        zb_model *model = random_model(seed, spec);
        zb_baseline_options opt = zb_baseline_default();
        interval around = brute_interval(model);
        double z = around.upper;
        opt.iterations = iterations[seed / 5 % 4];
        opt.restarts = 1 + (int)(seed % 3);
        zb_baseline_result r;
        assert_int_equal(run_given(zb_meanfield_run, model, &opt, &r), ZB_OK);
        CHECK(r.guaranteed && is_below(r.log_value, around),
              "seed %" PRIu64 ": %.17g, exact %.17g", seed, r.log_value, z);
        /* the search is complete: a configuration is found if there is one */
        CHECK((r.log_value == -INFINITY) == (z == -INFINITY),
              "seed %" PRIu64 ": %g, %g", seed, r.log_value, z);
        CHECK(r.exact == (z == -INFINITY), "seed %" PRIu64, seed);
        finite += z > -INFINITY;
        zero += z == -INFINITY;
        zb_model_free(model);
    }
    assert_true(finite > 2000 && zero > 500);
}

/* Unary factors only: the product is the distribution itself. */
static void exact_on_products(void **state)
{
    (void)state;
    random_spec spec = { .max_vars = 8,
                         .max_card = 4,
                         .max_factors = 10,
                         .max_arity = 1,
                         .zeros = 0.05,
                         .spread = 5 };
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_baseline_options opt = zb_baseline_default();
        zb_baseline_result r;
        assert_int_equal(run_given(zb_meanfield_run, model, &opt, &r), ZB_OK);
        CHECK(close_to(r.log_value, brute_force(model), 1e-12),
              "seed %" PRIu64 ": %g, %g", seed, r.log_value, brute_force(model));
        zb_model_free(model);
    }
}

typedef struct watch {
    double best;
    int64_t last;
} watch;

static bool ascending(void *context, const zb_progress *at)
{
    watch *w = context;
    CHECK(at->log_lower >= w->best && at->iteration <= w->last + 1, "iteration %d",
          (int)at->iteration);
    w->best = at->log_lower;
    w->last = at->iteration;
    return at->iteration < 7;
}

/* A uniform ferromagnet: the best product satisfies m = tanh(J d m + h). */
static void self_consistent_magnet(void **state)
{
    (void)state;
    enum { N = 6 };
    int card[N] = { 2, 2, 2, 2, 2, 2 };
    double J = 0.5, h = 0.2, pair[4] = { J, -J, -J, J }, one[2] = { h, -h };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 0; v < N; v++) {
        assert_int_equal(zb_model_add_log(model, 1, &v, one), ZB_OK);
        for (int u = 0; u < v; u++)
            assert_int_equal(zb_model_add_log(model, 2, (int[]){ u, v }, pair), ZB_OK);
    }
    double m = 1;
    for (int i = 0; i < 1000; i++)
        m = tanh(J * (N - 1) * m + h);
    double p = (1 + m) / 2, entropy = -p * log(p) - (1 - p) * log(1 - p);
    double value = N * (h * m + entropy) + J * m * m * N * (N - 1) / 2;
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    opt.tolerance = 1e-12;
    assert_int_equal(run_given(zb_meanfield_run, model, &opt, &r), ZB_OK);
    assert_true(r.converged);
    CHECK(close_to(r.log_value, value, 1e-9), "%.12g, closed form %.12g", r.log_value,
          value);
    watch w = { .best = -INFINITY };
    zb_observer observer = { .context = &w, .progress = ascending };
    zb_run run;
    assert_int_equal(zb_run_open(&run, &observer, INFINITY, UINT64_MAX, 1), ZB_OK);
    opt.run = &run;
    assert_int_equal(run_given(zb_meanfield_run, model, &opt, &r), ZB_OK);
    zb_run_close(&run);
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    assert_int_equal(r.iterations, 7);
    assert_true(r.log_value == w.best);
    zb_model_free(model);
}

/* Colourings: the pigeonhole principle, which takes backtracking to refute. */
static zb_model *clique_colouring(int n, int colours)
{
    int card[8];
    double differ[64];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = colours;
    for (int i = 0; i < colours * colours; i++)
        differ[i] = i % (colours + 1) != 0;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int v = 0; v < n; v++)
        for (int u = 0; u < v; u++)
            assert_int_equal(zb_model_add(model, 2, (int[]){ u, v }, differ), ZB_OK);
    return model;
}

static void search_is_complete(void **state)
{
    (void)state;
    for (int n = 2; n < 7; n++)
        for (int colours = 2; colours < 7; colours++) {
            zb_model *model = clique_colouring(n, colours);
            zb_graph *g;
            zb_support found;
            int x[8];
            double score[64] = { 0 };
            assert_int_equal(zb_graph_new(&g, model, true, NULL), ZB_OK);
            assert_int_equal(zb_support_find(g, score, 1e9, NULL, x, &found), ZB_OK);
            CHECK(found == (n <= colours ? ZB_SUPPORT_FOUND : ZB_SUPPORT_NONE),
                  "%d vertices, %d colours", n, colours);
            for (int v = 0; v < n && found == ZB_SUPPORT_FOUND; v++)
                for (int u = 0; u < v; u++)
                    assert_int_not_equal(x[u], x[v]);
            if (n == 6 && colours == 5) {
                assert_int_equal(zb_support_find(g, score, 100, NULL, x, &found),
                                 ZB_OK);
                assert_int_equal(found, ZB_SUPPORT_GAVE_UP);
            }
            zb_graph_free(g);
            zb_model_free(model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_above),
        cmocka_unit_test(exact_on_products),
        cmocka_unit_test(self_consistent_magnet),
        cmocka_unit_test(search_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
