/* Forms and generators against models made by others: the merged form of large models,
 * the lattice form and the layouts of a reference implementation. */
#include "form/form.h"
#include "form/merge.h"
#include "model/generate.h"
#include "oracle.h"
#include "shared.h"

static zb_model *form_of(const zb_model *model, zb_form form, int ibound,
                         zb_form_info *info)
{
    zb_model *made;
    zb_error err = { "" };
    CHECK(zb_form_make(&made, model, form, ibound, 0, info, &err) == ZB_OK, "%s",
          err.text);
    assert_true(zb_form_is_forney(made));
    return made;
}

static double exact(const zb_model *model)
{
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    opt.method = ZB_METHOD_BE;
    CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s", err.text);
    return r.log_upper;
}

static void large_models_keep_z(void **state)
{
    (void)state;
    const char *name[] = { "Promedus/Promedus_13.uai", "Promedus/Promedus_15.uai" };
    for (int k = 0; k < 2; k++) {
        zb_model *model = shared_model(name[k]);
        double log_z = exact(model);
        for (int ibound = 3; ibound <= 9; ibound += 3) {
            zb_form_info info;
            zb_model *form = form_of(model, ZB_FORM_MERGED, ibound, &info);
            CHECK(close_to(exact(form), log_z, 1e-10), "%s, ibound %d", name[k],
                  ibound);
            zb_model_free(form);
        }
        zb_model_free(model);
    }
}

/* Few of the plain form's equality factors are left. */
static void pedigrees_need_few_equalities(void **state)
{
    (void)state;
    const char *name[] = { "linkage/linkage_11.uai", "linkage/linkage_21.uai",
                           "linkage/linkage_23.uai" };
    for (int k = 0; k < 3; k++) {
        zb_model *model = shared_model(name[k]);
        zb_form_info info;
        zb_model_free(form_of(model, ZB_FORM_FORNEY, 0, &info));
        int plain = info.equality;
        zb_model_free(form_of(model, ZB_FORM_MERGED, 6, &info));
        CHECK(info.equality * 8 <= plain, "%s: %d of %d", name[k], info.equality,
              plain);
        zb_model_free(form_of(model, ZB_FORM_MERGED, 10, &info));
        CHECK(info.equality * 20 <= plain, "%s: %d of %d", name[k], info.equality,
              plain);
        zb_model_free(model);
    }
}

static zb_model *reference(const char *name, const char *ending)
{
    char path[128];
    zb_model *model;
    zb_error err = { "" };
    snprintf(path, sizeof path, SHARED_REFERENCE "/%s%s", name, ending);
    need(path);
    CHECK(zb_model_read(&model, path, &err) == ZB_OK, "%s", err.text);
    return model;
}

static void same_scopes(const zb_model *a, const zb_model *b, const char *name)
{
    assert_int_equal(a->nvars, b->nvars);
    assert_int_equal(a->nfactors, b->nfactors);
    for (int f = 0; f < a->nfactors; f++)
        CHECK(a->factor[f].arity == b->factor[f].arity &&
                  memcmp(a->factor[f].scope, b->factor[f].scope,
                         (size_t)a->factor[f].arity * sizeof(int)) == 0,
              "%s: factor %d", name, f);
}

/* The same instances in both forms, made by another program: same scopes, same tables,
   the singletons' places included. */
static void lattices_are_met(void **state)
{
    (void)state;
    const char *name[] = { "ising_var_T0.2_s0", "ising_var_T1.0_s0",
                           "ising_var_T1.0_s1", "ising_var_T2.0_s4" };
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        zb_model *model = reference(name[k], ".orig.uai"),
                 *wanted = reference(name[k], ".forney.uai");
        zb_form_info info;
        zb_model *form = form_of(model, ZB_FORM_LATTICE, 0, &info);
        same_scopes(form, wanted, name[k]);
        for (int f = 0; f < form->nfactors; f++)
            for (size_t i = 0; i < form->factor[f].size; i++)
                CHECK(close_to(exp(form->factor[f].value[i]),
                               wanted->factor[f].value[i], 1e-12),
                      "%s factor %d", name[k], f);
        zb_model_free(form);
        zb_model_free(wanted);
        zb_model_free(model);
    }
}

/* The same scopes in the same order as a reference file's, whose numbers come from
   another random generator. */
static void check_layout(zb_model *made, const char *name)
{
    zb_model *given = reference(name, "");
    same_scopes(made, given, name);
    zb_model_free(given);
    zb_model_free(made);
}

static void layouts_follow_the_references(void **state)
{
    (void)state;
    zb_model *m;
    need(SHARED_REFERENCE);
    zb_ising_spec ising = {
        .rows = 10, .cols = 10, .coupling = 1, .field = 0.1, .seed = 1
    };
    assert_int_equal(zb_generate_ising(&m, &ising), ZB_OK);
    check_layout(m, "grid10_T1.0_s0.uai");
    ising.rows = ising.cols = 40, ising.field = 0;
    assert_int_equal(zb_generate_ising(&m, &ising), ZB_OK);
    check_layout(m, "grid40z_T1.0.uai.gz");
    zb_regular_spec regular = { 180, 1, true, ZB_CHORD_OPPOSITE, 1 };
    assert_int_equal(zb_generate_regular(&m, &regular), ZB_OK);
    check_layout(m, "regular3_var_T1.0_s0.forney.uai");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_models_keep_z),
        cmocka_unit_test(pedigrees_need_few_equalities),
        cmocka_unit_test(lattices_are_met),
        cmocka_unit_test(layouts_follow_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
