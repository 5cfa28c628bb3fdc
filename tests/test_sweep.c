/* One model at many betas: the same bits for any number of ranks, and as calls of their
   own. */
#include "oracle.h"
#include "test.h"
#include "thread_ranks.h"

#include <inttypes.h>

static const random_spec SMALL = { 10, 3, 14, 2, 0.05, 1, true };
static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES, BETAS = 7 };
static const double BETA[BETAS] = { -0.5, 0, 0.25, 0.5, 1, 1.5, 3 };

static bool same(const zb_result *a, const zb_result *b)
{
    return a->log_lower == b->log_lower && a->log_upper == b->log_upper &&
           a->exact == b->exact && a->rounding == b->rounding && a->stop == b->stop;
}

/* Without a clock; mbe with ibound 1 is never exact here, so that both kinds of answer
   are seen. */
static zb_options plain(uint64_t seed, zb_ranks *ranks)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.threads = 1;
    opt.ranks = ranks;
    opt.method = seed % 2 == 0 ? ZB_METHOD_MBE : ZB_METHOD_AUTO;
    opt.ibound = seed % 2 == 0 ? 2 : 0;
    return opt;
}

static void betas_are_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        for (uint64_t seed = 1; seed <= test_models(6); seed++) {
            zb_model *model = random_model(seed, SMALL);
            zb_options opt = plain(seed, ranks);
            zb_result r[BETAS];
            assert_int_equal(zb_solve_betas(model, &opt, BETAS, BETA, NULL, r, NULL),
                             ZB_OK);
            opt.ranks = NULL;
            for (int i = 0; i < BETAS; i++) {
                zb_model *raised;
                zb_result one;
                assert_int_equal(zb_model_raise(&raised, model, BETA[i]), ZB_OK);
                assert_int_equal(zb_solve(raised, &opt, NULL, &one, NULL), ZB_OK);
                double log_z = brute_force(raised), slack = 1e-12 * (1 + fabs(log_z));
                CHECK(same(&one, &r[i]) && r[i].log_lower <= log_z + slack &&
                          r[i].log_upper >= log_z - slack,
                      "seed %" PRIu64 ", %d ranks, beta %g: %.17g for %.17g", seed,
                      SIZES[k], BETA[i], r[i].log_lower, one.log_lower);
                zb_model_free(raised);
            }
            zb_model_free(model);
        }
        if (SIZES[k] > 1)
            assert_true(ranks->letters > 0);
        thread_ranks_close(&t);
    }
}

/* The order of an option goes along. */
static void an_order_goes_along(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = random_model(4, SMALL);
    zb_options opt = plain(2, ranks);
    int order[16];
    zb_result one[BETAS], many[BETAS];
    for (int v = 0, n = zb_model_nvars(model); v < n; v++)
        order[v] = (7 * v + 3) % n;
    opt.order = ZB_ORDER_FILE;
    opt.order_list = order;
    assert_int_equal(zb_solve_betas(model, &opt, BETAS, BETA, NULL, many, NULL), ZB_OK);
    opt.ranks = NULL;
    assert_int_equal(zb_solve_betas(model, &opt, BETAS, BETA, NULL, one, NULL), ZB_OK);
    for (int i = 0; i < BETAS; i++)
        assert_true(same(&one[i], &many[i]) && one[i].order == ZB_ORDER_FILE);
    zb_model_free(model);
    thread_ranks_close(&t);
}

/* What fails has the first failing beta's sentence, on any number of ranks. */
static void errors_name_the_first(void **state)
{
    (void)state;
    const double beta[] = { 1, 1e308, 0.5, -1e308 };
    zb_model *model = random_model(3, SMALL);
    for (int size = 1; size <= 3; size++) {
        thread_ranks t;
        zb_options opt = plain(1, thread_ranks_open(&t, size, 0));
        zb_result r[4];
        zb_error err = { "" };
        assert_int_equal(zb_solve_betas(model, &opt, 4, beta, NULL, r, &err),
                         ZB_EINVAL);
        assert_string_equal(err.text, "beta 1e+308 is too large");
        opt.checkpoint = "nowhere";
        assert_int_equal(zb_solve_betas(model, &opt, 4, beta, NULL, r, &err),
                         ZB_EINVAL);
        assert_non_null(strstr(err.text, "checkpoint"));
        opt.checkpoint = NULL;
        opt.ibound = -1;
        assert_int_equal(zb_solve_betas(model, &opt, 4, beta, NULL, r, &err),
                         ZB_EINVAL);
        assert_false(r[0].has_lower);
        thread_ranks_close(&t);
    }
    zb_options opt = plain(1, NULL);
    zb_result r;
    assert_int_equal(zb_solve_betas(NULL, &opt, 1, beta, NULL, &r, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, NULL, 1, beta, NULL, &r, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 1, NULL, NULL, &r, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 1, beta, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 0, NULL, NULL, NULL, NULL), ZB_OK);
    zb_model_free(model);
}

static bool never(void *context, const zb_progress *at)
{
    (void)at;
    ++*(int *)context;
    return false;
}

/* Stopped at the first word: what is there holds, what was not begun has no side. */
static void stopped_sweeps_say_so(void **state)
{
    (void)state;
    zb_ising_spec spec = {
        .rows = 30, .cols = 30, .coupling = 1, .field = 0.1, .seed = 3
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    for (int size = 1; size <= 3; size += 2) {
        thread_ranks t;
        zb_options opt = plain(1, thread_ranks_open(&t, size, 0));
        zb_result r[BETAS];
        int calls = 0, empty = 0;
        zb_observer observer = { .context = &calls, .progress = never };
        opt.memory = (uint64_t)1 << 30;
        assert_int_equal(zb_solve_betas(model, &opt, BETAS, BETA, &observer, r, NULL),
                         ZB_OK);
        for (int i = 0; i < BETAS; i++) {
            empty += !r[i].has_lower && !r[i].has_upper;
            assert_true(r[i].log_lower <= r[i].log_upper &&
                        (r[i].stop == ZB_STOP_INTERRUPTED || r[i].exact));
        }
        CHECK(calls > 0 && empty >= BETAS - 1 - size, "%d calls, %d empty", calls,
              empty);
        thread_ranks_close(&t);
    }
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(betas_are_the_same_bits),
        cmocka_unit_test(an_order_goes_along),
        cmocka_unit_test(errors_name_the_first),
        cmocka_unit_test(stopped_sweeps_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
