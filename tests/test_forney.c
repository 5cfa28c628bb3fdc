#include "eliminate.h"
#include "form/form.h"
#include "oracle.h"
#include "test.h"

static zb_model *model_of(int nvars, const int *card)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, nvars, card), ZB_OK);
    return model;
}

/* A table over scope with entries 1, 2, 3, ... */
static void add_ramp(zb_model *model, int arity, const int *scope)
{
    double value[256];
    for (int i = 0; i < 256; i++)
        value[i] = 1 + i;
    assert_int_equal(zb_model_add(model, arity, scope, value), ZB_OK);
}

static zb_model *forney_of(const zb_model *model, zb_form_info *info)
{
    zb_model *form;
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_FORNEY, 0, 0, info, NULL),
                     ZB_OK);
    assert_true(zb_form_is_forney(form));
    return form;
}

static void pairs_name_both_factors(void **state)
{
    (void)state;
    int card[] = { 2, 3 }, ab[] = { 0, 1 }, a[] = { 0 }, b[] = { 1 };
    int first[2], second[2];
    zb_model *model = model_of(2, card);
    add_ramp(model, 1, b);
    add_ramp(model, 2, ab);
    assert_int_equal(zb_form_pairs(model, first, second), ZB_EINVAL);
    add_ramp(model, 1, a);
    assert_int_equal(zb_form_pairs(model, first, second), ZB_OK);
    assert_int_equal(first[0], 1);
    assert_int_equal(second[0], 2);
    assert_int_equal(first[1], 0);
    assert_int_equal(second[1], 1);
    add_ramp(model, 2, ab);
    assert_int_equal(zb_form_pairs(model, first, second), ZB_EINVAL);
    assert_false(zb_form_is_forney(model));
    zb_model_free(model);
}

/* A star: one variable in k pairwise factors, each with a leaf of its own. */
static void degrees_make_trees(void **state)
{
    (void)state;
    for (int k = 0; k <= 6; k++) {
        int card[] = { 3, 2, 2, 2, 2, 2, 2 };
        zb_model *model = model_of(1 + k, card);
        zb_form_info info;
        for (int i = 1; i <= k; i++)
            add_ramp(model, 2, (int[]){ 0, i });
        zb_model *form = forney_of(model, &info);
        assert_int_equal(info.equality, k > 2 ? k - 2 : 0);
        assert_int_equal(info.uniform, k == 1 ? 2 : k);
        assert_int_equal(info.isolated, k == 0);
        assert_int_equal(info.nvars, k > 2 ? k + 2 * k - 3 : k + (k > 0));
        assert_true(info.max_arity <= 3);
        CHECK(close_to(eliminate(form), brute_force(model), 1e-12), "degree %d", k);
        zb_model_free(form);
        zb_model_free(model);
    }
}

/* Singletons go into a factor that has their variable, as far as degree two. */
static void singletons_are_absorbed(void **state)
{
    (void)state;
    int card[] = { 2, 3 };
    zb_model *model = model_of(2, card);
    zb_form_info info;
    add_ramp(model, 2, (int[]){ 0, 1 });
    for (int i = 0; i < 4; i++)
        add_ramp(model, 1, (int[]){ 0 });
    zb_model *form = forney_of(model, &info);
    assert_int_equal(info.equality, 0);
    assert_int_equal(info.absorbed, 3);
    assert_int_equal(info.nvars, 2);
    assert_int_equal(info.nfactors, 3);
    assert_true(close_to(eliminate(form), brute_force(model), 1e-12));
    zb_model_free(form);
    zb_model_free(model);
}

static void forney_forms_stay(void **state)
{
    (void)state;
    int card[] = { 2, 2, 3 };
    zb_model *model = model_of(3, card);
    zb_form_info info;
    add_ramp(model, 3, (int[]){ 2, 0, 1 });
    add_ramp(model, 2, (int[]){ 0, 1 });
    add_ramp(model, 1, (int[]){ 2 });
    zb_model *form = forney_of(model, &info);
    assert_int_equal(info.nvars, 3);
    assert_int_equal(info.nfactors, 3);
    assert_int_equal(info.absorbed + info.equality + info.uniform, 0);
    assert_memory_equal(form->factor[0].scope, model->factor[0].scope, 3 * sizeof(int));
    zb_model_free(form);
    zb_model_free(model);
}

static void large_equalities_are_refused(void **state)
{
    (void)state;
    int card[] = { 4096, 2, 2, 2 };
    zb_model *model = model_of(4, card), *form;
    double *ones = calloc(8192, sizeof *ones);
    zb_error err = { "" };
    for (int i = 1; i <= 3; i++)
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, i }, ones), ZB_OK);
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_FORNEY, 0, 0, NULL, &err),
                     ZB_ELIMIT);
    assert_null(form);
    assert_non_null(strstr(err.text, "4096"));
    free(ones);
    zb_model_free(model);
}

static void z_is_unchanged(void **state)
{
    (void)state;
    random_spec spec[] = {
        { 8, 6, 16, 3, .zeros = 0.15, .spread = 3, .evidence = true },
        { 14, 3, 90, 2, .zeros = 0.05, .spread = 2, .evidence = true },
    };
    int equalities = 0;
    for (uint64_t seed = 1; seed <= test_models(1200); seed++) {
        zb_model *model = random_model(seed, spec[seed % 2]), *copy;
        model->log_scale = seed % 3 == 0 ? -1.5 : 0;
        double log_z = brute_force(model) + model->log_scale;
        zb_form_info info;
        zb_model *form = forney_of(model, &info);
        int most = 3;
        for (int f = 0; f < model->nfactors; f++)
            most = zb_max_int(most, model->factor[f].arity);
        CHECK(info.max_arity <= most, "seed %d", (int)seed);
        CHECK(close_to(eliminate(form), log_z, 1e-10), "seed %d: %.17g %.17g",
              (int)seed, eliminate(form), log_z);
        for (int v = 0; v < form->nvars; v++)
            CHECK(form->card[v] > 1 && form->evidence[v] < 0, "seed %d", (int)seed);
        equalities += info.equality;
        assert_int_equal(
            zb_form_make(&copy, model, ZB_FORM_ORIGINAL, 0, 0, &info, NULL), ZB_OK);
        CHECK(brute_force(copy) + copy->log_scale == log_z, "seed %d", (int)seed);
        zb_model_free(copy);
        zb_model_free(form);
        zb_model_free(model);
    }
    CHECK(equalities > test_share(500), "only %d equality factors", equalities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_name_both_factors),
        cmocka_unit_test(degrees_make_trees),
        cmocka_unit_test(singletons_are_absorbed),
        cmocka_unit_test(forney_forms_stay),
        cmocka_unit_test(large_equalities_are_refused),
        cmocka_unit_test(z_is_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
