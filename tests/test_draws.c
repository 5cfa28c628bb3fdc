/* Draws inside method auto: what they prove is proved, and what they say with
   confidence is seldom wrong. */
#include "oracle.h"
#include "proposals.h"
#include "sample/ahead.h"
#include "sample/ascent.h"
#include "steered.h"

#include <inttypes.h>

static zb_model *some_model(uint64_t seed)
{
    random_spec spec = { .max_vars = 12,
                         .max_card = 2 + (int)(seed % 3),
                         .max_factors = 50,
                         .max_arity = 2 + (int)(seed % 2),
                         .zeros = seed % 3 == 0 ? 0.15 : 0,
                         .spread = seed % 5 == 0 ? 30 : 1.5 };
    zb_model *model = random_model(seed, spec);
    assert_non_null(model);
    return model;
}

/* One or two blocks of five variables, each joined to all others of its block: no
   reduction takes them apart, and mini-buckets of two variables have to be split. */
static zb_model *some_blocks(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = seed % 2 == 0 ? 5 : 10, card[10];
    double spread = seed % 5 == 0 ? 30 : 3, zeros = seed % 3 == 0 ? 0.1 : 0;
    zb_model *m;
    for (int v = 0; v < n; v++)
        card[v] = 2 + zb_rng_below(&rng, 2);
    assert_int_equal(zb_model_new(&m, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[9];
            for (int i = 0; i < 9; i++)
                value[i] = zb_rng_uniform(&rng) < zeros
                               ? 0
                               : exp(spread * (zb_rng_uniform(&rng) - 0.5));
            if (u / 5 == v / 5)
                assert_int_equal(zb_model_add(m, 2, (int[]){ u, v }, value), ZB_OK);
        }
    return m;
}

static zb_options draw_options(uint64_t seed, double delta, int threads)
{
    zb_options opt = zb_options_default();
    opt.order = ZB_ORDER_MINFILL; /* with one that is given, components stay apart */
    opt.delta = delta;
    opt.seed = seed;
    opt.threads = threads;
    opt.time = 0;
    return opt;
}

typedef struct tally {
    int drawn, missed, states, slices, several, gauged;
} tally;

static void check_draws(uint64_t seed, tally *t)
{
    zb_model *model = seed % 4 == 0 ? some_model(seed) : some_blocks(seed);
    zb_options opt = draw_options(seed, 0.05, 1);
    interval z = brute_interval(model);
    steered s;
    assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
    if (seed % 4 == 1)
        assert_int_equal(steered_gauged(&s, 2, seed), ZB_OK);
    for (int i = 0; i < s.p.job->count; i++)
        t->gauged += s.p.draws[i].last.samples > 0;
    if (seed % 8 != 1) /* else signs have the last word */
        assert_int_equal(steered_draw(&s, 2, seed), ZB_OK);
    zb_claim all = zb_ledger_total(&s.p.ledger);
    CHECK(!s.p.ledger.broken && is_below(all.lower, z) && is_above(all.upper, z),
          "seed %" PRIu64 ": [%.17g, %.17g] by %s without %.17g", seed, all.lower,
          all.upper, all.lower_by != NULL ? all.lower_by : "all", z.lower);
    s.result.log_lower = all.lower;
    s.result.log_upper = all.upper;
    zb_draws_fill(&s.p, &s.result);
    const zb_result *r = &s.result;
    if (r->has_confidence) {
        const zb_sampled *c = &r->confidence;
        double width = c->log_upper - c->log_lower;
        t->drawn++;
        t->missed += !is_below(c->log_lower, z) || !is_above(c->log_upper, z);
        CHECK(c->log_lower >= all.lower && c->log_upper <= all.upper && width >= 0 &&
                  c->effective <= (double)c->samples * (1 + 1e-9),
              "seed %" PRIu64 ": [%.17g, %.17g] in [%.17g, %.17g]", seed, c->log_lower,
              c->log_upper, all.lower, all.upper);
        CHECK(!r->has_estimate || (r->log_estimate >= c->log_lower &&
                                   r->log_estimate <= c->log_upper && width <= 3),
              "seed %" PRIu64 ": an estimate outside its bracket", seed);
    }
    t->several += r->has_confidence && s.p.job->count > 1;
    for (int i = 0; i < s.p.job->count; i++) {
        t->states += s.p.draws[i].best_value > -INFINITY;
        t->slices += s.p.draws[i].sliced > -INFINITY;
    }
    steered_close(&s);
    zb_model_free(model);
}

/* 5 % may miss, of brackets that hold at every moment, so that few do. */
static void test_proved_and_likely(void **state)
{
    tally t = { 0 };
    uint64_t models = test_models(200);
    (void)state;
    for (uint64_t seed = 1; seed <= models; seed++)
        check_draws(seed, &t);
    CHECK(t.drawn > (int)models / 2 && t.states >= t.drawn && t.slices >= t.drawn / 2 &&
              t.several > 0 && t.gauged >= test_share(30),
          "%d drawn, %d of several components, %d states, %d slices, %d gauged",
          t.drawn, t.several, t.states, t.slices, t.gauged);
    printf("%d of %d missed\n", t.missed, t.drawn);
    CHECK(t.missed <= t.drawn * 0.05, "%d of %d missed", t.missed, t.drawn);
}

/* ---- what does not change it ----------------------------------------------------- */

static zb_result drawn_with(const zb_model *model, uint64_t seed, int threads,
                            double *sliced)
{
    zb_options opt = draw_options(seed, 1e-6, threads);
    steered s;
    assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
    assert_int_equal(steered_draw(&s, 2, seed), ZB_OK);
    zb_draws_fill(&s.p, &s.result);
    *sliced = s.p.draws[0].sliced;
    zb_result r = s.result;
    steered_close(&s);
    return r;
}

static void test_threads_change_nothing(void **state)
{
    int drawn = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        zb_model *model = some_blocks(seed);
        double one, three;
        zb_result a = drawn_with(model, seed, 1, &one),
                  b = drawn_with(model, seed, 3, &three);
        CHECK(a.has_confidence == b.has_confidence && one == three &&
                  a.confidence.log_lower == b.confidence.log_lower &&
                  a.confidence.log_upper == b.confidence.log_upper &&
                  a.confidence.samples == b.confidence.samples,
              "seed %" PRIu64 ": [%.17g, %.17g] and [%.17g, %.17g]", seed,
              a.confidence.log_lower, a.confidence.log_upper, b.confidence.log_lower,
              b.confidence.log_upper);
        drawn += a.has_confidence;
        zb_model_free(model);
    }
    CHECK(drawn == 12, "%d drawn", drawn);
}

static void test_delta_0_draws_nothing(void **state)
{
    zb_model *model = some_model(1);
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_options opt = draw_options(1, k == 0 ? 0 : 1e-6, 1);
        steered s;
        opt.side = k == 0 ? ZB_SIDE_BOTH : ZB_SIDE_UPPER;
        assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
        assert_int_equal(steered_draw(&s, 2, 1), ZB_OK);
        zb_draws_fill(&s.p, &s.result);
        assert_true(s.p.draws == NULL && !s.result.has_confidence);
        assert_true(zb_draws_reserve(&s.p, 10, 0) == 0);
        steered_close(&s);
    }
    zb_model_free(model);
}

/* A share of a round that others follow is small; of the last one it is larger, but
   never most of it. */
static void test_time_for_draws(void **state)
{
    zb_model *model = some_blocks(2);
    zb_options opt = draw_options(2, 1e-6, 1);
    zb_run run;
    steered s;
    (void)state;
    assert_int_equal(zb_run_open(&run, NULL, zb_now() + 1e6, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(steered_open(&s, model, &opt, &run), ZB_OK);
    assert_true(zb_draws_reserve(&s.p, 100, 0) == 0); /* nothing to draw from */
    assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 2, 2), ZB_OK);
    assert_true(s.p.draws[0].source.proposal != NULL);
    assert_true(close_to(zb_draws_reserve(&s.p, 100, 0), 2, 1e-9));
    assert_true(close_to(zb_draws_reserve(&s.p, 4e5, 0), 8e3, 1e-9));
    double last = zb_draws_reserve(&s.p, 6e5, 0);
    assert_true(last >= 0.03 * 6e5 && last <= 0.15 * 6e5);
    zb_draws *d = &s.p.draws[0];
    d->making = 3;
    d->entries = 1e6;
    d->nodes = 0;
    d->trial.seconds = 0;
    d->lower = 0, d->upper = 2; /* they say little: time to make a larger source */
    assert_true(close_to(zb_draws_making(d, 4e7, 1), 120, 1e-9));
    assert_true(close_to(zb_draws_making(d, 4e7, 4), 0.4 * 120, 1e-9));
    double share = zb_draws_reserve(&s.p, 6e5, 4e7) - 0.06 * 6e5;
    assert_true(share >= 0.03 * 6e5);
    assert_true(close_to(zb_draws_reserve(&s.p, 6e5, 1e6), share + 0.06 * 6e5, 1e-9));
    assert_true(close_to(zb_draws_making(d, 1.6e10, 1), 48000, 1e-9));
    assert_true(close_to(zb_draws_reserve(&s.p, 6e5, 1.6e10), share + 48000, 1e-9));
    assert_true(close_to(zb_draws_reserve(&s.p, 6e5, 1e14), share + 0.1 * 6e5, 1e-9));
    d->upper = 0.5;
    assert_true(close_to(zb_draws_reserve(&s.p, 6e5, 4e7), share, 1e-9));
    d->trial.seconds = 1e-3; /* trials take as long as making, or their draws */
    assert_true(close_to(zb_draws_making(d, 4e5, 1), 2.4, 1e-9));
    assert_true(close_to(zb_draws_making(d, 4e7, 1), 120 + 2 * 2.048, 1e-9));
    d->entries = 0;
    assert_true(zb_draws_making(d, 4e7, 1) == 0);
    steered_close(&s);
    zb_run_close(&run);
    zb_model_free(model);
}

static void count_notes(void *context, const char *sentence)
{
    *(int *)context += strstr(sentence, "end at zeros") != NULL;
}

/* Where more than half of the draws end at zeros they look ahead, and only there; how
   many still do is said from a tenth on. */
static void check_zeros(uint64_t seed, int *ahead, int *plain)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[10];
    zb_model *m;
    double zeros = seed % 2 == 0 ? 0.02 : 0.12;
    for (int v = 0; v < 10; v++)
        card[v] = 3;
    assert_int_equal(zb_model_new(&m, 10, card), ZB_OK);
    for (int u = 0; u < 10; u++)
        for (int v = u + 1; v < 10; v++) {
            double value[9];
            for (int i = 0; i < 9; i++)
                value[i] =
                    zb_rng_uniform(&rng) < zeros ? 0 : 0.5 + zb_rng_uniform(&rng);
            assert_int_equal(zb_model_add(m, 2, (int[]){ u, v }, value), ZB_OK);
        }
    zb_options opt = draw_options(seed, 1e-6, 1);
    int notes = 0;
    zb_observer observer = { .context = &notes, .note = count_notes };
    zb_run run;
    steered s;
    assert_int_equal(zb_run_open(&run, &observer, INFINITY, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(steered_open(&s, m, &opt, &run), ZB_OK);
    if (s.p.job->count == 1 && zb_steer_model(&s.p)->nvars > 4) {
        const zb_draws *d = &s.p.draws[0];
        assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 2, seed), ZB_OK);
        if (d->source.proposal != NULL) {
            bool looks = zb_proposal_looks_ahead(d->source.proposal);
            CHECK(looks || d->trial.dead < 0.5 || d->trial.log_mean == -INFINITY,
                  "seed %" PRIu64 ": %g end dead", seed, d->trial.dead);
            CHECK(notes == (d->trial.dead >= 0.1), "seed %" PRIu64 ": %d notes for %g",
                  seed, notes, d->trial.dead);
            *ahead += looks;
            *plain += !looks && d->trial.dead > 0;
        }
    }
    steered_close(&s);
    zb_run_close(&run);
    zb_model_free(m);
}

static void test_zeros_are_looked_at(void **state)
{
    int ahead = 0, plain = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(60); seed++)
        check_zeros(seed, &ahead, &plain);
    CHECK(ahead >= test_share(5) && plain >= test_share(5), "%d ahead, %d not", ahead,
          plain);
}

/* ---- states ---------------------------------------------------------------------- */

/* No single change gains; the value is that of the state, and no more than Z. */
static void check_ascent(uint64_t seed, int *moved)
{
    zb_model *model = some_model(seed);
    interval z = brute_interval(model);
    zb_rng rng = zb_rng_seed(seed);
    int x[16];
    for (int v = 0; v < model->nvars; v++)
        x[v] = zb_rng_below(&rng, model->card[v]);
    double before = log_value_at(model, x);
    if (before == -INFINITY) {
        assert_true(zb_state_value(model, x).mid == -INFINITY);
        zb_model_free(model);
        return;
    }
    assert_int_equal(zb_state_ascend(model, x, NULL), ZB_OK);
    zb_ball value = zb_state_value(model, x);
    CHECK(close_to(value.mid, log_value_at(model, x), 1e-12) &&
              value.mid >= before - 1e-9 * fmax(1, fabs(before)) &&
              is_below(zb_down(value.mid, value.radius), z),
          "seed %" PRIu64 ": %.17g from %.17g, ln Z %.17g", seed, value.mid, before,
          z.lower);
    for (int v = 0; v < model->nvars; v++) {
        int kept = x[v];
        for (x[v] = 0; x[v] < model->card[v]; x[v]++)
            CHECK(log_value_at(model, x) <= value.mid + 1e-7,
                  "seed %" PRIu64 ": variable %d gains", seed, v);
        x[v] = kept;
    }
    *moved += value.mid > before + 1e-6;
    zb_model_free(model);
}

static void test_states_climb(void **state)
{
    int moved = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++)
        check_ascent(seed, &moved);
    CHECK(moved > 100, "%d moved", moved);
}

/* One state alone has a weight: its value is ln Z, and rounding must go outward. */
static void test_a_single_state_is_z(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        zb_rng rng = zb_rng_seed(seed);
        const int card[6] = { 2, 3, 2, 4, 2, 3 };
        int x[6];
        zb_model *model;
        assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
        for (int v = 0; v < 6; v++)
            x[v] = zb_rng_below(&rng, card[v]);
        for (int v = 0; v < 6; v++) {
            int scope[2] = { v, (v + 1) % 6 };
            double value[12] = { 0 };
            value[x[scope[0]] * card[scope[1]] + x[scope[1]]] =
                exp(60 * zb_rng_uniform(&rng) - 30);
            assert_int_equal(zb_model_add(model, 2, scope, value), ZB_OK);
        }
        zb_ball b = zb_state_value(model, x);
        interval z = brute_interval(model);
        CHECK(is_below(zb_down(b.mid, b.radius), z) &&
                  is_above(zb_up(b.mid, b.radius), z) && b.radius < 1e-12,
              "seed %" PRIu64 ": %.17g +- %g, ln Z %.17g", seed, b.mid, b.radius,
              z.lower);
        zb_model_free(model);
    }
}

/* A source whose draws are looked at for states alone takes nothing of the chance to
   miss: only one that a bracket was taken from. */
static void test_sources_that_count(void **state)
{
    (void)state;
    zb_model *model = some_blocks(2);
    zb_options opt = draw_options(2, 0.05, 1);
    steered s;
    assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
    const zb_draws *d = &s.p.draws[0];
    assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 2, 10), ZB_OK); /* no pass */
    assert_int_equal(zb_draws_look(&s.p, INFINITY, 1), ZB_OK);
    assert_true(d->taken == 1 && d->sources == 1 && !d->watched);
    assert_true(d->confidence.count > 0 && d->last.samples == 0 && d->best != NULL);
    assert_true(d->lower == -INFINITY && d->upper == INFINITY);
    assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 3, 14), ZB_OK);
    assert_true(d->taken == 2 && d->sources == 1 && d->confidence.count == 0);
    assert_int_equal(zb_draws_run(&s.p, INFINITY, 1), ZB_OK);
    assert_true(d->watched && d->last.samples > 0 && d->lower < d->upper);
    for (uint64_t seed = 19; d->taken == 2; seed += 5)
        assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 4, seed), ZB_OK);
    assert_true(d->taken == 3 && d->sources == 2 && !d->watched);
    steered_close(&s);
    zb_model_free(model);
}

/* Is the source taken in a run with so much memory, of which arms left so much? */
static bool is_taken(const zb_model *model, uint64_t memory, double spare)
{
    zb_options opt = draw_options(2, 0.05, 1);
    steered s;
    assert_int_equal(steered_open(&s, model, &opt, NULL), ZB_OK);
    s.p.memory = memory;
    s.p.spare = spare;
    assert_int_equal(steered_bound(&s, ZB_FORM_ORIGINAL, 2, 2), ZB_OK);
    bool taken = s.p.draws[0].source.proposal != NULL;
    steered_close(&s);
    return taken;
}

/* An eighth of the memory, or what arms have left. */
static void test_memory_of_a_source(void **state)
{
    (void)state;
    zb_model *model = some_blocks(2);
    uint64_t enough = 1 << 12;
    while (!is_taken(model, enough, 0)) {
        enough += 1 << 9;
        assert_true(enough < 1 << 28);
    }
    assert_true(enough > 1 << 13);
    double eighth = (double)enough / 8;
    assert_false(is_taken(model, enough - (1 << 9), 0));
    assert_true(is_taken(model, enough - (1 << 9), eighth));
    assert_false(is_taken(model, enough / 8, eighth - 64));
    assert_true(is_taken(model, enough / 8, eighth));
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proved_and_likely),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_delta_0_draws_nothing),
        cmocka_unit_test(test_time_for_draws),
        cmocka_unit_test(test_zeros_are_looked_at),
        cmocka_unit_test(test_states_climb),
        cmocka_unit_test(test_a_single_state_is_z),
        cmocka_unit_test(test_sources_that_count),
        cmocka_unit_test(test_memory_of_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
