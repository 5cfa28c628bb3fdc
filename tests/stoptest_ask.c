/* Marginals and the best state, stopped at any time: prompt, and what there is by then
   holds. See stoptest_phases.c. */
#include "fake_clock.h"
#include "map/summit.h"
#include "marginals/inquiry.h"
#include "oracle.h"
#include "simplify/simplify.h"
#include "test.h"

enum { POINTS = 5, PROMPT = 40, ROWS = 12 };

typedef struct job {
    zb_model *model; /* with tables of ones, the last `asked` of its factors */
    zb_question question[ROWS * ROWS];
    zb_options opt;
    zb_answers truth;
    double best;
} job;

/* Factors in logarithms. */
static void open_job(job *j)
{
    zb_ising_spec spec = {
        .rows = ROWS, .cols = ROWS, .coupling = 1, .field = 0.3, .seed = 4
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    assert_int_equal(zb_model_raise(&j->model, model, 1), ZB_OK);
    zb_model_free(model);
    for (int v = 0; v < ROWS * ROWS; v++) {
        assert_int_equal(zb_model_add_log(j->model, 1, &v, (double[]){ 0, 0 }), ZB_OK);
        j->question[v] =
            (zb_question){ zb_model_nfactors(j->model) - 1, 2 * (size_t)v };
    }
    j->opt = zb_options_default();
    j->opt.iterations = 20;
}

static zb_inquiry inquiry(job *j, zb_answers *a)
{
    assert_int_equal(zb_answers_new(a, 2 * ROWS * ROWS), ZB_OK);
    for (int v = 0; v < ROWS * ROWS; v++)
        zb_answers_forget(a, 2 * (size_t)v, 2);
    return (zb_inquiry){ .model = j->model,
                         .count = ROWS * ROWS,
                         .question = j->question,
                         .answers = a,
                         .opt = &j->opt,
                         .radius = j->model->radius };
}

/* Intervals that are there hold the truth. */
static void check_answers(const job *j, const zb_answers *a)
{
    for (size_t i = 0; i < a->count; i++)
        CHECK(a->lower[i] <= j->truth.upper[i] && a->upper[i] >= j->truth.lower[i],
              "%zu: %.17g .. %.17g without %.17g", i, a->lower[i], a->upper[i],
              j->truth.value[i]);
}

static zb_status exact(void *context, zb_run *run)
{
    job *j = context;
    zb_answers a;
    zb_inquiry q = inquiry(j, &a);
    bool found;
    zb_status status = zb_inquiry_exact(&q, true, run, &found);
    fake_clock_done();
    check_answers(j, &a);
    zb_answers_close(&a);
    return status;
}

static zb_status bound(void *context, zb_run *run)
{
    job *j = context;
    zb_answers a;
    zb_inquiry q = inquiry(j, &a);
    zb_status status = zb_inquiry_bound(&q, run);
    fake_clock_done();
    check_answers(j, &a);
    zb_answers_close(&a);
    return status;
}

static zb_status summit(void *context, zb_run *run)
{
    job *j = context;
    int state[ROWS * ROWS];
    zb_summit s = { .state = state };
    zb_status status = zb_summit_find(&s, j->model, &j->opt, run);
    fake_clock_done();
    CHECK(s.upper >= j->best - 1e-9 && (!s.found || s.value <= j->best + 1e-9),
          "%.17g .. %.17g without %.17g", s.value, s.upper, j->best);
    CHECK(!s.optimal || s.value >= j->best - 1e-9, "%.17g for %.17g", s.value, j->best);
    return status;
}

static void check(const char *name, zb_status (*work)(void *, zb_run *), job *j)
{
    stop_result r = stop_everywhere(work, j, POINTS, PROMPT);
    CHECK(r.looks >= 5, "%s: %ld looks are too few to be stopped at", name, r.looks);
    CHECK(r.stopped >= 2, "%s: %ld of %d runs were stopped", name, r.stopped, POINTS);
}

static void all(void **state)
{
    (void)state;
    job j = { .best = 0 };
    zb_run run;
    bool found;
    int x[ROWS * ROWS];
    zb_summit s = { .state = x };
    open_job(&j);
    zb_inquiry q = inquiry(&j, &j.truth);
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    assert_int_equal(zb_inquiry_exact(&q, true, &run, &found), ZB_OK);
    assert_int_equal(zb_summit_find(&s, j.model, &j.opt, &run), ZB_OK);
    zb_run_close(&run);
    assert_true(found && s.optimal);
    j.best = s.value;
    check("exact", exact, &j);
    j.opt.ibound = 6;
    check("bound", bound, &j);
    check("summit", summit, &j);
    zb_answers_close(&j.truth);
    zb_model_free(j.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
