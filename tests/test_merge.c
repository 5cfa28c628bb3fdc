#include "eliminate.h"
#include "form/form.h"
#include "form/merge.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"

#include <stdio.h>

static void add_random(zb_model *model, zb_rng *rng, int arity, const int *scope)
{
    double value[64];
    size_t size = 1;
    for (int i = 0; i < arity; i++)
        size *= (size_t)model->card[scope[i]];
    for (size_t i = 0; i < size; i++)
        value[i] = 2 * zb_rng_uniform(rng) - 1;
    assert_int_equal(zb_model_add_log(model, arity, scope, value), ZB_OK);
}

/* Binary, with fields; periodic: both ways. */
static zb_model *grid_of(int rows, int cols, bool periodic, uint64_t seed)
{
    int n = rows * cols, *card = malloc((size_t)n * sizeof *card);
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model;
    for (int i = 0; i < n; i++)
        card[i] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int i = 0; i < n; i++) {
        int r = i / cols, c = i % cols;
        add_random(model, &rng, 1, &i);
        if (c + 1 < cols || periodic)
            add_random(model, &rng, 2, (int[]){ i, r * cols + (c + 1) % cols });
        if (r + 1 < rows || periodic)
            add_random(model, &rng, 2, (int[]){ i, (r + 1) % rows * cols + c });
    }
    free(card);
    return model;
}

static zb_model *merged_of(const zb_model *model, int ibound, int variant,
                           zb_form_info *info)
{
    zb_model *form;
    assert_int_equal(
        zb_form_make(&form, model, ZB_FORM_MERGED, ibound, variant, info, NULL), ZB_OK);
    assert_true(zb_form_is_forney(form));
    return form;
}

/* Every model, ibound and strategy: Z stays, scopes keep to the ibound. */
static void z_is_unchanged(void **state)
{
    (void)state;
    random_spec spec[] = {
        { 8, 6, 16, 3, .zeros = 0.15, .spread = 3, .evidence = true },
        { 14, 3, 60, 2, .zeros = 0.05, .spread = 2, .evidence = true },
    };
    int equality = 0, summed = 0;
    for (uint64_t seed = 1; seed <= test_models(1500); seed++) {
        zb_model *model = random_model(seed, spec[seed % 2]);
        zb_form_info info;
        int ibound = 1 + (int)(seed / 2 % 8), variant = (int)(seed / 16 % 5);
        int limit = zb_max_int(ibound, 3);
        zb_model *form = merged_of(model, ibound, variant, &info);
        for (int f = 0; f < model->nfactors; f++)
            limit = zb_max_int(limit, model->factor[f].arity);
        CHECK(info.max_arity <= limit, "seed %d", (int)seed);
        CHECK(close_to(eliminate(form), brute_force(model), 1e-10),
              "seed %d: %.17g %.17g", (int)seed, eliminate(form), brute_force(model));
        equality += info.equality;
        summed += info.summed;
        zb_model_free(form);
        zb_model_free(model);
    }
    CHECK(equality > test_share(50) && summed > test_share(2000),
          "trivial models: %d %d", equality, summed);
}

/* A tree is summed out altogether. */
static void trees_vanish(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(9);
    int card[60];
    zb_model *model;
    zb_form_info info;
    for (int v = 0; v < 60; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, 60, card), ZB_OK);
    for (int v = 1; v < 60; v++)
        add_random(model, &rng, 2, (int[]){ v, zb_rng_below(&rng, v) });
    for (int variant = 0; variant < 4; variant++) {
        zb_model *form = merged_of(model, 6, variant, &info);
        CHECK(info.nvars == 0 && info.nfactors == 0, "variant %d: %d variables",
              variant, info.nvars);
        assert_true(close_to(form->log_scale, eliminate(model), 1e-10));
        zb_model_free(form);
    }
    zb_model_free(model);
}

static int plain_equality(const zb_model *model)
{
    zb_form_info info;
    zb_model *form;
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_FORNEY, 0, 0, &info, NULL),
                     ZB_OK);
    zb_model_free(form);
    return info.equality;
}

/* Nobody told it of plaquettes. */
static void grids_become_plaquettes(void **state)
{
    (void)state;
    int sizes[] = { 5, 10, 30 };
    for (int k = 0; k < 3; k++) {
        zb_form_info info;
        zb_model *model = grid_of(sizes[k], sizes[k], false, 3);
        int plain = plain_equality(model);
        assert_int_equal(plain,
                         2 * (sizes[k] - 2) * (sizes[k] - 2) + 4 * (sizes[k] - 2));
        zb_model *form = merged_of(model, 4, 0, &info);
        CHECK(info.equality * 10 <= plain && info.max_arity == 4,
              "%d x %d: %d equality factors of %d", sizes[k], sizes[k], info.equality,
              plain);
        zb_model_free(form);
        zb_model_free(model);
    }
}

/* Tiles leave no equality factor, and the larger the fewer variables. */
static void grids_are_tiled(void **state)
{
    (void)state;
    for (int periodic = 0; periodic <= 1; periodic++) {
        zb_form_info info;
        zb_model *model = grid_of(12, 12, periodic == 1, 4);
        int left = model->nvars;
        for (int ibound = 5; ibound <= 13; ibound += 4) {
            zb_model *form = merged_of(model, ibound, 2, &info);
            CHECK(info.equality == 0 && info.max_arity <= ibound, "ibound %d", ibound);
            CHECK(info.nvars <= left, "ibound %d: %d variables", ibound, info.nvars);
            CHECK(ibound == 5 || info.nvars < left, "ibound %d", ibound);
            left = info.nvars;
            zb_model_free(form);
        }
        zb_model_free(model);
    }
}

static void grids_keep_z(void **state)
{
    (void)state;
    for (int periodic = 0; periodic <= 1; periodic++) {
        zb_model *model = grid_of(4, 6, periodic == 1, 5);
        double log_z = eliminate(model);
        for (int ibound = 2; ibound <= 10; ibound++)
            for (int variant = 0; variant < 5; variant++) {
                zb_form_info info;
                zb_model *form = merged_of(model, ibound, variant, &info);
                CHECK(close_to(eliminate(form), log_z, 1e-10), "ibound %d variant %d",
                      ibound, variant);
                CHECK(info.max_arity <= zb_max_int(ibound, 3), "ibound %d variant %d",
                      ibound, variant);
                zb_model_free(form);
            }
        zb_model_free(model);
    }
}

/* One variable in very many factors: the work stays small. */
static void stars_are_quick(void **state)
{
    (void)state;
    enum { LEAVES = 20000 };
    int *card = malloc((LEAVES + 1) * sizeof *card);
    zb_rng rng = zb_rng_seed(8);
    zb_model *model;
    zb_form_info info;
    for (int v = 0; v <= LEAVES; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, LEAVES + 1, card), ZB_OK);
    for (int v = 1; v <= LEAVES; v++) {
        add_random(model, &rng, 2, (int[]){ 0, v });
        if (v > 1)
            add_random(model, &rng, 2, (int[]){ v - 1, v });
    }
    zb_model *form = merged_of(model, 4, 0, &info);
    assert_true(info.equality < LEAVES / 100);
    zb_model_free(form);
    zb_model_free(model);
    free(card);
}

/* AUTO: a grid becomes a lattice, anything else is merged. */
static void auto_chooses(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(2);
    zb_form_info info;
    zb_model *model = grid_of(3, 3, false, 1), *form;
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_AUTO, 6, 0, &info, NULL),
                     ZB_OK);
    assert_int_equal(info.form, ZB_FORM_LATTICE);
    zb_model_free(form);
    add_random(model, &rng, 3, (int[]){ 0, 4, 8 });
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_AUTO, 6, 0, &info, NULL),
                     ZB_OK);
    assert_int_equal(info.form, ZB_FORM_MERGED);
    zb_model_free(form);
    zb_model_free(model);
}

/* What the tables may have is known before they are made: with just enough a form is
   the same as without a limit, with less it is refused, and says so. */
static void too_many_entries_are_refused(void **state)
{
    (void)state;
    static const zb_form forms[] = { ZB_FORM_FORNEY, ZB_FORM_MERGED, ZB_FORM_LATTICE };
    zb_ising_spec spec = { .rows = 6, .cols = 7, .coupling = 1, .field = 1, .seed = 3 };
    zb_model *model, *form;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        zb_form_request request = { .form = forms[k], .ibound = 5 };
        zb_form_info info, again;
        zb_error err = { "" };
        assert_int_equal(zb_form_build(&form, model, &request, &info, &err), ZB_OK);
        zb_model_free(form);
        request.max_entries = info.entries;
        assert_int_equal(zb_form_build(&form, model, &request, &again, &err), ZB_OK);
        assert_true(again.entries == info.entries && again.merit == info.merit);
        zb_model_free(form);
        request.max_entries = info.entries - 1;
        assert_int_equal(zb_form_build(&form, model, &request, NULL, &err), ZB_ELIMIT);
        assert_null(form);
        CHECK(strstr(err.text, "table entries") != NULL, "%s", err.text);
    }
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_entries_are_refused),
        cmocka_unit_test(z_is_unchanged),
        cmocka_unit_test(trees_vanish),
        cmocka_unit_test(grids_become_plaquettes),
        cmocka_unit_test(grids_are_tiled),
        cmocka_unit_test(grids_keep_z),
        cmocka_unit_test(stars_are_quick),
        cmocka_unit_test(auto_chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
