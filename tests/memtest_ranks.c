/* Letters, checkpoints and farms when memory runs out: no memory, nothing left behind.
 */
#include "mem_fail.h"
#include "base/rng.h"
#include "oracle.h"
#include "ranks/crew.h"
#include "ranks/keep.h"
#include "test.h"
#include "thread_ranks.h"

#include <stdio.h>
#include <unistd.h>

static zb_status send_model(void *context)
{
    const zb_model *model = context;
    zb_model *back = NULL;
    zb_letter l = { 0 };
    zb_status status;
    zb_letter_put_model(&l, model);
    TRY(zb_letter_status(&l));
    TRY(zb_letter_take_model(&l, &back));
    assert_true(zb_model_hash(back) == zb_model_hash(model));
done:
    zb_letter_clear(&l);
    zb_model_free(back);
    return status;
}

typedef struct place {
    char path[64];
    zb_model *model;
    int *order;
} place;

static zb_status open_and_begin(void *context)
{
    place *p = context;
    zb_options opt = zb_options_default();
    zb_keep *k = NULL;
    zb_kept_slices *s = NULL, *again = NULL;
    int var[1] = { 0 };
    zb_status status;
    TRY(zb_keep_open(&k, p->path, p->model, &opt, NULL));
    TRY(zb_kept_begin(&s, k, p->model, 1, var, p->order));
    TRY(zb_kept_find(&again, k, p->model, NULL));
done:
    zb_kept_close(s);
    zb_kept_close(again);
    zb_keep_close(k, NULL);
    return status;
}

/* A letter that no memory is large enough for stands before all replies. */
static zb_status lose(void *self, int to, const void *data, size_t bytes)
{
    (void)self, (void)to, (void)data, (void)bytes;
    return ZB_OK;
}

static size_t one_waits(void *self, int *from)
{
    (void)self;
    *from = 1;
    return sizeof(uint64_t);
}

static zb_status take_size(void *self, void *data)
{
    uint64_t huge = UINT64_MAX / 4 * 3;
    (void)self;
    memcpy(data, &huge, sizeof huge);
    return ZB_OK;
}

/* Nobody waits for replies that cannot come, of crews that are there when it is noticed
   and of those that are opened later. */
static void a_letter_too_large(void **state)
{
    zb_transport transport = { 0, 2, NULL, lose, one_waits, take_size };
    zb_ranks *ranks;
    zb_crew *crew;
    zb_letter part = { 0 }, *reply;
    zb_run run;
    (void)state;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(zb_ranks_open(&ranks, &transport), ZB_OK);
    zb_letter_put_int(&part, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(zb_crew_open(&crew, ranks, &run), ZB_OK);
        (void)zb_crew_part(crew, 1, 1, &part); /* there is time to notice, or not */
        assert_int_equal(zb_crew_gather(crew, &run, &reply), ZB_ENOMEM);
        assert_int_equal(zb_crew_part(crew, 1, 1, &part), ZB_ENOMEM);
        zb_crew_order(crew, &part, true);
        assert_int_equal(zb_crew_gather(crew, &run, &reply), ZB_ENOMEM);
        zb_crew_close(crew);
    }
    zb_letter_clear(&part);
    zb_ranks_close(ranks);
    zb_run_close(&run);
}

static void letters(void **state)
{
    (void)state;
    zb_model *model = random_model(3, (random_spec){ 8, 3, 10, 3, 0.1, 1, true });
    assert_true(fail_each_allocation(send_model, model) > 5);
    zb_model_free(model);
}

static void checkpoints(void **state)
{
    (void)state;
    place p = { .path = "/tmp/zbound-test-XXXXXX" };
    char path[128];
    assert_non_null(mkdtemp(p.path));
    p.model = random_model(3, (random_spec){ 8, 3, 10, 3, 0.1, 1, false });
    p.order = calloc((size_t)zb_model_nvars(p.model), sizeof *p.order);
    for (int v = 0; v < zb_model_nvars(p.model); v++)
        p.order[v] = v;
    assert_true(fail_each_allocation(open_and_begin, &p) > 5);
    snprintf(path, sizeof path, "%s/slices-%016llx", p.path,
             (unsigned long long)zb_model_hash(p.model));
    unlink(path);
    snprintf(path, sizeof path, "%s/run", p.path);
    unlink(path);
    assert_int_equal(rmdir(p.path), 0);
    free(p.order);
    zb_model_free(p.model);
}

/* ---- sweeps ---------------------------------------------------------------------- */

enum { BETAS = 5, DRAWS = 600, VARS = 16 };

typedef struct sweep {
    zb_model *model;
    zb_options opt;
    zb_result out[BETAS], whole[BETAS];
    int first[DRAWS * VARS], state[DRAWS * VARS];
} sweep;

static zb_status solve_betas(void *context)
{
    const double beta[BETAS] = { 0.5, 1, 1.5, 2, 2.5 };
    sweep *s = context;
    return zb_solve_betas(s->model, &s->opt, BETAS, beta, NULL, s->out, NULL);
}

static void sweeps(void **state)
{
    (void)state;
    sweep s = { .model = random_model(3, (random_spec){ 8, 3, 10, 3, 0.1, 1, true }),
                .opt = zb_options_default() };
    s.opt.method = ZB_METHOD_MBE;
    s.opt.threads = 1;
    assert_true(fail_each_allocation(solve_betas, &s) > 20);
    zb_model_free(s.model);
}

/* All ranks are without memory from some moment on, until the call has ended. It ends,
   whole or with ZB_ENOMEM, and the ranks are there for the next one. */
static void starve(zb_status (*run)(void *context), void *context)
{
    int failed = 0;
    for (long budget = 0; budget < 1500; budget += 1 + budget / 3) {
        __atomic_store_n(&zb_test_allocs_left, budget, __ATOMIC_SEQ_CST);
        zb_status status = run(context);
        __atomic_store_n(&zb_test_allocs_left, -1, __ATOMIC_SEQ_CST);
        failed += status == ZB_ENOMEM;
        CHECK(status == ZB_OK || status == ZB_ENOMEM, "%ld: %d", budget, status);
    }
    assert_true(failed > 3);
    assert_int_equal(run(context), ZB_OK);
}

static zb_status solve_and_check(void *context)
{
    sweep *s = context;
    zb_status status = solve_betas(s);
    for (int i = 0; i < BETAS && status == ZB_OK; i++)
        CHECK(s->out[i].log_lower == s->whole[i].log_lower &&
                  s->out[i].log_upper == s->whole[i].log_upper,
              "beta %d", i);
    return status;
}

static zb_status sample_and_check(void *context)
{
    sweep *s = context;
    zb_sampler *sampler = NULL;
    size_t nvars = (size_t)zb_model_nvars(s->model), n;
    zb_status status;
    TRY(zb_sampler_new(&sampler, s->model, &s->opt, NULL, NULL));
    TRY(zb_sampler_draw(sampler, DRAWS, s->state, NULL, &n, NULL));
    assert_int_equal(n, DRAWS);
    if (s->opt.ranks == NULL)
        memcpy(s->first, s->state, sizeof s->first);
    assert_memory_equal(s->first, s->state, DRAWS * nvars * sizeof *s->state);
done:
    zb_sampler_free(sampler);
    return status;
}

static void calls_over_ranks(void **state)
{
    (void)state;
    const long live = zb_test_allocs_live;
    sweep s = { .model = random_model(3, (random_spec){ 12, 3, 20, 2, 0, 1, true }),
                .opt = zb_options_default() };
    thread_ranks t;
    s.opt.method = ZB_METHOD_MBE;
    s.opt.threads = 1;
    s.opt.time = 0;
    assert_int_equal(solve_betas(&s), ZB_OK);
    memcpy(s.whole, s.out, sizeof s.whole);
    assert_int_equal(sample_and_check(&s), ZB_OK);
    s.opt.ranks = thread_ranks_open(&t, 3, 0);
    starve(solve_and_check, &s);
    starve(sample_and_check, &s);
    thread_ranks_close(&t);
    zb_model_free(s.model);
    assert_int_equal(zb_test_allocs_live, live);
}

/* ---- components ------------------------------------------------------------------ */

/* Three loops of random couplings, which reductions leave alone with a named order. */
static zb_model *loops(void)
{
    enum { EACH = 4, LOOPS = 3 };
    zb_rng rng = zb_rng_seed(3);
    int card[EACH * LOOPS];
    zb_model *model;
    for (int v = 0; v < EACH * LOOPS; v++)
        card[v] = 3;
    assert_int_equal(zb_model_new(&model, EACH * LOOPS, card), ZB_OK);
    for (int v = 0; v < EACH * LOOPS; v++)
        for (int step = 1; step < EACH - 1; step++) {
            int to = v - v % EACH + (v + step) % EACH;
            double x[9];
            for (int i = 0; i < 9; i++)
                x[i] = zb_rng_uniform(&rng);
            assert_int_equal(zb_model_add_log(model, 2, (int[]){ v, to }, x), ZB_OK);
        }
    return model;
}

typedef struct work {
    zb_model *model;
    zb_options opt;
    double log_z, p, best; /* of a call that was not starved */
} work;

static bool is_same(double *first, double x)
{
    *first = isnan(*first) ? x : *first;
    return *first == x;
}

static zb_status eliminate_and_check(void *context)
{
    work *w = context;
    zb_result r;
    zb_status status = zb_solve(w->model, &w->opt, NULL, &r, NULL);
    CHECK(status != ZB_OK || is_same(&w->log_z, r.log_upper), "%.17g", r.log_upper);
    return status;
}

static zb_status ask_and_check(void *context)
{
    work *w = context;
    zb_marginals *m = NULL;
    zb_status status = zb_marginals_new(&m, w->model, &w->opt, NULL, NULL, NULL);
    if (status == ZB_OK)
        assert_true(is_same(&w->p, zb_marginals_of(m, 0).upper[0]));
    zb_marginals_free(m);
    return status;
}

static zb_status best_and_check(void *context)
{
    work *w = context;
    int state[16];
    zb_best best;
    zb_status status = zb_best_state(w->model, &w->opt, NULL, state, &best, NULL);
    CHECK(status != ZB_OK || is_same(&w->best, best.log_value), "%.17g",
          best.log_value);
    return status;
}

static void components_over_ranks(void **state)
{
    (void)state;
    const long live = zb_test_allocs_live;
    work w = { .model = loops(),
               .opt = zb_options_default(),
               .log_z = NAN,
               .p = NAN,
               .best = NAN };
    thread_ranks t;
    w.opt.method = ZB_METHOD_BE;
    w.opt.order = ZB_ORDER_MINFILL;
    w.opt.threads = 1;
    w.opt.time = 0;
    w.opt.ibound = 2; /* marginals by bounds */
    w.opt.iterations = 2;
    zb_status (*const calls[])(void *) = { eliminate_and_check, ask_and_check,
                                           best_and_check };
    for (int i = 0; i < 3; i++)
        assert_int_equal(calls[i](&w), ZB_OK);
    w.opt.ranks = thread_ranks_open(&t, 3, 0);
    for (int i = 0; i < 3; i++)
        starve(calls[i], &w);
    thread_ranks_close(&t);
    zb_model_free(w.model);
    assert_int_equal(zb_test_allocs_live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters),          cmocka_unit_test(a_letter_too_large),
        cmocka_unit_test(checkpoints),      cmocka_unit_test(sweeps),
        cmocka_unit_test(calls_over_ranks), cmocka_unit_test(components_over_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
