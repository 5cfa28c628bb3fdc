/* Clauses forbid exactly a table's zeros; the search with learning finds a solution
   where there is one, from any decisions, and what it learns follows from the clauses.
 */
#include "base/rng.h"
#include "sat/sat.h"
#include "test.h"

#include <stdlib.h>

static zb_ticker tick; /* without a run: never over */

/* Does a configuration satisfy all clauses? */
static bool holds(const zb_clauses *c, const int *x)
{
    for (int i = 0; i < c->count; i++) {
        bool any = false;
        for (size_t k = c->at[i]; k < c->at[i + 1]; k++) {
            int b = (int)(c->lit[k] >> 1), v = c->owner[b];
            bool is = c->card[v] <= 2 ? x[v] == 1 : x[v] == b - c->first[v];
            any = any || is == !(c->lit[k] & 1);
        }
        if (!any)
            return false;
    }
    return true;
}

static bool next(int n, const int *card, int *x)
{
    for (int i = n - 1; i >= 0; i--) {
        if (++x[i] < card[i])
            return true;
        x[i] = 0;
    }
    return false;
}

static void clauses_are_the_zeros(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int n = 1 + zb_rng_below(&rng, 4), card[4], scope[4], x[4] = { 0 };
        double value[256], zeros = zb_rng_uniform(&rng);
        for (int v = 0; v < n; v++) {
            card[v] = 1 + zb_rng_below(&rng, 4);
            scope[v] = v;
        }
        zb_rng_shuffle(&rng, n, scope);
        for (int i = 0; i < 256; i++)
            value[i] = zb_rng_uniform(&rng) < zeros ? -INFINITY : 1;
        zb_clauses *c;
        assert_int_equal(zb_clauses_new(&c, n, card, NULL), ZB_OK);
        assert_int_equal(zb_clauses_add_zeros(c, n, scope, value, &tick), ZB_OK);
        do {
            size_t at = 0;
            for (int k = 0; k < n; k++)
                at = at * (size_t)card[scope[k]] + (size_t)x[scope[k]];
            CHECK(holds(c, x) == (value[at] > 0), "seed %ju entry %zu", (uintmax_t)seed,
                  at);
        } while (next(n, card, x));
        zb_clauses_free(c);
    }
}

/* Random clauses of three near the threshold, over variables of 2 to 4 values. */
static zb_clauses *random_clauses(zb_rng *rng, int n, double ratio, int most)
{
    int card[20];
    zb_clauses *c;
    for (int v = 0; v < n; v++)
        card[v] = 2 + zb_rng_below(rng, most - 1);
    assert_int_equal(zb_clauses_new(&c, n, card, NULL), ZB_OK);
    for (int i = 0; i < (int)(ratio * c->nbools); i++) {
        uint32_t lit[3];
        for (int k = 0; k < 3;) {
            int v = zb_rng_below(rng, n);
            lit[k] = zb_clauses_literal(c, v, zb_rng_below(rng, card[v])) ^
                     (uint32_t)zb_rng_below(rng, 2);
            bool fresh = true;
            for (int j = 0; j < k; j++)
                fresh = fresh && lit[j] >> 1 != lit[k] >> 1;
            k += fresh;
        }
        assert_int_equal(zb_clauses_add(c, 3, lit), ZB_OK);
    }
    return c;
}

static void set_values(const zb_clauses *c, const zb_sat *s, int *x)
{
    for (int v = 0; v < c->nvars; v++) {
        x[v] = c->card[v] == 2 ? s->model[c->first[v]] : -1;
        for (int b = c->first[v]; b < c->first[v + 1] && c->card[v] > 2; b++)
            if (s->model[b]) {
                CHECK(x[v] < 0, "two values of %d", v);
                x[v] = b - c->first[v];
            }
        CHECK(x[v] >= 0, "no value of %d", v);
    }
}

/* Is there a solution in which `literal` (or none, if negative) is true? */
static bool solvable(const zb_clauses *c, int64_t literal)
{
    int x[20] = { 0 };
    do {
        if (literal >= 0) {
            int b = (int)(literal >> 1), v = c->owner[b];
            bool is = c->card[v] <= 2 ? x[v] == 1 : x[v] == b - c->first[v];
            if (is != !(literal & 1))
                continue;
        }
        if (holds(c, x))
            return true;
    } while (next(c->nvars, c->card, x));
    return false;
}

static void finds_what_there_is(void **state)
{
    (void)state;
    int yes = 0, no = 0;
    for (uint64_t seed = 0; seed < test_models(600); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        bool mixed = seed % 2;
        int n = mixed ? 6 : 12, all[64], x[20];
        zb_clauses *c = random_clauses(&rng, n, mixed ? 3.4 : 4.4, mixed ? 4 : 2);
        zb_sat *s;
        assert_int_equal(zb_sat_new(&s, c, NULL), ZB_OK);
        for (int b = 0; b < c->nbools; b++)
            all[b] = b;
        bool there_is = solvable(c, -1);
        zb_sat_answer answer = zb_sat_solve(s, c->nbools, all);
        CHECK(answer == (there_is ? ZB_SAT_YES : ZB_SAT_NO), "seed %ju",
              (uintmax_t)seed);
        if (there_is) {
            set_values(c, s, x);
            CHECK(holds(c, x), "seed %ju: no solution", (uintmax_t)seed);
        }
        for (uint32_t l = 0; l < 2 * (uint32_t)c->nbools && there_is; l++) {
            if (s->value[l] != 0)
                continue;
            bool fine = zb_sat_decide(s, l);
            if (fine)
                fine = zb_sat_solve(s, c->nbools, all) == ZB_SAT_YES;
            CHECK(fine == solvable(c, l), "seed %ju literal %u", (uintmax_t)seed, l);
            zb_sat_undo(s, 0);
            CHECK(zb_sat_set_units(s), "seed %ju: units", (uintmax_t)seed);
            yes += fine;
            no += !fine;
        }
        zb_sat_free(s);
        zb_clauses_free(c);
    }
    CHECK(yes > test_share(1000) && no > test_share(100),
          "%d yes, %d no: nothing tried", yes, no);
}

/* n + 1 pigeons in n holes, one in each hole at most: thousands of conflicts, so that
   learnt clauses are forgotten too. */
static void pigeons_do_not_fit(void **state)
{
    (void)state;
    for (int n = 3; n <= 8; n++) {
        int card[16], all[256];
        double differ[64];
        zb_clauses *c;
        zb_sat *s;
        for (int v = 0; v <= n; v++)
            card[v] = n;
        for (int i = 0; i < n * n; i++)
            differ[i] = i % (n + 1) == 0 ? -INFINITY : 0;
        assert_int_equal(zb_clauses_new(&c, n + 1, card, NULL), ZB_OK);
        for (int v = 0; v <= n; v++)
            for (int u = 0; u < v; u++)
                assert_int_equal(
                    zb_clauses_add_zeros(c, 2, (int[]){ u, v }, differ, &tick), ZB_OK);
        assert_int_equal(zb_sat_new(&s, c, NULL), ZB_OK);
        for (int b = 0; b < c->nbools; b++)
            all[b] = b;
        assert_int_equal(zb_sat_solve(s, c->nbools, all), ZB_SAT_NO);
        zb_sat_free(s);
        zb_clauses_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clauses_are_the_zeros),
        cmocka_unit_test(finds_what_there_is),
        cmocka_unit_test(pigeons_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
