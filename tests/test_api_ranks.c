/* The public calls of ranks with arguments that make no sense. */
#include "test.h"
#include "zbound.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
