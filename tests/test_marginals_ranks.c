/* Marginals over ranks: the same bits for any number of them. */
#include "over_ranks.h"
#include "marginals/inquiry.h"
#include "oracle.h"
#include "thread_ranks.h"
#include "test.h"

#include <inttypes.h>

static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };

static zb_marginals *ask(const zb_model *model, zb_options opt, zb_ranks *ranks)
{
    zb_marginals *m;
    zb_marginals_request what = { .pairs = true };
    zb_error err = { "" };
    opt.ranks = ranks;
    zb_status status = zb_marginals_new(&m, model, &opt, &what, NULL, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    return m;
}

static bool same_table(zb_marginal a, zb_marginal b)
{
    bool same = a.size == b.size;
    for (size_t e = 0; e < a.size && same; e++)
        same = a.value[e] == b.value[e] && a.lower[e] == b.lower[e] &&
               a.upper[e] == b.upper[e] && a.error[e] == b.error[e];
    return same;
}

static bool same_marginals(const zb_model *model, const zb_marginals *a,
                           const zb_marginals *b)
{
    zb_marginals_info x = zb_marginals_about(a), y = zb_marginals_about(b);
    bool same = x.exact == y.exact && x.samples == y.samples && x.stop == y.stop;
    for (int v = 0; v < zb_model_nvars(model) && same; v++)
        same = same_table(zb_marginals_of(a, v), zb_marginals_of(b, v));
    for (int f = 0; f < zb_model_nfactors(model) && same; f++)
        same = same_table(zb_marginals_of_factor(a, f), zb_marginals_of_factor(b, f));
    return same;
}

/* With an ibound below the width nothing is exact: neighbourhoods, bounds and draws. */
static void check_all(const zb_model *model, int ibound, bool exact)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.ibound = ibound;
    opt.iterations = 5;
    opt.threads = 1;
    zb_marginals *one = ask(model, opt, NULL);
    assert_true(zb_marginals_about(one).exact == exact);
    for (int k = 0; k < SIZES_COUNT; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 64 : 0);
        opt.threads = 1 + k % 2;
        zb_marginals *many = ask(model, opt, ranks);
        CHECK(same_marginals(model, one, many), "%d ranks, ibound %d", SIZES[k],
              ibound);
        assert_true(exact || SIZES[k] == 1 || ranks->letters > 0);
        zb_marginals_free(many);
        thread_ranks_close(&t);
    }
    zb_marginals_free(one);
}

static void components_have_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(2); seed++) {
        zb_model *model = grids(4, 5, seed);
        check_all(model, 3, false);
        check_all(model, 0, true);
        zb_model_free(model);
    }
}

static void neighbourhoods_have_the_same_bits(void **state)
{
    (void)state;
    zb_model *model = grids(1, 7, 3);
    check_all(model, 3, false);
    zb_model_free(model);
}

/* With a clock, and stopped at once: intervals hold whatever came of it. */
static bool refuse(void *context, const zb_progress *at)
{
    int *left = context;
    (void)at;
    return (*left)-- > 0;
}

static void intervals_hold_with_a_clock(void **state)
{
    (void)state;
    thread_ranks t;
    zb_ranks *ranks = thread_ranks_open(&t, 3, 0);
    zb_model *model = grids(3, 4, 9);
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.threads = 1;
    zb_marginals *exact = ask(model, opt, NULL), *m;
    assert_true(zb_marginals_about(exact).exact);
    opt.ibound = 2;
    opt.ranks = ranks;
    for (int i = 0; i < 8; i++) {
        int left = i;
        zb_observer observer = { .context = &left, .progress = refuse };
        opt.time = i % 2 == 0 ? 0.2 : 60;
        zb_status status = zb_marginals_new(&m, model, &opt, NULL,
                                            i % 2 == 0 ? NULL : &observer, NULL);
        if (status == ZB_ELIMIT)
            continue;
        assert_int_equal(status, ZB_OK);
        for (int v = 0; v < zb_model_nvars(model); v++) {
            zb_marginal got = zb_marginals_of(m, v), want = zb_marginals_of(exact, v);
            for (size_t e = 0; e < got.size; e++)
                CHECK(got.lower[e] <= want.upper[e] && want.lower[e] <= got.upper[e],
                      "%d: %.17g .. %.17g", v, got.lower[e], got.upper[e]);
        }
        zb_marginals_free(m);
    }
    zb_marginals_free(exact);
    zb_model_free(model);
    thread_ranks_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_have_the_same_bits),
        cmocka_unit_test(neighbourhoods_have_the_same_bits),
        cmocka_unit_test(intervals_hold_with_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
