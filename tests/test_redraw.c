/* States improved by groups of variables: groups fit, and their best values are found;
   and by annealing. */
#include "base/rng.h"
#include "form/form.h"
#include "map/redraw.h"
#include "oracle.h"
#include "sample/anneal.h"
#include "sample/ascent.h"
#include "test.h"
#include "tree/tree.h"

#include <inttypes.h>
#include <string.h>

/* Up to ten variables of two to four values, most pairs of them with a table. */
static zb_model *some_model(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = 4 + zb_rng_below(&rng, 7), card[10];
    double zeros = seed % 3 == 0 ? 0.05 : 0;
    zb_model *given, *model;
    for (int v = 0; v < n; v++)
        card[v] = 2 + (zb_rng_below(&rng, 3) == 0 ? zb_rng_below(&rng, 3) : 0);
    assert_int_equal(zb_model_new(&given, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[16];
            for (int i = 0; i < 16; i++)
                value[i] = zb_rng_uniform(&rng) < zeros
                               ? 0
                               : exp(6 * (zb_rng_uniform(&rng) - 0.5));
            if (zb_rng_below(&rng, 3) > 0)
                assert_int_equal(zb_model_add(given, 2, (int[]){ u, v }, value), ZB_OK);
        }
    assert_int_equal(zb_form_clean(&model, given, NULL), ZB_OK);
    zb_model_free(given);
    model->log_scale = 0; /* states alone are looked at */
    return model;
}

static void some_order(const zb_model *m, uint64_t seed, int *order)
{
    zb_rng rng = zb_rng_seed(seed);
    for (int v = 0; v < m->nvars; v++)
        order[v] = v;
    zb_rng_shuffle(&rng, m->nvars, order);
}

/* The largest clique of what is not kept. */
static double largest_clique(const zb_model *m, const int *order, const bool *kept)
{
    int fix[32];
    double most = 1;
    zb_model *fixed;
    zb_scopes *scopes;
    zb_tree *t;
    zb_split_spec whole = { .ibound = 1000, .drop_single = true };
    for (int v = 0; v < m->nvars; v++)
        fix[v] = kept[v] ? 0 : -1;
    assert_int_equal(zb_model_condition(&fixed, m, fix), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, fixed), ZB_OK);
    assert_int_equal(zb_tree_new(&t, scopes, order, &whole), ZB_OK);
    for (int k = 0; k < t->nnodes; k++)
        most = fmax(most, (double)t->node[k].sep_size * (double)zb_tree_states(t, k));
    zb_tree_free(t);
    zb_scopes_free(scopes);
    zb_model_free(fixed);
    return most;
}

/* What is left fits, unless a variable alone does not; with room for all, none is kept.
 */
static void test_groups_fit(void **state)
{
    int kept_some = 0, differ = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_model *m = some_model(seed);
        zb_scopes *scopes;
        int order[32], count = 0, other = 0;
        bool kept[32], again[32];
        some_order(m, seed, order);
        zb_redraw_spec spec = { .order = order, .entries = 4 + (double)(seed % 20) };
        assert_int_equal(zb_scopes_new(&scopes, m), ZB_OK);
        assert_int_equal(zb_redraw_kept(scopes, &spec, seed, kept), ZB_OK);
        assert_int_equal(zb_redraw_kept(scopes, &spec, seed + 1, again), ZB_OK);
        for (int v = 0; v < m->nvars; v++)
            count += kept[v], other += kept[v] != again[v];
        double most = largest_clique(m, order, kept);
        CHECK(most <= spec.entries, "seed %" PRIu64 ": %g entries", seed, most);
        CHECK(count < m->nvars || count == 0, "seed %" PRIu64 ": nothing moves", seed);
        kept_some += count > 0;
        differ += other > 0;
        spec.entries = 1e9;
        assert_int_equal(zb_redraw_kept(scopes, &spec, seed, kept), ZB_OK);
        for (int v = 0; v < m->nvars; v++)
            CHECK(!kept[v], "seed %" PRIu64 ": kept for nothing", seed);
        zb_scopes_free(scopes);
        zb_model_free(m);
    }
    CHECK(kept_some >= test_share(200) && differ >= test_share(100),
          "%d kept some, %d differ", kept_some, differ);
}

/* Any state of positive weight, or false. */
static bool start(const zb_model *m, uint64_t seed, int *x)
{
    zb_rng rng = zb_rng_seed(seed);
    for (int k = 0; k < 100; k++) {
        for (int v = 0; v < m->nvars; v++)
            x[v] = zb_rng_below(&rng, m->card[v]);
        if (zb_state_value(m, x).mid > -INFINITY)
            return true;
    }
    return false;
}

/* All variables at once: the best state. Some: never worse, and mostly better. */
static void test_states_improve(void **state)
{
    int better = 0, best = 0, tried = 0;
    zb_run run;
    (void)state;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_model *m = some_model(seed);
        int order[32], x[32];
        interval top = brute_best(m);
        some_order(m, seed, order);
        zb_redraw_spec all = { .order = order,
                               .entries = 1e9,
                               .seed = seed,
                               .most = 1,
                               .patience = 1 },
                       some = all;
        some.entries = 16;
        some.most = some.patience = 10;
        if (start(m, seed, x)) {
            double before = zb_state_value(m, x).mid;
            assert_int_equal(zb_redraw(m, &some, &run, x), ZB_OK);
            double after = zb_state_value(m, x).mid;
            CHECK(after >= before && after <= top.upper + 1e-9,
                  "seed %" PRIu64 ": %.17g from %.17g, of %.17g", seed, after, before,
                  top.upper);
            better += after > before;
            best += close_to(after, top.upper, 1e-9);
            tried++;
            assert_int_equal(zb_redraw(m, &all, &run, x), ZB_OK);
            CHECK(close_to(zb_state_value(m, x).mid, top.upper, 1e-9),
                  "seed %" PRIu64 ": %.17g is not the best, %.17g", seed,
                  zb_state_value(m, x).mid, top.upper);
        }
        zb_model_free(m);
    }
    zb_run_close(&run);
    print_message("%d tried, %d better, %d the best\n", tried, better, best);
    CHECK(tried >= test_share(200) && better > 0.8 * tried && best > 0.4 * tried,
          "%d tried, %d better, %d the best", tried, better, best);
}

/* Never worse, mostly the best, the same for the same seed, and what it says it is. */
static void test_annealing(void **state)
{
    int best = 0, tried = 0;
    zb_run run;
    (void)state;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_model *m = some_model(seed);
        zb_anneal_spec spec = { .seed = seed, .sweeps = 32, .most = 3 };
        int x[32], y[32];
        interval top = brute_best(m);
        if (start(m, seed, x)) {
            double before = zb_state_value(m, x).mid;
            memcpy(y, x, sizeof y);
            assert_int_equal(zb_anneal(m, &spec, &run, x), ZB_OK);
            assert_int_equal(spec.sweeps, 32 * 8); /* for a fourth descent */
            spec.sweeps = 32;
            assert_int_equal(zb_anneal(m, &spec, &run, y), ZB_OK);
            double after = zb_state_value(m, x).mid;
            CHECK(memcmp(x, y, (size_t)m->nvars * sizeof *x) == 0,
                  "seed %" PRIu64 ": another state", seed);
            CHECK(after >= before && after <= top.upper + 1e-9,
                  "seed %" PRIu64 ": %.17g from %.17g, of %.17g", seed, after, before,
                  top.upper);
            best += close_to(after, top.upper, 1e-9);
            tried++;
            spec.most = 0; /* nothing is done: nothing is lost */
            assert_int_equal(zb_anneal(m, &spec, &run, y), ZB_OK);
            assert_true(zb_state_value(m, y).mid == after);
        }
        zb_model_free(m);
    }
    zb_run_close(&run);
    print_message("%d tried, %d the best\n", tried, best);
    CHECK(tried >= test_share(200) && best > 0.9 * tried, "%d tried, %d the best",
          tried, best);
}

/* A run that is over leaves the state as it was. */
static void test_annealing_ends(void **state)
{
    zb_model *m = some_model(1);
    zb_anneal_spec spec = { .seed = 1, .sweeps = 1 << 20, .most = 1000 };
    int x[32], y[32];
    zb_run run;
    (void)state;
    assert_true(start(m, 1, x));
    memcpy(y, x, sizeof y);
    assert_int_equal(zb_run_open(&run, NULL, zb_now() - 1, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(zb_anneal(m, &spec, &run, x), ZB_OK);
    assert_int_equal(memcmp(x, y, (size_t)m->nvars * sizeof *x), 0);
    zb_run_close(&run);
    zb_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_fit),
        cmocka_unit_test(test_states_improve),
        cmocka_unit_test(test_annealing),
        cmocka_unit_test(test_annealing_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
