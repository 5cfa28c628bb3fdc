/* Branch and bound below mini-buckets, and values that are dominated: against
   enumeration. */
#include "map/climb.h"
#include "map/dominate.h"
#include "map/explore.h"
#include "map/recall.h"
#include "oracle.h"
#include "sample/ascent.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

enum { MOST = 32 };

static zb_model *model_of(uint64_t seed)
{
    zb_random_spec spec = { .variables = 7 + (int)(seed % 3),
                            .factors = 16,
                            .arity = 2 + (int)(seed % 2),
                            .cardinality = 2 + (int)(seed % 3 == 0),
                            .zeros = seed % 4 ? 0 : 0.2,
                            .seed = seed };
    zb_model *given, *model;
    assert_int_equal(zb_generate_random(&given, &spec), ZB_OK);
    assert_int_equal(zb_model_raise(&model, given, 1), ZB_OK);
    zb_model_free(given);
    return model;
}

/* ---- search ---------------------------------------------------------------------- */

typedef struct bench {
    zb_model *model;
    zb_tree *tree;
    zb_climber climber;
    zb_explorer *explorer;
    zb_run run;
} bench;

static void open_bench(bench *b, uint64_t seed, int ibound, uint64_t memory)
{
    zb_split_spec split = { .ibound = ibound };
    zb_scopes *scopes;
    int order[MOST];
    b->model = model_of(seed);
    for (int v = 0; v < b->model->nvars; v++)
        order[v] = v;
    assert_int_equal(zb_run_open(&b->run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, b->model), ZB_OK);
    assert_int_equal(zb_tree_new(&b->tree, scopes, order, &split), ZB_OK);
    zb_scopes_free(scopes);
    zb_climbing how = { .model = b->model, .tree = b->tree };
    assert_int_equal(zb_climber_open(&b->climber, &how, &b->run), ZB_OK);
    assert_int_equal(
        zb_explorer_new(&b->explorer, b->tree, b->climber.pass, memory, &b->run),
        ZB_OK);
}

static void close_bench(bench *b)
{
    zb_explorer_free(b->explorer);
    zb_climber_close(&b->climber);
    zb_tree_free(b->tree);
    zb_model_free(b->model);
    zb_run_close(&b->run);
}

/* Just below what the best state loses nothing is found, and the bound is no more than
   that; just above, the best state. */
static void check_search(bench *b, uint64_t seed)
{
    double top = b->climber.top.mid, best = brute_best(b->model).upper,
           loss = fmax(0, top - best), slack = 1e-9 * fmax(1, fabs(top));
    int state[MOST];
    zb_exploration seen;
    for (double budget = 0.25 * loss; budget < 2 * loss + 1;
         budget += 0.4 * loss + 0.1) {
        assert_int_equal(zb_explorer_search(b->explorer, budget, &b->run, &seen),
                         ZB_OK);
        CHECK(fabs(loss - budget) < slack || seen.is_found == (loss < budget),
              "seed %" PRIu64 ": %g of %g", seed, budget, loss);
        CHECK(seen.loss >= fmin(budget, loss) - slack && seen.loss <= loss + slack,
              "seed %" PRIu64 ": %.17g with %.17g, not %.17g", seed, seen.loss, budget,
              loss);
        if (!seen.is_found)
            continue;
        assert_int_equal(zb_explorer_state(b->explorer, seen.loss, &b->run, state),
                         ZB_OK);
        CHECK(close_to(zb_state_value(b->model, state).mid, best, 1e-11),
              "seed %" PRIu64, seed);
    }
    CHECK(zb_explorer_radius(b->explorer, loss) < 1e-9, "seed %" PRIu64, seed);
}

static void the_best_state_is_found(void **state)
{
    (void)state;
    int split = 0;
    for (uint64_t seed = 1; seed <= test_models(600); seed++) {
        bench b;
        /* hardly any memory: what was learned is soon forgotten */
        open_bench(&b, seed, 2 + (int)(seed % 3), seed % 2 ? 1 << 20 : 1 << 10);
        split += b.tree->splits > 0;
        if (brute_best(b.model).upper > -INFINITY)
            check_search(&b, seed);
        close_bench(&b);
    }
    assert_true(split >= test_share(300));
}

static void no_state_is_said_to_be_none(void **state)
{
    (void)state;
    bench b = { 0 };
    zb_exploration seen;
    const double differ[] = { -INFINITY, 0, 0, -INFINITY };
    open_bench(&b, 1, 3, 1 << 16);
    close_bench(&b);
    /* three of two values, no two of them the same: mini-buckets do not see it */
    assert_int_equal(zb_model_new(&b.model, 3, (int[]){ 2, 2, 2 }), ZB_OK);
    for (int v = 0; v < 3; v++)
        assert_int_equal(
            zb_model_add_log(b.model, 2, (int[]){ v, (v + 1) % 3 }, differ), ZB_OK);
    zb_scopes *scopes;
    zb_split_spec split = { .ibound = 2 };
    assert_int_equal(zb_run_open(&b.run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, b.model), ZB_OK);
    assert_int_equal(zb_tree_new(&b.tree, scopes, (int[]){ 0, 1, 2 }, &split), ZB_OK);
    zb_scopes_free(scopes);
    zb_climbing how = { .model = b.model, .tree = b.tree };
    assert_int_equal(zb_climber_open(&b.climber, &how, &b.run), ZB_OK);
    assert_true(b.climber.top.mid > -INFINITY);
    assert_int_equal(
        zb_explorer_new(&b.explorer, b.tree, b.climber.pass, 1 << 16, &b.run), ZB_OK);
    assert_int_equal(zb_explorer_search(b.explorer, INFINITY, &b.run, &seen), ZB_OK);
    assert_false(seen.is_found);
    assert_true(seen.loss == INFINITY);
    close_bench(&b);
}

/* ---- what depends on what -------------------------------------------------------- */

static void contexts_are_those_of_elimination(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        bench b;
        zb_branches *found;
        zb_tree *whole;
        zb_scopes *scopes;
        zb_split_spec unsplit = { .ibound = 100 };
        open_bench(&b, seed, 2, 1 << 12);
        assert_int_equal(zb_branches_new(&found, b.tree, 1000, NULL), ZB_OK);
        assert_int_equal(zb_scopes_new(&scopes, b.model), ZB_OK);
        assert_int_equal(zb_tree_new(&whole, scopes, b.tree->order, &unsplit), ZB_OK);
        for (int i = 0; i < found->count; i++) {
            if (whole->bucket[i].count == 0)
                continue;
            const int *axis;
            int n = zb_tree_message(whole, whole->bucket[i].first, &axis);
            assert_int_equal(n, found->at[i + 1] - found->at[i]);
            for (int a = 0; a < n; a++)
                assert_int_equal(whole->pos[axis[a]],
                                 found->context[found->at[i] + (size_t)a]);
            assert_int_equal(found->parent[i], i + 1 == found->count ? -1
                                               : n > 0 ? whole->pos[axis[0]]
                                                       : found->count - 1);
        }
        size_t members = found->at[found->count];
        zb_branches_free(found);
        assert_int_equal(zb_branches_new(&found, b.tree, members, NULL), ZB_OK);
        zb_branches_free(found);
        assert_int_equal(zb_branches_new(&found, b.tree, members - 1, NULL), ZB_ELIMIT);
        assert_null(found);
        zb_tree_free(whole);
        zb_scopes_free(scopes);
        close_bench(&b);
    }
}

/* Contexts of 511 bits are kept, of 512 not. */
static void long_contexts_are_not_kept(void **state)
{
    (void)state;
    enum { LONG = 520 };
    static int context[LONG], card[LONG], values[LONG], parent[LONG], first[LONG + 1];
    static size_t at[LONG + 1];
    for (int bits = 500; bits < 515; bits++) {
        zb_branches b = { .count = LONG,
                          .parent = parent,
                          .first = first,
                          .at = at,
                          .context = context };
        zb_recall *r;
        for (int i = 0; i < LONG; i++) {
            context[i] = i + 1;
            card[i] = 2;
            values[i] = i % 3 == 0;
            at[i + 1] = (size_t)bits; /* of the first; the others have none */
        }
        assert_int_equal(zb_recall_new(&r, &b, card, 1 << 16), ZB_OK);
        zb_recall_tell(r, 0, values, (zb_lesson){ 2.5, true });
        zb_lesson known = zb_recall_ask(r, 0, values);
        assert_true(known.is_exact == (bits < 512) &&
                    known.loss == (bits < 512 ? 2.5 : 0));
        values[bits] ^= 1; /* the last of the context */
        assert_false(zb_recall_ask(r, 0, values).is_exact);
        zb_recall_free(r);
    }
}

/* ---- dominated values ------------------------------------------------------------ */

static void dominated_values_are_in_no_best_state(void **state)
{
    (void)state;
    size_t all = 0;
    for (uint64_t seed = 1; seed <= test_models(600); seed++) {
        zb_model *model = model_of(seed), *fewer;
        size_t removed;
        assert_int_equal(zb_dominate(&fewer, model, NULL, &removed), ZB_OK);
        double before = brute_best(model).upper, after = brute_best(fewer).upper;
        CHECK(before == after || close_to(before, after, 1e-12),
              "seed %" PRIu64 ": %.17g became %.17g", seed, before, after);
        all += removed;
        zb_model_free(fewer);
        zb_model_free(model);
    }
    CHECK(all >= (size_t)test_share(200), "%zu values", all);
}

/* A value that is as good as another stays, one that is clearly worse goes. */
static void ties_stay(void **state)
{
    (void)state;
    const double less[] = { 0, -1e-12, -1e-8 };
    for (int i = 0; i < 3; i++) {
        zb_model *model, *fewer;
        size_t removed;
        assert_int_equal(zb_model_new(&model, 1, (int[]){ 2 }), ZB_OK);
        assert_int_equal(
            zb_model_add_log(model, 1, (int[]){ 0 }, (double[]){ 0, less[i] }), ZB_OK);
        assert_int_equal(zb_dominate(&fewer, model, NULL, &removed), ZB_OK);
        assert_int_equal(removed, i == 2);
        zb_model_free(fewer);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_state_is_found),
        cmocka_unit_test(no_state_is_said_to_be_none),
        cmocka_unit_test(contexts_are_those_of_elimination),
        cmocka_unit_test(long_contexts_are_not_kept),
        cmocka_unit_test(dominated_values_are_in_no_best_state),
        cmocka_unit_test(ties_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
