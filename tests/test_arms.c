/* Arms of method auto: whatever is chosen, every bound holds, none is lost, an arm goes
   on from where it was, and sizes are counted in entries. */
#include "auto/arms.h"
#include "auto/bracket.h"
#include "oracle.h"
#include "steered.h"
#include "tighten/budget.h"

#include <inttypes.h>

/* Pairs of all of five to eight variables of two to five values, some entries zero. */
static zb_model *some_clique(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = 5 + zb_rng_below(&rng, 4), card[8];
    double zeros = seed % 3 == 0 ? 0.1 : 0;
    zb_model *m;
    for (int v = 0; v < n; v++)
        card[v] = 2 + zb_rng_below(&rng, seed % 2 == 0 ? 1 : 3);
    assert_int_equal(zb_model_new(&m, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[25];
            for (int i = 0; i < 25; i++)
                value[i] = zb_rng_uniform(&rng) < zeros
                               ? 0
                               : exp(4 * (zb_rng_uniform(&rng) - 0.5));
            assert_int_equal(zb_model_add(m, 2, (int[]){ u, v }, value), ZB_OK);
        }
    return m;
}

static zb_options arm_options(zb_side side)
{
    zb_options opt = zb_options_default();
    opt.order = ZB_ORDER_MINFILL;
    opt.side = side;
    opt.delta = 0;
    opt.time = 0;
    return opt;
}

/* The best of the arms is what the ledger says, or less tight where others know more.
 */
static void check_arms(const zb_arms *s, zb_claim c, interval z, uint64_t seed)
{
    bool lower = s->side == ZB_SIDE_LOWER;
    for (int i = 0; i < s->count; i++) {
        double bound = s->arm[i].bound;
        CHECK(lower ? is_below(bound, z) : is_above(bound, z),
              "seed %" PRIu64 ": arm %d has %.17g", seed, i, bound);
        CHECK(!zb_tighter(s->side, bound, lower ? c.lower : c.upper),
              "seed %" PRIu64 ": the bound of arm %d was lost", seed, i);
    }
}

typedef struct counts {
    int several, better, exact;
} counts;

static void run_side(uint64_t seed, zb_side side, counts *n)
{
    enum { STEPS = 25 };
    zb_model *model = some_clique(seed);
    zb_options opt = arm_options(side);
    interval z = brute_interval(model);
    steered s;
    zb_arms arms;
    assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
    assert_int_equal(pthread_mutex_init(&s.p.describe, NULL), 0);
    zb_arms_open(&arms, &s.p, side, 4);
    double end = zb_now() + 1e6, first = 0;
    for (int i = 0; i < STEPS && s.p.job->part[0]->nvars > 2; i++) {
        if (!(zb_arms_promise(&arms, end) > 0))
            break;
        assert_int_equal(zb_arms_go(&arms, end), ZB_OK);
        check_arms(&arms, zb_ledger_claim(&s.p.ledger, 0), z, seed);
        if (i == 0 && arms.count > 0)
            first = arms.arm[0].bound;
        n->exact += !zb_steer_is_open(&s.p, 0);
    }
    n->several += arms.count > 1;
    n->better += arms.count > 0 && zb_tighter(side, arms.arm[0].bound, first);
    zb_arms_trim(&arms, 0);
    CHECK(zb_arms_best(&arms) == NULL, "seed %" PRIu64 ": something was kept", seed);
    check_arms(&arms, zb_ledger_claim(&s.p.ledger, 0), z, seed);
    zb_arms_close(&arms);
    pthread_mutex_destroy(&s.p.describe);
    steered_close(&s);
    zb_model_free(model);
}

static void bounds_hold_and_stay(void **state)
{
    counts n = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(60); seed++)
        run_side(seed, seed % 2 == 0 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER, &n);
    CHECK(n.several >= test_share(20), "%d had several arms", n.several);
    CHECK(n.better >= test_share(20), "%d first arms were tightened", n.better);
    CHECK(n.exact >= test_share(5), "%d ended without a split", n.exact);
}

/* ---- a descent in pieces --------------------------------------------------------- */

static zb_attempt *make_attempt(const zb_model *model, zb_side side, double max_entries)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINFILL,
                             .tries = 1,
                             .ibound = max_entries > 0 ? 20 : 2,
                             .max_entries = max_entries,
                             .tighten = { .side = side,
                                          .weights = true,
                                          .theta = true,
                                          .shared = true,
                                          .threads = 1 } };
    zb_attempt *a;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    return a;
}

static void pieces_go_on(void **state)
{
    int64_t passes = 0;
    int behind = 0, runs = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(40); seed++) {
        zb_model *model = some_clique(2 * seed); /* of two values each */
        interval z = brute_interval(model);
        zb_attempt *a = make_attempt(model, ZB_SIDE_UPPER, 0);
        zb_attempt *whole = make_attempt(model, ZB_SIDE_UPPER, 0);
        zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                           .rates = { { 0.2, 0.05, 0.2 } },
                           .iterations = 12,
                           .tolerance = 1e-9 };
        zb_stop stop = ZB_STOP_ITERATIONS;
        for (int i = 0; i < 8 && stop == ZB_STOP_ITERATIONS; i++) {
            double before = a->bound;
            assert_int_equal(zb_attempt_go_on(a, how, &stop), ZB_OK);
            CHECK(a->bound <= before && is_above(a->bound, z), "seed %" PRIu64, seed);
        }
        passes += a->passes;
        how.iterations = 96;
        assert_int_equal(zb_attempt_descend(whole, how, &stop), ZB_OK);
        runs++;
        behind += a->bound - whole->bound > 0.05 * (whole->bound - z.lower) + 1e-3;
        zb_attempt_free(a);
        zb_attempt_free(whole);
        zb_model_free(model);
    }
    CHECK(passes > runs * 20, "%" PRId64 " passes", passes);
    CHECK(4 * behind <= runs, "%d of %d end behind a descent in one piece", behind,
          runs);
}

/* ---- sizes ----------------------------------------------------------------------- */

/* No clique of several items has more entries than allowed, and such of more variables
   than any other rule of that size would have are made. */
static void entries_are_counted(void **state)
{
    int mixed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(60); seed++) {
        zb_model *model = some_clique(2 * seed + 1);
        double most = exp2(5 + (double)(seed % 3)), single = 0;
        zb_attempt *a = make_attempt(model, ZB_SIDE_UPPER, most);
        for (int f = 0; f < model->nfactors; f++)
            single = fmax(single, (double)model->factor[f].size);
        CHECK(a->tree->largest <= fmax(most, single), "seed %" PRIu64 ": %g entries",
              seed, a->tree->largest);
        mixed += a->tree->width + 1 > 2;
        zb_attempt_free(a);
        zb_model_free(model);
    }
    CHECK(mixed > 0, "no clique of more than two variables");
}

/* On both sides of the limit of all entries. */
static void too_many_entries_are_refused(void **state)
{
    zb_model *model = some_clique(3);
    zb_attempt *a = make_attempt(model, ZB_SIDE_UPPER, 32), *b = NULL;
    zb_attempt_spec spec = a->spec;
    (void)state;
    spec.most = a->tree->entries;
    assert_int_equal(zb_attempt_new(&b, model, &spec, NULL, NULL), ZB_OK);
    assert_true(b->bound == a->bound);
    zb_attempt_free(b);
    spec.most = a->tree->entries - 1;
    assert_int_equal(zb_attempt_new(&b, model, &spec, NULL, NULL), ZB_ELIMIT);
    assert_null(b);
    zb_attempt_free(a);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_and_stay),
        cmocka_unit_test(pieces_go_on),
        cmocka_unit_test(entries_are_counted),
        cmocka_unit_test(too_many_entries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
