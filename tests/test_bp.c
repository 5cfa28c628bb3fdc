/* Belief propagation against enumeration on trees and closed forms on cycles. */
#include "baseline/bp.h"
#include "given.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"
#include "trees.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void exact_on_trees(void **state)
{
    (void)state;
    zb_baseline_options opt = zb_baseline_default();
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_model *model = random_hypertree(seed, seed % 4 == 3 ? 0.2 : 0);
        zb_baseline_result r;
        assert_int_equal(run_given(zb_bp_run, model, &opt, &r), ZB_OK);
        CHECK(r.exact && r.converged && !r.guaranteed, "seed %" PRIu64, seed);
        CHECK(close_to(r.log_value, brute_force(model), 1e-9),
              "seed %" PRIu64 ": %.17g, exact %.17g", seed, r.log_value,
              brute_force(model));
        zb_model_free(model);
    }
}

/* Any model: an answer that is no NaN; -inf only for Z = 0; exact only if it is. */
static void survives_anything(void **state)
{
    (void)state;
    random_spec spec = { .max_vars = 8,
                         .max_card = 3,
                         .max_factors = 10,
                         .max_arity = 4,
                         .zeros = 0.3,
                         .spread = 3,
                         .evidence = true };
    zb_baseline_options opt = zb_baseline_default();
    int zero = 0;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_baseline_result r;
        double z = brute_force(model);
        assert_int_equal(run_given(zb_bp_run, model, &opt, &r), ZB_OK);
        CHECK(!isnan(r.log_value) && r.log_value < INFINITY, "seed %" PRIu64, seed);
        CHECK(!r.exact || close_to(r.log_value, z, 1e-9), "seed %" PRIu64 ": %g, %g",
              seed, r.log_value, z);
        zero += r.exact && z == -INFINITY;
        zb_model_free(model);
    }
    assert_true(zero > test_share(100));
}

static void multiply(int n, double *out, const double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                out[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

/* The largest eigenvalue of a positive matrix, by the power method. */
static double perron(int n, const double *a)
{
    double x[4] = { 1, 1, 1, 1 }, norm = 1;
    for (int it = 0; it < 20000; it++) {
        double y[4] = { 0 };
        norm = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                y[i] += a[i * n + j] * x[j];
            norm += y[i];
        }
        for (int i = 0; i < n; i++)
            x[i] = y[i] / norm;
    }
    return norm;
}

/* A cycle of pairwise factors f_1 .. f_L with A = f_1 f_2 ... f_L has Z = tr A, the sum
   of its eigenvalues. Sum-product around it is the power method on A (one way) and its
   transpose (the other), so messages tend to the right and left Perron vectors r, l of
   the product cut open at each place. Put into the Bethe expression, each factor gives
   Z_a = l_i f_a r_j and each variable Z_v = l_v r_v; with f_a r_j = mu_a r_i the
   quotient is prod mu_a = lambda_1. So the Bethe value is ln lambda_1. */
static void perron_on_cycles(void **state)
{
    (void)state;
    zb_baseline_options opt = zb_baseline_default();
    opt.iterations = 3000, opt.tolerance = 1e-9;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int n = 2 + (int)(seed % 3), length = 3 + (int)(seed % 7), card[16];
        double a[16], t[16], f[16];
        zb_model *model;
        for (int v = 0; v < length; v++)
            card[v] = n;
        assert_int_equal(zb_model_new(&model, length, card), ZB_OK);
        for (int i = 0; i < n * n; i++)
            a[i] = i % (n + 1) == 0;
        for (int v = 0; v < length; v++) {
            int scope[2] = { v, (v + 1) % length };
            for (int i = 0; i < n * n; i++)
                f[i] = exp(3 * zb_rng_uniform(&rng) - 1);
            assert_int_equal(zb_model_add(model, 2, scope, f), ZB_OK);
            multiply(n, t, a, f);
            memcpy(a, t, sizeof a);
        }
        double trace = 0;
        for (int i = 0; i < n; i++)
            trace += a[i * (n + 1)];
        zb_baseline_result r;
        assert_int_equal(run_given(zb_bp_run, model, &opt, &r), ZB_OK);
        CHECK(close_to(brute_force(model), log(trace), 1e-10), "seed %" PRIu64, seed);
        CHECK(r.converged && !r.exact && !r.guaranteed, "seed %" PRIu64, seed);
        CHECK(close_to(r.log_value, log(perron(n, a)), 1e-9),
              "seed %" PRIu64 ": %.15g, perron %.15g", seed, r.log_value,
              log(perron(n, a)));
        zb_model_free(model);
    }
}

/* A frustrated, strongly coupled grid: no fixed point is found, and it is said. */
static void says_when_not_converged(void **state)
{
    (void)state;
    enum { N = 6 };
    int card[N * N];
    zb_rng rng = zb_rng_seed(5);
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    zb_model *model;
    for (int v = 0; v < N * N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N * N, card), ZB_OK);
    for (int v = 0; v < N * N; v++)
        for (int d = 0; d < 2; d++) {
            int u = d == 0 ? v + 1 : v + N, scope[2] = { v, u };
            double c = zb_rng_below(&rng, 2) == 0 ? 4 : -4;
            double f[4] = { c, -c, -c, c };
            double h[2] = { zb_rng_uniform(&rng), 0 };
            if ((d == 0 && u % N == 0) || u >= N * N)
                continue;
            assert_int_equal(zb_model_add_log(model, 1, scope, h), ZB_OK);
            assert_int_equal(zb_model_add_log(model, 2, scope, f), ZB_OK);
        }
    opt.iterations = 3;
    assert_int_equal(run_given(zb_bp_run, model, &opt, &r), ZB_OK);
    assert_false(r.converged);
    assert_int_equal(r.stop, ZB_STOP_ITERATIONS);
    assert_int_equal(r.iterations, 3);
    zb_model_free(model);
}

static bool refuse(void *context, const zb_progress *at)
{
    ++*(int *)context;
    return at->iteration < 2;
}

static void stops_when_told(void **state)
{
    (void)state;
    int card[] = { 2, 2, 2 }, calls = 0;
    double f[] = { 3, -2, -2, 3 }, h[] = { -1e-9, 1e-9 };
    zb_observer observer = { .context = &calls, .progress = refuse };
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    zb_model *model;
    opt.tolerance = 0;
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    for (int v = 0; v < 3; v++) {
        int scope[2] = { v, (v + 1) % 3 };
        assert_int_equal(zb_model_add_log(model, 2, scope, f), ZB_OK);
        assert_int_equal(zb_model_add_log(model, 1, scope, h), ZB_OK);
    }
    zb_run run;
    assert_int_equal(zb_run_open(&run, &observer, INFINITY, UINT64_MAX, 1), ZB_OK);
    opt.run = &run;
    assert_int_equal(run_given(zb_bp_run, model, &opt, &r), ZB_OK);
    assert_true(r.found);
    zb_run_close(&run);
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    assert_int_equal(r.iterations, 2);
    assert_true(calls >= 2); /* the last progress may be told again */
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_on_trees),   cmocka_unit_test(survives_anything),
        cmocka_unit_test(perron_on_cycles), cmocka_unit_test(says_when_not_converged),
        cmocka_unit_test(stops_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
