/* Components over ranks: orders and eliminations as one process has them, bit by bit.
 */
#include "oracle.h"
#include "over_ranks.h"
#include "thread_ranks.h"
#include "exact/part_farm.h"
#include "within.h"
#include "test.h"

#include <inttypes.h>

static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES, PARTS_MOST = 6 };

static const random_spec PART = { 10, 3, 50, 3, 0.002, 1, false };

/* Models side by side, which are freed: Z is the product of theirs. */
static zb_model *beside(int count, zb_model **part)
{
    int card[1000] = { 0 }, n = 0;
    zb_model *all;
    for (int i = 0; i < count; i++)
        for (int v = 0; v < part[i]->nvars; v++)
            card[n++] = part[i]->card[v];
    assert_int_equal(zb_model_new(&all, n, card), ZB_OK);
    n = 0;
    for (int i = 0; i < count; i++) {
        for (int f = 0; f < part[i]->nfactors; f++) {
            const zb_factor *a = &part[i]->factor[f];
            int scope[8];
            for (int k = 0; k < a->arity; k++)
                scope[k] = n + a->scope[k];
            assert_int_equal(zb_model_put(all, a->arity, scope, a), ZB_OK);
        }
        n += part[i]->nvars;
        zb_model_free(part[i]);
    }
    return all;
}

/* More variables than values, no two the same: Z = 0, which reductions do not see. */
static zb_model *crowd(int values)
{
    int card[8], n = values + 1, scope[2];
    double table[64];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = values;
    for (int i = 0; i < values * values; i++)
        table[i] = i % (values + 1) != 0;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (scope[0] = 0; scope[0] < n; scope[0]++)
        for (scope[1] = scope[0] + 1; scope[1] < n; scope[1]++)
            assert_int_equal(zb_model_add(model, 2, scope, table), ZB_OK);
    return model;
}

static zb_model *grid(int side, uint64_t seed)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = 1, .field = 0.5, .seed = seed
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_model *several(uint64_t seed, double *log_z)
{
    zb_model *part[PARTS_MOST];
    int count = 2 + (int)(seed % (PARTS_MOST - 1));
    *log_z = 0;
    for (int i = 0; i < count; i++) {
        bool zero = seed % 8 == 0 && i == (int)(seed / 8) % count;
        uint64_t own = 100 * seed + (uint64_t)i;
        part[i] = zero         ? crowd(5)
                  : i % 2 == 0 ? grid(3 + (int)(seed % 2), own)
                               : random_model(own, PART);
        *log_z += brute_force(part[i]);
    }
    return beside(count, part);
}

static bool same_result(const zb_result *a, const zb_result *b)
{
    return a->log_lower == b->log_lower && a->log_upper == b->log_upper &&
           a->exact == b->exact && a->rounding == b->rounding && a->bytes == b->bytes &&
           a->width == b->width && a->stop == b->stop && a->components == b->components;
}

/* With an order that is named the components are taken apart however small they are. */
static void random_components_have_the_same_bits(void **state)
{
    (void)state;
    static const zb_order ORDERS[] = { ZB_ORDER_MINFILL, ZB_ORDER_MINDEGREE,
                                       ZB_ORDER_RANDOM };
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        int zeros = 0, several_parts = 0;
        for (uint64_t seed = 1; seed <= test_models(25); seed++) {
            double log_z;
            zb_model *model = several(seed, &log_z);
            zb_options opt = zb_options_default();
            opt.method = ZB_METHOD_BE;
            opt.order = ORDERS[seed % 3];
            opt.time = 0;
            opt.threads = 1;
            zb_result one = solve_over(model, opt, NULL);
            opt.threads = 1 + (int)(seed % 3);
            zb_result many = solve_over(model, opt, ranks);
            CHECK(same_result(&one, &many) && many.exact &&
                      (log_z == -INFINITY ? many.log_upper == -INFINITY
                                          : close_to(many.log_upper, log_z, 1e-11)),
                  "seed %" PRIu64 ", %d ranks: %.17g, %.17g, %.17g", seed, SIZES[k],
                  one.log_upper, many.log_upper, log_z);
            zeros += log_z == -INFINITY;
            several_parts += many.components > 1;
            zb_model_free(model);
        }
        CHECK(several_parts > test_share(10) && (zeros > 0 || test_models(25) < 25),
              "%d, %d", several_parts, zeros);
        if (SIZES[k] > 1)
            assert_true(ranks->letters > 0);
        thread_ranks_close(&t);
    }
}

static zb_model *six_grids(void)
{
    zb_model *part[4];
    const int side[] = { 11, 15, 5, 13 };
    for (int i = 0; i < 4; i++)
        part[i] = grid(side[i], 3 + (uint64_t)i);
    return beside(4, part);
}

/* Methods be and auto, with orders that are searched for over ranks, too. */
static void searched_orders_have_the_same_bits(void **state)
{
    (void)state;
    zb_model *model = six_grids();
    zb_options opt = zb_options_default();
    zb_result one[2];
    opt.time = 0;
    opt.threads = 1;
    for (int k = 0; k < 1 + SIZES_COUNT; k++)
        for (int m = 0; m < 2; m++) {
            thread_ranks t;
            zb_ranks *ranks = k > 0 ? thread_ranks_open(&t, SIZES[k - 1], 0) : NULL;
            opt.method = m == 0 ? ZB_METHOD_BE : ZB_METHOD_AUTO;
            zb_result r = solve_over(model, opt, ranks);
            assert_true(r.exact && r.components == 4);
            if (k == 0)
                one[m] = r;
            CHECK(same_result(&one[m], &r), "case %d: %.17g %.17g", k, one[m].log_lower,
                  r.log_lower);
            if (ranks != NULL && SIZES[k - 1] > 1)
                assert_true(ranks->letters >= 4); /* two farms at least */
            if (ranks != NULL)
                thread_ranks_close(&t);
        }
    zb_model_free(model);
}

/* A caller who has enough ends it: what was told until then is a bracket. */
static bool refuse(void *context, const zb_progress *at)
{
    (void)context, (void)at;
    return false;
}

static void a_stop_ends_components(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = six_grids();
    zb_options opt = zb_options_default();
    zb_observer observer = { .progress = refuse };
    zb_result r;
    opt.time = 0;
    opt.ranks = ranks;
    opt.threads = 1;
    assert_int_equal(zb_solve(model, &opt, &observer, &r, NULL), ZB_OK);
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &opt, &observer, &r, NULL), ZB_ELIMIT);
    zb_model_free(model);
    thread_ranks_close(&t);
}

/* What each rank may take is less than a component needs: refused as in one process. */
static void memory_counts_as_in_one_process(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = six_grids();
    zb_run run = open_run(NULL, 0, 1);
    zb_options opt = zb_options_default();
    zb_exact_job *job;
    zb_ball z;
    opt.order = ZB_ORDER_MINFILL;
    run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
    assert_int_equal(zb_exact_job_new(&job, model, &opt, 0, &run, NULL), ZB_OK);
    assert_int_equal(job->count, 4);
    zb_run share = zb_run_share(&run, INFINITY, (uint64_t)(0.9 * job->all.bytes), 1);
    assert_int_equal(zb_exact_job_run(job, &share, &z, NULL), ZB_ELIMIT);
    assert_int_equal(zb_exact_job_run(job, &run, &z, NULL), ZB_OK);
    share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
    share.alone = true;
    uint64_t letters = ranks->letters;
    zb_ball here;
    assert_int_equal(zb_exact_job_run(job, &share, &here, NULL), ZB_OK);
    assert_true(here.mid == z.mid && here.radius == z.radius);
    assert_true(ranks->letters == letters); /* nobody was asked */
    zb_exact_job_free(job);
    zb_run_close(&run);
    zb_model_free(model);
    thread_ranks_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_components_have_the_same_bits),
        cmocka_unit_test(searched_orders_have_the_same_bits),
        cmocka_unit_test(a_stop_ends_components),
        cmocka_unit_test(memory_counts_as_in_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
