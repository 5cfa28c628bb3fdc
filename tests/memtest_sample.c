/* Samples when memory runs out: no memory, nothing left behind, and no state that is
   not one of the model. */
#include "form/form.h"
#include "map/redraw.h"
#include "sample/anneal.h"
#include "mem_fail.h"
#include "oracle.h"
#include "proposals.h"
#include "sample/ahead.h"
#include "sample/ascent.h"
#include "steered.h"

#include <string.h>

static zb_model *glass(int side)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = 1, .field = 0.1, .seed = 1
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_options options(int ibound)
{
    zb_options opt = zb_options_default();
    opt.ibound = ibound;
    opt.iterations = 3;
    opt.time = 0;
    opt.threads = 2;
    return opt;
}

typedef struct job {
    zb_model *model;
    zb_options opt;
} job;

static zb_status draw_states(void *context)
{
    job *j = context;
    zb_sampler *s = NULL;
    static int state[40 * 64];
    static double weight[40];
    size_t drawn = 0;
    zb_status status;
    TRY(zb_sampler_new(&s, j->model, &j->opt, NULL, NULL));
    TRY(zb_sampler_draw(s, 40, state, NULL, &drawn, NULL));
    assert_int_equal(drawn, 40);
    TRY(zb_sampler_draw(s, 40, state, weight, &drawn, NULL));
    for (int i = 0; i < 40 * zb_model_nvars(j->model); i++)
        assert_in_range(state[i], 0, 1);
done:
    zb_sampler_free(s);
    return status;
}

static void test_samplers(void **state)
{
    (void)state;
    for (int ibound = 0; ibound <= 3; ibound += 3) {
        job j = { glass(4), options(ibound) };
        fail_many_allocations(draw_states, &j, 100);
        zb_model_free(j.model);
    }
}

typedef struct loaded {
    job of;
    zb_state *kept;
} loaded;

static zb_status draw_loaded(void *context)
{
    loaded *j = context;
    zb_sampler *s = NULL;
    static int state[40 * 64];
    size_t drawn = 0;
    zb_status status;
    TRY(zb_sampler_load(&s, j->of.model, j->kept, &j->of.opt, NULL, NULL));
    TRY(zb_sampler_draw(s, 40, state, NULL, &drawn, NULL));
    assert_int_equal(drawn, 40);
done:
    zb_sampler_free(s);
    return status;
}

static void test_samplers_from_states(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        loaded j = { .of = { glass(4), options(3) } };
        zb_result r;
        zb_options opt = options(3);
        opt.method = ZB_METHOD_WMBE_WTHETA;
        opt.form = ZB_FORM_ORIGINAL;
        zb_model_observe(j.of.model, 7, k == 0 ? -1 : 1);
        assert_int_equal(zb_solve_with(j.of.model, &opt, NULL, &j.kept, NULL, &r, NULL),
                         ZB_OK);
        fail_many_allocations(draw_loaded, &j, 60);
        zb_state_free(j.kept);
        zb_model_free(j.of.model);
    }
}

/* A search by groups: memory is out, the state is as good as before or better. */
static zb_status redraw(void *context)
{
    job *j = context;
    int order[25], x[25] = { 0 };
    zb_run run;
    zb_redraw_spec spec = {
        .order = order, .entries = 8, .seed = 1, .most = 3, .patience = 3
    };
    zb_status status = zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1);
    for (int v = 0; v < 25; v++)
        order[v] = v;
    double before = zb_state_value(j->model, x).mid;
    TRY(status);
    status = zb_redraw(j->model, &spec, &run, x);
    zb_run_close(&run);
    assert_true(zb_state_value(j->model, x).mid >= before);
done:
    return status;
}

static void test_redraws(void **state)
{
    job j = { .opt = options(0) };
    zb_model *given = glass(4);
    (void)state;
    assert_int_equal(zb_form_clean(&j.model, given, NULL), ZB_OK);
    fail_many_allocations(redraw, &j, 60);
    zb_model_free(given);
    zb_model_free(j.model);
}

static zb_status anneal(void *context)
{
    job *j = context;
    int x[25] = { 0 };
    zb_run run;
    zb_anneal_spec spec = { .seed = 1, .sweeps = 2, .most = 2 };
    zb_status status = zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1);
    double before = zb_state_value(j->model, x).mid;
    TRY(status);
    status = zb_anneal(j->model, &spec, &run, x);
    zb_run_close(&run);
    assert_true(zb_state_value(j->model, x).mid >= before);
done:
    return status;
}

static void test_anneals(void **state)
{
    job j = { .opt = options(0) };
    zb_model *given = glass(4);
    (void)state;
    assert_int_equal(zb_form_clean(&j.model, given, NULL), ZB_OK);
    fail_many_allocations(anneal, &j, 60);
    zb_model_free(given);
    zb_model_free(j.model);
}

/* A look ahead takes memory in every batch. */
static zb_status draw_ahead(void *context)
{
    drawing *d = context;
    zb_proposal *p = NULL;
    zb_batch *b = NULL;
    zb_status status;
    TRY(zb_proposal_new(&p, d->tree, d->pass, NULL));
    TRY(zb_proposal_look_ahead(p, d->model, NULL));
    TRY(zb_batch_new(&b, p, true));
    bool ok = zb_proposal_draw(p, 1, 1, b, NULL);
    assert_true(ok != b->failed);
    status = ok ? ZB_OK : ZB_ENOMEM;
done:
    zb_batch_free(b);
    zb_proposal_free(p);
    return status;
}

static void test_looks_ahead(void **state)
{
    zb_model *given = glass(4), *clean;
    (void)state;
    assert_int_equal(zb_form_clean(&clean, given, NULL), ZB_OK);
    for (int f = 0; f < clean->nfactors; f += 3)
        clean->factor[f].value[f % 4 % (int)clean->factor[f].size] = -INFINITY;
    drawing d = drawing_new(clean, 1, 3);
    fail_many_allocations(draw_ahead, &d, 60);
    drawing_free(&d);
    zb_model_free(clean);
    zb_model_free(given);
}

static zb_status draw_beside(void *context)
{
    job *j = context;
    steered s;
    zb_status status = steered_open(&s, j->model, &j->opt, NULL);
    if (status == ZB_OK)
        status = steered_gauged(&s, 3, 1);
    if (status == ZB_OK)
        status = steered_draw(&s, 3, 1);
    if (status == ZB_OK)
        assert_true(s.p.draws[0].last.samples > 0 && s.p.draws[0].sliced > -INFINITY);
    steered_close(&s);
    return status;
}

static void test_draws_of_auto(void **state)
{
    job j = { glass(4), options(3) };
    (void)state;
    j.opt.threads = 1;
    fail_many_allocations(draw_beside, &j, 50);
    zb_model_free(j.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samplers),    cmocka_unit_test(test_samplers_from_states),
        cmocka_unit_test(test_redraws),     cmocka_unit_test(test_anneals),
        cmocka_unit_test(test_looks_ahead), cmocka_unit_test(test_draws_of_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
