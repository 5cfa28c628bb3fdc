/* Saving, loading and going on from states when memory runs out. */
#include "files.h"
#include "mem_fail.h"
#include "oracle.h"
#include "tighten/state.h"

typedef struct job {
    zb_model *model;
    zb_state *state;
    char *path;
    int ibound;
} job;

static zb_options options(int ibound)
{
    zb_options opt = zb_options_default();
    opt.method = ZB_METHOD_WMBE_WG;
    opt.ibound = ibound;
    opt.iterations = 4;
    opt.threads = 1;
    return opt;
}

static zb_status keep(void *context)
{
    job *j = context;
    zb_options opt = options(j->ibound);
    zb_state *state = NULL;
    zb_result r;
    zb_status status = zb_solve_with(j->model, &opt, NULL, &state, NULL, &r, NULL);
    assert_true((status == ZB_OK) == (state != NULL));
    zb_state_free(state);
    return status;
}

static zb_status go_on(void *context)
{
    job *j = context;
    zb_options opt = options(j->ibound);
    zb_state *state = NULL;
    zb_result r;
    zb_status status = zb_solve_with(j->model, &opt, j->state, &state, NULL, &r, NULL);
    assert_true((status == ZB_OK) == (state != NULL));
    zb_state_free(state);
    return status;
}

static zb_status differentiate(void *context)
{
    job *j = context;
    zb_options opt = options(j->ibound);
    double gradient[1024];
    return zb_state_gradient(j->state, j->model, ZB_SIDE_UPPER, &opt, NULL, gradient,
                             NULL);
}

static zb_status write_file(void *context)
{
    job *j = context;
    return zb_state_write(j->state, j->path, NULL);
}

static zb_status read_file(void *context)
{
    job *j = context;
    zb_state *state;
    zb_status status = zb_state_read(&state, j->path, NULL);
    assert_true((status == ZB_OK) == (state != NULL));
    zb_state_free(state);
    return status;
}

static void every_allocation_fails(void **test)
{
    (void)test;
    const zb_regular_spec spec = { .factors = 8, .coupling = 1, .seed = 2 };
    job j = { .path = make_file(".zbs", ""), .ibound = 3 };
    zb_options opt = options(3);
    zb_result r;
    assert_int_equal(zb_generate_regular(&j.model, &spec), ZB_OK);
    opt.form = ZB_FORM_FORNEY; /* so that there are gauges */
    opt.iterations = 20;
    assert_int_equal(zb_solve_with(j.model, &opt, NULL, &j.state, NULL, &r, NULL),
                     ZB_OK);
    assert_true(j.state->side[0].nsplit > 0 && j.state->side[0].ngauge > 0);
    assert_true(fail_each_allocation(write_file, &j) > 0);
    assert_true(fail_each_allocation(read_file, &j) > 5);
    assert_true(fail_each_allocation(go_on, &j) > 50);
    j.ibound = 4;
    assert_true(fail_each_allocation(go_on, &j) > 50);
    assert_true(fail_each_allocation(keep, &j) > 50);
    zb_state_free(j.state);
    zb_model_free(j.model);
    drop_file(j.path);
}

static void every_allocation_of_a_gradient_fails(void **test)
{
    (void)test;
    const zb_regular_spec spec = { .factors = 8, .coupling = 1, .seed = 2 };
    job j = { .ibound = 3 };
    zb_options opt = options(3);
    zb_result r;
    assert_int_equal(zb_generate_regular(&j.model, &spec), ZB_OK);
    assert_int_equal(zb_model_observe(j.model, 3, 1), ZB_OK);
    opt.form = ZB_FORM_ORIGINAL;
    assert_int_equal(zb_solve_with(j.model, &opt, NULL, &j.state, NULL, &r, NULL),
                     ZB_OK);
    assert_true(fail_each_allocation(differentiate, &j) > 20);
    zb_state_free(j.state);
    zb_model_free(j.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_allocation_of_a_gradient_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
