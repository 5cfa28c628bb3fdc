/* Cliques that take in what other mini-buckets of their bucket contain: the tree stays
 * the same otherwise, and so does the bound at the start. */
#include "engine.h"
#include "tighten/state.h"
#include "tree/shared.h"

#include <inttypes.h>

static random_spec shapes(uint64_t seed)
{
    return (random_spec){ .max_vars = 24,
                          .max_card = 2 + (int)(seed % 2),
                          .max_factors = 50,
                          .max_arity = 2 + (int)(seed % 2),
                          .zeros = seed % 5 ? 0 : .2,
                          .spread = 1 };
}

/* Grids and random models of up to 30 variables, which nobody enumerates. */
static zb_model *some_model(uint64_t seed)
{
    zb_ising_spec grid = { .rows = 5, .cols = 6, .coupling = 1, .seed = seed };
    zb_random_spec loose = { .variables = 12 + (int)(seed % 19),
                             .factors = 45,
                             .arity = 2 + (int)(seed / 3 % 2),
                             .cardinality = 2 + (int)(seed / 6 % 2),
                             .seed = seed };
    zb_model *model;
    assert_int_equal(seed % 3 ? zb_generate_random(&model, &loose)
                              : zb_generate_ising(&model, &grid),
                     ZB_OK);
    return model;
}

static uint32_t mask_of(const zb_tree *t, int k)
{
    uint32_t mask = 0;
    for (int i = 0; i < t->node[k].nclique; i++)
        mask |= 1u << zb_tree_clique(t, k)[i];
    return mask;
}

static double entries_of(const zb_tree *t, int k)
{
    double n = 1;
    for (int i = 0; i < t->node[k].nclique; i++)
        n *= t->card[zb_tree_clique(t, k)[i]];
    return n;
}

/* The same nodes with larger cliques; what came in is in the next clique, too. */
static void check_nodes(const zb_tree *e, const zb_tree *t, double most, uint64_t seed)
{
    double entries = 0;
    CHECK(e->nnodes == t->nnodes && e->splits == t->splits, "seed %" PRIu64, seed);
    for (int k = 0; k < t->nnodes; k++) {
        const int *clique = zb_tree_clique(e, k);
        uint32_t old = mask_of(t, k), now = mask_of(e, k), came = now & ~old;
        int parent = e->node[k].parent;
        CHECK((old & ~now) == 0 && parent == t->node[k].parent &&
                  clique[0] == t->node[k].var && e->node[k].ninput == t->node[k].ninput,
              "seed %" PRIu64 " node %d", seed, k);
        CHECK(came == 0 || (parent >= 0 && (came & ~mask_of(e, parent)) == 0),
              "seed %" PRIu64 " node %d: nobody takes what came in", seed, k);
        for (int i = 1; i < e->node[k].nclique; i++)
            CHECK(e->pos[clique[i - 1]] < e->pos[clique[i]], "seed %" PRIu64, seed);
        CHECK(came == 0 ||
                  (e->node[k].nclique <= e->ibound && entries_of(e, k) <= most),
              "seed %" PRIu64 " node %d: %d variables", seed, k, e->node[k].nclique);
        CHECK((double)e->node[k].sep_size * e->card[clique[0]] == entries_of(e, k),
              "seed %" PRIu64 " node %d", seed, k);
        entries += entries_of(e, k);
    }
    CHECK(e->entries == entries, "seed %" PRIu64, seed);
}

/* There is no room for u on the way from node k to a clique that has it. */
static bool is_barred(const zb_tree *e, int k, int u, double most)
{
    for (; k >= 0; k = e->node[k].parent) {
        if (mask_of(e, k) >> u & 1)
            return false;
        if (e->node[k].nclique >= e->ibound || entries_of(e, k) * e->card[u] > most)
            return true;
    }
    return true;
}

/* What did not come in had no room, or would have made too many shifts. */
static void check_bucket(const zb_tree *e, const zb_tree *t, int v, double most,
                         uint64_t seed)
{
    const zb_bucket *b = &e->bucket[v], *old = &t->bucket[v];
    double before = INFINITY;
    double shifts = (double)b->shared_size * e->card[e->order[v]];
    uint32_t any = 0, all = ~0u;
    for (int m = b->first; m < b->first + b->count; m++) {
        before = fmin(before, entries_of(t, m));
        any |= mask_of(t, m);
        all &= mask_of(e, m);
    }
    CHECK(b->nshared >= old->nshared, "seed %" PRIu64, seed);
    for (int u = 0; u < e->nvars; u++) {
        bool barred = false;
        if (!((any & ~all) >> u & 1))
            continue;
        for (int m = b->first; m < b->first + b->count; m++)
            barred = barred || is_barred(e, m, u, most);
        CHECK(barred || shifts * e->card[u] > fmin(4096, before / 8),
              "seed %" PRIu64 " bucket %d: variable %d could be shared", seed, v, u);
    }
}

static int check_tree(uint64_t seed)
{
    zb_model *model = some_model(seed);
    zb_rng rng = zb_rng_seed(seed + 9);
    zb_split_spec spec = { .ibound = 4 + zb_rng_below(&rng, 7),
                           .max_entries = zb_rng_below(&rng, 2)
                                              ? 0
                                              : 64 + zb_rng_below(&rng, 2000) };
    int n = zb_model_nvars(model), order[32];
    for (int v = 0; v < n; v++)
        order[v] = v;
    zb_rng_shuffle(&rng, n, order);
    zb_tree *t = tree_of(model, order, spec);
    spec.extend = true;
    spec.room = zb_rng_below(&rng, 3);
    zb_tree *e = tree_of(model, order, spec);
    double most = t->largest;
    if (spec.max_entries > 0)
        most = fmin(most, spec.max_entries);
    most *= 1 << spec.room;
    check_nodes(e, t, most, seed);
    for (int v = 0; v < n; v++)
        if (e->bucket[v].count > 1)
            check_bucket(e, t, v, most, seed);
    CHECK(zb_shared_loss(e) <= zb_shared_loss(t), "seed %" PRIu64, seed);
    CHECK((zb_shared_loss(t) == 0) == (t->splits == 0), "seed %" PRIu64, seed);
    int larger = e->entries > t->entries;
    zb_tree_free(t);
    zb_tree_free(e);
    zb_model_free(model);
    return larger;
}

static void trees_keep_their_shape(void **state)
{
    int larger = 0;
    (void)state;
    for (uint64_t seed = 0; seed < test_models(1000); seed++)
        larger += check_tree(seed);
    CHECK(larger >= test_share(200), "%d trees have larger cliques", larger);
}

/* f(v, a1 .. ak), g(v, b1 .. bk) and h of all but v, with room for 2 k variables: the
   bucket of v is split, the first mini-bucket's message goes to a clique with all, and
   so it can take in k - 1 of the b. Shifts are then 2^(1 + j) for j of them, which must
   not be more than an eighth of the entries of the other one, 2^(1 + k), nor than 4096.
 */
static void shifts_are_limited(void **state)
{
    enum { MOST = 17 };
    (void)state;
    for (int k = 2; k <= MOST; k++) {
        int n = 1 + 2 * k, card[2 * MOST + 1], var[4 * MOST + 2], order[2 * MOST + 1];
        size_t at[4] = { 0, (size_t)(1 + k), (size_t)(2 + 2 * k), (size_t)(2 + 4 * k) };
        zb_scopes s = { n, 3, card, at, var };
        zb_split_spec spec = { .ibound = 2 * k, .extend = true };
        zb_tree *t;
        var[0] = var[1 + k] = 0;
        for (int i = 0; i < k; i++) {
            var[1 + i] = var[2 + 2 * k + i] = 1 + i;
            var[2 + k + i] = var[2 + 3 * k + i] = 1 + k + i;
        }
        for (int v = 0; v < n; v++) {
            order[v] = v;
            card[v] = 2;
        }
        assert_int_equal(zb_tree_new(&t, &s, order, &spec), ZB_OK);
        assert_int_equal(t->bucket[0].count, 2);
        assert_int_equal(t->bucket[0].nshared, k <= 3 ? 0 : k <= 14 ? k - 3 : 11);
        zb_tree_free(t);
    }
}

/* ---- bounds ---------------------------------------------------------------------- */

static double first_bound(const zb_model *model, zb_side side, bool shared, int ibound)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINFILL,
                             .tries = 1,
                             .ibound = ibound,
                             .tighten = { .side = side,
                                          .weights = true,
                                          .theta = true,
                                          .gradient = true,
                                          .shared = shared,
                                          .threads = 1 } };
    zb_attempt *a;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    double bound = a->bound;
    zb_attempt_free(a);
    return bound;
}

/* Whatever has no effect yet changes nothing. */
static void bounds_start_where_they_were(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_model *model = random_model(seed, shapes(seed));
        int ibound = 3 + (int)(seed % 4);
        for (int side = 0; side < 2; side++) {
            zb_side s = side ? ZB_SIDE_LOWER : ZB_SIDE_UPPER;
            double a = first_bound(model, s, false, ibound),
                   b = first_bound(model, s, true, ibound);
            CHECK(a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a)),
                  "seed %" PRIu64 ": %.17g, %.17g", seed, a, b);
        }
        zb_model_free(model);
    }
}

/* What is kept of an attempt, for certificates, makes the same tree again. */
static void states_know_how_much_less(void **state)
{
    (void)state;
    for (int less = 0; less <= 2; less++) {
        zb_model *model = some_model(0);
        zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                                 .order = ZB_ORDER_MINSPLIT,
                                 .tries = 1,
                                 .ibound = 5,
                                 .less = less,
                                 .tighten = { .side = ZB_SIDE_UPPER,
                                              .weights = true,
                                              .theta = true,
                                              .gradient = true,
                                              .shared = true,
                                              .threads = 1 } };
        zb_descent some = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                            .rates = { { 0.2, 0.05, 0.2 } },
                            .iterations = 20,
                            .tolerance = -1 };
        zb_attempt *a, *b;
        zb_state *kept;
        zb_stop stop;
        assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
        assert_true(a->tree->splits > 0 && a->tree->width < 5);
        assert_int_equal(zb_attempt_descend(a, some, &stop), ZB_OK);
        zb_attempt_settle(a);
        assert_int_equal(zb_state_new(&kept), ZB_OK);
        assert_int_equal(zb_state_keep(kept, a), ZB_OK);
        assert_int_equal(zb_state_rebuild(&b, model, kept, ZB_SIDE_UPPER, NULL), ZB_OK);
        zb_attempt_settle(b);
        CHECK(a->bound == b->bound && a->tree->splits == b->tree->splits,
              "%d less: %.17g, %.17g", less, a->bound, b->bound);
        zb_state_free(kept);
        zb_attempt_free(a);
        zb_attempt_free(b);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_keep_their_shape),
        cmocka_unit_test(shifts_are_limited),
        cmocka_unit_test(bounds_start_where_they_were),
        cmocka_unit_test(states_know_how_much_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
