/* The public calls of ranks with arguments that make no sense. */
#include "test.h"
#include "zbound.h"

#include <string.h>

static zb_status never_sends(void *self, int to, const void *data, size_t bytes)
{
    (void)self, (void)to, (void)data, (void)bytes;
    return ZB_OK;
}

static size_t never_waits(void *self, int *from)
{
    (void)self, (void)from;
    return 0;
}

static zb_status never_takes(void *self, void *data)
{
    (void)self, (void)data;
    return ZB_OK;
}

static void refused(void **state)
{
    (void)state;
    zb_transport t = { 0, 1, NULL, never_sends, never_waits, never_takes };
    zb_ranks *ranks = (zb_ranks *)&t;
    assert_int_equal(zb_ranks_open(NULL, &t), ZB_EINVAL);
    assert_int_equal(zb_ranks_open(&ranks, NULL), ZB_EINVAL);
    assert_null(ranks);
    for (int k = 0; k < 3; k++) {
        zb_transport bad = t;
        bad.rank = k == 0 ? -1 : k == 1 ? 1 : 0;
        bad.size = k == 2 ? 0 : 1;
        assert_int_equal(zb_ranks_open(&ranks, &bad), ZB_EINVAL);
        assert_null(ranks);
    }
    assert_int_equal(zb_ranks_size(NULL), 1);
    assert_int_equal(zb_ranks_serve(NULL), ZB_EINVAL);
    zb_ranks_close(NULL);
    assert_int_equal(zb_ranks_open(&ranks, &t), ZB_OK);
    assert_int_equal(zb_ranks_size(ranks), 1);
    assert_int_equal(zb_ranks_serve(ranks), ZB_EINVAL); /* rank 0 calls */
    zb_ranks_close(ranks);
}

static void betas_are_checked(void **state)
{
    (void)state;
    zb_options opt = zb_options_default(), named = opt;
    zb_model *model;
    zb_result out[2];
    zb_error err;
    const double betas[] = { 0.5, 1 }, bad[] = { 0.5, NAN };
    assert_int_equal(zb_model_new(&model, 1, (int[]){ 2 }), ZB_OK);
    assert_int_equal(zb_solve_betas(NULL, &opt, 2, betas, NULL, out, &err), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, NULL, 2, betas, NULL, out, &err), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 2, NULL, NULL, out, &err), ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 2, betas, NULL, NULL, &err),
                     ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 2, bad, NULL, out, &err), ZB_EINVAL);
    assert_true(strlen(err.text) > 10);
    named.checkpoint = "somewhere";
    assert_int_equal(zb_solve_betas(model, &named, 2, betas, NULL, out, NULL),
                     ZB_EINVAL);
    assert_int_equal(zb_solve_betas(model, &opt, 0, NULL, NULL, NULL, NULL), ZB_OK);
    assert_int_equal(zb_solve_betas(model, &opt, 2, betas, NULL, out, NULL), ZB_OK);
    assert_true(out[0].exact && out[1].exact);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refused),
                                        cmocka_unit_test(betas_are_checked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
