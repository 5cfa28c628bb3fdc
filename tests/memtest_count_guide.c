/* The guide and the spread of weights when memory runs out: no memory, or as before. */
#include "count/guide.h"
#include "count/spread.h"
#include "mem_fail.h"
#include "test.h"

enum { N = 12 };

static zb_model *ring(void)
{
    int card[N];
    double value[] = { 0, 1, 2, -INFINITY };
    zb_model *model;
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 0; v < N; v++)
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ v, (v + 1) % N }, value),
                         ZB_OK);
    return model;
}

static zb_status guide(void *context)
{
    const zb_scopes *scopes = context;
    zb_ticker tick = { .run = NULL };
    int order[N];
    double near[N];
    for (int v = 0; v < N; v++)
        order[v] = v;
    return zb_guide_make(scopes, order, &tick, near);
}

static zb_status spread(void *context)
{
    zb_ticker tick = { .run = NULL };
    zb_model *out;
    zb_status status = zb_spread(&out, context, &tick);
    assert_true((status == ZB_OK) == (out != NULL));
    zb_model_free(out);
    return status;
}

static void every_allocation(void **state)
{
    (void)state;
    zb_model *model = ring();
    zb_scopes *scopes;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    CHECK(fail_each_allocation(guide, scopes) > 10, "few allocations");
    CHECK(fail_each_allocation(spread, model) > 20, "few allocations");
    zb_scopes_free(scopes);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
