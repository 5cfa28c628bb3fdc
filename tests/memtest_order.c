#include "graphs.h"
#include "mem_fail.h"
#include "order/order.h"
#include "test.h"

typedef struct job {
    const zb_scopes *s;
    zb_order_request req;
} job;

static zb_status make(void *context)
{
    const job *j = context;
    int order[64];
    zb_order_cost cost;
    return zb_order_make(j->s, &j->req, order, &cost);
}

static zb_status split(void *context)
{
    const job *j = context;
    int order[64];
    zb_split_cost cost;
    for (int v = 0; v < j->s->nvars; v++)
        order[v] = v;
    return zb_order_splits(j->s, order, j->req.ibound, 0, NULL, &cost);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    static const zb_order kind[] = { ZB_ORDER_AUTO,      ZB_ORDER_NATURAL,
                                     ZB_ORDER_MINFILL,   ZB_ORDER_MINDEGREE,
                                     ZB_ORDER_MINWEIGHT, ZB_ORDER_MINSPLIT,
                                     ZB_ORDER_SWEEP,     ZB_ORDER_RANDOM };
    graph g = graph_random(1, 60, 150, 3, 3);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        job j = { .s = &g.s, .req = { .kind = kind[k], .ibound = 4, .tries = 3 } };
        assert_true(fail_each_allocation(make, &j) > 2);
        j.req.ties = ZB_TIES_BREADTH;
        assert_true(fail_each_allocation(make, &j) > 2);
    }
    job j = { .s = &g.s, .req = { .ibound = 4 } };
    assert_true(fail_each_allocation(split, &j) > 10);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_fails_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
