/* zb_simplify against brute force, and what it promises about the smaller model. */
#include "given.h"
#include "oracle.h"
#include "base/rng.h"
#include "simplify/simplify.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Not the time on the wall, which depends on what else the machine is doing. */
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static zb_reduction *simplified(const zb_model *model)
{
    zb_reduction *r;
    assert_int_equal(simplify_given(&r, model, true, NULL), ZB_OK);
    return r;
}

static double log_z(const zb_model *model)
{
    return model->log_scale + brute_force(model);
}

static bool inside(const zb_factor *a, const zb_factor *b)
{
    int common = 0;
    for (int i = 0; i < a->arity; i++)
        for (int j = 0; j < b->arity; j++)
            common += a->scope[i] == b->scope[j];
    return common == a->arity;
}

/* Has every value of every variable of the factor an entry that is not zero? */
static bool all_supported(const zb_model *model, const zb_factor *a)
{
    size_t inner = 1;
    for (int i = a->arity - 1; i >= 0; i--) {
        int n = model->card[a->scope[i]];
        for (int x = 0; x < n; x++) {
            bool seen = false;
            for (size_t e = 0; e < a->size; e++)
                if ((int)(e / inner % (size_t)n) == x)
                    seen = seen || a->value[e] > -INFINITY;
            if (!seen)
                return false;
        }
        inner *= (size_t)n;
    }
    return true;
}

static double largest(const zb_factor *a)
{
    double top = -INFINITY;
    for (size_t e = 0; e < a->size; e++)
        top = fmax(top, a->value[e]);
    return top;
}

static void check_shape(const zb_reduction *r, const zb_model *model, uint64_t seed)
{
    const zb_model *m = r->model;
    int gone = r->trivial + r->fixed + r->merged + r->summed + r->isolated;
    CHECK(m->log_scale == -INFINITY || gone + m->nvars == model->nvars,
          "seed %lu: variables lost", (unsigned long)seed);
    CHECK(r->before.vars == model->nvars && r->before.factors == model->nfactors &&
              r->after.vars == m->nvars && r->after.factors == m->nfactors &&
              r->after.entries <= r->before.entries,
          "seed %lu: sizes", (unsigned long)seed);
    for (int v = 0; v < m->nvars; v++) {
        int degree = 0;
        for (int f = 0; f < m->nfactors; f++)
            for (int i = 0; i < m->factor[f].arity; i++)
                degree += m->factor[f].scope[i] == v;
        CHECK(m->card[v] >= 2 && m->evidence[v] < 0 && degree >= 2,
              "seed %lu: variable %d has %d values, degree %d", (unsigned long)seed, v,
              m->card[v], degree);
        CHECK(v == 0 || r->var[v] > r->var[v - 1], "seed %lu", (unsigned long)seed);
        CHECK(r->value_at[v + 1] - r->value_at[v] == m->card[v], "seed %lu",
              (unsigned long)seed);
    }
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        CHECK(a->log && a->arity >= 2 && largest(a) == 0 && all_supported(m, a),
              "seed %lu: factor %d", (unsigned long)seed, f);
        for (int g = 0; g < m->nfactors; g++)
            CHECK(f == g || !inside(a, &m->factor[g]), "seed %lu: factor %d lies in %d",
                  (unsigned long)seed, f, g);
    }
}

/* Z with x_v fixed is the same in both models, so var and value tell the truth. */
static void check_values(const zb_reduction *r, zb_model *model, uint64_t seed)
{
    if (r->model->nvars == 0)
        return;
    int v = (int)(seed % (uint64_t)r->model->nvars), was = r->var[v];
    for (int x = 0; x < r->model->card[v]; x++) {
        zb_model_observe(model, was, r->value[r->value_at[v] + x]);
        zb_model_observe(r->model, v, x);
        double a = log_z(model), b = log_z(r->model);
        CHECK(close_to(a, b, 1e-11), "seed %lu: variable %d value %d: %.17g, %.17g",
              (unsigned long)seed, v, x, a, b);
    }
    zb_model_observe(model, was, -1);
    zb_model_observe(r->model, v, -1);
}

static void check_parts(const zb_model *model, double expected, uint64_t seed)
{
    int count, *part, *place;
    zb_model **parts;
    double sum = 0;
    assert_int_equal(zb_components_split(model, NULL, &count, &parts, &part, &place),
                     ZB_OK);
    for (int p = 0; p < count; p++)
        sum += log_z(parts[p]);
    CHECK(close_to(sum, expected, 1e-11), "seed %lu: parts %.17g, whole %.17g",
          (unsigned long)seed, sum, expected);
    for (int v = 0; v < model->nvars; v++)
        CHECK(parts[part[v]]->card[place[v]] == model->card[v], "seed %lu",
              (unsigned long)seed);
    zb_free(part);
    zb_free(place);
    zb_components_free(count, parts);
}

static zb_model *nth_model(uint64_t seed)
{
    bool dense = seed % 3 == 0; /* else zeros leave little */
    random_spec spec = { .max_vars = 9,
                         .max_card = dense ? 2 + (int)(seed % 2) : 2 + (int)(seed % 4),
                         .max_factors = dense ? 40 : 4 + (int)(seed % 9),
                         .max_arity = 2 + (int)(seed / 3 % 3),
                         .zeros = (dense ? 0.005 : 0.1) * (double)(seed / 3 % 8),
                         .spread = seed % 5 == 0 ? 50 : 2,
                         .evidence = seed % 2 == 0 };
    return random_model(seed, spec);
}

static void keeps_z(void **state)
{
    (void)state;
    int zero = 0, shrunk = 0, fixed = 0, merged = 0, left = 0;
    for (uint64_t seed = 0; seed < test_models(10000); seed++) {
        zb_model *model = nth_model(seed);
        assert_non_null(model);
        double before = log_z(model);
        zb_reduction *r;
        assert_int_equal(simplify_given(&r, model, seed % 4 != 0, NULL), ZB_OK);
        double after = log_z(r->model);
        CHECK(close_to(before, after, 1e-11), "seed %lu: %.17g became %.17g",
              (unsigned long)seed, before, after);
        check_shape(r, model, seed);
        check_values(r, model, seed);
        check_parts(model, before, seed);
        check_parts(r->model, before, seed);
        zero += before == -INFINITY;
        shrunk += r->values_removed > 0;
        fixed += r->fixed > 0;
        merged += r->merged > 0;
        left += r->model->nvars > 0;
        zb_reduction_free(r);
        zb_model_free(model);
    }
    /* the models must exercise every step */
    CHECK(zero > test_share(100) && shrunk > test_share(100) &&
              fixed > test_share(100) && merged > test_share(20) &&
              left > test_share(400),
          "zero %d shrunk %d fixed %d merged %d left %d", zero, shrunk, fixed, merged,
          left);
}

/* A second run keeps Z and enlarges nothing. */
static void can_be_repeated(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        zb_model *model = nth_model(seed);
        zb_reduction *r = simplified(model), *again = simplified(r->model);
        CHECK(again->after.vars <= r->after.vars &&
                  again->after.entries <= r->after.entries &&
                  close_to(log_z(again->model), log_z(r->model), 1e-11),
              "seed %lu", (unsigned long)seed);
        zb_reduction_free(again);
        zb_reduction_free(r);
        zb_model_free(model);
    }
}

static zb_model *new_model(int nvars, const int *card)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, nvars, card), ZB_OK);
    return model;
}

static void add(zb_model *model, int arity, const int *scope, const double *value)
{
    assert_int_equal(zb_model_add(model, arity, scope, value), ZB_OK);
}

static void free_variables_and_constants_count(void **state)
{
    (void)state;
    const int card[] = { 3, 1, 2 };
    const double ten[] = { 10 }, nothing[] = { 0 };
    zb_model *model = new_model(3, card);
    add(model, 0, NULL, ten);
    zb_reduction *r = simplified(model);
    assert_true(close_to(r->model->log_scale, log(60), 1e-15));
    assert_int_equal(r->model->nvars, 0);
    assert_int_equal(r->isolated, 2);
    assert_int_equal(r->trivial, 1);
    zb_reduction_free(r);
    add(model, 0, NULL, nothing);
    r = simplified(model);
    assert_true(r->model->log_scale == -INFINITY);
    zb_reduction_free(r);
    zb_model_free(model);
}

static void contradicting_evidence_is_zero(void **state)
{
    (void)state;
    const int card[] = { 2, 2 }, both[] = { 0, 1 };
    const double equal[] = { 1, 0, 0, 1 };
    zb_model *model = new_model(2, card);
    add(model, 2, both, equal);
    zb_model_observe(model, 0, 0);
    zb_model_observe(model, 1, 1);
    zb_reduction *r = simplified(model);
    assert_true(r->model->log_scale == -INFINITY);
    assert_int_equal(r->model->nvars, 0);
    assert_int_equal(r->trivial, 2);
    zb_reduction_free(r);
    zb_model_free(model);
}

/* A ring of four-valued variables, each a rotation of the one before, dressed with a
   dense factor on opposite ones: one variable remains tied to all others. */
static void merges_tied_variables(void **state)
{
    (void)state;
    enum { N = 6, D = 4 };
    int card[N];
    double turn[D * D] = { 0 }, dense[D * D];
    for (int x = 0; x < D; x++)
        turn[x * D + (x + 1) % D] = 0.5 + x;
    for (int e = 0; e < D * D; e++)
        dense[e] = 1 + e;
    for (int v = 0; v < N; v++)
        card[v] = D;
    zb_model *model = new_model(N, card);
    for (int v = 0; v + 1 < N; v++) {
        const int pair[] = { v, v + 1 }, across[] = { v, (v + 3) % N };
        add(model, 2, pair, turn);
        add(model, 2, across, dense);
    }
    zb_reduction *r = simplified(model);
    assert_int_equal(r->model->nvars, 0);
    assert_int_equal(r->merged, N - 1);
    assert_true(close_to(r->model->log_scale, log_z(model), 1e-13));
    zb_reduction_free(r);
    zb_model_free(model);
}

/* x = (s ? m : p) for (s, p, m, x), as in pedigrees, with two more variables that keep
   these from being summed out: the factor of four variables becomes two of three. */
static void products_are_split(void **state)
{
    (void)state;
    enum { D = 3 };
    const int card[] = { 2, D, D, D, D, D }, all[] = { 0, 1, 2, 3 };
    const int pairs[][2] = { { 0, 4 }, { 1, 4 }, { 2, 5 }, { 3, 5 } };
    double copy[2 * D * D * D], dense[D * D];
    for (int e = 0; e < 2 * D * D * D; e++)
        copy[e] = e % D == (e / (D * D * D) ? e / D % D : e / D / D % D);
    for (int e = 0; e < D * D; e++)
        dense[e] = 1 + e * e;
    zb_model *model = new_model(6, card);
    add(model, 4, all, copy);
    for (int f = 0; f < 4; f++)
        add(model, 2, pairs[f], dense);
    zb_reduction *r = simplified(model);
    assert_true(r->split == 1 && r->after.max_arity == 3 && r->after.vars == 6);
    assert_true(close_to(log_z(r->model), log_z(model), 1e-13));
    zb_reduction_free(r);
    zb_model_free(model);
}

/* u = 0 implies a = 0, which implies v = 0; u = 1 implies b = 1, which implies v = 1.
   So u = v, although no factor and no pair of factors shows it; then nothing is left.
 */
static void probing_finds_ties(void **state)
{
    (void)state;
    enum { U, A, V, B };
    const int card[] = { 2, 2, 2, 2 };
    const int ring[][2] = { { U, A }, { A, V }, { U, B }, { B, V } };
    zb_model *model = new_model(4, card);
    for (int f = 0; f < 4; f++) {
        double value[] = { 1, 2, 3, 5 };
        value[f < 2 ? 1 : 2] = 0; /* (0, 1) above, (1, 0) below */
        add(model, 2, ring[f], value);
    }
    zb_reduction *r = simplified(model);
    assert_int_equal(r->merged, 3);
    assert_int_equal(r->after.vars, 0);
    assert_true(close_to(r->model->log_scale, log_z(model), 1e-13));
    zb_reduction_free(r);
    zb_model_free(model);
}

/* Conditional tables that sum to one leave nothing of unobserved leaves. */
static void barren_nodes_vanish(void **state)
{
    (void)state;
    enum { N = 40 };
    int card[N];
    zb_rng rng = zb_rng_seed(5);
    for (int v = 0; v < N; v++)
        card[v] = 2 + v % 3;
    zb_model *model = new_model(N, card);
    for (int v = 0; v < N; v++) {
        int parents = v < 2 ? v : 2, scope[3], rows = 1;
        for (int i = 0; i < parents; i++)
            rows *= card[scope[i] = v - 1 - i];
        scope[parents] = v;
        double value[4 * 4 * 4];
        for (int k = 0; k < rows; k++) {
            double sum = 0, *row = value + k * card[v];
            for (int x = 0; x < card[v]; x++)
                sum += row[x] = 0.01 + zb_rng_uniform(&rng);
            for (int x = 0; x < card[v]; x++)
                row[x] /= sum;
        }
        add(model, parents + 1, scope, value);
    }
    zb_reduction *r = simplified(model);
    assert_int_equal(r->model->nvars, 0);
    assert_true(fabs(r->model->log_scale) < 1e-13);
    zb_reduction_free(r);
    zb_model_free(model);
}

/* Factors near 1e-200 and one variable in no factor: no underflow on the way. */
static void tiny_factors_survive(void **state)
{
    (void)state;
    enum { N = 60 };
    int card[N];
    for (int v = 0; v < N; v++)
        card[v] = 2;
    zb_model *model = new_model(N, card);
    const double tiny[] = { 1e-200, 2e-200, 3e-200, 1e-200 };
    double a = 1, b = 1, scale = 0; /* transfer by hand */
    for (int v = 0; v + 2 < N; v++) {
        const int pair[] = { v, v + 1 };
        add(model, 2, pair, tiny);
        double na = a + 3 * b, nb = 2 * a + b, top = fmax(na, nb);
        a = na / top, b = nb / top, scale += log(top) + log(1e-200);
    }
    zb_reduction *r = simplified(model);
    assert_int_equal(r->model->nvars, 0);
    assert_true(close_to(r->model->log_scale, scale + log(a + b) + log(2), 1e-13));
    zb_reduction_free(r);
    zb_model_free(model);
}

/* A hundred thousand variables in long chains of equalities, a hub, repeated scopes:
   the work lists must not go over everything again and again. */
static void large_models_are_quick(void **state)
{
    (void)state;
    enum { N = 100000 };
    int *card = zb_alloc(N, sizeof *card);
    for (int v = 0; v < N; v++)
        card[v] = 3;
    zb_model *model = new_model(N, card);
    const double equal[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, some[] = { 1, 2, 3 };
    const double dense[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, ten[] = { 10 };
    for (int v = 1; v < N; v++) {
        const int next[] = { v - 1, v }, hub[] = { 0, v };
        if (v % 2 == 0)
            add(model, 2, next, equal);
        else
            add(model, 2, hub, v % 3 == 0 ? equal : dense);
        add(model, 1, next, some);
        add(model, 0, NULL, ten);
    }
    double start = cpu_seconds();
    zb_reduction *r = simplified(model);
    double seconds = cpu_seconds() - start;
    assert_int_equal(r->model->nvars, 0);
    print_message("100000 variables, %d factors: %.3f s\n", r->before.factors, seconds);
    CHECK(seconds < 60, "%.1f s", seconds);
    zb_reduction_free(r);
    zb_model_free(model);
    zb_free(card);
}

/* All pairs of 400 variables: no factor lies in another, and that is seen at once. */
static void dense_graphs_are_quick(void **state)
{
    (void)state;
    enum { N = 400 };
    int card[N];
    for (int v = 0; v < N; v++)
        card[v] = 2;
    zb_model *model = new_model(N, card);
    const double pair[] = { 1, 2, 3, 4 }, one[] = { 1, 2 };
    for (int u = 0; u < N; u++) {
        add(model, 1, &u, one);
        for (int v = u + 1; v < N; v++) {
            const int scope[] = { u, v };
            add(model, 2, scope, pair);
        }
    }
    double start = cpu_seconds();
    zb_reduction *r = simplified(model);
    double seconds = cpu_seconds() - start;
    print_message("%d factors on %d variables: %.3f s\n", r->before.factors, N,
                  seconds);
    assert_int_equal(r->after.factors, N * (N - 1) / 2);
    assert_int_equal(r->absorbed, N);
    CHECK(seconds < 60, "%.1f s", seconds);
    zb_reduction_free(r);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_z),
        cmocka_unit_test(can_be_repeated),
        cmocka_unit_test(free_variables_and_constants_count),
        cmocka_unit_test(contradicting_evidence_is_zero),
        cmocka_unit_test(merges_tied_variables),
        cmocka_unit_test(products_are_split),
        cmocka_unit_test(probing_finds_ties),
        cmocka_unit_test(barren_nodes_vanish),
        cmocka_unit_test(tiny_factors_survive),
        cmocka_unit_test(large_models_are_quick),
        cmocka_unit_test(dense_graphs_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
