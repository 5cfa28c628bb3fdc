/* Reductions of formulas keep the number of solutions, and their weights: against
   enumeration. */
#include "base/explog.h"
#include "base/rng.h"
#include "oracle.h"
#include "sat/formula.h"
#include "simplify/simplify.h"
#include "test.h"

enum { MOST = 12 };

static bool clause_holds(int n, const uint32_t *lit, unsigned x)
{
    for (int i = 0; i < n; i++)
        if ((x >> (lit[i] >> 1) & 1) != (lit[i] & 1))
            return true;
    return false;
}

static bool holds(const zb_formula *f, unsigned x)
{
    for (int i = 0; i < f->nunits; i++)
        if (!clause_holds(1, &f->unit[i], x))
            return false;
    for (int c = 0; c < f->count; c++)
        if (f->clause[c].n > 0 &&
            !clause_holds(f->clause[c].n, zb_formula_literals(f, c), x))
            return false;
    return !f->empty;
}

/* The sum over the solutions, in which Booleans that are gone are false, of the weights
   of the Booleans that are true. */
static double weigh(const zb_formula *f, const double *weight)
{
    double sum = 0;
    for (unsigned x = 0; x < 1u << f->nbools; x++) {
        double w = holds(f, x);
        for (int b = 0; b < f->nbools && w > 0; b++)
            if (x >> b & 1)
                w = f->gone[b] ? 0 : w * weight[b];
        sum += w;
    }
    return sum;
}

/* Gates, the last of their literals the output, among random clauses. */
static void add_gate(zb_formula *f, zb_rng *rng)
{
    uint32_t l[3];
    for (int i = 0; i < 3; i++)
        l[i] = (uint32_t)zb_rng_below(rng, 2 * f->nbools);
    if (zb_rng_below(rng, 2) == 0) { /* l2 = l0 xor l1 */
        for (uint32_t s = 0; s < 4; s++)
            assert_int_equal(
                zb_formula_add(f, 3,
                               (uint32_t[]){ l[0] ^ (s & 1), l[1] ^ (s >> 1),
                                             l[2] ^ 1 ^ ((s & 1) ^ (s >> 1)) }),
                ZB_OK);
        return;
    }
    assert_int_equal(zb_formula_add(f, 2, (uint32_t[]){ l[0], l[2] ^ 1 }), ZB_OK);
    assert_int_equal(zb_formula_add(f, 2, (uint32_t[]){ l[1], l[2] ^ 1 }), ZB_OK);
    assert_int_equal(zb_formula_add(f, 3, (uint32_t[]){ l[0] ^ 1, l[1] ^ 1, l[2] }),
                     ZB_OK);
}

static zb_formula *random_formula(zb_rng *rng)
{
    zb_formula *f;
    int n = 1 + zb_rng_below(rng, MOST);
    assert_int_equal(zb_formula_new(&f, n, NULL), ZB_OK);
    for (int g = zb_rng_below(rng, n + 1); g > 0; g--)
        add_gate(f, rng);
    for (int c = zb_rng_below(rng, 2 * n); c > 0; c--) {
        uint32_t lit[6];
        int k = 1 + zb_rng_below(rng, 6);
        for (int i = 0; i < k; i++)
            lit[i] = (uint32_t)zb_rng_below(rng, 2 * n);
        if (k > 1 || zb_rng_below(rng, 8) == 0)
            assert_int_equal(zb_formula_add(f, k, lit), ZB_OK);
    }
    return f;
}

/* Steps that keep the set of solutions. */
static void solutions_stay(void **state)
{
    (void)state;
    zb_status (*step[])(zb_formula *) = { zb_formula_settle, zb_formula_subsume,
                                          zb_formula_vivify, zb_formula_equal };
    for (uint64_t seed = 0; seed < test_models(800); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_formula *f = random_formula(&rng);
        bool was[1 << MOST];
        for (unsigned x = 0; x < 1u << f->nbools; x++)
            was[x] = holds(f, x);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(step[zb_rng_below(&rng, 4)](f), ZB_OK);
            for (unsigned x = 0; x < 1u << f->nbools; x++)
                CHECK(holds(f, x) == was[x], "seed %ju step %d state %u",
                      (uintmax_t)seed, i, x);
        }
        zb_formula_free(f);
    }
}

/* Do the Booleans outside `defined` leave at most one solution each? */
static bool is_defined(const zb_formula *f, const bool *defined)
{
    unsigned inside = 0;
    for (int b = 0; b < f->nbools; b++)
        inside |= (unsigned)defined[b] << b;
    bool seen[1 << MOST] = { false };
    for (unsigned x = 0; x < 1u << f->nbools; x++) {
        if (!holds(f, x))
            continue;
        if (seen[x & ~inside])
            return false;
        seen[x & ~inside] = true;
    }
    return true;
}

/* Those found are defined, and no other candidate could join them. */
static void the_defined_are_found(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 0; seed < test_models(800); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_formula *f = random_formula(&rng);
        bool candidate[MOST], defined[MOST];
        assert_int_equal(zb_formula_subsume(f), ZB_OK);
        for (int b = 0; b < f->nbools; b++)
            candidate[b] = defined[b] =
                !f->empty && f->value[2 * b] == 0 && zb_rng_below(&rng, 4) > 0;
        if (!f->empty && seed % 2 == 0)
            assert_int_equal(zb_formula_flips(f, defined), ZB_OK);
        if (!f->empty)
            assert_int_equal(zb_formula_defined(f, defined), ZB_OK);
        CHECK(is_defined(f, defined), "seed %ju", (uintmax_t)seed);
        for (int b = 0; b < f->nbools; b++) {
            found += defined[b];
            if (!candidate[b] || defined[b])
                continue;
            defined[b] = true;
            CHECK(f->empty || !is_defined(f, defined), "seed %ju: %d is defined, too",
                  (uintmax_t)seed, b);
            defined[b] = false;
        }
        zb_formula_free(f);
    }
    CHECK(found >= test_share(200), "%d found", found);
}

static void weights_stay(void **state)
{
    (void)state;
    int gone = 0, left = 0;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_formula *f = random_formula(&rng);
        bool may[MOST];
        double weight[MOST];
        for (int b = 0; b < f->nbools; b++) {
            may[b] = zb_rng_below(&rng, 3) > 0;
            weight[b] = may[b] ? 1 : zb_rng_below(&rng, 4);
        }
        double was = weigh(f, weight);
        assert_int_equal(zb_formula_reduce(f, may), ZB_OK);
        CHECK(weigh(f, weight) == was, "seed %ju: %g is not %g", (uintmax_t)seed,
              weigh(f, weight), was);
        for (int b = 0; b < f->nbools; b++) {
            gone += f->gone[b];
            left += !f->gone[b] && f->value[2 * b] == 0;
            CHECK(!f->gone[b] || weight[b] == 1, "seed %ju", (uintmax_t)seed);
        }
        zb_formula_free(f);
    }
    CHECK(gone >= test_share(700) && left >= test_share(700), "%d gone, %d left", gone,
          left);
}

/* ---- models ---------------------------------------------------------------------- */

/* Zeros and ones, some tables of another value, weights, more than two values, empty
   scopes. */
static zb_model *random_formula_model(zb_rng *rng)
{
    int n = 1 + zb_rng_below(rng, 10), card[10];
    zb_model *m;
    for (int v = 0; v < n; v++)
        card[v] = zb_rng_below(rng, 8) == 0 ? 1 + zb_rng_below(rng, 3) : 2;
    assert_int_equal(zb_model_new(&m, n, card), ZB_OK);
    for (int f = zb_rng_below(rng, 2 * n + 1); f > 0; f--) {
        int scope[10], arity = zb_rng_below(rng, zb_min_int(n, 4) + 1);
        double value[81], one = zb_rng_below(rng, 4) > 0 ? 1 : 2.5;
        bool weights = zb_rng_below(rng, 6) == 0, logs = zb_rng_below(rng, 4) == 0;
        for (int v = 0; v < n; v++)
            scope[v] = v;
        zb_rng_shuffle(rng, n, scope);
        for (int i = 0; i < 81; i++) {
            value[i] = weights ? zb_rng_uniform(rng) : one;
            value[i] = zb_rng_below(rng, 3) == 0 && arity > 0 ? 0 : value[i];
            value[i] = logs ? zb_log(value[i]) : value[i];
        }
        assert_int_equal(
            (logs ? zb_model_add_log : zb_model_add)(m, arity, scope, value), ZB_OK);
    }
    return m;
}

static void models_keep_z(void **state)
{
    (void)state;
    int fewer = 0;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *m = random_formula_model(&rng), *out;
        assert_int_equal(zb_simplify_formula(&out, m, NULL), ZB_OK);
        if (out != NULL) {
            double z = brute_force(m), is = brute_force(out);
            CHECK(close_to(z, is, 1e-12), "seed %ju: %.17g is not %.17g",
                  (uintmax_t)seed, is, z);
            fewer++;
        }
        zb_model_free(out);
        zb_model_free(m);
    }
    assert_true(fewer >= test_share(500));
}

/* ---- thresholds ------------------------------------------------------------------ */

static zb_formula *empty_formula(int nbools)
{
    zb_formula *f;
    assert_int_equal(zb_formula_new(&f, nbools, NULL), ZB_OK);
    return f;
}

/* The clause of a literal and the positive ones of `count` Booleans from `from` on. */
static void add_row(zb_formula *f, uint32_t first, int from, int count)
{
    uint32_t lit[128] = { first };
    for (int i = 0; i < count; i++)
        lit[1 + i] = 2 * (uint32_t)(from + i);
    assert_int_equal(zb_formula_add(f, count + 1, lit), ZB_OK);
}

/* Is Boolean 0 eliminated, among at most `widest` others? Frees the formula. */
static bool is_eliminated(zb_formula *f, int widest)
{
    bool *wanted = calloc((size_t)f->nbools, sizeof *wanted);
    int count;
    wanted[0] = true;
    assert_int_equal(zb_formula_eliminate(f, wanted, widest, &count), ZB_OK);
    bool gone = f->gone[0];
    assert_int_equal(count, gone);
    free(wanted);
    zb_formula_free(f);
    return gone;
}

/* (0 or a of others) and (not 0 or b of others): a resolvent of a + b. */
static zb_formula *two_long(int a, int b)
{
    zb_formula *f = empty_formula(1 + a + b);
    add_row(f, 0, 1, a);
    add_row(f, 1, 1 + a, b);
    return f;
}

/* Clauses of two: `yes` with Boolean 0, `no` with its opposite. */
static zb_formula *two_stars(int yes, int no)
{
    zb_formula *f = empty_formula(1 + yes + no);
    for (int i = 0; i < yes + no; i++)
        add_row(f, i >= yes, 1 + i, 1);
    return f;
}

static void thresholds_of_elimination(void **state)
{
    (void)state;
    assert_true(is_eliminated(two_long(6, 6), 100)); /* ZB_FORMULA_LONGEST */
    assert_false(is_eliminated(two_long(6, 7), 100));
    assert_true(is_eliminated(two_stars(4, 5), 100)); /* few on one side */
    assert_false(is_eliminated(two_stars(5, 5), 100));
    assert_true(is_eliminated(two_stars(4, 34), 100));  /* 136 for 38 clauses */
    assert_false(is_eliminated(two_stars(4, 35), 100)); /* 140 for 39 */
    assert_true(is_eliminated(two_stars(3, 4), 7));     /* neighbours */
    assert_false(is_eliminated(two_stars(3, 4), 6));
}

/* Boolean 0 is the conjunction of n others. */
static bool is_conjunction_gone(int n)
{
    zb_formula *f = empty_formula(1 + n);
    bool *may = calloc((size_t)n + 1, sizeof *may);
    uint32_t lit[64] = { 0 };
    for (int i = 1; i <= n; i++) {
        lit[i] = 2 * (uint32_t)i + 1;
        add_row(f, 1, i, 1);
    }
    assert_int_equal(zb_formula_add(f, n + 1, lit), ZB_OK);
    may[0] = true;
    assert_int_equal(zb_formula_reduce(f, may), ZB_OK);
    bool gone = f->gone[0];
    free(may);
    zb_formula_free(f);
    return gone;
}

/* (0 or 1 or .. or n - 1), of which 1 implies 0: the clause needs no literal 1. */
static int vivified_length(int n)
{
    zb_formula *f = empty_formula(n);
    add_row(f, 0, 1, n - 1);
    assert_int_equal(zb_formula_add(f, 2, (uint32_t[]){ 0, 3 }), ZB_OK);
    assert_int_equal(zb_formula_vivify(f), ZB_OK);
    int longest = 0;
    for (int c = 0; c < f->count; c++)
        longest = zb_max_int(longest, f->clause[c].n);
    zb_formula_free(f);
    return longest;
}

static void thresholds_of_reduction(void **state)
{
    (void)state;
    assert_true(is_conjunction_gone(20));
    assert_false(is_conjunction_gone(21));
    assert_int_equal(vivified_length(3), 2);
    assert_int_equal(vivified_length(64), 63);
    assert_int_equal(vivified_length(65), 65);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_stay),
        cmocka_unit_test(the_defined_are_found),
        cmocka_unit_test(weights_stay),
        cmocka_unit_test(models_keep_z),
        cmocka_unit_test(thresholds_of_elimination),
        cmocka_unit_test(thresholds_of_reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
