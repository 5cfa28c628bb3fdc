/* Tree-reweighted bounds against enumeration and the reference values. */
#include "baseline/forest.h"
#include "given.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"
#include "baseline/trbp.h"
#include "trees.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void exact_on_trees(void **state)
{
    (void)state;
    zb_baseline_options opt = zb_baseline_default();
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_model *model = random_hypertree(seed, seed % 4 == 3 ? 0.2 : 0);
        zb_baseline_result r;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &r), ZB_OK);
        CHECK(r.exact && r.guaranteed, "seed %" PRIu64, seed);
        CHECK(close_to(r.log_value, brute_force(model), 1e-12),
              "seed %" PRIu64 ": %.17g, exact %.17g", seed, r.log_value,
              brute_force(model));
        zb_model_free(model);
    }
}

/* A bound at every stop, with any damping, converged or not. */
static void never_below(void **state)
{
    (void)state;
    const int iterations[] = { 0, 1, 2, 7, 60 };
    random_spec spec = { .max_vars = 9,
                         .max_card = 3,
                         .max_factors = 40,
                         .max_arity = 3,
                         .spread = 4,
                         .evidence = true };
    int loopy = 0, zero = 0;
    for (uint64_t seed = 0; seed < test_models(3000); seed++) {
        spec.zeros = seed % 3 == 0 ? 0 : 0.03 * (double)(seed % 3);
        spec.spread = seed % 11 == 0 ? 300 : 4; /* 260 orders of magnitude */
        spec.max_arity = 2 + (int)(seed / 5 % 2);
        zb_model *model = random_model(seed, spec);
        zb_baseline_options opt = zb_baseline_default();
        interval around = brute_interval(model);
        double z = around.lower;
        opt.iterations = iterations[seed % 5];
        opt.damping = seed % 2 == 0 ? 0.9 : 0;
        opt.trees = seed % 7 == 0 ? 0 : 50;
        zb_baseline_result r;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &r), ZB_OK);
        CHECK(r.guaranteed && is_above(r.log_value, around) && r.log_value < INFINITY,
              "seed %" PRIu64 ": %.17g, exact %.17g", seed, r.log_value, z);
        CHECK(!r.exact || close_to(r.log_value, z, 1e-12), "seed %" PRIu64, seed);
        loopy += !r.exact;
        zero += r.log_value == -INFINITY;
        zb_model_free(model);
    }
    assert_true(loopy > test_share(150));
    assert_true(zero > test_share(50));
}

static zb_model *spin_glass(int rows, int cols, double coupling, uint64_t seed)
{
    int n = rows * cols, card[64];
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int v = 0; v < n; v++) {
        double h = zb_rng_uniform(&rng) - 0.5, field[2] = { h, -h };
        assert_int_equal(zb_model_add_log(model, 1, &v, field), ZB_OK);
        for (int d = 0; d < 2; d++) {
            int scope[2] = { v, d == 0 ? v + 1 : v + cols };
            double c = coupling * (2 * zb_rng_uniform(&rng) - 1);
            double f[4] = { c, -c, -c, c };
            if ((d == 0 && scope[1] % cols == 0) || scope[1] >= n)
                continue;
            assert_int_equal(zb_model_add_log(model, 2, scope, f), ZB_OK);
        }
    }
    return model;
}

/* More work never hurts, and optimised weights beat uniform ones by far. */
static void weights_pay(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        zb_model *model = spin_glass(4, 4, 2, seed);
        zb_baseline_options opt = zb_baseline_default();
        zb_baseline_result start, uniform, best;
        double z = brute_force(model);
        opt.iterations = 0;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &start), ZB_OK);
        opt.iterations = 300, opt.trees = 0;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &uniform), ZB_OK);
        opt.trees = 50;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &best), ZB_OK);
        CHECK(uniform.log_value < start.log_value, "seed %" PRIu64, seed);
        CHECK(best.log_value - z < 0.9 * (uniform.log_value - z),
              "seed %" PRIu64 ": %g, uniform %g", seed, best.log_value - z,
              uniform.log_value - z);
        CHECK(best.log_value >= z && best.forests > uniform.forests, "seed %" PRIu64,
              seed);
        zb_model_free(model);
    }
}

/* On one cycle of n pairwise factors the forests leave out one factor each. With a
   symmetric coupling J everywhere, rho = 1 - 1/n by symmetry, and the optimal messages
   are zero: the bound is the open chain's ln Z at coupling J / rho. */
static void closed_form_on_a_ring(void **state)
{
    (void)state;
    for (int n = 3; n < 9; n++) {
        int card[9];
        double J = 0.7, f[4] = { J, -J, -J, J };
        zb_model *model;
        for (int v = 0; v < n; v++)
            card[v] = 2;
        assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
        for (int v = 0; v < n; v++) {
            int scope[2] = { v, (v + 1) % n };
            assert_int_equal(zb_model_add_log(model, 2, scope, f), ZB_OK);
        }
        zb_baseline_options opt = zb_baseline_default();
        zb_baseline_result r;
        opt.iterations = 20000, opt.tolerance = 1e-9, opt.trees = 5000;
        assert_int_equal(run_given(zb_trbp_run, model, &opt, &r), ZB_OK);
        double chain = log(2) + (n - 1) * log(2 * cosh(J * n / (n - 1)));
        CHECK(close_to(r.log_value, chain, 1e-4), "n %d: %.12g, closed form %.12g", n,
              r.log_value, chain);
        CHECK(r.log_value >= chain - 1e-12, "n %d: better than the optimum", n);
        zb_model_free(model);
    }
}

/* Weights sum to 1, every factor is covered, no forest has a cycle. */
static void mixtures_are_valid(void **state)
{
    (void)state;
    random_spec spec = {
        .max_vars = 10, .max_card = 2, .max_factors = 40, .max_arity = 4, .spread = 1
    };
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_graph *g;
        zb_mixture *mix;
        zb_ticker tick = { 0 };
        double sum = 0;
        assert_int_equal(zb_graph_new(&g, model, seed % 2 == 0, NULL), ZB_OK);
        assert_int_equal(zb_mixture_new(&mix, g), ZB_OK);
        assert_int_equal(zb_mixture_cover(mix, 4, seed, &tick), ZB_OK);
        for (int t = 0; t < mix->count; t++) {
            int joined = 0; /* acyclic: trees = variables - sum of (arity - 1) */
            for (int i = 0; i < mix->forest[t]->count; i++)
                joined += zb_graph_arity(g, g->edge_fac[mix->forest[t]->edge[i]]) - 1;
            CHECK(mix->forest[t]->nroots == g->nvars - joined, "seed %" PRIu64, seed);
            sum += mix->weight[t];
        }
        CHECK(close_to(sum, 1, 1e-14), "seed %" PRIu64, seed);
        for (int a = 0; a < g->nfactors; a++)
            CHECK(mix->rho[a] > 0 && mix->rho[a] <= 1 + 1e-14, "seed %" PRIu64, seed);
        zb_mixture_free(mix);
        zb_graph_free(g);
        zb_model_free(model);
    }
}

typedef struct watch {
    double best;
    int64_t last, limit;
} watch;

static bool descending(void *context, const zb_progress *at)
{
    watch *w = context;
    CHECK(at->log_upper <= w->best && at->iteration <= w->last + 1, "iteration %d",
          (int)at->iteration);
    w->best = at->log_upper;
    w->last = at->iteration;
    return at->iteration < w->limit;
}

static void reports_and_stops(void **state)
{
    (void)state;
    zb_model *model = spin_glass(4, 4, 3, 3);
    watch w = { .best = INFINITY, .limit = 23 };
    zb_observer observer = { .context = &w, .progress = descending };
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r, again;
    zb_run run;
    assert_int_equal(zb_run_open(&run, &observer, INFINITY, UINT64_MAX, 1), ZB_OK);
    opt.run = &run;
    assert_int_equal(run_given(zb_trbp_run, model, &opt, &r), ZB_OK);
    zb_run_close(&run);
    opt.run = NULL;
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    assert_int_equal(r.iterations, 23);
    assert_true(r.guaranteed && r.log_value <= w.best);
    assert_true(r.log_value >= brute_force(model));
    opt.iterations = 50;
    assert_int_equal(run_given(zb_trbp_run, model, &opt, &r), ZB_OK);
    assert_int_equal(run_given(zb_trbp_run, model, &opt, &again), ZB_OK);
    assert_true(r.log_value == again.log_value);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_on_trees),     cmocka_unit_test(never_below),
        cmocka_unit_test(weights_pay),        cmocka_unit_test(closed_form_on_a_ring),
        cmocka_unit_test(mixtures_are_valid), cmocka_unit_test(reports_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
