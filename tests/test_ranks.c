/* Work over ranks: the same bits for any number of them, whoever does what. */
#include "oracle.h"
#include "steered.h"
#include "thread_ranks.h"
#include "within.h"
#include "auto/slice.h"
#include "base/rng.h"
#include "ranks/farm.h"
#include "test.h"

#include <inttypes.h>

static const random_spec DENSE = { 14, 3, 40, 2, 0.05, 1, false };
static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };

/* ---- letters --------------------------------------------------------------------- */

static void letters_keep_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        random_spec spec = DENSE;
        spec.evidence = true;
        zb_model *model = random_model(seed, spec), *back;
        zb_letter l = { 0 };
        model->radius = 1e-13 * (double)seed;
        zb_letter_put_model(&l, model);
        zb_letter_put_int(&l, 77);
        assert_int_equal(zb_letter_status(&l), ZB_OK);
        assert_int_equal(zb_letter_take_model(&l, &back), ZB_OK);
        assert_int_equal(zb_letter_take_int(&l), 77);
        CHECK(zb_model_hash(back) == zb_model_hash(model) &&
                  back->radius == model->radius,
              "seed %" PRIu64, seed);
        zb_model_free(back);
        zb_letter_clear(&l);
        zb_model_free(model);
    }
}

/* Cut short or changed anywhere: refused, or another model, never a crash. */
static void bad_letters_are_refused(void **state)
{
    (void)state;
    zb_model *model = random_model(3, DENSE), *back;
    zb_letter l = { 0 };
    zb_rng rng = zb_rng_seed(5);
    int refused = 0;
    zb_letter_put_model(&l, model);
    for (size_t size = 0; size < l.size; size += 1 + size / 50) {
        zb_letter cut = { .data = l.data, .size = size };
        assert_int_equal(zb_letter_take_model(&cut, &back), ZB_EINVAL);
        assert_null(back);
    }
    for (uint64_t i = 0; i < test_models(3000); i++) {
        zb_letter copy = { 0 };
        zb_letter_put(&copy, l.data, l.size);
        copy.data[zb_rng_below(&rng, (int)l.size)] ^= (unsigned char)(1 << (i % 8));
        refused += zb_letter_take_model(&copy, &back) != ZB_OK;
        zb_model_free(back);
        zb_letter_clear(&copy);
    }
    assert_true(refused > test_share(100));
    zb_letter_clear(&l);
    zb_model_free(model);
}

/* ---- farms ----------------------------------------------------------------------- */

typedef struct slices_case {
    zb_model *model;
    zb_cutset cutset;
    int var[4], start[4];
} slices_case;

static void open_case(slices_case *c, uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    c->model = random_model(seed, DENSE);
    int n = zb_model_nvars(c->model);
    c->cutset = (zb_cutset){ .var = c->var, .slices = 1 };
    for (int v = 0; v < n && c->cutset.count < 4; v++)
        if (zb_rng_below(&rng, n - v) < 4 - c->cutset.count) {
            c->start[c->cutset.count] = 0;
            c->var[c->cutset.count++] = v;
            c->cutset.slices *= zb_model_card(c->model, v);
        }
}

typedef struct outcome {
    zb_ball all, best;
    bool complete;
    int64_t solved;
} outcome;

static outcome solve_case(slices_case *c, zb_ranks *ranks, int threads)
{
    zb_run run = open_run(NULL, 0, threads);
    int order[64];
    outcome o;
    for (int v = 0; v < zb_model_nvars(c->model); v++)
        order[v] = v;
    run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
    zb_slices s = {
        .model = c->model, .cutset = &c->cutset, .order = order, .run = &run
    };
    assert_int_equal(zb_slices_all(&s, &o.all, &o.complete), ZB_OK);
    s.most = 5;
    assert_int_equal(zb_slices_search(&s, c->start, &o.best, &o.solved), ZB_OK);
    zb_run_close(&run);
    return o;
}

static bool same_ball(zb_ball a, zb_ball b)
{
    return a.mid == b.mid && a.radius == b.radius;
}

static void slices_are_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        for (uint64_t seed = 1; seed <= test_models(15); seed++) {
            slices_case c;
            open_case(&c, seed);
            outcome one = solve_case(&c, NULL, 1),
                    many = solve_case(&c, ranks, 1 + (int)(seed % 3));
            CHECK(one.complete && many.complete && same_ball(one.all, many.all) &&
                      same_ball(one.best, many.best) && one.solved == many.solved,
                  "seed %" PRIu64 ", %d ranks: %.17g, %.17g", seed, SIZES[k],
                  one.all.mid, many.all.mid);
            CHECK(close_to(many.all.mid, brute_force(c.model), 1e-12), "seed %" PRIu64,
                  seed);
            zb_model_free(c.model);
        }
        if (SIZES[k] > 1)
            assert_true(ranks->letters > 0);
        thread_ranks_close(&t);
    }
}

/* A run that is over gives nothing out, and what is there is a lower bound. */
static void a_farm_ends_with_its_run(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    for (uint64_t seed = 1; seed <= test_models(10); seed++) {
        slices_case c;
        zb_run run = open_run(NULL, 0, 1);
        zb_ball z;
        bool complete;
        open_case(&c, seed);
        run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
        zb_run over = zb_run_share(&run, zb_now() - 1, UINT64_MAX, 1);
        zb_slices s = { .model = c.model, .cutset = &c.cutset, .run = &over };
        assert_int_equal(zb_slices_all(&s, &z, &complete), ZB_OK);
        CHECK(!complete && is_below(zb_down(z.mid, z.radius), brute_interval(c.model)),
              "seed %" PRIu64, seed);
        zb_model_free(c.model);
        zb_run_close(&run);
    }
    thread_ranks_close(&t);
}

/* ---- whole calls ----------------------------------------------------------------- */

static zb_model *grid(int side, uint64_t seed)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = 1, .field = 0.5, .seed = seed
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static double exact_of(const zb_model *model)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r.log_lower;
}

/* Two sources, draws from both, the best state and slices around it. */
static zb_result drawn(const zb_model *model, zb_ranks *ranks, int threads,
                       double *sliced)
{
    zb_options opt = zb_options_default();
    zb_run run = open_run(NULL, 0, threads);
    steered s;
    opt.time = 0;
    opt.threads = threads;
    run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
    assert_int_equal(steered_open(&s, model, &opt, &run), ZB_OK);
    assert_int_equal(steered_draw(&s, 2, 5), ZB_OK);
    zb_claim all = zb_ledger_total(&s.p.ledger);
    s.result.log_lower = all.lower;
    s.result.log_upper = all.upper;
    zb_draws_fill(&s.p, &s.result);
    *sliced = s.p.draws[0].sliced;
    zb_result r = s.result;
    steered_close(&s);
    zb_run_close(&run);
    return r;
}

static bool same_result(const zb_result *a, const zb_result *b)
{
    const zb_sampled *x = &a->confidence, *y = &b->confidence;
    return a->log_lower == b->log_lower && a->log_upper == b->log_upper &&
           a->log_estimate == b->log_estimate && a->has_confidence &&
           b->has_confidence && x->log_lower == y->log_lower &&
           x->log_upper == y->log_upper && x->samples == y->samples &&
           x->effective == y->effective;
}

static void draws_are_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(3); seed++) {
        zb_model *model = grid(7, seed);
        double sliced[2];
        zb_result one = drawn(model, NULL, 1, &sliced[0]);
        assert_true(one.confidence.samples > 1000);
        for (int k = 0; k < SIZES_COUNT; k++) {
            thread_ranks t;
            zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 3 ? 1000 : 0);
            zb_result many = drawn(model, ranks, 1 + k % 2, &sliced[1]);
            CHECK(same_result(&one, &many) && sliced[0] == sliced[1],
                  "seed %" PRIu64 ", %d ranks: %.17g %.17g, %.17g %.17g", seed,
                  SIZES[k], one.confidence.log_lower, one.confidence.log_upper,
                  many.confidence.log_lower, many.confidence.log_upper);
            thread_ranks_close(&t);
        }
        zb_model_free(model);
    }
}

/* Until another rank has been heard, or a minute has gone by. */
static bool until_heard(void *context, const zb_progress *at)
{
    bool *heard = context;
    *heard = *heard || (at->by != NULL && strcmp(at->by, "another rank") == 0);
    return !*heard;
}

static void other_ranks_narrow_the_bracket(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = grid(15, 7);
    zb_options opt = zb_options_default();
    bool heard = false;
    zb_observer observer = { .context = &heard, .progress = until_heard };
    zb_result r;
    double log_z = exact_of(model);
    opt.time = 60;
    opt.memory = (uint64_t)1 << 20;
    opt.ibound = 4;
    opt.threads = 1;
    opt.ranks = ranks;
    assert_int_equal(zb_solve(model, &opt, &observer, &r, NULL), ZB_OK);
    assert_true(heard);
    assert_true(r.log_lower <= log_z && log_z <= r.log_upper && !r.exact);
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    zb_model_free(model);
    thread_ranks_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_keep_models),
        cmocka_unit_test(bad_letters_are_refused),
        cmocka_unit_test(slices_are_the_same_bits),
        cmocka_unit_test(a_farm_ends_with_its_run),
        cmocka_unit_test(draws_are_the_same_bits),
        cmocka_unit_test(other_ranks_narrow_the_bracket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
