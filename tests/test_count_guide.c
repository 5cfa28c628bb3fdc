/* The middle of a decomposition, and weights apart from zeros: against plain
   definitions and enumeration. */
#include "base/explog.h"
#include "base/rng.h"
#include "count/guide.h"
#include "count/spread.h"
#include "oracle.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 14 };

/* Connected: a tree and some more edges. */
static zb_model *random_graph(zb_rng *rng, int n, int edges)
{
    int card[MOST];
    double flat[4] = { 0 };
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int v = 1; v < n; v++)
        assert_int_equal(
            zb_model_add_log(model, 2, (int[]){ v, zb_rng_below(rng, v) }, flat),
            ZB_OK);
    for (int i = 0; i < edges; i++) {
        int a = zb_rng_below(rng, n), b = zb_rng_below(rng, n - 1);
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ a, b + (b >= a) }, flat),
                         ZB_OK);
    }
    return model;
}

/* ---- the middle ------------------------------------------------------------------ */

/* Variables that v can be connected to through bags without those in `without`. */
static unsigned piece(const unsigned *bag, int n, unsigned without, int v)
{
    unsigned seen = 1u << v, before;
    do {
        before = seen;
        for (int i = 0; i < n; i++)
            if (bag[i] & seen & ~without)
                seen |= bag[i] & ~without;
    } while (seen != before);
    return seen;
}

static int worst_piece(const unsigned *bag, int n, unsigned without)
{
    int worst = 0;
    for (int v = 0; v < n; v++)
        if (!(without >> v & 1))
            worst = zb_max_int(worst, __builtin_popcount(piece(bag, n, without, v)));
    return worst;
}

/* Bags of an elimination: v and the neighbours that it has when it goes. */
static void eliminate(const zb_model *model, const int *order, unsigned *bag)
{
    unsigned near[MOST] = { 0 }, gone = 0;
    for (int f = 0; f < model->nfactors; f++) {
        const int *s = model->factor[f].scope;
        near[s[0]] |= 1u << s[1];
        near[s[1]] |= 1u << s[0];
    }
    for (int i = 0; i < model->nvars; i++) {
        int v = order[i];
        unsigned others = near[v] & ~gone & ~(1u << v);
        for (int u = 0; u < model->nvars; u++)
            if (others >> u & 1)
                near[u] |= others & ~(1u << u);
        bag[i] = others | 1u << v;
        gone |= 1u << v;
    }
}

/* The variables that are nearest are a bag without which no piece has more than half of
   the variables: every decomposition has such a bag. */
static void middle_is_a_bag_that_divides(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int n = 2 + zb_rng_below(&rng, MOST - 1), order[MOST];
        zb_model *model = random_graph(&rng, n, zb_rng_below(&rng, n));
        unsigned bag[MOST], nearest = 0;
        double near[MOST];
        bool is_bag = false;
        zb_scopes *scopes;
        zb_ticker tick = { .run = NULL };
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, n, order);
        assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
        assert_int_equal(zb_guide_make(scopes, order, &tick, near), ZB_OK);
        eliminate(model, order, bag);
        for (int v = 0; v < n; v++) {
            CHECK(near[v] >= 0 && near[v] <= 1, "seed %ju: %g", (uintmax_t)seed,
                  near[v]);
            nearest |= near[v] == 1 ? 1u << v : 0;
        }
        for (int i = 0; i < n; i++)
            is_bag = is_bag || bag[i] == nearest;
        CHECK(is_bag, "seed %ju: %x is no bag", (uintmax_t)seed, nearest);
        CHECK(2 * worst_piece(bag, n, nearest) <= n, "seed %ju: %d of %d",
              (uintmax_t)seed, worst_piece(bag, n, nearest), n);
        zb_scopes_free(scopes);
        zb_model_free(model);
    }
}

/* On a path the distance from the middle falls by equal steps. */
static void a_path_has_its_middle(void **state)
{
    (void)state;
    enum { N = 101 };
    int card[N], order[N];
    double flat[4] = { 0 }, near[N];
    zb_model *model;
    zb_scopes *scopes;
    zb_ticker tick = { .run = NULL }, over = { .over = true };
    for (int v = 0; v < N; v++) {
        card[v] = 2;
        order[v] = v;
    }
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 0; v + 1 < N; v++)
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ v, v + 1 }, flat), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_guide_make(scopes, order, &tick, near), ZB_OK);
    for (int v = 0; v < N; v++)
        CHECK(fabs(near[v] - (1 - abs(v - N / 2) / 50.0)) < 0.03, "%d: %g", v, near[v]);
    /* without time: the place in the order */
    assert_int_equal(zb_guide_make(scopes, order, &over, near), ZB_OK);
    for (int v = 0; v < N; v++)
        CHECK(near[v] == (v + 1.0) / N, "%d: %g", v, near[v]);
    zb_scopes_free(scopes);
    zb_model_free(model);
}

/* One scope of n variables: bags of n, n - 1, .., which are one. Where they have more
   variables than they may in all, there is no middle. */
static void large_bags_are_left_alone(void **state)
{
    (void)state;
    for (int n = 2827; n <= 2828; n++) {
        int *var = malloc((size_t)n * sizeof *var);
        double *near = malloc((size_t)n * sizeof *near);
        size_t at[2] = { 0, (size_t)n };
        zb_scopes scopes = { .nvars = n, .count = 1, .at = at, .var = var };
        zb_ticker tick = { .run = NULL };
        bool fits = n * (n + 1) / 2 <= ZB_GUIDE_MOST;
        for (int v = 0; v < n; v++)
            var[v] = v;
        assert_int_equal(fits, n == 2827);
        assert_int_equal(zb_guide_make(&scopes, var, &tick, near), ZB_OK);
        for (int v = 0; v < n; v++)
            CHECK(near[v] == (fits ? 1 : (v + 1.0) / n), "%d of %d: %g", v, n, near[v]);
        free(var);
        free(near);
    }
}

/* ---- weights apart from zeros ---------------------------------------------------- */

/* A table of sums over its variables but for zeros; noise: one entry is off by it. */
static void add_table(zb_rng *rng, zb_model *model, double noise)
{
    int scope[3], arity = 1 + zb_rng_below(rng, 3), size = 1;
    double value[64], term[3][4];
    for (int i = 0; i < arity; i++) {
        bool again = true;
        while (again) {
            scope[i] = zb_rng_below(rng, model->nvars);
            again = false;
            for (int k = 0; k < i; k++)
                again = again || scope[k] == scope[i];
        }
        size *= model->card[scope[i]];
        for (int k = 0; k < 4; k++)
            term[i][k] = 6 * zb_rng_uniform(rng) - 3;
    }
    for (int x = 0; x < size; x++) {
        value[x] = 0;
        for (int i = arity - 1, rest = x; i >= 0; i--) {
            value[x] += term[i][rest % model->card[scope[i]]];
            rest /= model->card[scope[i]];
        }
    }
    value[zb_rng_below(rng, size)] += noise;
    for (int k = zb_rng_below(rng, 2 + size / 4); k > 0; k--)
        value[zb_rng_below(rng, size)] = -INFINITY;
    assert_int_equal(zb_model_add_log(model, arity, scope, value), ZB_OK);
}

static zb_model *random_sums(uint64_t seed, double noise)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = 3 + zb_rng_below(&rng, 4), card[MOST];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2 + zb_rng_below(&rng, 3);
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int i = 0; i < 2 * n; i++)
        add_table(&rng, model, zb_rng_below(&rng, 3) == 0 ? noise : 0);
    return model;
}

/* ln of the product at a state, in long doubles. */
static long double product(const zb_model *model, const int *x)
{
    long double sum = model->log_scale;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        size_t at = 0;
        for (int i = 0; i < a->arity; i++)
            at = at * (size_t)model->card[a->scope[i]] + (size_t)x[a->scope[i]];
        sum += a->value[at];
    }
    return sum;
}

static bool next_state(const zb_model *model, int *x)
{
    for (int v = 0; v < model->nvars; v++) {
        if (++x[v] < model->card[v])
            return true;
        x[v] = 0;
    }
    return false;
}

static int count_weights(const zb_model *model)
{
    int n = 0;
    for (int f = 0; f < model->nfactors; f++) {
        bool differ = false;
        double one = -INFINITY;
        for (size_t k = 0; k < model->factor[f].size; k++) {
            double y = model->factor[f].value[k];
            differ = differ || (one > -INFINITY && y > -INFINITY && y != one);
            one = y > -INFINITY ? y : one;
        }
        n += differ && model->factor[f].arity > 1;
    }
    return n;
}

/* Every state has the same weight, strictly within the radius; long doubles are off by
   a thousandth of it. noise: tables that are no sums stay as they were. */
static void check_spread(uint64_t seed, double noise, int *spread)
{
    zb_model *model = random_sums(seed, noise), *out;
    zb_ticker tick = { .run = NULL };
    int x[MOST] = { 0 };
    assert_int_equal(zb_spread(&out, model, &tick), ZB_OK);
    if (out != NULL) {
        double radius = out->radius - model->radius;
        CHECK(radius >= 0 && radius < 1e-11, "seed %ju: %g", (uintmax_t)seed, radius);
        do {
            long double a = product(model, x), b = product(out, x);
            CHECK(a == b || fabsl(a - b) <= radius * (1 + 1e-3) + 1e-17,
                  "seed %ju: %.20Lg is not %.20Lg, radius %g", (uintmax_t)seed, b, a,
                  radius);
        } while (next_state(model, x));
        *spread += count_weights(model) - count_weights(out);
    }
    zb_model_free(out);
    zb_model_free(model);
}

static void spread_keeps_every_state(void **state)
{
    (void)state;
    int all = 0, fewer = 0;
    for (uint64_t seed = 0; seed < test_models(1000); seed++) {
        check_spread(seed, 0, &all);
        check_spread(seed, 1e-3, &fewer);
    }
    CHECK(fewer > test_share(500) && all > fewer + test_share(500),
          "%d and %d tables were spread", all, fewer);
}

/* Off by a little less, and a little more, than is taken for rounding. */
static void spread_on_both_sides_of_its_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_model *model, *out;
        zb_ticker tick = { .run = NULL };
        double off = (k == 0 ? 0.9 : 1.1) * ZB_SPREAD_ULPS * ZB_UNIT * 4;
        double value[] = { 4, 3, 2, 1 + off };
        assert_int_equal(zb_model_new(&model, 2, (int[]){ 2, 2 }), ZB_OK);
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, 1 }, value), ZB_OK);
        assert_int_equal(zb_spread(&out, model, &tick), ZB_OK);
        CHECK((out != NULL) == (k == 0), "%d", k);
        CHECK(out == NULL || out->radius >= off / 2, "%g", off);
        zb_model_free(out);
        zb_model_free(model);
    }
}

static void spread_ends_with_the_time(void **state)
{
    (void)state;
    zb_model *model = random_sums(3, 0), *out;
    zb_ticker over = { .over = true };
    assert_int_equal(zb_spread(&out, model, &over), ZB_ELIMIT);
    assert_null(out);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middle_is_a_bag_that_divides),
        cmocka_unit_test(a_path_has_its_middle),
        cmocka_unit_test(large_bags_are_left_alone),
        cmocka_unit_test(spread_keeps_every_state),
        cmocka_unit_test(spread_on_both_sides_of_its_limit),
        cmocka_unit_test(spread_ends_with_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
