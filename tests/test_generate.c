/* Layouts, laws and golden bits of the generated families. */
#include "model/generate.h"
#include "oracle.h"
#include "simplify/simplify.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* FNV-1a over everything in the model, so that one number stands for all bits. */
static uint64_t fingerprint(const zb_model *model)
{
    uint64_t h = 0xcbf29ce484222325u;
#define MIX(x)                                                                         \
    for (int b = 0; b < 8; b++)                                                        \
    h = (h ^ ((uint64_t)(x) >> (8 * b) & 255)) * 0x100000001b3u
    for (int v = 0; v < model->nvars; v++)
        MIX(model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        for (int i = 0; i < a->arity; i++)
            MIX(a->scope[i]);
        for (size_t e = 0; e < a->size; e++) {
            uint64_t bits;
            memcpy(&bits, &a->value[e], sizeof bits);
            MIX(bits);
        }
    }
#undef MIX
    return h;
}

static void check_print(zb_model *model, uint64_t expected, const char *name)
{
    CHECK(fingerprint(model) == expected, "%s: 0x%016lx", name,
          (unsigned long)fingerprint(model));
    zb_model_free(model);
}

static void bits_are_golden(void **state)
{
    (void)state;
    zb_model *m;
    zb_ising_spec ising = {
        .rows = 10, .cols = 10, .coupling = 1, .field = 0.1, .seed = 1
    };
    assert_int_equal(zb_generate_ising(&m, &ising), ZB_OK);
    check_print(m, 0x48a402cffe59f862u, "ising");
    zb_regular_spec regular = { 180, 1, true, ZB_CHORD_OPPOSITE, 1 };
    assert_int_equal(zb_generate_regular(&m, &regular), ZB_OK);
    check_print(m, 0xcffa824d73f8b516u, "opposite");
    regular.chord = ZB_CHORD_RANDOM;
    assert_int_equal(zb_generate_regular(&m, &regular), ZB_OK);
    check_print(m, 0x469d3b33e867bea6u, "random chords");
    zb_random_spec random = { 20, 30, 3, 3, 0.3, 1 };
    assert_int_equal(zb_generate_random(&m, &random), ZB_OK);
    check_print(m, 0xe111d5bcbfc5050fu, "random");
    zb_random_tree_spec tree = { 50, 4, 1 };
    assert_int_equal(zb_generate_tree(&m, &tree), ZB_OK);
    check_print(m, 0x5ccdb98544edc0ebu, "tree");
    zb_pedigree_spec pedigree = { 6, 12, 4, 3, 0.5, 1 };
    assert_int_equal(zb_generate_pedigree(&m, &pedigree), ZB_OK);
    check_print(m, 0x58da469ab4251c94u, "pedigree");
}

static void ising_has_its_layout(void **state)
{
    (void)state;
    zb_model *m;
    zb_ising_spec spec = {
        .rows = 3, .cols = 4, .coupling = 0.7, .field = 0.2, .seed = 9
    };
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(m->nfactors, 12 + 3 * 3 + 2 * 4);
    static const int pairs[][2] = { { 0, 1 }, { 0, 4 }, { 1, 2 }, { 1, 5 },
                                    { 2, 3 }, { 2, 6 }, { 3, 7 }, { 4, 5 } };
    for (int f = 0; f < 12; f++)
        assert_true(m->factor[f].arity == 1 && m->factor[f].scope[0] == f);
    for (int f = 0; f < 8; f++)
        assert_true(m->factor[12 + f].scope[0] == pairs[f][0] &&
                    m->factor[12 + f].scope[1] == pairs[f][1]);
    for (int f = 0; f < m->nfactors; f++) {
        const double *a = m->factor[f].value;
        assert_true(f < 12 ? fabs(a[0] * a[1] - 1) < 1e-15
                           : a[0] == a[3] && a[1] == a[2]);
    }
    zb_model_free(m);

    spec.periodic = true; /* three rows and four columns: both wrap */
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(m->nfactors, 12 + 24);
    zb_model_free(m);
    spec.rows = 2, spec.field = 0; /* two rows do not, or the pair would be doubled */
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(m->nfactors, 8 + 4);
    zb_model_free(m);
}

/* Standard deviations of the couplings, read back from the tables. */
static void ising_draws_what_it_says(void **state)
{
    (void)state;
    for (int variance = 0; variance < 2; variance++) {
        zb_model *m;
        zb_ising_spec spec = { .rows = 80,
                               .cols = 80,
                               .coupling = 0.25,
                               .field = 0.09,
                               .variance = variance == 1,
                               .seed = 4 };
        double singles = 0, pairs = 0;
        assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
        for (int f = 0; f < m->nfactors; f++) {
            double phi = log(m->factor[f].value[m->factor[f].arity == 1 ? 1 : 0]);
            *(f < 6400 ? &singles : &pairs) += phi * phi;
        }
        singles = sqrt(singles / 6400);
        pairs = sqrt(pairs / (m->nfactors - 6400));
        assert_true(fabs(pairs / (variance ? 0.5 : 0.25) - 1) < 0.03);
        assert_true(fabs(singles / (variance ? 0.3 : 0.09) - 1) < 0.03);
        zb_model_free(m);
    }
}

/* Every variable in exactly two factors; chords of the stated kind. */
static void regular_is_forney_style(void **state)
{
    (void)state;
    for (int n = 4; n <= 40; n += 2)
        for (int kind = 0; kind < 2; kind++) {
            zb_model *m;
            zb_regular_spec spec = { n, 1, false, (zb_chord)kind, (uint64_t)n };
            int degree[60] = { 0 }, first[60];
            assert_int_equal(zb_generate_regular(&m, &spec), ZB_OK);
            assert_int_equal(m->nvars, n + n / 2);
            assert_int_equal(m->nfactors, n);
            for (int f = 0; f < n; f++) {
                const int *s = m->factor[f].scope;
                assert_true(s[0] == (f + n - 1) % n && s[1] == f && s[2] >= n);
                for (int i = 0; i < 3; i++)
                    if (degree[s[i]]++ == 0)
                        first[s[i]] = f;
                int apart = f - first[s[2]];
                if (degree[s[2]] == 2)
                    CHECK(kind == 0 ? apart == n / 2 : apart != 1 && apart != n - 1,
                          "%d factors: %d joined to %d", n, f, first[s[2]]);
                if (degree[s[2]] == 1 && f > 0 && s[2] > n)
                    assert_true(degree[s[2] - 1] > 0); /* numbered in order */
            }
            for (int v = 0; v < m->nvars; v++)
                assert_int_equal(degree[v], 2);
            zb_model_free(m);
        }
}

static void random_keeps_z_positive(void **state)
{
    (void)state;
    int zeros = 0, entries = 0;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        zb_model *m;
        zb_random_spec spec = { 7, 12, 3, 2, 0.8, seed };
        assert_int_equal(zb_generate_random(&m, &spec), ZB_OK);
        CHECK(brute_force(m) > -INFINITY, "seed %lu", (unsigned long)seed);
        for (int f = 0; f < m->nfactors; f++) {
            const zb_factor *a = &m->factor[f];
            assert_true(a->scope[0] < a->scope[1] && a->scope[1] < a->scope[2]);
            for (size_t e = 0; e < a->size; e++, entries++)
                zeros += a->value[e] == 0;
        }
        zb_model_free(m);
    }
    double expected = 0.8 * 7 / 8; /* one of eight entries is spared */
    assert_true(fabs((double)zeros / entries - expected) < 0.02);
}

/* A tree is connected, has n - 1 pairs, and the reductions alone solve it. */
static void tree_is_a_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        zb_model *m, **parts;
        zb_reduction *r;
        int count;
        zb_random_tree_spec spec = { 1 + (int)(seed % 8), 3, seed };
        assert_int_equal(zb_generate_tree(&m, &spec), ZB_OK);
        assert_int_equal(m->nfactors, 2 * m->nvars - 1);
        assert_int_equal(zb_components_split(m, NULL, &count, &parts, NULL, NULL),
                         ZB_OK);
        assert_int_equal(count, 1);
        zb_components_free(count, parts);
        assert_int_equal(zb_simplify(&r, m, NULL), ZB_OK);
        assert_int_equal(r->model->nvars, 0);
        assert_true(close_to(r->model->log_scale, brute_force(m), 1e-12));
        zb_reduction_free(r);
        zb_model_free(m);
    }
}

/* Z is a probability: positive, and 1 when nobody is typed. */
static void pedigree_is_a_probability(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        zb_model *m;
        zb_pedigree_spec spec = { 2, 1, 2, 2, seed % 2 == 0 ? 0.7 : 0, seed };
        assert_int_equal(zb_generate_pedigree(&m, &spec), ZB_OK);
        assert_true(m->nvars >= 16); /* small enough for brute force */
        double z = brute_force(m);
        CHECK(spec.typed > 0 ? z > -INFINITY && z < 1e-12 : fabs(z) < 1e-12,
              "seed %lu: %g", (unsigned long)seed, z);
        zb_model_free(m);
    }
}

/* A family of the size of the linkage files looks like them and shrinks like them. */
static void pedigree_is_like_linkage(void **state)
{
    (void)state;
    zb_model *m;
    zb_reduction *r;
    zb_pedigree_spec spec = { 12, 20, 8, 4, 0.6, 3 };
    assert_int_equal(zb_generate_pedigree(&m, &spec), ZB_OK);
    assert_int_equal(zb_simplify(&r, m, NULL), ZB_OK);
    print_message("pedigree: %d variables, %d factors, %zu entries (%zu zero) -> "
                  "%d, %d, %zu (%zu)\n",
                  r->before.vars, r->before.factors, r->before.entries, r->before.zeros,
                  r->after.vars, r->after.factors, r->after.entries, r->after.zeros);
    assert_true(r->trivial > 100);
    assert_true(2 * r->before.zeros > r->before.entries);
    assert_true(3 * r->after.vars < 2 * r->before.vars && r->after.vars > 0);
    assert_true(2 * r->after.entries < r->before.entries);
    zb_reduction_free(r);
    zb_model_free(m);
}

/* Each pair of neighbours once, on every kind of lattice: by distances, which the
   generator does not use. */
static bool neighbours(const zb_ising_spec *s, int u, int v)
{
    const int side[] = { s->cols, s->rows, s->layers };
    int d[3], apart = 0, at[2] = { u, v };
    for (int k = 0; k < 3; k++) {
        d[k] = at[1] % side[k] - at[0] % side[k];
        at[0] /= side[k];
        at[1] /= side[k];
        if (s->periodic && side[k] >= 3)
            d[k] = (d[k] + side[k] + 1) % side[k] - 1; /* -1, 0, 1 or farther */
        apart += abs(d[k]);
    }
    bool diagonal = s->lattice == ZB_LATTICE_TRIANGULAR && d[2] == 0 && d[0] == d[1];
    return apart == 1 || (diagonal && abs(d[0]) == 1);
}

static void lattices_have_their_pairs(void **state)
{
    (void)state;
    zb_model *m;
    for (int k = 0; k < 32; k++) {
        zb_ising_spec spec = { .rows = 2 + k % 4,
                               .cols = 5 - k % 2,
                               .layers = k % 3 == 0 ? 4 : 1,
                               .lattice = (zb_lattice)(k / 4 % 2),
                               .periodic = k / 8 % 2 == 1,
                               .coupling = 0.5,
                               .couplings = (zb_couplings)(k % 3) };
        int n = spec.rows * spec.cols * spec.layers, pairs = 0;
        assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
        assert_int_equal(m->nvars, n);
        for (int u = 0; u < n; u++)
            for (int v = u + 1; v < n; v++)
                pairs += neighbours(&spec, u, v) || neighbours(&spec, v, u);
        CHECK(m->nfactors == pairs, "lattice %d: %d, not %d", k, m->nfactors, pairs);
        for (int f = 0; f < m->nfactors; f++)
            CHECK(neighbours(&spec, m->factor[f].scope[0], m->factor[f].scope[1]),
                  "lattice %d, factor %d", k, f);
        zb_model_free(m);
    }
}

static void couplings_are_as_asked(void **state)
{
    (void)state;
    zb_model *m;
    zb_ising_spec spec = { .rows = 20,
                           .cols = 20,
                           .coupling = -0.5,
                           .field = 0.25,
                           .couplings = ZB_COUPLINGS_UNIFORM,
                           .beta = 2 };
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_true(fabs(log(m->factor[7].value[1]) - 0.5) < 1e-15);
    assert_true(fabs(log(m->factor[500].value[0]) + 1) < 1e-15);
    zb_model_free(m);
    spec.couplings = ZB_COUPLINGS_PM1;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_EINVAL); /* of negative size */
    spec.coupling = 0.5;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    int plus = 0;
    for (int f = 400; f < m->nfactors; f++) {
        assert_true(fabs(fabs(log(m->factor[f].value[0])) - 1) < 1e-15);
        plus += m->factor[f].value[0] > 1;
    }
    assert_true(plus > 300 && plus < 460);
    zb_model_free(m);
    spec = (zb_ising_spec){ .rows = 2,
                            .cols = 2,
                            .coupling = 0.5,
                            .states = 3,
                            .field = 1,
                            .couplings = ZB_COUPLINGS_UNIFORM };
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(m->card[0], 3);
    static const double potts[] = { 1.648721270700128, 1, 1, 1, 1.648721270700128 };
    for (int e = 0; e < 5; e++)
        assert_true(fabs(m->factor[4].value[e] - potts[e]) < 1e-15);
    assert_true(fabs(m->factor[0].value[0] - exp(1)) < 1e-15 &&
                m->factor[0].value[1] == 1 && m->factor[0].value[2] == 1);
    zb_model_free(m);
}

static void seeds_differ(void **state)
{
    (void)state;
    zb_model *a, *b;
    zb_ising_spec spec = { .rows = 4, .cols = 4, .coupling = 1, .field = 1, .seed = 1 };
    assert_int_equal(zb_generate_ising(&a, &spec), ZB_OK);
    spec.seed = 2;
    assert_int_equal(zb_generate_ising(&b, &spec), ZB_OK);
    assert_true(fingerprint(a) != fingerprint(b));
    zb_model_free(a);
    zb_model_free(b);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    zb_model *m;
    zb_ising_spec ising[] = { { .cols = 2, .coupling = 1 },
                              { .rows = 2, .cols = 2, .coupling = -1 },
                              { .rows = 2, .cols = 2, .field = NAN },
                              { .rows = 2, .cols = 2, .coupling = 1e9 },
                              { .rows = 1 << 20, .cols = 1 << 20 } };
    for (int i = 0; i < 5; i++) {
        assert_int_equal(zb_generate_ising(&m, &ising[i]), ZB_EINVAL);
        assert_null(m);
    }
    zb_regular_spec regular[] = { { .factors = 2 },
                                  { .factors = 7 },
                                  { .factors = 8, .coupling = 1e9 } };
    for (int i = 0; i < 3; i++)
        assert_int_equal(zb_generate_regular(&m, &regular[i]), ZB_EINVAL);
    zb_random_spec random[] = { { 3, 1, 4, 2, 0, 1 },
                                { 3, 1, 2, 0, 0, 1 },
                                { 3, 1, 2, 2, 1.5, 1 },
                                { 100, 1, 100, 2, 0, 1 },
                                { -1, 1, 0, 2, 0, 1 } };
    for (int i = 0; i < 5; i++)
        assert_int_equal(zb_generate_random(&m, &random[i]), ZB_EINVAL);
    zb_random_tree_spec tree[] = { { 0, 2, 1 }, { 3, 0, 1 } };
    for (int i = 0; i < 2; i++)
        assert_int_equal(zb_generate_tree(&m, &tree[i]), ZB_EINVAL);
    zb_pedigree_spec pedigree[] = { { 1, 1, 1, 2, 0, 1 },
                                    { 2, 1, 0, 2, 0, 1 },
                                    { 2, 1, 1, 2, 2, 1 } };
    for (int i = 0; i < 3; i++)
        assert_int_equal(zb_generate_pedigree(&m, &pedigree[i]), ZB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_golden),
        cmocka_unit_test(ising_has_its_layout),
        cmocka_unit_test(ising_draws_what_it_says),
        cmocka_unit_test(regular_is_forney_style),
        cmocka_unit_test(random_keeps_z_positive),
        cmocka_unit_test(tree_is_a_tree),
        cmocka_unit_test(pedigree_is_a_probability),
        cmocka_unit_test(pedigree_is_like_linkage),
        cmocka_unit_test(lattices_have_their_pairs),
        cmocka_unit_test(couplings_are_as_asked),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
