#include "form/form.h"
#include "form/grid.h"
#include "mem_fail.h"
#include "test.h"

/* A 3 x 4 grid with fields, a repeated scope, a constant, a variable in no factor; with
   evidence it has holes, with a chord of three variables it is none. */
static zb_model *grid_of(bool evidence, bool chord)
{
    enum { ROWS = 3, COLS = 4, N = ROWS * COLS };
    const int card[N + 1] = { 2, 3, 2, 2, evidence ? 1 : 2, 2, 3, 2, 2, 2, 2, 2, 5 };
    const double value[27] = { 1, 2, 3, 0, 5, 6, 7, 8, 9, 1, 2, 3, 4,
                               5, 6, 7, 8, 9, 1, 2, 3, 0, 5, 6, 7, 8 };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, N + 1, card), ZB_OK);
    for (int i = 0; i < N; i++) {
        int right[] = { i, i + 1 }, down[] = { i + COLS, i };
        if (i % 2 == 0)
            assert_int_equal(zb_model_add(model, 1, &i, value), ZB_OK);
        if (i % COLS + 1 < COLS)
            assert_int_equal(zb_model_add(model, 2, right, value), ZB_OK);
        if (i / COLS + 1 < ROWS)
            assert_int_equal(zb_model_add(model, 2, down, value), ZB_OK);
    }
    const int again[] = { 0, 1 }, three[] = { 0, 6, 11 };
    assert_int_equal(zb_model_add(model, 2, again, value), ZB_OK);
    assert_int_equal(zb_model_add(model, 0, NULL, value), ZB_OK);
    if (evidence)
        assert_int_equal(zb_model_observe(model, 2, 1), ZB_OK);
    if (chord)
        assert_int_equal(zb_model_add(model, 3, three, value), ZB_OK);
    return model;
}

typedef struct job {
    const zb_model *model;
    zb_form form;
    int ibound, variant;
} job;

static zb_status make(void *context)
{
    const job *j = context;
    zb_model *form;
    zb_form_info info;
    zb_error err;
    zb_status status =
        zb_form_make(&form, j->model, j->form, j->ibound, j->variant, &info, &err);
    CHECK((form != NULL) == (status == ZB_OK), "form %d", (int)j->form);
    zb_model_free(form);
    return status;
}

static void every_form(void **state)
{
    (void)state;
    zb_model *grid = grid_of(true, false), *other = grid_of(true, true);
    zb_model *whole = grid_of(false, false);
    const job jobs[] = {
        { grid, ZB_FORM_ORIGINAL, 0, 0 }, { other, ZB_FORM_FORNEY, 0, 0 },
        { grid, ZB_FORM_LATTICE, 0, 0 },  { grid, ZB_FORM_LATTICE, 0, 1 },
        { other, ZB_FORM_MERGED, 3, 0 },  { other, ZB_FORM_MERGED, 5, 1 },
        { grid, ZB_FORM_MERGED, 5, 2 },   { whole, ZB_FORM_MERGED, 9, 2 },
        { other, ZB_FORM_MERGED, 4, 7 },  { grid, ZB_FORM_AUTO, 4, 0 },
        { other, ZB_FORM_AUTO, 4, 0 },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        job j = jobs[i];
        CHECK(fail_each_allocation(make, &j) > 5, "job %d", (int)i);
    }
    zb_model_free(grid);
    zb_model_free(other);
    zb_model_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_form) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
