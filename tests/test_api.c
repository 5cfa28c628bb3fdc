/* The library's boundary: whatever stands in an argument, a call gives an error or a
 * harmless answer. (Options: test_api_options.c.) What the methods compute is tested
 * elsewhere. */
#include "zbound.h"

#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>
#include <stdlib.h>

static zb_model *grid(void)
{
    zb_ising_spec spec = { .rows = 3, .cols = 3, .coupling = 1, .field = 1, .seed = 1 };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

#define COUNT_ONE(...) +1
enum { FORMS = ZB_FORMS(COUNT_ONE) };

/* ---- models ---------------------------------------------------------------------- */

static void models_without_sense(void **state)
{
    (void)state;
    const int card[] = { 2, 3 }, zero[] = { 2, 0 };
    zb_model *model = (zb_model *)&model;
    assert_int_equal(zb_model_new(NULL, 2, card), ZB_EINVAL);
    assert_int_equal(zb_model_new(&model, 2, NULL), ZB_EINVAL);
    assert_null(model);
    assert_int_equal(zb_model_new(&model, -1, card), ZB_EINVAL);
    assert_int_equal(zb_model_new(&model, 2, zero), ZB_EINVAL);
    assert_int_equal(zb_model_copy(NULL, NULL), ZB_EINVAL);
    model = (zb_model *)&model;
    assert_int_equal(zb_model_copy(&model, NULL), ZB_EINVAL);
    assert_null(model);
    zb_model_free(NULL);
    assert_int_equal(zb_model_observe(NULL, 0, 0), ZB_EINVAL);
    assert_int_equal(zb_model_nvars(NULL), 0);
    assert_int_equal(zb_model_nfactors(NULL), 0);
    assert_int_equal(zb_model_card(NULL, 0), 0);
    assert_int_equal(zb_model_evidence(NULL, 0), -1);
    assert_int_equal(zb_model_arity(NULL, 0), -1);
    assert_null(zb_model_scope(NULL, 0));
    assert_int_equal(zb_model_size(NULL, 0), 0);
    assert_true(zb_model_log_constant(NULL) == 0);
    assert_false(zb_model_is_bayes(NULL));
    assert_int_equal(zb_model_hash(NULL), 0);
    model = (zb_model *)&model;
    assert_int_equal(zb_model_read_as(&model, NULL, ZB_FORMAT_UAI, NULL, NULL),
                     ZB_EINVAL);
    assert_null(model);
    assert_int_equal(zb_model_read_as(NULL, "x", ZB_FORMAT_UAI, NULL, NULL), ZB_EINVAL);
    assert_int_not_equal(
        zb_model_read_as(&model, "/dev/null", (zb_format)99, NULL, NULL), ZB_OK);
    assert_non_null(zb_kernels());
    zb_limit_memory(0); /* none, as before */
    double out[6];
    zb_model_values(NULL, 0, out);
    zb_model_log_values(NULL, 0, out);
}

static void indices_out_of_range(void **state)
{
    (void)state;
    zb_model *model = grid();
    double out[4] = { 7, 7, 7, 7 };
    const int beyond[] = { -1, 1000, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_int_equal(zb_model_card(model, beyond[i]), 0);
        assert_int_equal(zb_model_evidence(model, beyond[i]), -1);
        assert_int_equal(zb_model_arity(model, beyond[i]), -1);
        assert_null(zb_model_scope(model, beyond[i]));
        assert_int_equal(zb_model_size(model, beyond[i]), 0);
        zb_model_values(model, beyond[i], out);
        zb_model_log_values(model, beyond[i], out);
        assert_int_equal(zb_model_observe(model, beyond[i], 0), ZB_EINVAL);
    }
    assert_true(out[0] == 7 && out[3] == 7);
    zb_model_values(model, 0, NULL);
    zb_model_log_values(model, 0, NULL);
    assert_int_equal(zb_model_observe(model, 0, 2), ZB_EINVAL);
    assert_int_equal(zb_model_observe(model, 0, -2), ZB_EINVAL);
    zb_model_free(model);
}

static void tables_of_known_length(void **state)
{
    (void)state;
    const int card[] = { 2, 3 }, scope[] = { 0, 1 }, twice[] = { 0, 0 };
    const double value[7] = { 1, 2, 3, 4, 5, 6, 7 }, nan[1] = { NAN };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 2, card), ZB_OK);
    for (size_t length = 0; length < 8; length++) {
        zb_status want = length == 6 ? ZB_OK : ZB_EINVAL;
        assert_int_equal(zb_model_add_table(model, 2, scope, length, value), want);
        assert_int_equal(zb_model_add_log_table(model, 2, scope, length, value), want);
    }
    assert_int_equal(zb_model_nfactors(model), 2);
    assert_int_equal(zb_model_add_table(model, 0, NULL, 1, value), ZB_OK);
    assert_int_equal(zb_model_add_table(model, 0, NULL, 1, nan), ZB_EINVAL);
    assert_int_equal(zb_model_add_table(model, 2, twice, 4, value), ZB_EINVAL);
    assert_int_equal(zb_model_add_table(model, 2, NULL, 6, value), ZB_EINVAL);
    assert_int_equal(zb_model_add_table(model, -1, scope, 1, value), ZB_EINVAL);
    assert_int_equal(zb_model_add_table(model, 2, scope, 6, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_add_table(NULL, 2, scope, 6, value), ZB_EINVAL);
    assert_int_equal(zb_model_add_log_table(NULL, 2, scope, 6, value), ZB_EINVAL);
    assert_int_equal(zb_model_add(NULL, 2, scope, value), ZB_EINVAL);
    assert_int_equal(zb_model_add_log(NULL, 2, scope, value), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 2, scope, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_nfactors(model), 3);
    zb_model_free(model);
}

/* ---- files ----------------------------------------------------------------------- */

static void files_without_names(void **state)
{
    (void)state;
    assert_int_equal(zb_model_read_with(NULL, "x", NULL, NULL), ZB_EINVAL);
    zb_model *model = grid(), *none = model;
    zb_state *kept = (zb_state *)&model;
    zb_error err = { "" };
    int order[9] = { 0 };
    assert_int_equal(zb_model_read(NULL, "x.uai", &err), ZB_EINVAL);
    assert_int_equal(zb_model_read(&none, NULL, &err), ZB_EINVAL);
    assert_null(none);
    assert_true(err.text[0] != '\0');
    assert_int_equal(zb_model_read(&none, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_read(&none, "", &err), ZB_EIO);
    assert_int_equal(zb_model_write(NULL, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_model_write(model, NULL, &err), ZB_EINVAL);
    assert_int_equal(
        zb_evidence_read(NULL, "/dev/null", ZB_EVIDENCE_DETECT, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_evidence_read(model, NULL, ZB_EVIDENCE_DETECT, NULL, &err),
                     ZB_EINVAL);
    assert_int_equal(
        zb_evidence_read(model, "/dev/null", (zb_evidence_format)9, NULL, &err),
        ZB_EINVAL);
    assert_int_equal(
        zb_evidence_read(model, "/dev/null", (zb_evidence_format)-1, NULL, NULL),
        ZB_EINVAL);
    assert_int_equal(zb_order_read(NULL, 9, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_order_read(order, -1, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_order_read(order, 9, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_order_write(NULL, 9, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_order_write(order, -1, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_order_write(order, 9, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_result_write_pr(NULL, 0, false, &err), ZB_EINVAL);
    assert_int_equal(zb_result_write_pr(NULL, NAN, true, NULL), ZB_EINVAL);
    assert_int_equal(zb_state_read(NULL, "/dev/null", &err), ZB_EINVAL);
    assert_int_equal(zb_state_read(&kept, NULL, &err), ZB_EINVAL);
    assert_null(kept);
    assert_int_equal(zb_state_write(NULL, "/dev/null", &err), ZB_EINVAL);
    zb_state_free(NULL);
    zb_model_free(model);
}

/* ---- solving, forms, gauges, generators ------------------------------------------ */

static void names_without_sense(void **state)
{
    (void)state;
    zb_model *model = grid(), *raised = (zb_model *)&model;
    zb_error err = { "" };
    assert_false(zb_model_has_names(NULL) || zb_model_has_names(model));
    assert_string_equal(zb_model_var_name(NULL, 0), "");
    assert_string_equal(zb_model_var_name(model, -1), "");
    assert_string_equal(zb_model_state_name(NULL, 0, 0), "");
    assert_string_equal(zb_model_state_name(model, 0, 2), "");
    assert_int_equal(zb_model_name_var(NULL, 0, "a"), ZB_EINVAL);
    assert_int_equal(zb_model_name_var(model, 9, "a"), ZB_EINVAL);
    assert_int_equal(zb_model_name_var(model, 0, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_name_state(NULL, 0, 0, "a"), ZB_EINVAL);
    assert_int_equal(zb_model_name_state(model, 0, -1, "a"), ZB_EINVAL);
    assert_int_equal(zb_model_name_state(model, 0, 0, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_find_var(NULL, "0"), -1);
    assert_int_equal(zb_model_find_var(model, NULL), -1);
    assert_int_equal(zb_model_find_var(model, "9"), -1);
    assert_int_equal(zb_model_find_state(NULL, 0, "0"), -1);
    assert_int_equal(zb_model_find_state(model, 0, NULL), -1);
    assert_int_equal(zb_model_find_state(model, 9, "0"), -1);
    assert_int_equal(zb_evidence_set(NULL, "0=0", &err), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(model, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(model, "0=2", &err), ZB_EINVAL);
    assert_int_equal(zb_model_evidence(model, 0), -1);
    assert_int_equal(zb_model_raise(NULL, model, 1), ZB_EINVAL);
    assert_int_equal(zb_model_raise(&raised, NULL, 1), ZB_EINVAL);
    assert_int_equal(zb_model_raise(&raised, model, (double)NAN), ZB_EINVAL);
    assert_int_equal(zb_model_raise(&raised, model, (double)INFINITY), ZB_EINVAL);
    assert_null(raised);
    zb_model_free(model);
}

static void samplers_without_sense(void **state)
{
    (void)state;
    const zb_options opt = zb_options_default();
    zb_options bad = opt;
    zb_model *model = grid();
    zb_sampler *sampler = (zb_sampler *)&model;
    zb_error err = { "" };
    size_t drawn = 1;
    int x[9];
    assert_int_equal(zb_sampler_new(NULL, model, &opt, NULL, &err), ZB_EINVAL);
    assert_true(err.text[0] != '\0');
    assert_int_equal(zb_sampler_new(&sampler, NULL, &opt, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_sampler_new(&sampler, model, NULL, NULL, NULL), ZB_EINVAL);
    bad.iterations = -1;
    assert_int_equal(zb_sampler_new(&sampler, model, &bad, NULL, &err), ZB_EINVAL);
    assert_null(sampler);
    assert_int_equal(zb_sampler_load(&sampler, model, NULL, &opt, NULL, &err),
                     ZB_EINVAL);
    assert_null(sampler);
    assert_int_equal(zb_sampler_load(NULL, model, NULL, &opt, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_sampler_draw(NULL, 1, x, NULL, &drawn, &err), ZB_EINVAL);
    assert_int_equal(zb_sampler_about(NULL).components, 0);
    zb_sampler_free(NULL);
    assert_int_equal(zb_sampler_new(&sampler, model, &opt, NULL, &err), ZB_OK);
    assert_int_equal(zb_sampler_draw(sampler, 1, NULL, NULL, &drawn, &err), ZB_EINVAL);
    assert_int_equal(zb_sampler_draw(sampler, 1, x, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_sampler_draw(sampler, 0, NULL, NULL, &drawn, &err), ZB_OK);
    assert_int_equal(drawn, 0);
    assert_int_equal(zb_sampler_draw(sampler, 1, x, NULL, &drawn, &err), ZB_OK);
    assert_true(drawn == 1 && zb_sampler_about(sampler).exact);
    zb_sampler_free(sampler);
    zb_model_free(model);
}

static void nothing_to_solve(void **state)
{
    (void)state;
    const zb_options opt = zb_options_default();
    zb_model *model = grid();
    zb_state *to = (zb_state *)&model;
    zb_error err = { "" };
    zb_result r;
    assert_int_equal(zb_solve(NULL, &opt, NULL, &r, &err), ZB_EINVAL);
    assert_true(err.text[0] != '\0' && r.log_lower == -INFINITY);
    assert_int_equal(zb_solve(model, NULL, NULL, &r, &err), ZB_EINVAL);
    assert_int_equal(zb_solve(model, &opt, NULL, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_solve(NULL, NULL, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_with(NULL, &opt, NULL, &to, NULL, &r, &err), ZB_EINVAL);
    assert_int_equal(
        zb_state_gradient(NULL, NULL, ZB_SIDE_UPPER, &opt, NULL, NULL, &err),
        ZB_EINVAL);
    assert_int_equal(
        zb_state_gradient(NULL, NULL, ZB_SIDE_UPPER, NULL, NULL, NULL, NULL),
        ZB_EINVAL);
    assert_null(to);
    assert_int_equal(zb_solve_with(model, &opt, NULL, &to, NULL, &r, &err), ZB_EINVAL);
    assert_int_equal(zb_solve_with(model, NULL, NULL, NULL, NULL, NULL, NULL),
                     ZB_EINVAL);
    zb_model_free(model);
}

/* A written state, kept and written to nowhere. */
static void states_at_the_boundary(void **state)
{
    (void)state;
    zb_model *model = grid(), *other;
    zb_options opt = zb_options_default();
    zb_state *kept = NULL, *none = NULL;
    zb_error err = { "" };
    zb_result r;
    zb_random_tree_spec tree = { .variables = 4, .cardinality = 2, .seed = 1 };
    assert_int_equal(zb_generate_tree(&other, &tree), ZB_OK);
    opt.method = ZB_METHOD_WMBE, opt.ibound = 2;
    assert_int_equal(zb_solve_with(model, &opt, NULL, &kept, NULL, &r, &err), ZB_OK);
    assert_int_equal(zb_state_write(kept, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_state_write(kept, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_solve_with(other, &opt, kept, &none, NULL, &r, &err),
                     ZB_EINVAL);
    assert_non_null(strstr(err.text, "9 variables"));
    opt.iterations = -1;
    assert_int_equal(zb_solve_with(model, &opt, kept, &none, NULL, &r, &err),
                     ZB_EINVAL);
    assert_null(none);
    zb_state_free(kept);
    zb_model_free(other);
    zb_model_free(model);
}

static void certificates_at_the_boundary(void **state)
{
    (void)state;
    zb_model *model = grid();
    zb_options opt = zb_options_default();
    zb_certificate *made = (zb_certificate *)&opt;
    zb_error err = { "" };
    zb_result r;
    assert_int_equal(zb_solve_certified(NULL, &opt, NULL, &made, &r, &err), ZB_EINVAL);
    assert_null(made);
    assert_int_equal(zb_solve_certified(model, &opt, NULL, NULL, &r, &err), ZB_EINVAL);
    assert_int_equal(zb_solve_certified(model, NULL, NULL, &made, NULL, NULL),
                     ZB_EINVAL);
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve_certified(model, &opt, NULL, &made, &r, &err), ZB_OK);
    assert_int_equal(zb_certificate_write(made, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_certificate_write(NULL, "-", &err), ZB_EINVAL);
    zb_certificate_free(made);
    zb_certificate_free(NULL);
    zb_model_free(model);
}

static void forms_without_sense(void **state)
{
    (void)state;
    zb_model *model = grid(), *made = model;
    zb_error err = { "" };
    assert_int_equal(zb_form_make(NULL, model, ZB_FORM_FORNEY, 0, 0, NULL, &err),
                     ZB_EINVAL);
    assert_int_equal(zb_form_make(&made, NULL, ZB_FORM_FORNEY, 0, 0, NULL, &err),
                     ZB_EINVAL);
    assert_null(made);
    for (int f = 0; f < FORMS; f++) {
        assert_int_equal(zb_form_make(&made, model, (zb_form)f, -1, 0, NULL, &err),
                         ZB_EINVAL);
        assert_int_equal(zb_form_make(&made, model, (zb_form)f, 0, -1, NULL, &err),
                         ZB_EINVAL);
        CHECK(zb_form_make(&made, model, (zb_form)f, INT32_MAX, INT32_MAX, NULL,
                           NULL) == ZB_OK,
              "form %d", f);
        zb_model_free(made);
    }
    assert_int_equal(zb_form_make(&made, model, (zb_form)FORMS, 0, 0, NULL, &err),
                     ZB_EINVAL);
    assert_int_equal(zb_form_make(&made, model, (zb_form)-1, 0, 0, NULL, NULL),
                     ZB_EINVAL);
    zb_model_free(model);
}

static void gauges_without_sense(void **state)
{
    (void)state;
    const double one[4] = { 1, 0, 0, 1 }, nan[4] = { NAN, 0, 0, 1 };
    double first[4];
    zb_model *model = grid(), *form;
    zb_gauges *g = (zb_gauges *)&model;
    zb_error err = { "" };
    assert_int_equal(zb_gauges_new(NULL, model, &err), ZB_EINVAL);
    assert_int_equal(zb_gauges_new(&g, NULL, &err), ZB_EINVAL);
    assert_null(g);
    assert_int_equal(zb_gauges_new(&g, model, NULL), ZB_EINVAL);
    zb_gauges_free(NULL);
    assert_int_equal(zb_gauges_set(NULL, 0, one), ZB_EINVAL);
    assert_int_equal(zb_gauges_multiply(NULL, 0, one), ZB_EINVAL);
    assert_int_equal(zb_gauges_invert(NULL, 0), ZB_EINVAL);
    assert_int_equal(zb_gauges_get(NULL, 0, first, NULL), ZB_EINVAL);
    assert_int_equal(zb_gauges_values(NULL, 0, first), ZB_EINVAL);
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_FORNEY, 0, 0, NULL, &err),
                     ZB_OK);
    assert_int_equal(zb_gauges_new(&g, form, &err), ZB_OK);
    assert_int_equal(zb_gauges_set(g, 0, NULL), ZB_EINVAL);
    assert_int_equal(zb_gauges_set(g, 0, nan), ZB_EINVAL);
    assert_int_equal(zb_gauges_multiply(g, 0, NULL), ZB_EINVAL);
    assert_int_equal(zb_gauges_get(g, 0, NULL, NULL), ZB_OK);
    assert_int_equal(zb_gauges_values(g, 0, NULL), ZB_EINVAL);
    const int beyond[] = { -1, 1000, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_int_equal(zb_gauges_set(g, beyond[i], one), ZB_EINVAL);
        assert_int_equal(zb_gauges_multiply(g, beyond[i], one), ZB_EINVAL);
        assert_int_equal(zb_gauges_invert(g, beyond[i]), ZB_EINVAL);
        assert_int_equal(zb_gauges_get(g, beyond[i], first, NULL), ZB_EINVAL);
        assert_int_equal(zb_gauges_values(g, beyond[i], first), ZB_EINVAL);
    }
    zb_gauges_free(g);
    zb_model_free(form);
    zb_model_free(model);
}

/* Calls that look at a model check their options as zb_solve does. */
static void looks_without_sense(void **state)
{
    (void)state;
    zb_model *model = grid();
    zb_options opt = zb_options_default();
    const zb_phase phase[] = { { ZB_PARAMETER_WEIGHT, 2 } };
    zb_phase bad[] = { { (zb_parameter)3, 2 } };
    zb_survey survey;
    zb_error err = { "" };
    zb_result r;
    int order[9];
    assert_int_equal(zb_order_find(NULL, &opt, NULL, order, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_order_find(model, NULL, NULL, order, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_order_find(model, &opt, NULL, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_survey_make(NULL, model, &opt, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_survey_make(&survey, NULL, &opt, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_survey_make(&survey, model, NULL, NULL, NULL), ZB_EINVAL);
    opt.form = ZB_FORM_FORNEY, opt.ibound = 3;
#define PHASES(m, o, n, p, out) zb_solve_phases(m, o, n, p, NULL, NULL, NULL, out, &err)
    assert_int_equal(PHASES(model, &opt, 1, phase, &r), ZB_OK);
    assert_int_equal(PHASES(model, &opt, 0, NULL, &r), ZB_OK);
    assert_int_equal(PHASES(NULL, &opt, 1, phase, &r), ZB_EINVAL);
    assert_int_equal(PHASES(model, NULL, 1, phase, &r), ZB_EINVAL);
    assert_int_equal(PHASES(model, &opt, 1, NULL, &r), ZB_EINVAL);
    assert_int_equal(PHASES(model, &opt, -1, phase, &r), ZB_EINVAL);
    assert_int_equal(PHASES(model, &opt, 1, phase, NULL), ZB_EINVAL);
    assert_int_equal(PHASES(model, &opt, 1, bad, &r), ZB_EINVAL);
    assert_true(!r.has_upper && r.log_upper == INFINITY);
    bad[0] = (zb_phase){ ZB_PARAMETER_GAUGE, -1 };
    assert_int_equal(PHASES(model, &opt, 1, bad, &r), ZB_EINVAL);
    opt.ibound = 0;
    assert_int_equal(PHASES(model, &opt, 1, phase, &r), ZB_EINVAL);
    opt.ibound = 3, opt.form = ZB_FORM_AUTO;
    assert_int_equal(PHASES(model, &opt, 1, phase, &r), ZB_EINVAL);
    opt.form = ZB_FORM_FORNEY, opt.seed = 1, opt.time = NAN;
    assert_int_equal(PHASES(model, &opt, 1, phase, &r), ZB_EINVAL);
    assert_int_equal(zb_order_find(model, &opt, NULL, order, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_survey_make(&survey, model, &opt, NULL, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "'time'"));
    const int twice[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 7 }, far[9] = { 9, 1, -1 };
    const int *const lists[] = { twice, far, NULL };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        opt.time = -1, opt.order = ZB_ORDER_FILE, opt.order_list = lists[i];
        assert_int_equal(PHASES(model, &opt, 1, phase, &r), ZB_EINVAL);
        assert_int_equal(zb_order_find(model, &opt, NULL, order, NULL, &err),
                         ZB_EINVAL);
        assert_int_equal(zb_survey_make(&survey, model, &opt, NULL, &err), ZB_EINVAL);
        assert_non_null(strstr(err.text, "'order'"));
    }
    assert_true(zb_memory_default() > 0);
    zb_limit_memory(1); /* and back: no limit */
    zb_limit_memory(0);
    zb_model_free(model);
}

static void generators_without_sense(void **state)
{
    (void)state;
    zb_model *out = (zb_model *)&out;
    const zb_ising_spec ising = { .rows = 2, .cols = 2, .coupling = NAN };
    const zb_regular_spec regular = { .factors = 6, .chord = (zb_chord)7 };
    const zb_random_spec random = { .variables = -1 };
    const zb_random_tree_spec tree = { .variables = 0 };
    const zb_pedigree_spec pedigree = { .founders = 2, .loci = 1, .typed = NAN };
#define BOTH_NULL(kind)                                                                \
    out = (zb_model *)&out;                                                            \
    assert_int_equal(zb_generate_##kind(NULL, &kind), ZB_EINVAL);                      \
    assert_int_equal(zb_generate_##kind(&out, NULL), ZB_EINVAL);                       \
    assert_null(out);                                                                  \
    assert_int_equal(zb_generate_##kind(NULL, NULL), ZB_EINVAL);                       \
    assert_int_equal(zb_generate_##kind(&out, &kind), ZB_EINVAL);
    BOTH_NULL(ising)
    BOTH_NULL(regular)
    BOTH_NULL(random)
    BOTH_NULL(tree)
    BOTH_NULL(pedigree)
}

/* ---- the constant ---------------------------------------------------------------- */

/* ln Z with nothing but the public getters; values(f) gives a factor's table. */
static double sum_public(const zb_model *model, zb_gauges *gauges)
{
    int n = zb_model_nvars(model), *x = calloc((size_t)n + 1, sizeof *x);
    int nf = zb_model_nfactors(model), v = 0;
    double **table = calloc((size_t)nf + 1, sizeof *table), sum = 0;
    for (int f = 0; f < nf; f++) {
        table[f] = calloc(zb_model_size(model, f), sizeof **table);
        if (gauges != NULL)
            assert_int_equal(zb_gauges_values(gauges, f, table[f]), ZB_OK);
        else
            zb_model_values(model, f, table[f]);
    }
    while (v < n || n == 0) {
        double product = 1;
        for (int f = 0; f < nf; f++) {
            size_t at = 0;
            for (int i = 0; i < zb_model_arity(model, f); i++) {
                int u = zb_model_scope(model, f)[i];
                at = at * (size_t)zb_model_card(model, u) + (size_t)x[u];
            }
            product *= table[f][at];
        }
        sum += product;
        for (v = 0; v < n && ++x[v] == zb_model_card(model, v); v++)
            x[v] = 0;
        if (n == 0)
            break;
    }
    for (int f = 0; f < nf; f++)
        free(table[f]);
    free(table);
    free(x);
    return log(sum) + zb_model_log_constant(model);
}

static void turn(zb_gauges *g, const zb_model *model, uint64_t seed)
{
    for (int v = 0; v < zb_model_nvars(model); v++)
        if (zb_model_card(model, v) == 2) {
            double t = 0.3 * (double)((seed * 7 + (uint64_t)v * 5) % 11) - 1.5;
            const double matrix[] = { cos(t), sin(t), -1.5 * sin(t), 1.5 * cos(t) };
            assert_int_equal(zb_gauges_set(g, v, matrix), ZB_OK);
        }
}

/* Every form, summed through the getters, is Z; so are its gauged factors. */
static void forms_and_gauges_keep_the_constant(void **state)
{
    (void)state;
    const random_spec spec = { 4, 2, 4, 2, 0.1, 1, true };
    int constants = 0, gauged = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (int form = ZB_FORM_ORIGINAL; form < FORMS; form++) {
            zb_model *model = random_model(seed, spec), *made = NULL;
            zb_gauges *g = NULL;
            double z = brute_force(model);
            zb_status status =
                zb_form_make(&made, model, (zb_form)form, 3, 0, NULL, NULL);
            bool small = made != NULL && zb_model_nvars(made) <= 12;
            if (status == ZB_OK && form != ZB_FORM_ORIGINAL && small) {
                constants += zb_model_log_constant(made) != 0;
                CHECK(close_to(sum_public(made, NULL), z, 1e-9),
                      "seed %" PRIu64 " form %d: %g, not %g", seed, form,
                      sum_public(made, NULL), z);
                assert_int_equal(zb_gauges_new(&g, made, NULL), ZB_OK);
                turn(g, made, seed);
                if (z > -INFINITY) {
                    CHECK(close_to(sum_public(made, g), z, 1e-6),
                          "seed %" PRIu64 " form %d gauged", seed, form);
                    gauged++;
                }
            }
            zb_gauges_free(g);
            zb_model_free(made);
            zb_model_free(model);
        }
    CHECK(constants > 10 && gauged > 10, "%d constants, %d gauged", constants, gauged);
}

/* The smallest case: a form without factors, whose constant is the whole of Z. */
static void constant_alone(void **state)
{
    (void)state;
    const int card[] = { 2, 3 }, scope[] = { 0 };
    const double ten[] = { 10 }, three[] = { 1, 2 };
    zb_model *model, *form;
    assert_int_equal(zb_model_new(&model, 2, card), ZB_OK);
    assert_int_equal(zb_model_add(model, 0, NULL, ten), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, scope, three), ZB_OK);
    assert_true(zb_model_log_constant(model) == 0);
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_FORNEY, 0, 0, NULL, NULL),
                     ZB_OK);
    assert_true(close_to(sum_public(form, NULL), log(90), 1e-12));
    assert_true(zb_model_log_constant(form) > 0);
    zb_model_free(form);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_without_sense),
        cmocka_unit_test(indices_out_of_range),
        cmocka_unit_test(tables_of_known_length),
        cmocka_unit_test(files_without_names),
        cmocka_unit_test(names_without_sense),
        cmocka_unit_test(samplers_without_sense),
        cmocka_unit_test(nothing_to_solve),
        cmocka_unit_test(states_at_the_boundary),
        cmocka_unit_test(certificates_at_the_boundary),
        cmocka_unit_test(forms_without_sense),
        cmocka_unit_test(gauges_without_sense),
        cmocka_unit_test(looks_without_sense),
        cmocka_unit_test(generators_without_sense),
        cmocka_unit_test(forms_and_gauges_keep_the_constant),
        cmocka_unit_test(constant_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
