/* Tables and their algebra, and conditioning, against plain sums. */
#include "base/rng.h"
#include "model/table.h"
#include "oracle.h"
#include "test.h"

#include <stdlib.h>

static const random_spec SPEC = { .max_vars = 8,
                                  .max_card = 4,
                                  .max_factors = 12,
                                  .max_arity = 4,
                                  .zeros = 0.1,
                                  .spread = 2,
                                  .evidence = true };

/* The entry of f where every variable v has the value x[v]. */
static double entry(const zb_model *model, const zb_factor *f, const int *x)
{
    size_t at = 0;
    for (int i = 0; i < f->arity; i++)
        at = at * (size_t)model->card[f->scope[i]] + (size_t)x[f->scope[i]];
    return f->log ? f->value[at] : zb_log(f->value[at]);
}

/* Evidence leaves one value, and nothing else changes. */
static void conditioning_keeps_z(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_model *model = random_model(seed, SPEC), *made;
        assert_int_equal(zb_model_condition(&made, model, model->evidence), ZB_OK);
        CHECK(!zb_model_observed(made), "seed %ju", (uintmax_t)seed);
        CHECK(made->nvars == model->nvars && made->nfactors == model->nfactors,
              "seed %ju", (uintmax_t)seed);
        for (int v = 0; v < model->nvars; v++)
            CHECK(made->card[v] == (model->evidence[v] >= 0 ? 1 : model->card[v]),
                  "seed %ju, variable %d", (uintmax_t)seed, v);
        CHECK(close_to(brute_force(made), brute_force(model), 1e-12), "seed %ju",
              (uintmax_t)seed);
        zb_model_free(made);
        zb_model_free(model);
    }
}

/* out[x] += ln f(x) over all variables of a model, in any sequence of axes. */
static void a_walk_meets_every_state(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_model *model = random_model(seed, SPEC);
        zb_rng rng = zb_rng_seed(seed);
        int n = model->nvars, scope[8], x[8] = { 0 };
        for (int i = 0; i < n; i++) {
            int j = zb_rng_below(&rng, i + 1);
            scope[i] = scope[j];
            scope[j] = i;
        }
        for (int f = 0; f < model->nfactors; f++) {
            const zb_factor *a = &model->factor[f];
            zb_walk w;
            size_t size = zb_walk_begin(&w, n, scope, model->card, a), e = 0;
            double *out = calloc(size, sizeof *out);
            assert_true(zb_factor_absorb(a, n, scope, model->card, out, NULL));
            do {
                for (int i = 0; i < n; i++)
                    x[scope[i]] = w.x[i];
                CHECK(out[e] == entry(model, a, x) && out[e] == zb_factor_log(a, w.at),
                      "seed %ju, factor %d", (uintmax_t)seed, f);
                e++;
            } while (zb_walk_next(&w) >= 0);
            CHECK(e == size && w.at == 0, "seed %ju", (uintmax_t)seed);
            free(out);
        }
        zb_model_free(model);
    }
}

/* A walk takes its last axes at once where the factor goes through them entry by entry,
   or has none of them, up to 4096 states: factors with the last so many axes of a
   scope, or all but those, and one in the middle, on both sides of that. */
static void absorb_one(const int *card, int n, int from, int to, bool log)
{
    int scope[16], own[16], arity = 0, x[16] = { 0 };
    size_t entries = 1;
    for (int i = 0; i < n; i++)
        scope[i] = i;
    for (int i = from; i < to; i++) {
        own[arity++] = i;
        entries *= (size_t)card[i];
    }
    double *value = malloc(entries * sizeof *value);
    for (size_t i = 0; i < entries; i++)
        value[i] = (double)(i + 1);
    zb_factor f = { arity, own, entries, value, log };
    zb_model m = { .nvars = n, .card = (int *)card };
    zb_walk w;
    zb_ticker tick = { .run = NULL };
    size_t size = zb_walk_begin(&w, n, scope, card, &f), e = 0;
    double *out = malloc(size * sizeof *out);
    for (size_t i = 0; i < size; i++)
        out[i] = 0.5;
    assert_true(zb_factor_absorb(&f, n, scope, card, out, &tick));
    do {
        for (int i = 0; i < n; i++)
            x[i] = w.x[i];
        CHECK(out[e] == 0.5 + entry(&m, &f, x), "axes %d to %d of %d, entry %zu", from,
              to, n, e);
        e++;
    } while (zb_walk_next(&w) >= 0);
    assert_true(e == size);
    free(out);
    free(value);
}

static void runs_of_a_walk(void **state)
{
    (void)state;
    const int two[14] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 },
              mixed[9] = { 3, 1, 4, 2, 1, 5, 3, 4, 3 };
    for (int from = 0; from <= 14; from++)
        for (int to = from; to <= 14; to++)
            absorb_one(two, 14, from, to, (from + to) % 2 == 0);
    for (int from = 0; from <= 9; from++)
        for (int to = from; to <= 9; to++)
            absorb_one(mixed, 9, from, to, (from + to) % 2 == 0);
}

static void one_axis_at_a_time(void **state)
{
    (void)state;
    const int card[] = { 2, 3, 2 }, keep[] = { 0, 2 };
    int scope[] = { 0, 1, 2 };
    double value[12], two[8], sum[4];
    zb_factor f = { .arity = 3, .scope = scope, .size = 12, .value = value };
    for (int i = 0; i < 12; i++)
        value[i] = i;
    zb_shape s = zb_factor_shape(&f, card, 1);
    assert_true(s.outer == 2 && s.n == 3 && s.inner == 2);
    zb_axis_take(s, 2, keep, value, two);
    for (int o = 0; o < 2; o++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                assert_true(two[(o * 2 + j) * 2 + i] == (o * 3 + keep[j]) * 2 + i);
    assert_true(zb_axis_sum(s, value, sum, NULL));
    for (int o = 0; o < 2; o++)
        for (int i = 0; i < 2; i++) {
            double z = 0;
            for (int x = 0; x < 3; x++)
                z += exp((o * 3 + x) * 2 + i);
            assert_true(close_to(sum[o * 2 + i], log(z), 1e-14));
        }
    double spread;
    assert_false(zb_axis_constant(s, 3.9, value, &spread));
    assert_true(zb_axis_constant(s, 4, value, &spread) && spread == 4);
}

static void scopes_contain_scopes(void **state)
{
    (void)state;
    int large[] = { 4, 1, 7 }, small[] = { 7, 4 }, other[] = { 7, 2 };
    zb_factor a = { .arity = 3, .scope = large }, b = { .arity = 2, .scope = small },
              c = { .arity = 2, .scope = other };
    assert_int_equal(zb_factor_axis(&a, 7), 2);
    assert_int_equal(zb_factor_axis(&a, 2), -1);
    assert_true(zb_factor_contains(&a, &b));
    assert_false(zb_factor_contains(&b, &a));
    assert_false(zb_factor_contains(&a, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditioning_keeps_z),
        cmocka_unit_test(a_walk_meets_every_state),
        cmocka_unit_test(runs_of_a_walk),
        cmocka_unit_test(one_axis_at_a_time),
        cmocka_unit_test(scopes_contain_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
