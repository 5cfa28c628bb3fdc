/* Certificates when memory runs out. */
#include "files.h"
#include "mem_fail.h"
#include "oracle.h"

typedef struct job {
    zb_model *model;
    zb_options opt;
    zb_certificate *made;
    char *path;
    bool proved;
} job;

static zb_status prove(void *context)
{
    job *j = context;
    zb_certificate *made;
    zb_result r;
    zb_status status = zb_solve_certified(j->model, &j->opt, NULL, &made, &r, NULL);
    assert_true(status == ZB_OK || made == NULL);
    j->proved = made != NULL;
    zb_certificate_free(made);
    return status;
}

static zb_status write_file(void *context)
{
    job *j = context;
    return zb_certificate_write(j->made, j->path, NULL);
}

/* A cycle with zeros, whose last factor is a product, and a tie. */
static zb_model *make_model(void)
{
    static const double even[4] = { 1, 2, 3, 1 }, product[4] = { 2, 4, 3, 6 };
    static const double tie[4] = { 0, 2, 1, 0 }, three[8] = { 1, 2, 3, 4, 0, 1, 2, 1 };
    int card[7] = { 2, 2, 2, 2, 2, 2, 2 };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 7, card), ZB_OK);
    for (int v = 0; v < 5; v++) {
        int scope[3] = { v, (v + 1) % 5, (v + 2) % 5 };
        assert_int_equal(zb_model_add(model, 2, scope, even), ZB_OK);
        assert_int_equal(zb_model_add(model, 3, scope, three), ZB_OK);
    }
    assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 5 }, tie), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, (int[]){ 5, 6 }, product), ZB_OK);
    return model;
}

static job job_of(zb_method method, zb_form form)
{
    job j = { .model = make_model(), .opt = zb_options_default() };
    j.opt.method = method;
    j.opt.form = form;
    j.opt.ibound = 2;
    j.opt.iterations = 2;
    j.opt.time = 0;
    j.opt.threads = 1;
    return j;
}

static void every_method(void **state)
{
    static const struct {
        zb_method method;
        zb_form form;
    } how[] = { { ZB_METHOD_BE, ZB_FORM_AUTO },
                { ZB_METHOD_MF, ZB_FORM_AUTO },
                { ZB_METHOD_MBE, ZB_FORM_AUTO },
                { ZB_METHOD_WMBE_WTHETA, ZB_FORM_ORIGINAL },
                { ZB_METHOD_WMBE_WG, ZB_FORM_FORNEY } };
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        job j = job_of(how[i].method, how[i].form);
        assert_true(fail_each_allocation(prove, &j) > 50);
        CHECK(prove(&j) == ZB_OK && j.proved, "%s without a proof",
              zb_method_name(how[i].method));
        zb_model_free(j.model);
    }
}

/* Method auto answers with what it has: the certificate is of that, or there is none.
 */
static void method_auto(void **state)
{
    job j = job_of(ZB_METHOD_AUTO, ZB_FORM_AUTO);
    const long live = zb_test_allocs_live;
    int proved = 0;
    (void)state;
    for (long budget = 0; proved < 20; budget++) {
        zb_test_allocs_left = budget;
        zb_status status = prove(&j);
        zb_test_allocs_left = -1;
        CHECK(status == ZB_OK || status == ZB_ENOMEM, "after %ld: %s", budget,
              zb_status_text(status));
        CHECK(zb_test_allocs_live == live, "after %ld allocations: leaks", budget);
        proved += j.proved;
    }
    zb_model_free(j.model);
}

static void writing(void **state)
{
    job j = job_of(ZB_METHOD_BE, ZB_FORM_AUTO);
    zb_result r;
    (void)state;
    j.path = make_file(".cert", "");
    assert_int_equal(zb_solve_certified(j.model, &j.opt, NULL, &j.made, &r, NULL),
                     ZB_OK);
    assert_true(fail_each_allocation(write_file, &j) > 0);
    zb_certificate_free(j.made);
    zb_model_free(j.model);
    drop_file(j.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(method_auto),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
