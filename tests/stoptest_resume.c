/* Searches that are stopped every few looks at the clock and taken up again: the same
   sums as in one go, lower bounds on the way, and little work done twice. */
#include "base/rng.h"
#include "count/count.h"
#include "count/tally.h"
#include "fake_clock.h"
#include "test.h"

enum { N = 60, CLAUSES = 150, LOOKS = 40 };

typedef struct problem {
    zb_clauses *clauses;
    zb_model *model;
    int order[N];
} problem;

/* Clauses of three among neighbours on a ring, so that parts come back, as clauses and
   as tables. */
static problem make(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    problem p;
    int card[N];
    for (int v = 0; v < N; v++) {
        card[v] = 2;
        p.order[v] = v;
    }
    assert_int_equal(zb_clauses_new(&p.clauses, N, card, NULL), ZB_OK);
    assert_int_equal(zb_model_new(&p.model, N, card), ZB_OK);
    for (int i = 0; i < CLAUSES; i++) {
        int first = zb_rng_below(&rng, N), scope[3];
        double value[8] = { 0 };
        uint32_t lit[3];
        size_t none = 0;
        for (int k = 0; k < 3; k++) {
            scope[k] = (first + 3 * k + zb_rng_below(&rng, 3)) % N;
            lit[k] = 2 * (uint32_t)scope[k] + (uint32_t)zb_rng_below(&rng, 2);
            none = 2 * none + (lit[k] & 1);
        }
        value[none] = -INFINITY;
        assert_int_equal(zb_clauses_add(p.clauses, 3, lit), ZB_OK);
        assert_int_equal(zb_model_add_log(p.model, 3, scope, value), ZB_OK);
    }
    return p;
}

static void clear(problem *p)
{
    zb_clauses_free(p->clauses);
    zb_model_free(p->model);
}

static void sums_go_on(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        problem p = make(seed);
        zb_count_spec spec = { .memory = 1 << 26, .wide = seed % 2 };
        zb_count_result whole, r = { .complete = false };
        zb_counter *c;
        int runs = 0;
        assert_int_equal(zb_count_run(p.model, p.order, &spec, &whole), ZB_OK);
        assert_true(whole.complete);
        assert_int_equal(zb_counter_new(&c, p.model, p.order, &spec), ZB_OK);
        for (; zb_counter_open(c) && runs < 1000; runs++) {
            zb_run run;
            fake_clock_run(&run, LOOKS);
            assert_int_equal(zb_counter_run(c, &run, &r), ZB_OK);
            CHECK(zb_down(r.log_z, r.radius) <= zb_up(whole.log_z, whole.radius),
                  "seed %ju: %.17g above %.17g", (uintmax_t)seed, r.log_z, whole.log_z);
            zb_run_close(&run);
        }
        CHECK(r.complete && fabs(r.log_z - whole.log_z) <= r.radius + whole.radius,
              "seed %ju: %.17g is not %.17g", (uintmax_t)seed, r.log_z, whole.log_z);
        CHECK(runs > 1 && r.decisions < 3 * whole.decisions + 1000,
              "seed %ju: %d runs, %jd decisions for %jd", (uintmax_t)seed, runs,
              (intmax_t)r.decisions, (intmax_t)whole.decisions);
        zb_counter_free(c);
        clear(&p);
    }
}

static void counts_go_on(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        problem p = make(seed);
        bool shown[N];
        for (int v = 0; v < N; v++)
            shown[v] = v % 3 > 0;
        zb_tally_spec spec = { .clauses = p.clauses,
                               .order = p.order,
                               .shown = seed > 1 ? shown : NULL,
                               .wide = seed % 2 };
        zb_tally_result whole, r = { .complete = false };
        zb_tallier *t;
        int runs = 0;
        assert_int_equal(zb_tally_run(&spec, &whole), ZB_OK);
        assert_true(whole.complete);
        assert_int_equal(zb_tallier_new(&t, &spec), ZB_OK);
        for (; zb_tallier_open(t) && runs < 1000; runs++) {
            zb_run run;
            fake_clock_run(&run, LOOKS);
            zb_big_clear(&r.count);
            assert_int_equal(zb_tallier_run(t, &run, &r), ZB_OK);
            CHECK(zb_big_log(&r.count) <= zb_big_log(&whole.count) + 1e-12,
                  "seed %ju: more than there are", (uintmax_t)seed);
            zb_run_close(&run);
        }
        CHECK(runs > 1 && r.complete && r.count.n == whole.count.n, "seed %ju: %d runs",
              (uintmax_t)seed, runs);
        for (size_t i = 0; i < r.count.n; i++)
            CHECK(r.count.limb[i] == whole.count.limb[i], "seed %ju", (uintmax_t)seed);
        zb_big_clear(&r.count);
        zb_big_clear(&whole.count);
        zb_tallier_free(t);
        clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_go_on),
        cmocka_unit_test(counts_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
