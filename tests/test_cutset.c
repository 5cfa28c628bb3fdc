/* Cutsets against elimination on bit masks: what is left of the order's cliques. */
#include "auto/cutset.h"
#include "graphs.h"
#include "test.h"

#include <inttypes.h>

/* Entries of all cliques when `order` is eliminated and the variables of `cut` have one
   value each. At most 64 variables. */
static double naive_total(const zb_scopes *s, const int *order, uint64_t cut)
{
    uint64_t *scope = calloc((size_t)(s->count + s->nvars + 1), sizeof *scope);
    int n = s->count;
    double total = 0;
    for (int f = 0; f < n; f++)
        for (int k = 0; k < zb_scopes_arity(s, f); k++)
            scope[f] |= UINT64_C(1) << zb_scopes_of(s, f)[k];
    for (int i = 0; i < s->nvars; i++) {
        uint64_t bit = UINT64_C(1) << order[i], clique = bit;
        for (int f = 0; f < n; f++)
            if (scope[f] & bit)
                clique |= scope[f], scope[f] = 0;
        double entries = 1;
        for (int v = 0; v < s->nvars; v++)
            if ((clique & ~cut) >> v & 1)
                entries *= s->card[v];
        total += entries;
        scope[n++] = clique & ~bit;
    }
    free(scope);
    return total;
}

static void shuffle(uint64_t seed, int n, int *order)
{
    zb_rng rng = zb_rng_seed(seed + 1000);
    for (int v = 0; v < n; v++)
        order[v] = v;
    for (int v = n - 1; v > 0; v--) {
        int u = zb_rng_below(&rng, v + 1), t = order[v];
        order[v] = order[u];
        order[u] = t;
    }
}

static uint64_t mask_of(const zb_cutset *c, uint64_t seed)
{
    uint64_t mask = 0;
    for (int i = 0; i < c->count; i++) {
        CHECK(!(mask >> c->var[i] & 1), "seed %" PRIu64 ": %d is cut twice", seed,
              c->var[i]);
        mask |= UINT64_C(1) << c->var[i];
    }
    return mask;
}

static void slices_stay_within_the_limit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        int n = 1 + (int)(seed % 40), order[64];
        graph g = graph_random(seed, n, n + (int)(seed % 30), 4, 4);
        shuffle(seed, n, order);
        double whole = naive_total(&g.s, order, 0);
        for (double limit = 2.0 * whole; limit >= n; limit /= 7) {
            zb_cutset *c;
            assert_int_equal(zb_cutset_find(&c, &g.s, order, limit, n), ZB_OK);
            double slices = 1, total = naive_total(&g.s, order, mask_of(c, seed));
            for (int i = 0; i < c->count; i++)
                slices *= g.s.card[c->var[i]];
            CHECK(fabs(total - c->total) <= 1e-9 * total,
                  "seed %" PRIu64 ": %g entries, said %g", seed, total, c->total);
            CHECK(c->total <= limit, "seed %" PRIu64 ": %g > %g", seed, c->total,
                  limit);
            CHECK(c->slices == slices, "seed %" PRIu64 ": slices", seed);
            CHECK(limit < whole || c->count == 0, "seed %" PRIu64 ": cut for nothing",
                  seed);
            zb_cutset_free(c);
        }
        graph_free(&g);
    }
}

/* One variable less than needed is refused; what is found needs every variable it cuts
   last. */
static void no_more_variables_than_allowed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        int n = 8 + (int)(seed % 20), order[64];
        graph g = graph_random(seed, n, 2 * n, 3, 3);
        zb_cutset *c, *fewer;
        shuffle(seed, n, order);
        double limit = naive_total(&g.s, order, 0) / 20;
        if (limit < n) {
            graph_free(&g);
            continue;
        }
        assert_int_equal(zb_cutset_find(&c, &g.s, order, limit, n), ZB_OK);
        CHECK(c->count > 0, "seed %" PRIu64 ": nothing was cut", seed);
        assert_int_equal(zb_cutset_find(&fewer, &g.s, order, limit, c->count - 1),
                         ZB_ELIMIT);
        assert_null(fewer);
        zb_cutset_free(c);
        graph_free(&g);
    }
}

static void impossible_limits_are_refused(void **state)
{
    (void)state;
    graph g = graph_grid(4, 4);
    int order[16];
    zb_cutset *c;
    shuffle(1, 16, order);
    assert_int_equal(zb_cutset_find(&c, &g.s, order, 15, 16), ZB_ELIMIT);
    assert_null(c);
    assert_int_equal(zb_cutset_find(&c, &g.s, order, 16, 16), ZB_OK);
    zb_cutset_free(c);
    graph_free(&g);
    zb_cutset_free(NULL);
}

/* 300 variables in one clique: entries beyond the range of a double's exponent. */
static void astronomical_cliques(void **state)
{
    (void)state;
    graph g = graph_complete(300);
    int *order = malloc(300 * sizeof *order);
    zb_cutset *c;
    for (int v = 0; v < 300; v++)
        order[v] = v, g.s.card[v] = 1000;
    assert_int_equal(zb_cutset_find(&c, &g.s, order, 1e6, 300), ZB_OK);
    CHECK(c->count == 299, "%d were cut", c->count);
    CHECK(c->slices == INFINITY && c->total <= 1e6, "%g slices", c->slices);
    zb_cutset_free(c);
    free(order);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_stay_within_the_limit),
        cmocka_unit_test(no_more_variables_than_allowed),
        cmocka_unit_test(impossible_limits_are_refused),
        cmocka_unit_test(astronomical_cliques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
