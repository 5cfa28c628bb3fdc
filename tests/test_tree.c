/* The mini-bucket tree against an implementation on bit masks, and its limits. */
#include "engine.h"
#include "order/order.h"
#include "pass/pass.h"

#include <inttypes.h>

/* ---- naive mini-bucket elimination on bit masks ---------------------------------- */

enum { MANY = 400 };

typedef struct naive {
    uint32_t clique[MANY];
    int var[MANY], parent[MANY];
    int nodes, ibound;
    double splits, entries;
} naive;

typedef struct naive_item {
    uint32_t mask;
    int node; /* that sent it, -1 for a factor */
    bool used;
} naive_item;

static double mask_entries(const zb_scopes *s, uint32_t mask)
{
    double n = 1;
    for (int v = 0; v < s->nvars; v++)
        n *= mask >> v & 1 ? s->card[v] : 1;
    return n;
}

static bool mask_fits(const zb_scopes *s, uint32_t bin, uint32_t item, int ibound,
                      double max_entries)
{
    uint32_t both = bin | item;
    return __builtin_popcount(both) <= ibound &&
           (max_entries <= 0 || mask_entries(s, both) <= max_entries || both == bin);
}

static void naive_bucket(naive *n, const zb_scopes *s, naive_item *item, int *items,
                         int var, double max_entries)
{
    int first = n->nodes;
    for (int size = s->nvars; size > 0; size--)
        for (int i = 0, end = *items; i < end; i++) {
            if (item[i].used || !(item[i].mask >> var & 1) ||
                __builtin_popcount(item[i].mask) != size)
                continue;
            int k = first;
            while (k < n->nodes &&
                   !mask_fits(s, n->clique[k], item[i].mask, n->ibound, max_entries))
                k++;
            if (k == n->nodes) {
                n->clique[k] = 0, n->var[k] = var, n->parent[k] = -1;
                n->nodes++;
            }
            n->clique[k] |= item[i].mask;
            item[i].used = true;
            if (item[i].node >= 0)
                n->parent[item[i].node] = k;
        }
    for (int k = first; k < n->nodes; k++) {
        n->entries += mask_entries(s, n->clique[k]);
        item[(*items)++] = (naive_item){ n->clique[k] & ~(1u << var), k, false };
    }
    n->splits += n->nodes > first ? n->nodes - first - 1 : 0;
}

static void naive_tree(naive *n, const zb_scopes *s, const int *order, int ibound,
                       double max_entries)
{
    naive_item item[2 * MANY];
    int items = 0;
    *n = (naive){ .ibound = ibound > 1 ? ibound : 1 };
    for (int f = 0; f < s->count; f++) {
        uint32_t mask = 0;
        for (int i = 0; i < zb_scopes_arity(s, f); i++)
            mask |= 1u << zb_scopes_of(s, f)[i];
        item[items++] = (naive_item){ mask, -1, false };
        if (zb_scopes_arity(s, f) > n->ibound)
            n->ibound = zb_scopes_arity(s, f);
    }
    for (int i = 0; i < s->nvars; i++)
        naive_bucket(n, s, item, &items, order[i], max_entries);
}

static uint32_t node_mask(const zb_tree *t, int k)
{
    uint32_t mask = 0;
    for (int i = 0; i < t->node[k].nclique; i++)
        mask |= 1u << zb_tree_clique(t, k)[i];
    return mask;
}

/* ---- what every tree must satisfy ------------------------------------------------ */

static void check_positions(const zb_tree *t, uint64_t seed)
{
    for (int k = 0; k < t->nnodes; k++) {
        const int *c = zb_tree_clique(t, k);
        CHECK(c[0] == t->node[k].var && t->order[t->node[k].bucket] == c[0],
              "seed %" PRIu64 " node %d", seed, k);
        for (int i = 1; i < t->node[k].nclique; i++)
            CHECK(t->pos[c[i - 1]] < t->pos[c[i]], "seed %" PRIu64 " node %d", seed, k);
        CHECK(t->node[k].parent < 0 ? t->node[k].nclique == 1 : t->node[k].parent > k,
              "seed %" PRIu64 " node %d", seed, k);
    }
}

/* Each factor and message is the input of exactly the node that claims it. */
static void check_inputs(const zb_tree *t, uint64_t seed)
{
    int inputs = 0, expected = 0;
    for (int k = 0; k < t->nnodes; k++)
        for (int i = 0; i < t->node[k].ninput; i++, inputs++) {
            int in = zb_tree_input(t, k)[i];
            CHECK(in >= 0 ? t->factor_node[in] == k : t->node[-1 - in].parent == k,
                  "seed %" PRIu64 " node %d", seed, k);
        }
    for (int f = 0; f < t->nfactors; f++)
        expected += t->scope_at[f + 1] > t->scope_at[f];
    for (int k = 0; k < t->nnodes; k++)
        expected += t->node[k].parent >= 0;
    CHECK(inputs == expected, "seed %" PRIu64 ": %d inputs", seed, inputs);
}

static void check_shared(const zb_tree *t, uint64_t seed)
{
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        uint32_t all = ~0u, listed = 0;
        size_t size = 1;
        for (int m = 0; m < b->count; m++)
            all &= node_mask(t, b->first + m);
        for (int i = 0; i < b->nshared; i++) {
            listed |= 1u << t->shared[b->shared_at + (size_t)i];
            size *= (size_t)t->card[t->shared[b->shared_at + (size_t)i]];
        }
        CHECK(b->shared_size == size, "seed %" PRIu64 " bucket %d", seed, v);
        if (b->count > 1)
            CHECK(listed == (all & ~(1u << t->order[v])), "seed %" PRIu64 " bucket %d",
                  seed, v);
    }
}

/* Variables in no factor: no node here, a clique of one in an order's cost. */
static double alone(const zb_tree *t)
{
    double sum = 0;
    for (int v = 0; v < t->nvars; v++)
        sum += t->bucket[v].count == 0 ? t->card[t->order[v]] : 0;
    return sum;
}

static random_spec shapes(uint64_t seed)
{
    return (random_spec){ .max_vars = 14,
                          .max_card = 1 + (int)(seed % 5),
                          .max_factors = 24,
                          .max_arity = 2 + (int)(seed % 3),
                          .spread = 1 };
}

static void check_reference(uint64_t seed)
{
    zb_model *model = random_model(seed, shapes(seed));
    zb_rng rng = zb_rng_seed(seed + 5);
    int n = zb_model_nvars(model), order[32], ibound = 1 + zb_rng_below(&rng, 8);
    double limit = zb_rng_below(&rng, 2) ? 0 : 2 + zb_rng_below(&rng, 60);
    zb_scopes *scopes;
    zb_split_cost cost;
    naive want;
    for (int v = 0; v < n; v++)
        order[v] = v;
    zb_rng_shuffle(&rng, n, order);
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    zb_tree *t = tree_of(model, order,
                         (zb_split_spec){ .ibound = ibound, .max_entries = limit });
    naive_tree(&want, scopes, order, ibound, limit);
    CHECK(t->nnodes == want.nodes && t->splits == want.splits &&
              t->entries == want.entries && t->ibound == want.ibound,
          "seed %" PRIu64 ": %d nodes, not %d", seed, t->nnodes, want.nodes);
    for (int k = 0; k < t->nnodes; k++)
        CHECK(node_mask(t, k) == want.clique[k] && t->node[k].var == want.var[k] &&
                  (want.parent[k] < 0 || t->node[k].parent == want.parent[k]),
              "seed %" PRIu64 " node %d", seed, k);
    assert_int_equal(zb_order_splits(scopes, order, t->ibound, limit, NULL, &cost),
                     ZB_OK);
    CHECK(cost.splits == t->splits && cost.total == t->entries + alone(t),
          "seed %" PRIu64 ": the order's cost has %g splits and %g entries", seed,
          cost.splits, cost.total);
    check_positions(t, seed);
    check_inputs(t, seed);
    check_shared(t, seed);
    zb_tree_free(t);
    zb_scopes_free(scopes);
    zb_model_free(model);
}

static void reference_rule_is_the_naive_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(3000); seed++)
        check_reference(seed);
}

/* Cliques stay within the limits unless one item alone exceeds them. */
static void check_limits(uint64_t seed)
{
    zb_model *model = random_model(seed, shapes(seed));
    zb_rng rng = zb_rng_seed(seed);
    zb_split_spec spec = { .ibound = 1 + zb_rng_below(&rng, 6),
                           .max_entries = 4 + zb_rng_below(&rng, 30),
                           .partition = ZB_PARTITION_SCOPE };
    zb_tree *t = tree_of(model, NULL, spec);
    int arity = 1;
    double most = spec.max_entries;
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        arity = zb_model_arity(model, f) > arity ? zb_model_arity(model, f) : arity;
        most = fmax(most, (double)zb_model_size(model, f));
    }
    CHECK(t->ibound == (spec.ibound > arity ? spec.ibound : arity), "seed %" PRIu64,
          seed);
    CHECK(t->width + 1 <= t->ibound, "seed %" PRIu64 ": width %d", seed, t->width);
    CHECK(t->largest <= most, "seed %" PRIu64 ": %g entries", seed, t->largest);
    check_positions(t, seed);
    check_inputs(t, seed);
    check_shared(t, seed);
    zb_tree_free(t);
    spec.ibound = zb_model_nvars(model);
    spec.max_entries = 0;
    t = tree_of(model, NULL, spec);
    CHECK(t->splits == 0, "seed %" PRIu64 ": split without need", seed);
    zb_tree_free(t);
    zb_model_free(model);
}

static void limits_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(2000); seed++)
        check_limits(seed);
}

/* ---- one bucket ------------------------------------------------------------------ */

static int pack_random(zb_rng *rng, zb_partition rule, int items, int (*scope)[6],
                       const int *arity, int ibound, int *group)
{
    static const int card[12] = { 2, 3, 2, 4, 2, 2, 3, 2, 5, 2, 2, 2 };
    zb_pack_item list[40];
    zb_packer packer;
    zb_ticker tick = { 0 };
    (void)rng;
    for (int i = 0; i < items; i++)
        list[i] = (zb_pack_item){ .scope = scope[i], .arity = arity[i], .id = i };
    assert_int_equal(zb_packer_init(&packer, 12, card, &tick), ZB_OK);
    packer.ibound = ibound;
    assert_int_equal(zb_packer_divide(&packer, rule, 0, items, list), ZB_OK);
    for (int i = 0; i < items; i++)
        group[list[i].id] = list[i].bin;
    zb_packer_clear(&packer);
    return packer.bins;
}

static void check_packing(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int items = 1 + zb_rng_below(&rng, 40), scope[40][6], arity[40], group[2][40],
        groups[2], ibound = 5 + zb_rng_below(&rng, 5);
    for (int i = 0; i < items; i++) {
        arity[i] = 0;
        scope[i][arity[i]++] = 0;
        for (int v = 1; v < 12 && arity[i] < 5; v++)
            if (zb_rng_below(&rng, 4) == 0)
                scope[i][arity[i]++] = v;
    }
    for (int rule = 0; rule < 2; rule++) {
        uint32_t joint[40] = { 0 };
        groups[rule] = pack_random(&rng, (zb_partition)rule, items, scope, arity,
                                   ibound, group[rule]);
        for (int i = 0; i < items; i++) {
            CHECK(group[rule][i] >= 0 && group[rule][i] < groups[rule],
                  "seed %" PRIu64 " item %d", seed, i);
            for (int j = 0; j < arity[i]; j++)
                joint[group[rule][i]] |= 1u << scope[i][j];
        }
        for (int g = 0; g < groups[rule]; g++)
            CHECK(joint[g] != 0 && __builtin_popcount(joint[g]) <= ibound,
                  "seed %" PRIu64 " rule %d group %d", seed, rule, g);
    }
    CHECK(groups[ZB_PARTITION_SCOPE] <= groups[ZB_PARTITION_REFERENCE],
          "seed %" PRIu64 ": the rule by scopes needs more mini-buckets", seed);
}

static void packings_are_packings(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(5000); seed++)
        check_packing(seed);
}

/* ---- edges ----------------------------------------------------------------------- */

static void empty_models(void **state)
{
    (void)state;
    const int card[3] = { 2, 1, 3 };
    const double five = 5;
    zb_model *model;
    zb_pass *pass;
    zb_pass_spec ps = { .side = ZB_SIDE_UPPER, .gradient = true, .theta = true };
    for (int n = 0; n <= 3; n += 3) {
        assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
        assert_int_equal(zb_model_add(model, 0, NULL, &five), ZB_OK);
        zb_tree *t = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
        assert_true(t->nnodes == 0 && t->splits == 0 && t->entries == 0);
        assert_int_equal(zb_pass_new(&pass, t, &ps), ZB_OK);
        zb_pass_set_log(pass, 0, &(double){ log(5) });
        CHECK(close_to(zb_pass_forward(pass), log(n ? 30 : 5), 1e-14), "%d variables",
              n);
        zb_pass_backward(pass);
        zb_pass_free(pass);
        zb_tree_free(t);
        zb_model_free(model);
    }
}

static void orders_are_checked(void **state)
{
    (void)state;
    const int card[3] = { 2, 2, 2 };
    const int bad[][3] = { { 0, 1, 1 }, { 0, 1, 3 }, { -1, 0, 1 }, { 0, 0, 0 } };
    zb_model *model;
    zb_scopes *scopes;
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    for (int i = 0; i < 4; i++) {
        zb_tree *t = (zb_tree *)&card; /* must be reset */
        CHECK(zb_tree_new(&t, scopes, bad[i], &(zb_split_spec){ .ibound = 2 }) ==
                      ZB_EINVAL &&
                  t == NULL,
              "order %d was taken", i);
    }
    zb_scopes_free(scopes);
    zb_model_free(model);
}

/* A clique of 70 binary variables cannot be held, and is refused before memory is
 * asked for; with an ibound or an entry limit it is. */
static void astronomical_cliques(void **state)
{
    (void)state;
    int card[70];
    const double one[4] = { 1, 1, 1, 1 };
    zb_model *model;
    zb_scopes *scopes;
    zb_tree *t;
    int order[70];
    for (int v = 0; v < 70; v++)
        card[v] = 2, order[v] = v;
    assert_int_equal(zb_model_new(&model, 70, card), ZB_OK);
    for (int v = 1; v < 70; v++)
        assert_int_equal(zb_model_add(model, 2, (int[]){ 0, v }, one), ZB_OK);
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    zb_split_spec spec = { .ibound = 70 };
    assert_int_equal(zb_tree_new(&t, scopes, order, &spec), ZB_ELIMIT);
    assert_null(t);
    spec.max_entries = 1024;
    assert_int_equal(zb_tree_new(&t, scopes, order, &spec), ZB_OK);
    assert_true(t->largest == 1024);
    zb_tree_free(t);
    zb_scopes_free(scopes);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_rule_is_the_naive_one),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(packings_are_packings),
        cmocka_unit_test(empty_models),
        cmocka_unit_test(orders_are_checked),
        cmocka_unit_test(astronomical_cliques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
