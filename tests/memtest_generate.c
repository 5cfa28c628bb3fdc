/* Every allocation of the generators fails in turn. */
#include "mem_fail.h"
#include "test.h"
#include "zbound.h"

static zb_status check(zb_model *model, zb_status status)
{
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status ising_run(void *context)
{
    (void)context;
    zb_model *m;
    zb_ising_spec spec = {
        .rows = 3, .cols = 4, .coupling = 1, .field = 0.1, .periodic = true, .seed = 1
    };
    zb_status status = zb_generate_ising(&m, &spec);
    return check(m, status);
}

static zb_status regular_run(void *context)
{
    zb_model *m;
    zb_regular_spec spec = { 12, 1, false, *(zb_chord *)context, 1 };
    zb_status status = zb_generate_regular(&m, &spec);
    return check(m, status);
}

static zb_status random_run(void *context)
{
    (void)context;
    zb_model *m;
    zb_random_spec spec = { 8, 20, 3, 2, 0.2, 1 };
    zb_status status = zb_generate_random(&m, &spec);
    return check(m, status);
}

static zb_status tree_run(void *context)
{
    (void)context;
    zb_model *m;
    zb_random_tree_spec spec = { 15, 3, 1 };
    zb_status status = zb_generate_tree(&m, &spec);
    return check(m, status);
}

static zb_status pedigree_run(void *context)
{
    (void)context;
    zb_model *m;
    zb_pedigree_spec spec = { 3, 4, 2, 3, 0.5, 1 };
    zb_status status = zb_generate_pedigree(&m, &spec);
    return check(m, status);
}

static void generators_survive(void **state)
{
    (void)state;
    zb_chord opposite = ZB_CHORD_OPPOSITE, random = ZB_CHORD_RANDOM;
    assert_true(fail_each_allocation(ising_run, NULL) > 70);
    assert_true(fail_each_allocation(regular_run, &opposite) > 24);
    assert_true(fail_each_allocation(regular_run, &random) > 24);
    assert_true(fail_each_allocation(random_run, NULL) > 40);
    assert_true(fail_each_allocation(tree_run, NULL) > 50);
    assert_true(fail_each_allocation(pedigree_run, NULL) > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(generators_survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
