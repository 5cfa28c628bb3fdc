/* The way back from a reduced model: states are drawn as the given model says. */
#include "frequencies.h"
#include "trees.h"

/* A state with the probabilities of a list of logarithms. */
static int draw_state(const double *log_value, int n, double log_z, zb_rng *rng)
{
    double u = zb_rng_uniform(rng), below = 0;
    int last = 0;
    for (int k = 0; k < n; k++) {
        below += exp(log_value[k] - log_z);
        last = log_value[k] > -INFINITY ? k : last;
        if (u < below)
            return last;
    }
    return last;
}

typedef struct counts {
    deviation off;
    size_t removed[4]; /* by zb_removal */
    int rounds;
} counts;

static void check_model(const zb_model *m, uint64_t seed, counts *t)
{
    enum { DRAWS = 4000 };
    static double given[STATES], small[STATES];
    static int seen[STATES];
    zb_reduction *r;
    zb_rng rng = zb_rng_seed(seed);
    double log_z = brute_force(m);
    int n = enumerate(m, given), state[64], scratch[64], out[64];
    if (n > STATES || log_z == -INFINITY)
        return;
    assert_int_equal(zb_simplify_tracked(&r, m, NULL), ZB_OK);
    int left = enumerate(r->model, small);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < DRAWS; i++) {
        int k = draw_state(small, left, log_z, &rng);
        for (int v = r->model->nvars - 1; v >= 0; k /= r->model->card[v--])
            state[v] = k % r->model->card[v];
        zb_trail_lift(r->trail, state, &rng, scratch, out);
        for (int v = 0; v < m->nvars; v++)
            CHECK(out[v] >= 0 && out[v] < m->card[v], "seed %d", (int)seed);
        CHECK(log_value_at(m, out) > -INFINITY, "seed %d: weight 0", (int)seed);
        seen[number_of(m, out)]++;
    }
    compare(given, seen, n, log_z, DRAWS, &t->off);
    int rounds = 0;
    for (const zb_trail *a = r->trail; a != NULL; a = a->before, rounds++)
        for (size_t i = 0; i < a->count; i++)
            t->removed[a->undo[i].kind]++;
    t->rounds = zb_max_int(t->rounds, rounds);
    zb_reduction_free(r);
}

/* Some pairs of variables of as many values are tied by a permutation. */
static void tie_some(zb_model *m, zb_rng *rng)
{
    for (int u = 0; u < m->nvars; u++)
        for (int v = u + 1; v < m->nvars; v++) {
            int n = m->card[u], scope[2] = { u, v }, image[4] = { 0, 1, 2, 3 };
            double table[16] = { 0 };
            if (m->card[v] != n || n > 4 || zb_rng_below(rng, 4) > 0)
                continue;
            zb_rng_shuffle(rng, n, image);
            for (int x = 0; x < n; x++)
                table[x * n + image[x]] = 0.5 + zb_rng_uniform(rng);
            assert_int_equal(zb_model_add(m, 2, scope, table), ZB_OK);
        }
}

static void test_lifted_states(void **state)
{
    counts t = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(600); seed++) {
        random_spec spec = { .max_vars = 8,
                             .max_card = 3,
                             .max_factors = 8,
                             .max_arity = 3,
                             .zeros = seed % 3 == 0   ? 0.5
                                      : seed % 3 == 1 ? 0.2
                                                      : 0,
                             .spread = 1.5,
                             .evidence = true };
        zb_model *given = seed % 4 == 0 ? random_hypertree(seed, 0.3)
                                        : random_model(seed, spec),
                 *m;
        assert_int_equal(zb_model_condition(&m, given, given->evidence), ZB_OK);
        zb_rng rng = zb_rng_seed(seed);
        if (seed % 2 == 0)
            tie_some(m, &rng);
        check_model(m, seed, &t);
        zb_model_free(m);
        zb_model_free(given);
    }
    print_message("chi %.1f of %.0f terms; fixed %zu, tied %zu, isolated %zu, summed "
                  "%zu, rounds %d\n",
                  t.off.chi, t.off.terms, t.removed[ZB_FIXED], t.removed[ZB_TIED],
                  t.removed[ZB_ISOLATED], t.removed[ZB_SUMMED], t.rounds);
    for (int i = 0; i < 4; i++)
        assert_true(t.removed[i] > (size_t)test_share(30));
    assert_true(t.rounds > 1);
    assert_true(is_plausible(&t.off));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lifted_states) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
