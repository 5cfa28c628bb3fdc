/* Draws from gauged bounds, whose weights have signs: never above the bound, right on
   average, and brackets that hold. */
#include "accepted.h"
#include "engine.h"
#include "sample/confidence.h"
#include "sample/source.h"
#include "sample/stream.h"
#include "sample/trial.h"
#include "tighten/tighten_internal.h"
#include "within.h"

typedef struct gauged {
    zb_model *model;
    zb_attempt *attempt;
    zb_source source;
    zb_batch *batch;
    double log_z, truth; /* truth: Z / U */
} gauged;

/* Gauges that are far enough from the identity to make entries negative. */
static void move_gauges(zb_tighten *t, zb_rng *rng)
{
    for (int v = 0; v < t->tree->nvars; v++) {
        double e[64];
        int d = t->tree->card[v];
        for (int i = 0; i < d * d; i++)
            e[i] = 0.8 * (zb_rng_uniform(rng) - 0.5);
        if (t->gauge->free_var[v])
            zb_gauge_step(t->gauge, v, e);
    }
    zb_tighten_renew(t);
}

static gauged gauged_new(uint64_t seed)
{
    forney_spec s = { .max_vars = 9,
                      .least_card = 2,
                      .max_card = 3,
                      .max_factors = 6,
                      .max_arity = 4,
                      .zeros = seed % 3 == 0 ? 0.2 : 0,
                      .spread = 1 };
    zb_rng rng = zb_rng_seed(seed + 5);
    gauged g = { .model = random_forney(seed, s) };
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_RANDOM,
                             .seed = seed,
                             .ibound = 2 + (int)(seed % 3),
                             .tighten = { .side = ZB_SIDE_UPPER,
                                          .weights = true,
                                          .theta = true,
                                          .gauges = true,
                                          .absolute = seed % 7 == 0,
                                          .threads = 1 } };
    g.log_z = brute_force(g.model);
    assert_int_equal(zb_attempt_new(&g.attempt, g.model, &spec, NULL, NULL), ZB_OK);
    move_gauges(g.attempt->tighten, &rng);
    assert_int_equal(zb_source_take(&g.source, g.attempt, NULL), ZB_OK);
    assert_int_equal(zb_batch_new(&g.batch, g.source.proposal, false), ZB_OK);
    g.truth = exp(g.log_z - g.source.log_upper);
    return g;
}

static void gauged_free(gauged *g)
{
    zb_batch_free(g->batch);
    zb_source_close(&g->source);
    zb_attempt_free(g->attempt);
    zb_model_free(g->model);
}

/* (1 + w / U) / 2 is a chance, with which a draw is accepted. */
typedef struct tally {
    accepted all;
    int models, negative, split;
} tally;

static void draw_and_tally(gauged *g, uint64_t seed, tally *t)
{
    enum { BATCHES = 4 };
    draws_seen got = { .n = BATCHES * ZB_LANES };
    double rate = (1 + g->truth) / 2;
    int below = 0;
    for (uint64_t k = 0; k < BATCHES; k++) {
        zb_stream more = zb_stream_open(~seed, k);
        zb_proposal_draw(g->source.proposal, seed, k, g->batch, NULL);
        for (int i = 0; i < ZB_LANES; i++) {
            double size = exp(g->batch->log_ratio[i]), r = g->batch->sign[i] * size;
            CHECK(g->batch->log_ratio[i] <= 0 && fabs(g->batch->sign[i]) == 1,
                  "seed %d: |w| above U", (int)seed);
            got.sum += r;
            got.squares += r * r;
            below += r < 0;
            got.accepted += zb_stream_uniform(more, (uint64_t)i) < (1 + r) / 2;
        }
    }
    t->models++;
    t->negative += below > 0;
    t->split += g->attempt->tree->splits > 0;
    accepted_add(&t->all, &got, g->truth, rate);
}

static void test_weights_average_to_z(void **state)
{
    tally t = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(1000); seed++) {
        gauged g = gauged_new(seed);
        if (g.log_z > -INFINITY && isfinite(g.source.log_upper)) {
            CHECK(g.truth <= 1 + g.source.noise + 1e-9, "seed %d: U below Z",
                  (int)seed);
            CHECK(g.source.noise >= 0 && g.source.noise < 1e-6, "seed %d: noise %g",
                  (int)seed, g.source.noise);
            draw_and_tally(&g, seed, &t);
        }
        gauged_free(&g);
    }
    print_message(
        "chi %.1f of %.0f terms, mean off by %.2f sigma; %d models, %d split, %d "
        "with negative draws\n",
        t.all.chi, t.all.terms, t.all.mean / sqrt(t.all.variance), t.models, t.split,
        t.negative);
    assert_true(t.all.terms >= test_share(300) && t.negative >= test_share(300));
    accepted_check(&t.all);
}

/* Where nothing is split and all is summed with signs, there is nothing to draw. */
static void test_sums_with_signs_are_not_drawn(void **state)
{
    int drawn = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(200); seed++) {
        gauged g = gauged_new(seed);
        bool all = g.attempt->tree->splits == 0 && !g.attempt->spec.tighten.absolute;
        zb_proposal_draw(g.source.proposal, seed, 1, g.batch, NULL);
        for (int i = 0; i < ZB_LANES && all && isfinite(g.log_z); i++)
            CHECK(g.batch->log_ratio[i] == 0 && g.batch->sign[i] == 1 &&
                      close_to(g.source.log_upper, g.log_z, 1e-9),
                  "seed %d: %g of %g", (int)seed, g.source.log_upper, g.log_z);
        drawn += all;
        gauged_free(&g);
    }
    assert_true(drawn >= test_share(5));
}

static void test_coverage(void **state)
{
    const double delta = 0.05;
    int missed = 0, runs = 0, narrow = 0, below = 0;
    (void)state;
    for (uint64_t seed = 1; runs < (int)test_models(3000); seed++) {
        gauged g = gauged_new(seed);
        double truth = log(g.truth);
        for (uint64_t k = 0; k < 30 && truth < -0.05 && truth > -INFINITY; k++) {
            zb_confidence c;
            zb_confidence_open(&c, delta);
            for (uint64_t i = 0; i < 4; i++) {
                zb_proposal_draw(g.source.proposal, seed, 4 * k + i, g.batch, NULL);
                assert_int_equal(
                    zb_confidence_add(&c, ZB_LANES, g.batch->log_ratio, g.batch->sign),
                    ZB_OK);
                zb_confidence_update(&c, NULL);
            }
            missed += truth < c.lower || truth > c.upper;
            narrow += c.upper - c.lower < 1;
            below += c.lower > -INFINITY;
            runs++;
            zb_confidence_close(&c);
        }
        gauged_free(&g);
    }
    print_message("%d of %d brackets missed, %d narrower than 1, %d bounded below\n",
                  missed, runs, narrow, below);
    assert_true(missed <= delta * runs);
    assert_true(narrow > 0.2 * runs && below > 0.3 * runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_average_to_z),
        cmocka_unit_test(test_sums_with_signs_are_not_drawn),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
