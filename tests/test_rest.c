/* Time that arms leave in a round: sums around states have it where there is enough of
   it, and what they find holds. */
#include "auto/bracket.h"
#include "oracle.h"
#include "steered.h"

#include <inttypes.h>

/* A cycle of spins with a chord for each: small, and not a tree. */
static zb_model *some_model(uint64_t seed)
{
    enum { N = 9 };
    zb_rng rng = zb_rng_seed(seed);
    int card[N];
    zb_model *m;
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&m, N, card), ZB_OK);
    for (int v = 0; v < N; v++)
        for (int d = 1; d <= 3; d++) {
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] = exp(3 * (zb_rng_uniform(&rng) - 0.5));
            assert_int_equal(zb_model_add(m, 2, (int[]){ v, (v + d) % N }, value),
                             ZB_OK);
        }
    return m;
}

/* The lower bound by slices after a rest of so many seconds in a round of `round`. */
static double after_rest(uint64_t seed, double seconds, double round, interval *z)
{
    zb_model *model = some_model(seed);
    zb_options opt = zb_options_default();
    zb_run run;
    steered s;
    opt.order = ZB_ORDER_MINFILL;
    *z = brute_interval(model);
    assert_int_equal(zb_run_open(&run, NULL, zb_now() + 1e6, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(steered_open(&s, model, &opt, &run), ZB_OK);
    assert_int_equal(s.p.job->count, 1);
    assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 3, seed), ZB_OK);
    assert_int_equal(zb_draws_run(&s.p, INFINITY, s.p.ledger.work.threads), ZB_OK);
    zb_bracket b = { .steer = &s.p, .seconds = round };
    assert_int_equal(zb_step_rest(&b, seconds), ZB_OK);
    double lower = s.p.draws[0].sliced;
    CHECK(is_below(zb_ledger_claim(&s.p.ledger, 0).lower, *z), "seed %" PRIu64, seed);
    steered_close(&s);
    zb_run_close(&run);
    zb_model_free(model);
    return lower;
}

static void rests_are_used(void **state)
{
    const double round = 1e5, least = ZB_STEERING.rest * round;
    int found = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(6); seed++) {
        interval z;
        assert_true(after_rest(seed, 0.99 * least, round, &z) == -INFINITY);
        double lower = after_rest(seed, 1.01 * least, round, &z);
        found += lower > z.lower - 1;
    }
    CHECK(found >= test_share(6), "%d", found);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rests_are_used) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
