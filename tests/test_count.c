/* The search sums what brute force sums, also when memory for the memo is tiny; cut
   short it is a lower bound. */
#include "count/count.h"
#include "given.h"
#include "oracle.h"
#include "within.h"
#include "base/explog.h"
#include "base/purse.h"
#include "base/rng.h"
#include "model/model.h"
#include "simplify/simplify.h"
#include "test.h"

#include <stdlib.h>

static bool stop_later(void *context, const zb_progress *at)
{
    (void)at;
    return --*(int *)context > 0;
}

static zb_count_result count(const zb_model *model, uint64_t seed, uint64_t memo,
                             int calls)
{
    int n = zb_model_nvars(model), *order = malloc(((size_t)n + 1) * sizeof *order);
    zb_rng rng = zb_rng_seed(seed);
    zb_count_result r;
    zb_count_spec spec = { .memory = 1 << 24, .memo = memo, .wide = seed % 3 == 0 };
    zb_run run = open_run(NULL, 0, 1),
           share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
    share.relay = stop_later;
    share.context = &calls;
    spec.run = calls > 0 ? &share : &run;
    for (int i = 0; i < n; i++)
        order[i] = i;
    zb_rng_shuffle(&rng, n, order);
    assert_int_equal(zb_count_run(model, order, &spec, &r), ZB_OK);
    zb_run_close(&run);
    free(order);
    return r;
}

/* A bracket, and if it is complete ln Z. */
static bool fits(zb_count_result r, interval z)
{
    return is_below(zb_down(r.log_z, r.radius), z) && is_above(r.log_most, z) &&
           (!r.complete || is_above(zb_up(r.log_z, r.radius), z));
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    static const random_spec specs[] = {
        { .max_vars = 9,
          .max_card = 2,
          .max_factors = 16,
          .max_arity = 3,
          .zeros = .3,
          .spread = 1,
          .evidence = true },
        { .max_vars = 7,
          .max_card = 4,
          .max_factors = 10,
          .max_arity = 3,
          .zeros = .5,
          .spread = 1 },
        { .max_vars = 8,
          .max_card = 3,
          .max_factors = 9,
          .max_arity = 2,
          .zeros = .1,
          .spread = 2 },
    };
    for (uint64_t seed = 0; seed < test_models(1000); seed++) {
        zb_model *model = random_model(seed, specs[seed % 3]);
        zb_reduction *r;
        interval z = brute_interval(model);
        assert_int_equal(simplify_given(&r, model, true, NULL), ZB_OK);
        zb_count_result got = count(r->model, seed, seed % 2 ? 1 << 20 : 1, 0);
        CHECK(got.complete && fits(got, z) && close_to(got.log_z, z.upper, 1e-12),
              "seed %ju: %.17g is not %.17g", (uintmax_t)seed, got.log_z, z.lower);
        got = count(r->model, seed, 1 << 16, 1);
        CHECK(fits(got, z), "seed %ju: %.17g above %.17g", (uintmax_t)seed, got.log_z,
              z.upper);
        zb_reduction_free(r);
        zb_model_free(model);
    }
}

/* x_i and x_j may not both be 1 on a path: the count is a Fibonacci number. */
static void counts_independent_sets(void **state)
{
    (void)state;
    enum { N = 300 };
    int card[N];
    zb_model *model;
    double a = 1, b = 2, free[] = { 0, 0, 0, -INFINITY };
    for (int i = 0; i < N; i++)
        card[i] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int i = 0; i + 1 < N; i++) {
        int scope[] = { i, i + 1 };
        double c = a + b;
        assert_int_equal(zb_model_add_log(model, 2, scope, free), ZB_OK);
        a = b;
        b = c;
    }
    zb_count_result got = count(model, 5, 1 << 24, 0);
    CHECK(got.complete && close_to(got.log_z, log(b), 1e-12), "%.17g is not %.17g",
          got.log_z, log(b));
    zb_model_free(model);
}

/* From one end of a long path decisions would be nested thousands deep, more than the
   stack of a thread may take: a lower bound, not a crash. */
static void deep_models_are_bounded(void **state)
{
    (void)state;
    enum { N = 4000 };
    static int card[N], order[N];
    double both[] = { 0, 0, 0, -INFINITY };
    zb_model *model;
    zb_count_spec spec = { .memory = 1 << 22 };
    zb_count_result r;
    for (int i = 0; i < N; i++) {
        card[i] = 2;
        order[i] = i;
    }
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int i = 0; i + 1 < N; i++) {
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ i, i + 1 }, both), ZB_OK);
    }
    assert_int_equal(zb_count_run(model, order, &spec, &r), ZB_OK);
    /* The Fibonacci number N + 2, (phi^(N + 2) - ..) / sqrt(5). */
    long double z = (N + 2) * logl((1 + sqrtl(5)) / 2) - logl(5) / 2;
    CHECK(r.log_z > -INFINITY && zb_down(r.log_z, r.radius) <= z, "%.17g of %.17Lg",
          r.log_z, z);
    CHECK(!r.complete || zb_up(r.log_z, r.radius) >= z, "%.17g is not %.17Lg", r.log_z,
          z);
    CHECK(r.radius < 1e-9, "%g", r.radius);
    zb_model_free(model);
}

/* Clauses of three over n binary variables, some of which are given weights, or tables
   with weights and zeros over variables of mixed cardinality. */
static zb_model *random_csp(zb_rng *rng, int n, double ratio, bool weights, int most)
{
    int card[20];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2 + zb_rng_below(rng, most - 1);
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int i = 0; i < (int)(ratio * n); i++) {
        int order[20];
        double value[64] = { 0 };
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(rng, n, order);
        int size = card[order[0]] * card[order[1]] * card[order[2]];
        for (int k = 0; k < size; k++)
            if (weights && zb_rng_below(rng, 4) == 0)
                value[k] = zb_rng_uniform(rng);
        for (int k = 0; k < zb_max_int(1, size / 8); k++)
            value[zb_rng_below(rng, size)] = -INFINITY;
        assert_int_equal(zb_model_add_log(model, 3, order, value), ZB_OK);
    }
    return model;
}

/* Near the threshold of satisfiability, where conflicts are many, without any reduction
   before; some have no solution. Memos from nothing to plenty. */
static void counts_near_the_threshold(void **state)
{
    (void)state;
    int none = 0, some = 0;
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        bool mixed = seed % 3 == 2;
        int n = mixed ? 5 + zb_rng_below(&rng, 4) : 9 + zb_rng_below(&rng, 4);
        double ratio = (mixed ? 2.5 : 2) + 5 * zb_rng_uniform(&rng);
        zb_model *model = random_csp(&rng, n, ratio, seed % 2, mixed ? 3 : 2);
        interval z = brute_interval(model);
        none += z.upper == -INFINITY;
        some += z.upper > -INFINITY;
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t memo[] = { 1, 1 << 16, 1 << 22 };
            zb_count_result got = count(model, seed + k, memo[k], 0);
            CHECK(got.complete && fits(got, z) && close_to(got.log_z, z.upper, 1e-12),
                  "seed %ju: %.17g is not %.17g", (uintmax_t)seed, got.log_z, z.lower);
        }
        zb_count_result got = count(model, seed, 1 << 16, 1 + (int)(seed % 4));
        CHECK(fits(got, z), "seed %ju: %.17g above %.17g", (uintmax_t)seed, got.log_z,
              z.upper);
        zb_model_free(model);
    }
    CHECK(none > test_share(50) && some > test_share(50),
          "%d without solutions, %d with", none, some);
}

/* Stopped at once there is a lower bound all the same: a solution. */
static void stopped_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *model = random_csp(&rng, 14, 2, seed % 2, 2);
        interval z = brute_interval(model);
        zb_count_result got = count(model, seed, 1 << 16, 1);
        CHECK(got.log_z > -INFINITY || z.upper == -INFINITY, "seed %ju: nothing found",
              (uintmax_t)seed);
        CHECK(fits(got, z), "seed %ju: %.17g above %.17g", (uintmax_t)seed, got.log_z,
              z.upper);
        zb_model_free(model);
    }
}

/* Stopped again and again it ends with the same sum, no later than what it did not
   forget allows, and is a lower bound on the way. */
static void goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    int often = 0;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        bool mixed = seed % 3 == 2;
        int n = mixed ? 8 : 14, order[20], runs = 0;
        zb_model *model = random_csp(&rng, n, mixed ? 2 : 1.5, seed % 2, mixed ? 3 : 2);
        interval z = brute_interval(model);
        zb_count_spec spec = { .memory = 1 << 24,
                               .memo = 1 << 20,
                               .wide = seed % 4 > 1 };
        zb_count_result r = { .complete = false };
        zb_counter *c;
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, n, order);
        assert_int_equal(zb_counter_new(&c, model, order, &spec), ZB_OK);
        for (; zb_counter_open(c) && runs < 1000; runs++) {
            int calls = 3;
            zb_run run = open_run(NULL, 0, 1),
                   share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
            share.relay = stop_later;
            share.context = &calls;
            assert_int_equal(zb_counter_run(c, &share, &r), ZB_OK);
            CHECK(fits(r, z), "seed %ju: %.17g of %.17g", (uintmax_t)seed, r.log_z,
                  z.upper);
            zb_run_close(&run);
        }
        CHECK(r.complete && r.log_z <= z.upper + 1e-12 && r.log_z >= z.lower - 1e-12,
              "seed %ju, %d runs: %.17g is not %.17g", (uintmax_t)seed, runs, r.log_z,
              z.upper);
        often += runs > 2;
        zb_counter_free(c);
        zb_model_free(model);
    }
    CHECK(often > test_share(100), "%d were stopped more than once", often);
}

/* Cut off at any number of decisions above each other, and stopped at any step besides:
   brackets; with more decisions they are never wider but for what stops cost, and in
   the end they close. */
static void brackets_at_every_depth(void **state)
{
    (void)state;
    int narrower = 0, between = 0;
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        bool mixed = seed % 3 == 2;
        int n = mixed ? 8 : 14, order[20];
        zb_model *model = random_csp(&rng, n, mixed ? 2 : 1 + 3 * zb_rng_uniform(&rng),
                                     seed % 2, mixed ? 4 : 2);
        interval z = brute_interval(model);
        zb_count_spec spec = { .memory = 1 << 24, .wide = seed % 4 > 1 };
        zb_count_result r = { .complete = false };
        double first = INFINITY;
        zb_counter *c;
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, n, order);
        assert_int_equal(zb_counter_new(&c, model, order, &spec), ZB_OK);
        for (int levels = 0; !r.complete && levels < 64; levels++) {
            int calls = 1 + zb_rng_below(&rng, 4);
            zb_run run = open_run(NULL, 0, 1),
                   share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
            share.relay = stop_later;
            share.context = &calls;
            assert_int_equal(zb_counter_look(c, &share, levels, &r), ZB_OK);
            CHECK(fits(r, z), "seed %ju, %d stopped: %.17g .. %.17g of %.17g",
                  (uintmax_t)seed, levels, r.log_z, r.log_most, z.upper);
            assert_int_equal(zb_counter_look(c, &run, levels, &r), ZB_OK);
            CHECK(fits(r, z), "seed %ju, %d: %.17g .. %.17g of %.17g", (uintmax_t)seed,
                  levels, r.log_z, r.log_most, z.upper);
            first = levels == 0 ? r.log_most : first;
            between += !r.complete && r.log_most < first;
            zb_run_close(&run);
        }
        CHECK(r.complete && r.log_z <= z.upper + 1e-12 && r.log_z >= z.lower - 1e-12,
              "seed %ju: %.17g is not %.17g", (uintmax_t)seed, r.log_z, z.upper);
        narrower += r.log_most < first;
        zb_counter_free(c);
        zb_model_free(model);
    }
    CHECK(narrower > test_share(200) && between > test_share(200), "%d, %d", narrower,
          between);
}

/* Clauses of two with the weights of single variables multiplied in, and a large table
   that says nothing. */
static zb_model *weighted_clauses(uint64_t seed, uint64_t *bytes)
{
    enum { N = 24, LARGE = 14 };
    zb_rng rng = zb_rng_seed(seed);
    static double large[1 << LARGE];
    int card[N], all[N];
    zb_model *model;
    for (int v = 0; v < N; v++) {
        card[v] = 2;
        all[v] = v;
    }
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    assert_int_equal(zb_model_add_log(model, LARGE, all, large), ZB_OK);
    for (int i = 0; i < 3 * N / 4; i++) {
        int a = zb_rng_below(&rng, N), b = zb_rng_below(&rng, N - 1);
        double u = zb_rng_uniform(&rng), w = zb_rng_uniform(&rng);
        double value[] = { 0, u, w, u + w };
        value[zb_rng_below(&rng, 4)] = -INFINITY;
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ a, b + (b >= a) }, value),
                         ZB_OK);
    }
    *bytes = 0;
    for (int f = 0; f < model->nfactors; f++)
        *bytes += zb_purse_cost(model->factor[f].size, sizeof(double)) +
                  zb_purse_cost((size_t)model->factor[f].arity, sizeof(int));
    return model;
}

/* Weights are taken apart where an eighth of the memory holds the model once more, and
   not with a byte less; the sum is the same, the search is not. */
static void spread_where_there_is_memory(void **state)
{
    (void)state;
    int differ = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t bytes;
        zb_model *model = weighted_clauses(seed, &bytes);
        int order[32];
        zb_count_result r[2];
        for (int v = 0; v < zb_model_nvars(model); v++)
            order[v] = v;
        for (uint64_t k = 0; k < 2; k++) {
            zb_count_spec spec = { .memory = 8 * bytes - k };
            assert_int_equal(zb_count_run(model, order, &spec, &r[k]), ZB_OK);
            assert_true(r[k].complete);
        }
        CHECK(r[0].log_z == r[1].log_z ||
                  fabs(r[0].log_z - r[1].log_z) <= r[0].radius + r[1].radius,
              "seed %ju: %.17g is not %.17g", (uintmax_t)seed, r[0].log_z, r[1].log_z);
        differ += r[0].radius != r[1].radius || r[0].decisions != r[1].decisions;
        zb_model_free(model);
    }
    CHECK(differ > 15, "only %d searches differ", differ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(counts_independent_sets),
        cmocka_unit_test(deep_models_are_bounded),
        cmocka_unit_test(counts_near_the_threshold),
        cmocka_unit_test(stopped_at_once),
        cmocka_unit_test(goes_on_where_it_was_stopped),
        cmocka_unit_test(brackets_at_every_depth),
        cmocka_unit_test(spread_where_there_is_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
