/* What a part has at most: exact where its clauses form no circle, and never below the
   sum. */
#include "count/count.h"
#include "count/groups.h"
#include "base/rng.h"
#include "oracle.h"
#include "test.h"
#include "within.h"

#include <stdlib.h>

enum { MOST = 40 };

static zb_model *booleans(int n)
{
    int card[MOST];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    return model;
}

/* Not all of these values at once; the others weigh w. */
static void forbid(zb_model *m, int n, const int *scope, const int *value, double w)
{
    double table[1 << 10];
    int at = 0;
    for (int i = 0; i < n; i++)
        at = 2 * at + value[i];
    for (int i = 0; i < 1 << n; i++)
        table[i] = i == at ? -INFINITY : w;
    assert_int_equal(zb_model_add_log(m, n, scope, table), ZB_OK);
}

/* Without any decision. */
static double look(const zb_model *model, double *lower)
{
    int n = zb_model_nvars(model), order[MOST];
    zb_count_spec spec = { .memory = 1 << 24 };
    zb_run run = open_run(NULL, 0, 1);
    zb_count_result r;
    zb_counter *c;
    for (int v = 0; v < n; v++)
        order[v] = v;
    assert_int_equal(zb_counter_new(&c, model, order, &spec), ZB_OK);
    assert_int_equal(zb_counter_look(c, &run, 0, &r), ZB_OK);
    zb_counter_free(c);
    zb_run_close(&run);
    *lower = zb_down(r.log_z, r.radius);
    return r.log_most;
}

/* A tree of clauses of two to eight literals, and weights of single variables. */
static zb_model *random_tree(zb_rng *rng, double weights)
{
    int n = 1 + zb_rng_below(rng, 4);
    zb_model *m = booleans(14);
    while (n < 14) {
        int k = zb_min_int(1 + zb_rng_below(rng, 7), 14 - n), scope[8], value[8];
        scope[0] = zb_rng_below(rng, n);
        for (int i = 1; i <= k; i++)
            scope[i] = n++;
        for (int i = 0; i <= k; i++)
            value[i] = zb_rng_below(rng, 2);
        forbid(m, k + 1, scope, value, 0);
    }
    for (int v = 0; v < 14 && weights > 0; v++) {
        double w[] = { 10 * zb_rng_uniform(rng), -weights * zb_rng_uniform(rng) };
        assert_int_equal(zb_model_add_log(m, 1, &v, w), ZB_OK);
    }
    return m;
}

static void trees_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(150); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        double weights[] = { 0, 20, 1000 }; /* too far apart: not exact, but above */
        zb_model *m = random_tree(&rng, weights[seed % 3]);
        interval z = brute_interval(m);
        double lower, most = look(m, &lower);
        CHECK(is_above(most, z) &&
                  (seed % 3 == 2 || most - z.upper < 1e-9 * (1 + fabs(z.upper))),
              "seed %ju: %.17g is not %.17g", (uintmax_t)seed, most, z.upper);
        CHECK(is_below(lower, z), "seed %ju: %.17g", (uintmax_t)seed, lower);
        zb_model_free(m);
    }
}

/* One clause of n literals: taken into account up to eight. */
static void long_clauses_are_left_out(void **state)
{
    (void)state;
    for (int n = 7; n <= 10; n++) {
        int scope[10], value[10] = { 0 };
        double lower, count = (1 << n) - (n <= 8);
        zb_model *m = booleans(n);
        for (int v = 0; v < n; v++)
            scope[v] = v;
        forbid(m, n, scope, value, 0);
        double most = look(m, &lower);
        CHECK(fabs(most - log(count)) < 1e-12 && most >= log((1 << n) - 1),
              "%d: e^%.17g is not %g", n, most, count);
        zb_model_free(m);
    }
}

/* Groups of k Booleans of which at most one is true, or just one; the first one of each
   is connected to the next group's second one. */
static zb_model *chained_groups(int k, bool one)
{
    zb_model *m = booleans(3 * k);
    for (int g = 0; g < 3; g++) {
        int all[8], none[8] = { 0 };
        for (int i = 0; i < k; i++) {
            all[i] = g * k + i;
            for (int j = 0; j < i; j++)
                forbid(m, 2, (int[]){ all[j], all[i] }, (int[]){ 1, 1 }, 0);
        }
        if (one)
            forbid(m, k, all, none, 0);
        if (g < 2)
            forbid(m, 2, (int[]){ g * k, (g + 1) * k + 1 }, (int[]){ 1, 0 }, 0);
    }
    return m;
}

static void groups_are_exact(void **state)
{
    (void)state;
    for (int k = 3; k <= 5; k++)
        for (int one = 0; one < 2; one++) {
            zb_model *m = chained_groups(k, one);
            interval z = brute_interval(m);
            double lower, most = look(m, &lower);
            CHECK(is_above(most, z) && most - z.upper < 1e-12,
                  "%d, %d: %.17g is not %.17g", k, one, most, z.upper);
            zb_model_free(m);
        }
}

/* Values of variables of more: each by itself is exact. Tables of many variables: the
   largest entry of what is left. */
static void weights_and_values(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *m;
        int card[] = { 3, 5, 2, 4 };
        double value[120];
        assert_int_equal(zb_model_new(&m, 4, card), ZB_OK);
        for (int v = 0; v < 4; v++) {
            for (int x = 0; x < card[v]; x++)
                value[x] = 20 * zb_rng_uniform(&rng) - 10;
            assert_int_equal(zb_model_add_log(m, 1, &v, value), ZB_OK);
        }
        bool joint = seed % 2;
        for (int x = 0; x < 15; x++)
            value[x] = zb_rng_below(&rng, 5) == 0 ? -INFINITY
                       : joint                    ? zb_rng_uniform(&rng)
                                                  : 0;
        assert_int_equal(zb_model_add_log(m, 2, (int[]){ 0, 1 }, value), ZB_OK);
        interval z = brute_interval(m);
        double lower, most = look(m, &lower);
        CHECK(is_above(most, z) && is_below(lower, z), "seed %ju: %.17g, %.17g, %.17g",
              (uintmax_t)seed, lower, z.upper, most);
        zb_model_free(m);
    }
}

/* A table of n variables of two values, the first of which is known: up to 1024
   entries the largest one of what is left counts, else the largest one. */
static void large_tables_are_not_searched(void **state)
{
    (void)state;
    for (int n = 10; n <= 11; n++) {
        static double value[1 << 11];
        int scope[11];
        double lower;
        zb_model *m = booleans(n + 1);
        for (int i = 0; i < 1 << n; i++)
            value[i] = 0.001 * i / (1 << n);
        value[(1 << n) - 1] = 100; /* all of them: the last one never is */
        for (int v = 0; v < n; v++)
            scope[v] = v;
        assert_int_equal(zb_model_add_log(m, n, scope, value), ZB_OK);
        forbid(m, 1, (int[]){ 0 }, (int[]){ 1 }, 0);
        forbid(m, 2, (int[]){ 1, n }, (int[]){ 1, 0 }, 0);
        double most = look(m, &lower);
        CHECK((most > 100) == (n == 11), "%d: %g", n, most);
        zb_model_free(m);
    }
}

/* Each two members exclude each other, wherever that comes from. */
static void groups_exclude(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        enum { N = 12 };
        zb_rng rng = zb_rng_seed(seed);
        int card[N];
        zb_clauses *clauses;
        zb_sat *sat;
        zb_groups g;
        for (int v = 0; v < N; v++)
            card[v] = 2;
        assert_int_equal(zb_clauses_new(&clauses, N, card, NULL), ZB_OK);
        for (int i = 0; i < 28; i++) {
            uint32_t lit[3];
            int n = 2 + (i % 4 == 0);
            for (int k = 0; k < n; k++)
                lit[k] = 2 * (uint32_t)((zb_rng_below(&rng, N / 3)) * 3 + k) +
                         (zb_rng_below(&rng, 4) > 0);
            assert_int_equal(zb_clauses_add(clauses, n, lit), ZB_OK);
        }
        assert_int_equal(zb_sat_new(&sat, clauses, NULL), ZB_OK);
        assert_int_equal(zb_groups_find(&g, sat), ZB_OK);
        found += g.count;
        for (int x = 0; x < 1 << N; x++) {
            bool solves = true;
            for (int i = 0; i < clauses->count && solves; i++) {
                bool holds = false;
                for (size_t k = clauses->at[i]; k < clauses->at[i + 1]; k++)
                    holds = holds || (uint32_t)(x >> (clauses->lit[k] >> 1) & 1) !=
                                         (clauses->lit[k] & 1);
                solves = holds;
            }
            for (int i = 0; i < g.count && solves; i++) {
                int n = 0;
                for (size_t k = g.at[i]; k < g.at[i + 1]; k++)
                    n += (uint32_t)(x >> (g.lit[k] >> 1) & 1) != (g.lit[k] & 1);
                CHECK(n <= 1, "seed %ju: %d of group %d", (uintmax_t)seed, n, i);
            }
        }
        zb_groups_clear(&g);
        zb_sat_free(sat);
        zb_clauses_free(clauses);
    }
    print_message("%d groups\n", found);
    CHECK(found > test_share(30), "only %d groups", found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_exact),
        cmocka_unit_test(long_clauses_are_left_out),
        cmocka_unit_test(groups_are_exact),
        cmocka_unit_test(weights_and_values),
        cmocka_unit_test(large_tables_are_not_searched),
        cmocka_unit_test(groups_exclude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
