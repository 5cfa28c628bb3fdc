/* One tree over many ranks: the same bits as in one process, for any number of them. */
#include "oracle.h"
#include "over_ranks.h"
#include "base/rng.h"
#include "thread_ranks.h"
#include "tighten/fleet.h"
#include "test.h"

#include <inttypes.h>

static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };

static const random_spec WILD = { 14, 3, 60, 2, 0.1, 3, true },
                         WIDE = { 16, 4, 120, 2, 0.01, 2, true };

static const zb_method METHODS[] = { ZB_METHOD_MBE, ZB_METHOD_WMBE, ZB_METHOD_WMBE_W,
                                     ZB_METHOD_WMBE_THETA, ZB_METHOD_WMBE_WTHETA };
enum { METHODS_COUNT = sizeof METHODS / sizeof *METHODS };

static zb_options options_of(uint64_t seed)
{
    zb_options opt = zb_options_default();
    opt.method = METHODS[seed % METHODS_COUNT];
    opt.time = 0;
    opt.ibound = 2 + (int)(seed % 4 == 3);
    opt.iterations = seed % 7 == 0 ? 60 : 9; /* 60: weights are fitted, too */
    opt.optimizer = seed % 11 == 3 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
    opt.form = seed % 13 == 5 ? ZB_FORM_AUTO : ZB_FORM_ORIGINAL;
    opt.threads = 1;
    return opt;
}

static bool same_result(const zb_result *a, const zb_result *b)
{
    return a->log_lower == b->log_lower && a->log_upper == b->log_upper &&
           a->has_lower == b->has_lower && a->has_upper == b->has_upper &&
           a->rounding == b->rounding && a->iterations == b->iterations &&
           a->exact == b->exact && a->stop == b->stop && a->order == b->order;
}

static void random_models_have_the_same_bits(void **state)
{
    (void)state;
    int split = 0;
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        for (uint64_t seed = 1; seed <= test_models(6); seed++) {
            zb_model *model = random_model(seed, seed % 3 == 0 ? WILD : WIDE);
            zb_options opt = options_of(seed);
            zb_result one = solve_over(model, opt, NULL);
            opt.threads = 1 + (int)(seed % 2);
            zb_result many = solve_over(model, opt, ranks);
            CHECK(same_result(&one, &many) && brackets(&many, brute_interval(model)),
                  "seed %" PRIu64 ", %s, %d ranks: %.17g %.17g, %.17g %.17g", seed,
                  zb_method_name(opt.method), SIZES[k], one.log_lower, one.log_upper,
                  many.log_lower, many.log_upper);
            split += !one.exact;
            zb_model_free(model);
        }
        assert_true(ranks->letters > 0 || SIZES[k] == 1);
        thread_ranks_close(&t);
    }
    CHECK(split > test_share(5), "%d", split);
}

static zb_model *grid(int side, double coupling, uint64_t seed)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = coupling, .field = 0.5, .seed = seed
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

/* Strong couplings: some nodes turn to logarithms on the way. */
static void grids_have_the_same_bits(void **state)
{
    (void)state;
    for (int k = 1; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], 0);
        for (uint64_t seed = 1; seed <= test_models(2); seed++) {
            zb_model *model = grid(10, seed % 2 == 0 ? 80 : 1, seed);
            zb_options opt = options_of(4 + 5 * seed);
            opt.ibound = 4;
            zb_result one = solve_over(model, opt, NULL),
                      many = solve_over(model, opt, ranks);
            CHECK(!one.exact && same_result(&one, &many),
                  "seed %" PRIu64 ", %d ranks: %.17g %.17g, %.17g %.17g", seed,
                  SIZES[k], one.log_lower, one.log_upper, many.log_lower,
                  many.log_upper);
            zb_model_free(model);
        }
        thread_ranks_close(&t);
    }
}

/* Gauges between factors of two parts, with signs that cross, on both sides; the
   paper's optimiser takes absolute values everywhere. */
static void gauges_have_the_same_bits(void **state)
{
    (void)state;
    int moved = 0;
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        for (uint64_t seed = 1; seed <= test_models(6); seed++) {
            zb_model *model =
                seed % 3 == 0 ? random_model(seed, WILD) : grid(4, 1, seed);
            zb_options opt = options_of(seed);
            opt.method = seed % 2 == 0 ? ZB_METHOD_WMBE_G : ZB_METHOD_WMBE_WG;
            opt.form = seed % 5 == 4 ? ZB_FORM_AUTO : ZB_FORM_FORNEY;
            opt.optimizer = seed % 4 == 3 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
            opt.ibound = 3 + (int)(seed % 2);
            opt.iterations = 20;
            zb_result one = solve_over(model, opt, NULL);
            opt.threads = 1 + (int)(seed % 2);
            zb_result many = solve_over(model, opt, ranks);
            CHECK(same_result(&one, &many) && brackets(&many, brute_interval(model)),
                  "seed %" PRIu64 ", %s, %d ranks: %.17g %.17g, %.17g %.17g", seed,
                  zb_method_name(opt.method), SIZES[k], one.log_lower, one.log_upper,
                  many.log_lower, many.log_upper);
            moved += !one.exact;
            zb_model_free(model);
        }
        thread_ranks_close(&t);
    }
    CHECK(moved > test_share(10), "%d", moved);
}

/* A core in which all are tied to all, and tails of three variables on it. Both tables
   of the first of these span so much that it works on logarithms, which have no signs;
   its message spans little, so the next one works on values, and gauges of the core
   give it some. */
static zb_model *tailed(int core, int tails, uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[64], n = core + 3 * tails;
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int a = 0; a < core; a++)
        for (int b = a + 1; b < core; b++) {
            double x[4];
            for (int i = 0; i < 4; i++)
                x[i] = 2 * zb_rng_uniform(&rng) - 1;
            assert_int_equal(zb_model_add_log(model, 2, (int[]){ a, b }, x), ZB_OK);
        }
    for (int k = 0; k < tails; k++) {
        int t = core + 3 * k;
        double x[4] = { 0, 0, -299.9, -299.9 }, y[8];
        for (int side = 1; side <= 2; side++) {
            int c = (2 * k + 3 * side) % core;
            x[1] = -0.5 * zb_rng_uniform(&rng);
            assert_int_equal(zb_model_add_log(model, 2, (int[]){ t, t + side }, x),
                             ZB_OK);
            for (int i = 0; i < 8; i++)
                y[i] = 2 * zb_rng_uniform(&rng) - 1;
            assert_int_equal(
                zb_model_add_log(model, 3, (int[]){ t + side, c, (c + 1) % core }, y),
                ZB_OK);
        }
    }
    return model;
}

static void signs_are_lost_across_ranks(void **state)
{
    (void)state;
    zb_options exact = zb_options_default();
    exact.method = ZB_METHOD_BE;
    for (int k = 1; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], 0);
        for (uint64_t seed = 1; seed <= test_models(4); seed++) {
            zb_model *model = tailed(6, 7, seed);
            zb_options opt = options_of(4);
            opt.method = ZB_METHOD_WMBE_WG;
            opt.form = ZB_FORM_FORNEY;
            opt.side = ZB_SIDE_UPPER;
            opt.ibound = 4 + (int)(seed % 2);
            opt.iterations = 25;
            zb_result z = solve_over(model, exact, NULL),
                      one = solve_over(model, opt, NULL),
                      many = solve_over(model, opt, ranks);
            CHECK(same_result(&one, &many) && many.log_upper >= z.log_lower,
                  "seed %" PRIu64 ", %d ranks: %.17g, %.17g, %.17g", seed, SIZES[k],
                  z.log_lower, one.log_upper, many.log_upper);
            zb_model_free(model);
        }
        thread_ranks_close(&t);
    }
}

/* ---- the cut --------------------------------------------------------------------- */

static zb_tree *tree_of(const zb_model *model, int ibound)
{
    zb_scopes *scopes;
    zb_tree *tree;
    int order[400];
    zb_split_spec spec = { .ibound = ibound };
    for (int v = 0; v < zb_model_nvars(model); v++)
        order[v] = v;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_tree_new(&tree, scopes, order, &spec), ZB_OK);
    zb_scopes_free(scopes);
    return tree;
}

/* What a part says of a node, in the tree's numbers. */
static void check_node(const zb_tree *t, const zb_part *p, int x)
{
    int k = p->node_id[x], up = p->tree->node[x].parent;
    int above = up < 0                 ? -1
                : up < p->tree->nnodes ? p->node_id[up]
                                       : p->out[up - p->tree->nnodes].id;
    assert_int_equal(above, t->node[k].parent);
    assert_int_equal(p->tree->node[x].nclique, t->node[k].nclique);
    assert_int_equal(zb_tree_bucket_of(p->tree, x)->count,
                     zb_tree_bucket_of(t, k)->count);
    for (int i = 0; i < t->node[k].ninput; i++) {
        int in = zb_tree_input(p->tree, x)[i], id;
        if (in < 0)
            id = -1 - p->node_id[-1 - in];
        else
            id = in < p->nfactors ? p->factor_id[in] : -1 - p->in[in - p->nfactors].id;
        assert_int_equal(id, zb_tree_input(t, k)[i]);
        assert_true(zb_tree_size(p->tree, in) == zb_tree_size(t, id));
    }
}

static void check_parts(const zb_tree *t, const zb_model *model, int parts)
{
    bool *top = calloc((size_t)t->nnodes + 1, sizeof *top);
    int nodes = 0, factors = 0, in = 0, out = 0;
    double most = 0;
    zb_cutting *c;
    assert_int_equal(zb_cutting_new(&c, t, parts, top), ZB_OK);
    for (int r = 0; r < parts; r++) {
        zb_part *made, *p;
        zb_model *tables;
        zb_letter l = { 0 };
        assert_int_equal(zb_part_new(&made, &tables, c, r, model), ZB_OK);
        zb_letter_put_part(&l, made);
        for (size_t cut = 0; cut < l.size; cut += 1 + l.size / 7) {
            zb_letter brief = { .data = l.data, .size = cut };
            assert_int_equal(zb_letter_take_part(&brief, &p), ZB_EINVAL);
        }
        assert_int_equal(zb_letter_take_part(&l, &p), ZB_OK);
        for (int x = 0; x < p->tree->nnodes; x++)
            check_node(t, p, x);
        nodes += p->tree->nnodes, factors += p->nfactors;
        in += p->nin, out += p->nout;
        most = fmax(most, p->tree->entries);
        assert_int_equal(tables->nfactors, p->nfactors);
        zb_letter_clear(&l);
        zb_part_free(made);
        zb_part_free(p);
        zb_model_free(tables);
    }
    assert_true(nodes == t->nnodes && factors == t->nfactors && in == out);
    /* balanced up to the bucket at each end, and 64 a node */
    assert_true(most <= (t->entries + 64.0 * t->nnodes) / parts + 2 * 3 * t->largest);
    zb_cutting_free(c);
    free(top);
}

static void parts_make_up_the_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(10); seed++) {
        random_spec spec = WILD;
        spec.evidence = false;
        zb_model *model = seed % 2 == 0 ? grid(12, 1, seed) : random_model(seed, spec);
        zb_tree *tree = tree_of(model, 2 + (int)(seed % 3));
        for (int k = 0; k < SIZES_COUNT; k++)
            check_parts(tree, model, SIZES[k]);
        zb_tree_free(tree);
        zb_model_free(model);
    }
}

/* ---- runs that end early --------------------------------------------------------- */

typedef struct patience {
    int64_t left;
} patience;

static bool some_reports(void *context, const zb_progress *at)
{
    patience *p = context;
    (void)at;
    return p->left-- > 0;
}

/* Stopped after any report: what there is are bounds, and the next call has the same
   bits as ever. */
static void stop_anywhere(zb_ranks *ranks, zb_options opt)
{
    zb_model *model = grid(9, 1, 3);
    zb_options exact = zb_options_default();
    exact.method = ZB_METHOD_BE;
    zb_result one = solve_over(model, opt, NULL), z = solve_over(model, exact, NULL);
    for (int64_t stop = 0; stop < 20; stop++) {
        patience p = { stop };
        zb_observer observer = { .context = &p, .progress = some_reports };
        zb_result r;
        opt.ranks = ranks;
        zb_status status = zb_solve(model, &opt, &observer, &r, NULL);
        CHECK(status == ZB_OK || status == ZB_ELIMIT, "%d reports", (int)stop);
        CHECK(status != ZB_OK ||
                  (r.log_lower <= z.log_upper && z.log_lower <= r.log_upper),
              "%d reports: %.17g %.17g", (int)stop, r.log_lower, r.log_upper);
    }
    for (double time = 1e-4; time < 0.1; time *= 2) {
        zb_result r;
        opt.time = time;
        zb_status status = zb_solve(model, &opt, NULL, &r, NULL);
        CHECK(status == ZB_OK || status == ZB_ELIMIT, "%g s", time);
        CHECK(status != ZB_OK ||
                  (r.log_lower <= z.log_upper && z.log_lower <= r.log_upper),
              "%g s: %.17g %.17g", time, r.log_lower, r.log_upper);
    }
    opt.time = 0;
    zb_result again = solve_over(model, opt, ranks);
    assert_true(same_result(&one, &again));
    zb_model_free(model);
}

static void a_stopped_call_leaves_the_ranks_ready(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_options opt = options_of(4);
    opt.ibound = 3;
    stop_anywhere(ranks, opt);
    opt.method = ZB_METHOD_WMBE_WG;
    opt.form = ZB_FORM_FORNEY;
    opt.iterations = 18; /* the last third of them with gauges, on the lower side */
    stop_anywhere(ranks, opt);
    thread_ranks_close(&t);
}

/* ---- when it is done ------------------------------------------------------------- */

/* From 0.02 s of work on, at 7 ns an entry; where parts fit a rank's memory. */
static void small_trees_stay_where_they_are(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 2, 0);
    zb_run run;
    zb_tree tree = { .entries = 2.85e6 };
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
    ranks->least = 0.02;
    assert_false(zb_fleet_pays(&tree, &run));
    tree.entries = 2.86e6;
    assert_true(zb_fleet_pays(&tree, &run));
    run.ranks = NULL;
    assert_false(zb_fleet_pays(&tree, &run));
    zb_run_close(&run);
    thread_ranks_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_models_have_the_same_bits),
        cmocka_unit_test(grids_have_the_same_bits),
        cmocka_unit_test(gauges_have_the_same_bits),
        cmocka_unit_test(signs_are_lost_across_ranks),
        cmocka_unit_test(parts_make_up_the_tree),
        cmocka_unit_test(a_stopped_call_leaves_the_ranks_ready),
        cmocka_unit_test(small_trees_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
