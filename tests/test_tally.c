/* The exact search by itself, on formulas that nothing made smaller, against
   enumeration. */
#include "base/rng.h"
#include "count/tally.h"
#include "test.h"

#include <string.h>

enum { MOST = 13, LONGEST = 5 };

typedef struct problem {
    int nbools;
    zb_clauses *clauses;
    int64_t weight[2 * MOST];
    zb_big big[2 * MOST];
    bool shown[MOST], weighted, projected;
    int order[MOST];
} problem;

static problem random_problem(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    problem p = { .nbools = 1 + zb_rng_below(&rng, MOST) };
    int card[MOST], n = zb_rng_below(&rng, 3 * p.nbools);
    p.weighted = zb_rng_below(&rng, 2);
    p.projected = zb_rng_below(&rng, 2);
    for (int b = 0; b < p.nbools; b++) {
        card[b] = 2;
        p.order[b] = b;
        p.shown[b] = !p.projected || zb_rng_below(&rng, 2);
        for (int i = 2 * b; i < 2 * b + 2; i++) {
            p.weight[i] = p.shown[b] && p.weighted ? zb_rng_below(&rng, 8) - 3 : 1;
            assert_int_equal(zb_big_set(&p.big[i], p.weight[i]), ZB_OK);
        }
    }
    zb_rng_shuffle(&rng, p.nbools, p.order);
    assert_int_equal(zb_clauses_new(&p.clauses, p.nbools, card, NULL), ZB_OK);
    for (int c = 0; c < n; c++) {
        uint32_t lit[LONGEST];
        int length = 0, want = 2 + zb_rng_below(&rng, LONGEST - 1);
        for (int b = 0; b < p.nbools && length < want; b++)
            if (zb_rng_below(&rng, p.nbools) < want)
                lit[length++] = 2 * (uint32_t)b + (uint32_t)zb_rng_below(&rng, 2);
        if (length > 1 || zb_rng_below(&rng, 20) == 0)
            assert_int_equal(zb_clauses_add(p.clauses, length, lit), ZB_OK);
    }
    return p;
}

static void clear_problem(problem *p)
{
    for (int i = 0; i < 2 * p->nbools; i++)
        zb_big_clear(&p->big[i]);
    zb_clauses_free(p->clauses);
}

static bool holds(const zb_clauses *c, unsigned x)
{
    for (int i = 0; i < c->count; i++) {
        bool any = false;
        for (size_t k = c->at[i]; k < c->at[i + 1]; k++)
            any = any || (x >> (c->lit[k] >> 1) & 1) != (c->lit[k] & 1);
        if (!any)
            return false;
    }
    return true;
}

static int64_t enumerate(const problem *p, bool *satisfiable)
{
    bool seen[1 << MOST] = { false };
    unsigned shown = 0;
    int64_t sum = 0;
    *satisfiable = false;
    for (int b = 0; b < p->nbools; b++)
        shown |= (unsigned)p->shown[b] << b;
    for (unsigned x = 0; x < 1u << p->nbools; x++) {
        int64_t product = 1;
        if (seen[x & shown] || !holds(p->clauses, x))
            continue;
        seen[x & shown] = *satisfiable = true;
        for (int b = 0; b < p->nbools; b++)
            product *= p->shown[b] ? p->weight[2 * b + !(x >> b & 1)] : 1;
        sum += product;
    }
    return sum;
}

static int64_t value_of(const zb_big *a)
{
    int64_t x = 0;
    assert_true(a->n <= 2);
    for (size_t i = a->n; i-- > 0;)
        x = (x << 32) + a->limb[i];
    return a->negative ? -x : x;
}

static void search_agrees(void **state)
{
    (void)state;
    int nonzero = 0;
    for (uint64_t seed = 0; seed < test_models(1500); seed++) {
        problem p = random_problem(seed);
        bool satisfiable;
        int64_t expected = enumerate(&p, &satisfiable);
        for (int wide = 0; wide < 2; wide++) {
            zb_tally_spec spec = { .clauses = p.clauses,
                                   .weight = p.weighted ? p.big : NULL,
                                   .shown = p.projected ? p.shown : NULL,
                                   .order = p.order,
                                   .wide = wide };
            zb_tally_result r;
            assert_int_equal(zb_tally_run(&spec, &r), ZB_OK);
            CHECK(r.complete && value_of(&r.count) == expected,
                  "seed %ju: %jd is not %jd", (uintmax_t)seed,
                  (intmax_t)value_of(&r.count), (intmax_t)expected);
            CHECK(r.satisfiable == satisfiable, "seed %ju", (uintmax_t)seed);
            zb_big_clear(&r.count);
        }
        nonzero += expected != 0;
        clear_problem(&p);
    }
    assert_true(nonzero >= test_share(700));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
