/* zb_sampler: states of the model as given, with the probabilities that it says. */
#include "frequencies.h"

static zb_options sampler_options(int ibound, uint64_t seed, int threads)
{
    zb_options opt = zb_options_default();
    opt.ibound = ibound;
    opt.iterations = 3;
    opt.time = 0;
    opt.seed = seed;
    opt.threads = threads;
    return opt;
}

static zb_model *some_model(uint64_t seed)
{
    return random_model(seed, (random_spec){ .max_vars = 9,
                                             .max_card = 3,
                                             .max_factors = 24,
                                             .max_arity = 2,
                                             .zeros = seed % 3 == 0 ? 0.2 : 0,
                                             .spread = 0.8,
                                             .evidence = seed % 4 == 1 });
}

/* Two blocks of five variables, each joined to all others of its block: two components
   that no reduction takes apart, wider than the mini-buckets; some tables have zeros.
 */
static zb_model *two_blocks(uint64_t seed)
{
    const int card[10] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    zb_rng rng = zb_rng_seed(seed);
    zb_model *m;
    assert_int_equal(zb_model_new(&m, 10, card), ZB_OK);
    for (int u = 0; u < 10; u++)
        for (int v = u + 1; v < 10; v++) {
            const int scope[2] = { u, v };
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] = exp(2 * zb_rng_uniform(&rng) - 1);
            if (zb_rng_below(&rng, 8) == 0)
                value[zb_rng_below(&rng, 4)] = 0;
            if (u / 5 == v / 5)
                assert_int_equal(zb_model_add(m, 2, scope, value), ZB_OK);
        }
    if (seed % 4 == 0)
        zb_model_observe(m, 3, 1);
    return m;
}

typedef struct seen {
    deviation off;
    int exact, refused, components; /* models of each kind */
    double mean, variance;          /* of weights over Z */
} seen;

static void count_states(zb_sampler *s, const zb_model *m, double log_z, seen *t)
{
    enum { DRAWS = 3000 };
    static double value[STATES];
    static int times[STATES], state[DRAWS * 16];
    size_t drawn;
    int n = enumerate(m, value);
    for (int k = 0; k < n; k++) /* evidence */
        for (int v = m->nvars - 1, rest = k; v >= 0; rest /= m->card[v--])
            if (m->evidence[v] >= 0 && rest % m->card[v] != m->evidence[v])
                value[k] = -INFINITY;
    memset(times, 0, sizeof times);
    assert_int_equal(zb_sampler_draw(s, DRAWS, state, NULL, &drawn, NULL), ZB_OK);
    assert_int_equal(drawn, DRAWS);
    for (int i = 0; i < DRAWS; i++)
        times[number_of(m, state + i * m->nvars)]++;
    compare(value, times, n, log_z, DRAWS, &t->off);
}

static void average_weights(zb_sampler *s, const zb_model *m, double log_z, seen *t)
{
    enum { DRAWS = 1000 };
    static int state[DRAWS * 16];
    static double log_weight[DRAWS];
    double sum = 0, squares = 0, upper = zb_sampler_about(s).log_upper;
    size_t drawn;
    assert_int_equal(zb_sampler_draw(s, DRAWS, state, log_weight, &drawn, NULL), ZB_OK);
    assert_int_equal(drawn, DRAWS);
    for (int i = 0; i < DRAWS; i++) {
        double w = exp(log_weight[i] - log_z),
               value = log_value_at(m, state + i * m->nvars);
        assert_true(log_weight[i] <= upper);
        assert_true(w == 0 || value > -INFINITY);
        sum += w / DRAWS;
        squares += w * w / DRAWS;
    }
    t->mean += sum - 1;
    t->variance += fmax(0, squares - sum * sum) / DRAWS;
}

static void test_states_have_their_probabilities(void **state)
{
    seen t = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        zb_model *m = seed % 2 == 0 ? two_blocks(seed) : some_model(seed);
        double log_z = brute_force(m);
        zb_options opt = sampler_options(seed % 3 == 2 ? 0 : 2, seed, 2);
        zb_sampler *s;
        double states = 1;
        for (int v = 0; v < m->nvars; v++)
            states *= m->card[v];
        if (log_z > -INFINITY && states <= STATES) {
            assert_int_equal(zb_sampler_new(&s, m, &opt, NULL, NULL), ZB_OK);
            zb_sampler_info about = zb_sampler_about(s);
            CHECK(is_above(about.log_upper, brute_interval(m)), "seed %d", (int)seed);
            CHECK(!about.exact || close_to(about.log_upper, log_z, 1e-9), "seed %d",
                  (int)seed);
            t.exact += about.exact;
            t.refused += about.rate < 0.99;
            t.components += about.components > 1;
            count_states(s, m, log_z, &t);
            average_weights(s, m, log_z, &t);
            zb_sampler_free(s);
        }
        zb_model_free(m);
    }
    print_message(
        "chi %.1f of %.0f terms, weights off by %.2f sigma; exact %d, refused "
        "%d, components %d\n",
        t.off.chi, t.off.terms, t.mean / sqrt(t.variance), t.exact, t.refused,
        t.components);
    assert_true(t.exact >= test_share(20) && t.refused >= test_share(15) &&
                t.components >= test_share(3));
    assert_true(is_plausible(&t.off));
    assert_true(fabs(t.mean) < 4 * sqrt(t.variance));
}

/* ---- from saved states ----------------------------------------------------------- */

static const zb_method STATED[] = { ZB_METHOD_MBE, ZB_METHOD_WMBE, ZB_METHOD_WMBE_W,
                                    ZB_METHOD_WMBE_WTHETA };

/* A state of the upper side; of the reduced model, or of the model as it is. */
static zb_state *some_state(const zb_model *m, uint64_t seed, zb_form form)
{
    zb_options opt = sampler_options(2, seed, 1);
    zb_state *kept = NULL;
    zb_result r;
    opt.method = STATED[seed % 4];
    opt.form = form;
    opt.side = seed % 5 == 0 ? ZB_SIDE_UPPER : ZB_SIDE_BOTH;
    assert_int_equal(zb_solve_with(m, &opt, NULL, &kept, NULL, &r, NULL), ZB_OK);
    assert_non_null(kept);
    return kept;
}

/* What is drawn from a state has the model's probabilities; where the state's bound is
   known, it is the sampler's. */
static void test_states_give_samplers_back(void **state)
{
    seen t = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(60); seed++) {
        zb_model *m = seed % 2 == 0 ? two_blocks(seed) : some_model(seed);
        double log_z = brute_force(m), states = 1;
        zb_options opt = sampler_options(0, seed, 1 + (int)(seed % 8 == 0));
        for (int v = 0; v < m->nvars; v++)
            states *= m->card[v];
        if (log_z > -INFINITY && states <= STATES) {
            zb_state *kept = some_state(m, seed, ZB_FORM_ORIGINAL);
            zb_sampler *s;
            zb_error err;
            CHECK(zb_sampler_load(&s, m, kept, &opt, NULL, &err) == ZB_OK,
                  "seed %d: %s", (int)seed, err.text);
            zb_sampler_info about = zb_sampler_about(s);
            t.exact += about.exact;
            t.refused += about.rate < 0.99;
            CHECK(about.log_upper >= log_z - 1e-9 * fabs(log_z), "seed %d", (int)seed);
            count_states(s, m, log_z, &t);
            average_weights(s, m, log_z, &t);
            zb_sampler_free(s);
            zb_state_free(kept);
        }
        zb_model_free(m);
    }
    print_message("chi %.1f of %.0f terms, weights off by %.2f sigma; refused %d\n",
                  t.off.chi, t.off.terms, t.mean / sqrt(t.variance), t.refused);
    assert_true(t.refused >= test_share(15) && t.off.terms >= test_share(100));
    assert_true(is_plausible(&t.off));
    assert_true(fabs(t.mean) < 4 * sqrt(t.variance));
}

/* The same bound as the run that kept the state, of the reduced model too, and more
   draws from a better state are accepted. */
static void test_a_state_has_its_bound(void **state)
{
    zb_ising_spec spec = {
        .rows = 8, .cols = 8, .coupling = 1, .field = 0.1, .seed = 3
    };
    zb_options opt = sampler_options(4, 1, 1);
    zb_model *m;
    (void)state;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    for (int k = 0; k < 2; k++) {
        zb_state *kept = NULL;
        zb_sampler *s;
        zb_result r;
        opt.method = ZB_METHOD_WMBE_WTHETA;
        opt.form = k == 0 ? ZB_FORM_ORIGINAL : ZB_FORM_AUTO;
        opt.iterations = 40;
        opt.side = ZB_SIDE_UPPER;
        assert_int_equal(zb_solve_with(m, &opt, NULL, &kept, NULL, &r, NULL), ZB_OK);
        opt.ibound = 0;
        zb_status status = zb_sampler_load(&s, m, kept, &opt, NULL, NULL);
        assert_true(status == ZB_OK || (k == 1 && r.form != ZB_FORM_ORIGINAL));
        if (status == ZB_OK) {
            CHECK(close_to(zb_sampler_about(s).log_upper, r.log_upper, 1e-9),
                  "%.17g for %.17g", zb_sampler_about(s).log_upper, r.log_upper);
            zb_sampler_free(s);
        }
        opt.ibound = 4;
        zb_state_free(kept);
    }
    zb_model_free(m);
}

static void expect_refusal(const zb_model *m, const zb_state *kept, const char *why)
{
    zb_options opt = sampler_options(0, 1, 1);
    zb_sampler *s;
    zb_error err;
    assert_int_equal(zb_sampler_load(&s, m, kept, &opt, NULL, &err), ZB_EINVAL);
    assert_null(s);
    CHECK(strstr(err.text, why) != NULL, "'%s' does not say '%s'", err.text, why);
}

static void test_states_that_are_refused(void **state)
{
    zb_ising_spec spec = { .rows = 4, .cols = 4, .coupling = 1, .seed = 3 };
    zb_model *m, *other;
    zb_result r;
    zb_options opt = sampler_options(3, 1, 1);
    zb_state *kept = NULL;
    (void)state;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    spec.rows = 3;
    assert_int_equal(zb_generate_ising(&other, &spec), ZB_OK);
    kept = some_state(m, 3, ZB_FORM_ORIGINAL);
    expect_refusal(other, kept, "16 variables");
    expect_refusal(m, NULL, "no state");
    zb_model_observe(m, 5, 1); /* other variables are left */
    expect_refusal(m, kept, "nothing of the state fits");
    zb_model_observe(m, 5, -1);
    zb_state_free(kept);
    kept = some_state(m, 3, ZB_FORM_FORNEY);
    expect_refusal(m, kept, "'original'");
    zb_state_free(kept);
    kept = NULL;
    opt.method = ZB_METHOD_WMBE_W;
    opt.form = ZB_FORM_ORIGINAL;
    opt.side = ZB_SIDE_LOWER;
    assert_int_equal(zb_solve_with(m, &opt, NULL, &kept, NULL, &r, NULL), ZB_OK);
    expect_refusal(m, kept, "no upper bound");
    zb_state_free(kept);
    zb_model_free(m);
    zb_model_free(other);
}

/* ---- what does not change them --------------------------------------------------- */

static void test_threads_change_nothing(void **state)
{
    enum { N = 2000 };
    zb_ising_spec spec = {
        .rows = 6, .cols = 6, .coupling = 1, .field = 0.1, .seed = 3
    };
    int *drawn[3];
    zb_model *m;
    (void)state;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    for (int i = 0; i < 3; i++) {
        zb_options opt = sampler_options(3, 1 + (i == 2), i == 0 ? 1 : 3);
        zb_sampler *s;
        size_t first, second;
        drawn[i] = calloc(N * 36, sizeof **drawn);
        assert_int_equal(zb_sampler_new(&s, m, &opt, NULL, NULL), ZB_OK);
        assert_int_equal(zb_sampler_draw(s, 700, drawn[i], NULL, &first, NULL), ZB_OK);
        assert_int_equal(
            zb_sampler_draw(s, N - 700, drawn[i] + 700 * 36, NULL, &second, NULL),
            ZB_OK);
        assert_int_equal(first + second, N);
        zb_sampler_free(s);
    }
    assert_memory_equal(drawn[0], drawn[1], N * 36 * sizeof **drawn);
    assert_memory_not_equal(drawn[0], drawn[2], N * 36 * sizeof **drawn);
    for (int i = 0; i < 3; i++)
        free(drawn[i]);
    zb_model_free(m);
}

/* P(x_u = x_v) from ln Z under evidence. */
static double chance_equal(zb_model *m, int u, int v)
{
    zb_options opt = zb_options_default();
    zb_result all, both;
    double sum = 0;
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(m, &opt, NULL, &all, NULL), ZB_OK);
    for (int x = 0; x < 2; x++) {
        zb_model_observe(m, u, x);
        zb_model_observe(m, v, x);
        assert_int_equal(zb_solve(m, &opt, NULL, &both, NULL), ZB_OK);
        sum += exp(both.log_upper - all.log_upper);
    }
    zb_model_observe(m, u, -1);
    zb_model_observe(m, v, -1);
    return sum;
}

/* A spin glass far from exact at this ibound: correlations of pairs, near and far, in n
   perfect samples against exact marginals. */
static void check_pairs(int side, int ibound, int step)
{
    enum { N = 4000 };
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = 1, .field = 0.1, .seed = 7
    };
    zb_options opt = sampler_options(ibound, 1, 2);
    int sites = side * side, *drawn = malloc((size_t)(N * sites) * sizeof *drawn);
    zb_sampler *s;
    zb_model *m;
    size_t made;
    deviation t = { 0 };
    opt.iterations = 60;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(zb_sampler_new(&s, m, &opt, NULL, NULL), ZB_OK);
    assert_true(zb_sampler_about(s).rate < 0.6 && !zb_sampler_about(s).exact);
    assert_int_equal(zb_sampler_draw(s, N, drawn, NULL, &made, NULL), ZB_OK);
    assert_int_equal(made, N);
    for (int v = 1; v < sites; v += step) {
        double p = chance_equal(m, v / 2, v), equal = 0;
        for (int i = 0; i < N; i++)
            equal += drawn[i * sites + v / 2] == drawn[i * sites + v];
        t.chi += (equal - N * p) * (equal - N * p) / (N * p * (1 - p));
        t.terms++;
        t.spread += 4; /* pairs depend on each other */
    }
    print_message("%dx%d: chi %.1f of %.0f pairs, rate %.2f\n", side, side, t.chi,
                  t.terms, zb_sampler_about(s).rate);
    assert_true(is_plausible(&t));
    zb_sampler_free(s);
    zb_model_free(m);
    free(drawn);
}

/* The larger one, whose exact marginals take a while, where more is asked for. */
static void test_pair_correlations(void **state)
{
    (void)state;
    check_pairs(10, 5, 7);
    if (test_models(10) > 10)
        check_pairs(20, 6, 13);
}

static void test_nothing_to_draw(void **state)
{
    const int card = 2, scope = 0;
    const double zero[] = { 0, 0 };
    zb_options opt = sampler_options(0, 1, 1);
    zb_model *m;
    zb_sampler *s;
    zb_error err;
    size_t drawn = 7;
    (void)state;
    assert_int_equal(zb_model_new(&m, 1, &card), ZB_OK);
    assert_int_equal(zb_model_add(m, 1, &scope, zero), ZB_OK);
    assert_int_equal(zb_sampler_new(&s, m, &opt, NULL, &err), ZB_EINVAL);
    assert_null(s);
    assert_non_null(strstr(err.text, "Z = 0"));
    assert_int_equal(zb_sampler_new(NULL, m, &opt, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_sampler_draw(NULL, 1, NULL, NULL, &drawn, NULL), ZB_EINVAL);
    zb_model_free(m);
    assert_int_equal(zb_model_new(&m, 0, NULL), ZB_OK);
    assert_int_equal(zb_sampler_new(&s, m, &opt, NULL, &err), ZB_OK);
    assert_true(zb_sampler_about(s).exact);
    int none;
    assert_int_equal(zb_sampler_draw(s, 3, &none, NULL, &drawn, NULL), ZB_OK);
    assert_int_equal(drawn, 3);
    zb_sampler_free(s);
    zb_model_free(m);
}

static bool stop_at_once(void *context, const zb_progress *at)
{
    (void)at;
    return !*(bool *)context;
}

static void test_a_stop_is_heard(void **state)
{
    zb_ising_spec spec = { .rows = 14, .cols = 14, .coupling = 3, .seed = 3 };
    bool stop = false;
    zb_observer observer = { .context = &stop, .progress = stop_at_once };
    zb_options opt = sampler_options(2, 1, 2);
    zb_sampler *s;
    zb_model *m;
    size_t drawn = 1;
    int *states = malloc(1000 * 196 * sizeof *states);
    (void)state;
    opt.iterations = 0;
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    assert_int_equal(zb_sampler_new(&s, m, &opt, &observer, NULL), ZB_OK);
    assert_true(zb_sampler_about(s).rate < 1e-9); /* it would take for ever */
    stop = true;
    assert_int_equal(zb_sampler_draw(s, 1000, states, NULL, &drawn, NULL), ZB_OK);
    assert_int_equal(drawn, 0);
    zb_sampler_free(s);
    zb_model_free(m);
    free(states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_have_their_probabilities),
        cmocka_unit_test(test_states_give_samplers_back),
        cmocka_unit_test(test_a_state_has_its_bound),
        cmocka_unit_test(test_states_that_are_refused),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_pair_correlations),
        cmocka_unit_test(test_nothing_to_draw),
        cmocka_unit_test(test_a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
