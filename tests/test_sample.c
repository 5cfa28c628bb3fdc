/* Draws from upper bounds: weights are what they claim to be, never above the bound,
   and right on average. */
#include "accepted.h"
#include "proposals.h"
#include "sample/ahead.h"
#include "sample/stream.h"

static zb_model *some_model(uint64_t seed)
{
    random_spec spec = { .max_vars = 10,
                         .max_card = 4,
                         .max_factors = 40,
                         .max_arity = 2 + (int)(seed % 2),
                         .zeros = seed % 3 == 0 ? 0.2 : 0,
                         .spread = seed % 5 == 0 ? 20 : 1,
                         .evidence = true };
    zb_model *model = random_model(seed, spec);
    assert_non_null(model);
    return model;
}

/* A draw is accepted with probability w / U, on the whole Z / U. */
typedef struct tally {
    accepted all;
    int drawn, dead, split;
} tally;

static void check_lane(const drawing *d, int lane, uint64_t seed)
{
    const zb_batch *b = d->batch;
    double value = log_value_of(d->model, b, lane);
    CHECK(b->log_ratio[lane] <= 0, "seed %d: w above U", (int)seed);
    for (int v = 0; v < d->model->nvars; v++) {
        int x = b->state[v * ZB_LANES + lane];
        assert_true(x >= 0 && x < d->model->card[v]);
    }
    if (b->log_ratio[lane] == -INFINITY)
        return;
    CHECK(close_to(value, b->log_share[lane] + d->log_upper, 1e-9),
          "seed %d: ln f %.17g, by the draw %.17g", (int)seed, value,
          b->log_share[lane] + d->log_upper);
}

static void draw_and_tally(drawing *d, uint64_t seed, double log_z, tally *t)
{
    enum { BATCHES = 4 };
    draws_seen got = { .n = BATCHES * ZB_LANES };
    double rate = exp(log_z - d->log_upper);
    for (uint64_t k = 0; k < BATCHES; k++) {
        zb_stream more = zb_stream_open(~seed, k);
        zb_proposal_draw(d->proposal, seed, k, d->batch, NULL);
        for (int i = 0; i < ZB_LANES; i++) {
            check_lane(d, i, seed);
            double w = exp(d->batch->log_ratio[i]);
            got.sum += w;
            got.squares += w * w;
            got.accepted += zb_stream_uniform(more, (uint64_t)i) < w;
            t->dead += w == 0;
            t->drawn++;
        }
    }
    t->split += d->tree->splits > 0;
    accepted_add(&t->all, &got, rate, rate);
}

static void test_weights_average_to_z(void **state)
{
    tally t = { 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(2000); seed++) {
        zb_model *model = some_model(seed);
        double log_z = brute_force(model);
        drawing d = drawing_new(model, seed, 2 + (int)(seed % 4 == 0));
        if (log_z > -INFINITY)
            draw_and_tally(&d, seed, log_z, &t);
        drawing_free(&d);
        zb_model_free(model);
    }
    print_message("chi %.1f of %.0f terms, mean off by %.2f sigma, %d of %d dead\n",
                  t.all.chi, t.all.terms, t.all.mean / sqrt(t.all.variance), t.dead,
                  t.drawn);
    assert_true(t.all.terms >= test_share(200) && t.dead >= test_share(500));
    accepted_check(&t.all);
}

/* Most states are forbidden, so that draws end dead; a look ahead sees most of that. */
static zb_model *mostly_zero(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = 8, card[8];
    zb_model *m;
    for (int v = 0; v < n; v++)
        card[v] = 2 + (zb_rng_below(&rng, 4) == 0);
    assert_int_equal(zb_model_new(&m, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[9];
            for (int i = 0; i < 9; i++)
                value[i] = zb_rng_uniform(&rng) < 0.12 ? 0 : 0.5 + zb_rng_uniform(&rng);
            assert_int_equal(zb_model_add(m, 2, (int[]){ u, v }, value), ZB_OK);
        }
    return m;
}

/* The same model, tables in logarithms. */
static zb_model *in_logs(const zb_model *m)
{
    zb_model *made;
    assert_int_equal(zb_model_new(&made, m->nvars, m->card), ZB_OK);
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        double *table = zb_alloc(a->size, sizeof *table);
        for (size_t i = 0; i < a->size; i++)
            table[i] = a->log ? a->value[i] : log(a->value[i]);
        assert_int_equal(zb_model_take(made, a->arity, a->scope, table, true), ZB_OK);
    }
    return made;
}

/* The same seeds with and without it: fewer dead ends, the same mean, and the same
   batch whatever was drawn before. */
static void test_look_ahead(void **state)
{
    tally plain = { 0 }, ahead = { 0 };
    int same = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_model *model = mostly_zero(seed);
        double log_z = brute_force(model);
        drawing d = drawing_new(model, seed, 2);
        zb_model *logs = in_logs(d.model);
        if (log_z > -INFINITY && d.tree->splits > 0) {
            draw_and_tally(&d, seed, log_z, &plain);
            assert_int_equal(zb_proposal_look_ahead(d.proposal, logs, NULL), ZB_OK);
            draw_and_tally(&d, seed, log_z, &ahead);
            double last = d.batch->log_ratio[ZB_LANES - 1];
            zb_proposal_draw(d.proposal, seed, 3, d.batch, NULL);
            same += d.batch->log_ratio[ZB_LANES - 1] == last;
            assert_true(d.batch->log_ratio[ZB_LANES - 1] == last);
        }
        zb_model_free(logs);
        drawing_free(&d);
        zb_model_free(model);
    }
    print_message("chi %.1f of %.0f terms, mean off by %.2f sigma, dead %.2f %%, "
                  "without a look ahead %.2f %%\n",
                  ahead.all.chi, ahead.all.terms,
                  ahead.all.mean / sqrt(ahead.all.variance),
                  100.0 * ahead.dead / ahead.drawn, 100.0 * plain.dead / plain.drawn);
    assert_true(ahead.all.terms >= test_share(50) && same >= test_share(50));
    accepted_check(&ahead.all);
    assert_true(plain.dead > 0.05 * plain.drawn && 4 * ahead.dead < plain.dead);
}

static void test_unsplit_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        zb_model *model = some_model(seed);
        drawing d = drawing_new(model, seed, 0);
        double log_z = brute_force(model);
        CHECK(close_to(d.log_upper, log_z, 1e-9), "seed %d", (int)seed);
        assert_true(zb_proposal_is_exact(d.proposal));
        zb_proposal_draw(d.proposal, seed, 7, d.batch, NULL);
        for (int i = 0; i < ZB_LANES && log_z > -INFINITY; i++) {
            assert_true(d.batch->log_ratio[i] == 0);
            check_lane(&d, i, seed);
            assert_true(d.batch->log_share[i] > -INFINITY);
        }
        drawing_free(&d);
        zb_model_free(model);
    }
}

/* The same batch twice, and after another: the same bits. */
static void test_batches_have_places(void **state)
{
    zb_model *model = some_model(3);
    drawing d = drawing_new(model, 3, 2);
    size_t size = (size_t)model->nvars * ZB_LANES;
    int32_t *seen = malloc((size + 1) * sizeof *seen);
    (void)state;
    zb_proposal_draw(d.proposal, 1, 5, d.batch, NULL);
    memcpy(seen, d.batch->state, size * sizeof *seen);
    zb_proposal_draw(d.proposal, 1, 6, d.batch, NULL);
    assert_memory_not_equal(seen, d.batch->state, size * sizeof *seen);
    zb_proposal_draw(d.proposal, 2, 5, d.batch, NULL);
    assert_memory_not_equal(seen, d.batch->state, size * sizeof *seen);
    zb_proposal_draw(d.proposal, 1, 5, d.batch, NULL);
    assert_memory_equal(seen, d.batch->state, size * sizeof *seen);
    free(seen);
    drawing_free(&d);
    zb_model_free(model);
}

static zb_model *strip(int rows, int cols)
{
    zb_rng rng = zb_rng_seed(11);
    zb_model *m;
    int *card = malloc((size_t)(rows * cols) * sizeof *card);
    for (int v = 0; v < rows * cols; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&m, rows * cols, card), ZB_OK);
    for (int v = 0; v < rows * cols; v++)
        for (int down = 0; down < 2; down++) {
            int u = down ? v + 1 : v + rows;
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] = exp(2 * zb_rng_uniform(&rng) - 1);
            if (down ? u % rows != 0 : u < rows * cols)
                assert_int_equal(zb_model_add(m, 2, (int[]){ v, u }, value), ZB_OK);
        }
    free(card);
    return m;
}

/* Trees of more than 10^6 entries are made by several threads, smaller ones by one: the
   same draws, last digits included. */
static void same_by_threads(int cols, bool large)
{
    enum { ROWS = 11, THREADS = 3 };
    zb_model *model = strip(ROWS, cols);
    int n = model->nvars, *order = malloc((size_t)n * sizeof *order);
    for (int v = 0; v < n; v++)
        order[v] = v;
    zb_tree *tree = tree_of(model, order, (zb_split_spec){ .ibound = ROWS });
    zb_pass_spec spec = { .side = ZB_SIDE_UPPER, .keep = true, .threads = 1 };
    zb_pass *pass;
    zb_batch *batch[2];
    double radius[2];
    assert_true(tree->splits > 0 && (tree->entries > 1e6) == large);
    assert_int_equal(zb_pass_new(&pass, tree, &spec), ZB_OK);
    set_factors(pass, tree, model);
    zb_pass_forward(pass);
    for (int i = 0; i < 2; i++) {
        zb_proposal *p;
        zb_run run;
        assert_int_equal(
            zb_run_open(&run, NULL, INFINITY, UINT64_MAX, i == 0 ? 1 : THREADS), ZB_OK);
        assert_int_equal(zb_proposal_new(&p, tree, pass, &run), ZB_OK);
        assert_int_equal(zb_batch_new(&batch[i], p, true), ZB_OK);
        assert_true(zb_proposal_draw(p, 5, 0, batch[i], NULL));
        radius[i] = zb_proposal_radius(p);
        zb_proposal_free(p);
        zb_run_close(&run);
    }
    assert_true(radius[0] == radius[1] && radius[0] > 0);
    assert_memory_equal(batch[0]->state, batch[1]->state,
                        (size_t)n * ZB_LANES * sizeof(int32_t));
    assert_memory_equal(batch[0]->log_ratio, batch[1]->log_ratio,
                        ZB_LANES * sizeof(double));
    assert_memory_equal(batch[0]->log_share, batch[1]->log_share,
                        ZB_LANES * sizeof(double));
    for (int i = 0; i < 2; i++)
        zb_batch_free(batch[i]);
    zb_pass_free(pass);
    zb_tree_free(tree);
    free(order);
    zb_model_free(model);
}

static void test_threads_make_the_same_shares(void **state)
{
    (void)state;
    same_by_threads(40, false);
    same_by_threads(60, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_average_to_z),
        cmocka_unit_test(test_look_ahead),
        cmocka_unit_test(test_unsplit_is_exact),
        cmocka_unit_test(test_batches_have_places),
        cmocka_unit_test(test_threads_make_the_same_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
