#include "graphs.h"
#include "order/order.h"
#include "test.h"

#include <inttypes.h>

static const zb_order KINDS[] = { ZB_ORDER_AUTO,      ZB_ORDER_NATURAL,
                                  ZB_ORDER_MINFILL,   ZB_ORDER_MINDEGREE,
                                  ZB_ORDER_MINWEIGHT, ZB_ORDER_MINSPLIT,
                                  ZB_ORDER_SWEEP,     ZB_ORDER_RANDOM };
enum { NKINDS = sizeof KINDS / sizeof *KINDS };

static zb_order_request ask(zb_order kind, uint64_t seed, int tries)
{
    return (
        zb_order_request){ .kind = kind, .ibound = 3, .seed = seed, .tries = tries };
}

static bool is_permutation(int n, const int *order)
{
    char *seen = calloc((size_t)n + 1, 1);
    bool ok = true;
    for (int k = 0; k < n; k++) {
        ok = ok && order[k] >= 0 && order[k] < n && !seen[order[k]];
        if (ok)
            seen[order[k]] = 1;
    }
    free(seen);
    return ok;
}

/* Eliminate on an adjacency matrix, word for word. clique, which may be NULL, gets the
   variables of each clique. */
static zb_order_cost simulate(const zb_scopes *s, const int *order, int *clique)
{
    size_t n = (size_t)s->nvars;
    char *edge = calloc(n * n + 1, 1), *gone = calloc(n + 1, 1);
    zb_order_cost cost = { .width = -1 };
    for (int f = 0; f < s->count; f++)
        for (size_t i = s->at[f]; i < s->at[f + 1]; i++)
            for (size_t j = s->at[f]; j < s->at[f + 1]; j++)
                edge[(size_t)s->var[i] * n + (size_t)s->var[j]] = 1;
    for (size_t k = 0; k < n; k++) {
        size_t v = (size_t)order[k];
        double table = s->card[v];
        int size = 0;
        for (size_t a = 0; a < n; a++) {
            if (gone[a] || a == v || !edge[v * n + a])
                continue;
            table *= s->card[a];
            size++;
            for (size_t b = 0; b < n; b++)
                if (!gone[b] && b != v && edge[v * n + b])
                    edge[a * n + b] = 1;
        }
        gone[v] = 1;
        if (clique != NULL)
            clique[k] = size + 1;
        cost.width = size > cost.width ? size : cost.width;
        cost.largest = fmax(cost.largest, table);
        cost.total += table;
    }
    free(edge);
    free(gone);
    return cost;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(a, b); }

static void check_cost(uint64_t seed, const zb_scopes *s, const int *order,
                       zb_order_cost cost)
{
    zb_order_cost slow = simulate(s, order, NULL);
    CHECK(cost.width == slow.width, "seed %" PRIu64 ": width %d, simulated %d", seed,
          cost.width, slow.width);
    CHECK(near(cost.largest, slow.largest) && near(cost.total, slow.total),
          "seed %" PRIu64 ": %g %g, simulated %g %g", seed, cost.largest, cost.total,
          slow.largest, slow.total);
}

static void costs_equal_a_simulation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(400); seed++) {
        int n = 1 + (int)(seed % 23), order[32];
        graph g = graph_random(seed, n, (int)(seed % 41), 4, 4);
        for (int k = 0; k < NKINDS; k++) {
            zb_order_request req = ask(KINDS[k], seed, 1 + (int)(seed % 3));
            zb_order_cost cost;
            CHECK(zb_order_make(&g.s, &req, order, &cost) == ZB_OK, "seed %" PRIu64,
                  seed);
            CHECK(is_permutation(n, order), "seed %" PRIu64 " kind %d", seed, k);
            check_cost(seed, &g.s, order, cost);
        }
        graph_free(&g);
    }
}

/* From one column for all to one for each variable. */
static void profiles_equal_a_simulation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(100); seed++) {
        int n = 1 + (int)(seed % 23), order[32], clique[32], profile[32];
        graph g = graph_random(seed, n, (int)(seed % 41), 4, 4);
        zb_order_request req = ask(ZB_ORDER_RANDOM, seed, 1);
        CHECK(zb_order_make(&g.s, &req, order, NULL) == ZB_OK, "seed %" PRIu64, seed);
        simulate(&g.s, order, clique);
        for (int columns = 1; columns <= n; columns++) {
            int most[32] = { 0 };
            for (int v = 0; v < n; v++) {
                int c = v * columns / n;
                most[c] = clique[v] > most[c] ? clique[v] : most[c];
            }
            CHECK(zb_order_profile(&g.s, order, NULL, columns, profile) == ZB_OK &&
                      memcmp(most, profile, (size_t)columns * sizeof *most) == 0,
                  "seed %" PRIu64 ", %d columns", seed, columns);
        }
        graph_free(&g);
    }
}

static zb_order_cost cost_of(const graph *g, zb_order_request req)
{
    int *order = malloc(((size_t)g->s.nvars + 1) * sizeof *order);
    zb_order_cost cost;
    assert_int_equal(zb_order_make(&g->s, &req, order, &cost), ZB_OK);
    assert_true(is_permutation(g->s.nvars, order));
    free(order);
    return cost;
}

static void sweeps_grids_along_the_short_side(void **state)
{
    (void)state;
    static const int side[][2] = { { 1, 1 },  { 1, 9 },  { 2, 2 },   { 3, 7 },
                                   { 7, 3 },  { 8, 8 },  { 10, 10 }, { 10, 25 },
                                   { 31, 6 }, { 40, 40 } };
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        int r = side[i][0], c = side[i][1], low = r < c ? r : c;
        graph g = graph_grid(r, c);
        int width = cost_of(&g, ask(ZB_ORDER_SWEEP, 1, 1)).width;
        CHECK(width <= low && (r * c == 1 || width >= 1), "%d x %d: width %d", r, c,
              width);
        CHECK(cost_of(&g, ask(ZB_ORDER_AUTO, 1, 1)).total <=
                  cost_of(&g, ask(ZB_ORDER_SWEEP, 1, 1)).total,
              "%d x %d", r, c);
        graph_free(&g);
    }
}

/* Variable numbers must not matter: a grid with its sites shuffled. */
static void sweeps_shuffled_grids(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        graph g = graph_grid(15, 15);
        zb_rng rng = zb_rng_seed(seed);
        int name[225];
        for (int v = 0; v < 225; v++)
            name[v] = v;
        zb_rng_shuffle(&rng, 225, name);
        for (size_t i = 0; i < g.s.at[g.s.count]; i++)
            g.s.var[i] = name[g.s.var[i]];
        int width = cost_of(&g, ask(ZB_ORDER_SWEEP, 1, 1)).width;
        CHECK(width == 15, "seed %" PRIu64 ": width %d", seed, width);
        graph_free(&g);
    }
}

static graph cycle(int n)
{
    graph g = graph_new(n, 3);
    for (int v = 0; v < n; v++)
        graph_edge(&g, v, (v + 1) % n);
    return g;
}

static graph tree(uint64_t seed, int n)
{
    zb_rng rng = zb_rng_seed(seed);
    graph g = graph_new(n, 2);
    for (int v = 1; v < n; v++)
        graph_edge(&g, v, zb_rng_below(&rng, v));
    return g;
}

static void finds_known_treewidths(void **state)
{
    (void)state;
    static const zb_order greedy[] = { ZB_ORDER_AUTO, ZB_ORDER_MINFILL,
                                       ZB_ORDER_MINDEGREE, ZB_ORDER_MINWEIGHT };
    for (size_t k = 0; k < 4; k++) {
        zb_order_request req = ask(greedy[k], 1, 2);
        for (uint64_t seed = 0; seed < 10; seed++) {
            graph g = tree(seed, 200);
            zb_order_cost cost = cost_of(&g, req);
            assert_int_equal(cost.width, 1);
            assert_true(cost.total == 199 * 4 + 2);
            graph_free(&g);
        }
        graph c = cycle(50), complete = graph_complete(12);
        assert_int_equal(cost_of(&c, req).width, 2);
        assert_int_equal(cost_of(&complete, req).width, 11);
        assert_true(cost_of(&complete, req).total == 8190);
        graph_free(&c);
        graph_free(&complete);
    }
    graph g = graph_grid(8, 8);
    assert_true(cost_of(&g, ask(ZB_ORDER_AUTO, 1, 50)).width <= 8);
    graph_free(&g);
}

static void local_search_pays(void **state)
{
    (void)state;
    int won = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        graph g = graph_random(seed, 130, 190, 3, 5);
        double greedy = cost_of(&g, ask(ZB_ORDER_AUTO, seed, 1)).total;
        double searched = cost_of(&g, ask(ZB_ORDER_AUTO, seed, 3)).total;
        CHECK(searched <= greedy, "seed %" PRIu64 ": %g > %g", seed, searched, greedy);
        won += searched < 0.8 * greedy;
        graph_free(&g);
    }
    assert_true(won >= 2);
}

/* Random 2-trees (every new vertex joined to both ends of an edge) have treewidth 2. */
static void eliminates_simplicial_variables_first(void **state)
{
    (void)state;
    static const zb_order greedy[] = { ZB_ORDER_MINFILL, ZB_ORDER_MINDEGREE,
                                       ZB_ORDER_MINWEIGHT };
    for (uint64_t seed = 0; seed < 20; seed++) {
        zb_rng rng = zb_rng_seed(seed);
        graph g = graph_new(60, 2);
        int end[200][2], edges = 1;
        end[0][0] = 0, end[0][1] = 1;
        graph_edge(&g, 0, 1);
        for (int v = 2; v < 60; v++) {
            int e = zb_rng_below(&rng, edges);
            for (int i = 0; i < 2; i++) {
                graph_edge(&g, v, end[e][i]);
                end[edges][0] = v, end[edges++][1] = end[e][i];
            }
            g.s.card[v] = 2 + zb_rng_below(&rng, 4);
        }
        for (size_t k = 0; k < 3; k++) {
            int width = cost_of(&g, ask(greedy[k], 1, 1)).width;
            CHECK(width == 2, "seed %" PRIu64 ": width %d", seed, width);
        }
        graph_free(&g);
    }
}

static void same_seed_same_order(void **state)
{
    (void)state;
    int a[120], b[120];
    for (uint64_t seed = 1; seed < 6; seed++) {
        graph g = graph_random(seed, 120, 200, 3, 3);
        for (int k = 0; k < NKINDS; k++) {
            zb_order_request req = ask(KINDS[k], seed, 4);
            req.seconds = k % 2 ? 0.02 : 0;
            assert_int_equal(zb_order_make(&g.s, &req, a, NULL), ZB_OK);
            assert_int_equal(zb_order_make(&g.s, &req, b, NULL), ZB_OK);
            assert_memory_equal(a, b, sizeof a);
        }
        zb_order_request one = ask(ZB_ORDER_RANDOM, 1, 1),
                         two = ask(ZB_ORDER_RANDOM, 2, 1);
        assert_int_equal(zb_order_make(&g.s, &one, a, NULL), ZB_OK);
        assert_int_equal(zb_order_make(&g.s, &two, b, NULL), ZB_OK);
        assert_memory_not_equal(a, b, sizeof a);
        graph_free(&g);
    }
}

static void restarts_never_hurt(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        graph g = graph_random(seed, 80, 140, 3, 4);
        for (int k = 0; k < NKINDS; k++) {
            if (KINDS[k] == ZB_ORDER_MINSPLIT)
                continue;
            double once = cost_of(&g, ask(KINDS[k], seed, 1)).total;
            double often = cost_of(&g, ask(KINDS[k], seed, 5)).total;
            CHECK(often <= once * (1 + 1e-9), "seed %" PRIu64 " kind %d: %g > %g", seed,
                  k, often, once);
        }
        graph_free(&g);
    }
}

static void edge_cases(void **state)
{
    (void)state;
    int order[8];
    zb_order_cost cost;
    graph none = graph_new(0, 2), alone = graph_new(5, 7), ones = graph_complete(6),
          huge = graph_complete(7);
    graph_add(&alone, 0, NULL);
    for (int v = 0; v < 6; v++)
        ones.s.card[v] = 1;
    for (int v = 0; v < 7; v++)
        huge.s.card[v] = 2000000000;
    for (int k = 0; k < NKINDS; k++) {
        zb_order_request req = ask(KINDS[k], 1, 3);
        assert_int_equal(zb_order_make(&none.s, &req, order, &cost), ZB_OK);
        assert_true(cost.width == -1 && cost.total == 0 && cost.largest == 0);
        assert_int_equal(zb_order_make(&alone.s, &req, order, &cost), ZB_OK);
        assert_true(cost.width == 0 && cost.total == 35 && cost.largest == 7);
        assert_int_equal(zb_order_make(&ones.s, &req, order, &cost), ZB_OK);
        assert_true(is_permutation(6, order));
        assert_true(cost.width == 5 && cost.total == 6 && cost.largest == 1);
        assert_int_equal(zb_order_make(&huge.s, &req, order, &cost), ZB_OK);
        assert_true(is_permutation(7, order));
        assert_true(near(cost.largest, pow(2e9, 7)));
    }
    zb_order_request file = ask(ZB_ORDER_FILE, 1, 1);
    assert_int_equal(zb_order_make(&alone.s, &file, order, &cost), ZB_EINVAL);
    int twice[] = { 0, 1, 2, 3, 3 }, outside[] = { 0, 1, 2, 3, 5 };
    assert_int_equal(zb_order_evaluate(&alone.s, twice, NULL, &cost), ZB_EINVAL);
    assert_int_equal(zb_order_evaluate(&alone.s, outside, NULL, &cost), ZB_EINVAL);
    graph_free(&none);
    graph_free(&alone);
    graph_free(&ones);
    graph_free(&huge);
}

/* 40000 variables in one clique after a bad start: infinite, not NaN, and quick. */
static void overflows_to_infinity(void **state)
{
    (void)state;
    graph g = graph_new(40000, 2);
    int *order = malloc(40000 * sizeof *order);
    zb_order_cost cost;
    for (int v = 1; v < 40000; v++)
        graph_edge(&g, 0, v);
    for (int v = 0; v < 40000; v++)
        order[v] = v;
    assert_int_equal(zb_order_evaluate(&g.s, order, NULL, &cost), ZB_OK);
    assert_int_equal(cost.width, 39999);
    assert_true(cost.largest == INFINITY && cost.total == INFINITY);
    assert_int_equal(cost_of(&g, ask(ZB_ORDER_AUTO, 1, 1)).width, 1);
    free(order);
    graph_free(&g);
}

static void stays_quick_on_dense_graphs(void **state)
{
    (void)state;
    graph g = graph_complete(400);
    assert_int_equal(cost_of(&g, ask(ZB_ORDER_AUTO, 1, 3)).width, 399);
    graph_free(&g);
    g = graph_random(1, 400, 30000, 2, 2);
    assert_true(cost_of(&g, ask(ZB_ORDER_AUTO, 1, 2)).width < 400);
    graph_free(&g);
}

/* ---- splits -----------------------------------------------------------------------
 */

static double entries_of(const zb_scopes *s, uint32_t set)
{
    double table = 1;
    for (int v = 0; v < s->nvars; v++)
        if (set >> v & 1)
            table *= s->card[v];
    return table;
}

/* The reference rule on bit sets. */
static zb_split_cost simulate_splits(const zb_scopes *s, const int *order, int ibound,
                                     double max_entries)
{
    uint32_t item[512], part[512];
    int count = 0;
    zb_split_cost cost = { 0 };
    for (int f = 0; f < s->count; f++) {
        item[count] = 0;
        for (size_t i = s->at[f]; i < s->at[f + 1]; i++)
            item[count] |= 1u << s->var[i];
        count++;
    }
    for (int k = 0; k < s->nvars; k++) {
        uint32_t v = 1u << order[k];
        int parts = 0, kept = 0;
        for (int size = s->nvars; size >= 1; size--)
            for (int i = 0; i < count; i++) {
                if (!(item[i] & v) || __builtin_popcount(item[i]) != size)
                    continue;
                int r = 0;
                for (; r < parts; r++) {
                    uint32_t joint = part[r] | item[i];
                    if (joint == part[r] ||
                        (__builtin_popcount(joint) <= ibound &&
                         (max_entries <= 0 || entries_of(s, joint) <= max_entries)))
                        break;
                }
                if (r == parts)
                    part[parts++] = 0;
                part[r] |= item[i];
            }
        for (int i = 0; i < count; i++)
            if (!(item[i] & v))
                item[kept++] = item[i];
        count = kept;
        if (parts == 0) {
            part[0] = v;
            parts = 1;
        }
        cost.splits += parts - 1;
        for (int r = 0; r < parts; r++) {
            double table = entries_of(s, part[r]);
            cost.total += table;
            cost.largest = fmax(cost.largest, table);
            if (part[r] & ~v)
                item[count++] = part[r] & ~v;
        }
    }
    return cost;
}

static void splits_equal_a_simulation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(600); seed++) {
        int n = 1 + (int)(seed % 20), order[32];
        int ibound = 1 + (int)(seed % 7);
        double most = seed % 3 ? 0 : (double)(4 << seed % 5);
        graph g = graph_random(seed, n, (int)(seed % 37), 4, 4);
        zb_order_request req = { .kind = seed % 2 ? ZB_ORDER_MINSPLIT : ZB_ORDER_RANDOM,
                                 .ibound = ibound,
                                 .max_entries = most,
                                 .ties = (zb_ties)(seed / 2 % 3),
                                 .seed = seed,
                                 .tries = 1 + (int)(seed % 5 / 2) };
        zb_split_cost cost;
        CHECK(zb_order_make(&g.s, &req, order, NULL) == ZB_OK, "seed %" PRIu64, seed);
        CHECK(zb_order_splits(&g.s, order, ibound, most, NULL, &cost) == ZB_OK,
              "seed %" PRIu64, seed);
        zb_split_cost slow = simulate_splits(&g.s, order, ibound, most);
        CHECK(cost.splits == slow.splits && cost.total == slow.total &&
                  cost.largest == slow.largest,
              "seed %" PRIu64 ": %g splits, simulated %g", seed, cost.splits,
              slow.splits);
        graph_free(&g);
    }
}

static double splits_of(const graph *g, zb_order kind, int ibound, int tries)
{
    int *order = malloc((size_t)g->s.nvars * sizeof *order);
    zb_order_request req = {
        .kind = kind, .ibound = ibound, .seed = 1, .tries = tries
    };
    zb_split_cost cost;
    assert_int_equal(zb_order_make(&g->s, &req, order, NULL), ZB_OK);
    assert_int_equal(zb_order_splits(&g->s, order, ibound, 0, NULL, &cost), ZB_OK);
    free(order);
    return cost.splits;
}

/* A grid whose numbers say nothing. */
static graph shuffled_grid(uint64_t seed, int rows, int cols)
{
    zb_rng rng = zb_rng_seed(seed);
    graph g = graph_grid(rows, cols);
    int *name = malloc((size_t)(rows * cols) * sizeof *name);
    for (int v = 0; v < rows * cols; v++)
        name[v] = v;
    zb_rng_shuffle(&rng, rows * cols, name);
    for (size_t i = 0; i < g.s.at[g.s.count]; i++)
        g.s.var[i] = name[g.s.var[i]];
    free(name);
    return g;
}

static double splits_by(const graph *g, zb_ties ties, int ibound)
{
    int *order = malloc((size_t)g->s.nvars * sizeof *order);
    zb_order_request req = {
        .kind = ZB_ORDER_MINSPLIT, .ibound = ibound, .ties = ties, .tries = 1
    };
    zb_split_cost cost;
    assert_int_equal(zb_order_make(&g->s, &req, order, NULL), ZB_OK);
    assert_int_equal(zb_order_splits(&g->s, order, ibound, 0, NULL, &cost), ZB_OK);
    free(order);
    return cost.splits;
}

/* Places in a search breadth first make up for numbers that say nothing. */
static void breadth_makes_orders_regular(void **state)
{
    double number = 0, breadth = 0, back = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        graph g = shuffled_grid(seed, 30, 30);
        for (int ibound = 6; ibound <= 12; ibound += 2) {
            number += splits_by(&g, ZB_TIES_NUMBER, ibound);
            breadth += splits_by(&g, ZB_TIES_BREADTH, ibound);
            back += splits_by(&g, ZB_TIES_BACK, ibound);
        }
        graph_free(&g);
    }
    CHECK(breadth < 0.9 * number && back < 0.9 * number, "%g, %g and %g splits", number,
          breadth, back);
}

static void minsplit_splits_less_than_minfill(void **state)
{
    (void)state;
    graph g = graph_grid(10, 10);
    assert_true(splits_of(&g, ZB_ORDER_MINSPLIT, 5, 30) <= 18);
    assert_true(splits_of(&g, ZB_ORDER_MINSPLIT, 7, 30) <= 9);
    assert_true(splits_of(&g, ZB_ORDER_MINSPLIT, 11, 30) <= 3);
    for (int ibound = 3; ibound <= 11; ibound += 2)
        assert_true(splits_of(&g, ZB_ORDER_MINSPLIT, ibound, 10) <
                    splits_of(&g, ZB_ORDER_MINFILL, ibound, 1));
    graph_free(&g);
}

/* With room for the largest clique nothing is split and costs agree. */
static void no_split_above_the_width(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        int order[40];
        graph g = graph_random(seed, 40, 60, 3, 3);
        zb_order_request req = ask(ZB_ORDER_MINFILL, seed, 1);
        zb_order_cost cost;
        zb_split_cost split;
        assert_int_equal(zb_order_make(&g.s, &req, order, &cost), ZB_OK);
        assert_int_equal(zb_order_splits(&g.s, order, cost.width + 1, 0, NULL, &split),
                         ZB_OK);
        CHECK(split.splits == 0 && near(split.total, cost.total), "seed %" PRIu64,
              seed);
        graph_free(&g);
    }
}

/* A hub with many items takes the path for big buckets. */
static void minsplit_handles_hubs(void **state)
{
    (void)state;
    graph g = graph_new(2001, 2);
    for (int v = 1; v < 2001; v++) {
        graph_edge(&g, 0, v);
        graph_edge(&g, v, 1 + v % 2000);
    }
    assert_true(splits_of(&g, ZB_ORDER_MINSPLIT, 4, 2) == 0);
    assert_true(splits_of(&g, ZB_ORDER_NATURAL, 4, 1) > 500);
    graph_free(&g);
}

static void refuses_bad_limits(void **state)
{
    (void)state;
    graph g = graph_grid(2, 2);
    int order[] = { 0, 1, 2, 3 }, bad[] = { 0, 1, 1, 3 };
    zb_split_cost cost;
    assert_int_equal(zb_order_splits(&g.s, order, 0, 0, NULL, &cost), ZB_EINVAL);
    assert_int_equal(zb_order_splits(&g.s, bad, 2, 0, NULL, &cost), ZB_EINVAL);
    zb_order_request req = { .kind = ZB_ORDER_MINSPLIT, .tries = 1 };
    assert_int_equal(zb_order_make(&g.s, &req, order, NULL), ZB_EINVAL);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_equal_a_simulation),
        cmocka_unit_test(profiles_equal_a_simulation),
        cmocka_unit_test(sweeps_grids_along_the_short_side),
        cmocka_unit_test(sweeps_shuffled_grids),
        cmocka_unit_test(finds_known_treewidths),
        cmocka_unit_test(local_search_pays),
        cmocka_unit_test(eliminates_simplicial_variables_first),
        cmocka_unit_test(same_seed_same_order),
        cmocka_unit_test(restarts_never_hurt),
        cmocka_unit_test(edge_cases),
        cmocka_unit_test(overflows_to_infinity),
        cmocka_unit_test(stays_quick_on_dense_graphs),
        cmocka_unit_test(splits_equal_a_simulation),
        cmocka_unit_test(minsplit_splits_less_than_minfill),
        cmocka_unit_test(breadth_makes_orders_regular),
        cmocka_unit_test(no_split_above_the_width),
        cmocka_unit_test(minsplit_handles_hubs),
        cmocka_unit_test(refuses_bad_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
