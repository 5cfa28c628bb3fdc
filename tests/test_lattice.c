#include "eliminate.h"
#include "form/form.h"
#include "form/grid.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"

#include <stdio.h>

typedef struct shape {
    int rows, cols;
    bool ring_rows, ring_cols;
    int max_card;
    bool shuffle; /* random names, factors in random order */
} shape;

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

static void add_edge(zb_model *model, zb_rng *rng, int u, int v)
{
    add_random(model, rng, 2, zb_rng_below(rng, 2) ? (int[]){ u, v } : (int[]){ v, u });
    if (zb_rng_below(rng, 10) == 0) /* a repeated scope now and then */
        add_random(model, rng, 2, (int[]){ v, u });
}

static void shuffle_factors(zb_model *model, zb_rng *rng)
{
    for (int f = model->nfactors - 1; f > 0; f--) {
        int g = zb_rng_below(rng, f + 1);
        zb_factor keep = model->factor[f];
        model->factor[f] = model->factor[g];
        model->factor[g] = keep;
    }
}

static zb_model *grid_of(shape s, uint64_t seed)
{
    int n = s.rows * s.cols, *name = malloc((size_t)n * sizeof *name);
    int *card = malloc((size_t)n * sizeof *card);
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model;

    for (int i = 0; i < n; i++) {
        int j = s.shuffle ? zb_rng_below(&rng, i + 1) : i;
        name[i] = name[j];
        name[j] = i;
        card[i] = 2 + zb_rng_below(&rng, s.max_card - 1);
    }
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int i = 0; i < n; i++) {
        int r = i / s.cols, c = i % s.cols;
        for (int k = zb_rng_below(&rng, 3); k > 0; k--)
            add_random(model, &rng, 1, &name[i]);
        if (c + 1 < s.cols || s.ring_cols)
            add_edge(model, &rng, name[i], name[r * s.cols + (c + 1) % s.cols]);
        if (r + 1 < s.rows || s.ring_rows)
            add_edge(model, &rng, name[i], name[(r + 1) % s.rows * s.cols + c]);
    }
    if (s.rows * s.cols == 1)
        add_random(model, &rng, 1, name);
    if (s.shuffle)
        shuffle_factors(model, &rng);
    free(name);
    free(card);
    return model;
}

static zb_model *lattice_of(const zb_model *model, int colour, zb_form_info *info)
{
    zb_model *form;
    zb_error err = { "" };
    zb_status status =
        zb_form_make(&form, model, ZB_FORM_LATTICE, 0, colour, info, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    assert_true(zb_form_is_forney(form));
    return form;
}

static void count_arities(const zb_model *model, int *count)
{
    memset(count, 0, 5 * sizeof *count);
    for (int f = 0; f < model->nfactors; f++)
        count[model->factor[f].arity]++;
}

static double log_weight(const zb_model *model, const int *x)
{
    double sum = model->log_scale;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        size_t at = 0;
        for (int i = 0; i < a->arity; i++)
            at = at * (size_t)model->card[a->scope[i]] + (size_t)x[a->scope[i]];
        sum += a->log ? a->value[at] : log(a->value[at]);
    }
    return sum;
}

/* The products agree state by state, under the names that the grid says. */
static void same_weights(const zb_model *model, const zb_model *form, uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int *x = malloc((size_t)model->nvars * sizeof *x);
    int *y = malloc((size_t)model->nvars * sizeof *y);
    zb_grid at;
    zb_ticker tick = { 0 };
    assert_int_equal(zb_grid_detect(&at, model, &tick, NULL), ZB_OK);
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < model->nvars; i++) {
            assert_int_equal(form->card[i], model->card[at.site[i]]);
            y[i] = x[at.site[i]] = zb_rng_below(&rng, form->card[i]);
        }
        CHECK(close_to(log_weight(model, x), log_weight(form, y), 1e-12), "seed %d",
              (int)seed);
    }
    zb_grid_clear(&at);
    free(x);
    free(y);
}

static void counts_are(shape s, int colour, int four, int two, int one)
{
    zb_model *model = grid_of(s, 7);
    zb_form_info info;
    zb_model *form = lattice_of(model, colour, &info);
    int count[5];
    count_arities(form, count);
    CHECK(count[4] == four && count[2] == two && count[1] == one && count[3] == 0,
          "%d x %d: %d %d %d", s.rows, s.cols, count[4], count[2], count[1]);
    CHECK(info.equality == 0 && info.uniform == 0, "no equality factors");
    CHECK(zb_min_int(info.rows, info.cols) == zb_min_int(s.rows, s.cols) &&
              info.rows * info.cols == s.rows * s.cols,
          "%d x %d", info.rows, info.cols);
    same_weights(model, form, 11);
    if (s.rows * s.cols < 50)
        CHECK(close_to(eliminate(model), eliminate(form), 1e-10), "%d x %d", s.rows,
              s.cols);
    zb_model_free(form);
    zb_model_free(model);
}

static void counts_of_known_grids(void **state)
{
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++) {
        bool mix = shuffle == 1;
        counts_are((shape){ 10, 10, 0, 0, 2, mix }, 0, 41, 16, 4);
        counts_are((shape){ 10, 10, 0, 0, 2, mix }, 1, 40, 20, 0);
        counts_are((shape){ 1, 1, 0, 0, 3, mix }, 0, 0, 0, 2);
        counts_are((shape){ 1, 1, 0, 0, 3, mix }, 1, 0, 0, 2);
        counts_are((shape){ 1, 2, 0, 0, 3, mix }, 0, 0, 1, 2);
        counts_are((shape){ 1, 9, 0, 0, 3, mix }, 0, 0, 8, 2);
        counts_are((shape){ 9, 1, 0, 0, 3, mix }, 1, 0, 8, 2);
        counts_are((shape){ 2, 2, 0, 0, 3, mix }, 0, 1, 0, 4);
        counts_are((shape){ 2, 2, 0, 0, 3, mix }, 1, 0, 4, 0);
        counts_are((shape){ 6, 6, 1, 1, 2, mix }, 0, 18, 0, 0);
        counts_are((shape){ 6, 6, 1, 1, 2, mix }, 1, 18, 0, 0);
        counts_are((shape){ 4, 4, 1, 1, 2, mix }, 0, 8, 0, 0);
        counts_are((shape){ 4, 6, 1, 1, 2, mix }, 0, 12, 0, 0);
        counts_are((shape){ 3, 6, 0, 1, 2, mix }, 0, 6, 6, 0);
        counts_are((shape){ 1, 8, 0, 1, 2, mix }, 0, 0, 8, 0);
        counts_are((shape){ 40, 40, 0, 0, 2, mix }, 0, 761, 76, 4);
        counts_are((shape){ 40, 40, 0, 0, 2, mix }, 1, 760, 80, 0);
    }
    counts_are((shape){ 3, 7, 0, 0, 3, false }, 0, 6, 8, 2);
    counts_are((shape){ 3, 7, 0, 0, 3, false }, 1, 6, 8, 2);
}

static void given_numbering_stays(void **state)
{
    (void)state;
    shape shapes[] = { { 3, 7, 0, 0, 3, 0 }, { 7, 3, 0, 0, 2, 0 }, { 5, 5, 0, 0, 2, 0 },
                       { 6, 4, 1, 1, 2, 0 }, { 4, 4, 1, 1, 2, 0 }, { 2, 2, 0, 0, 2, 0 },
                       { 3, 8, 0, 1, 2, 0 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        zb_model *model = grid_of(shapes[k], k);
        zb_grid at;
        zb_ticker tick = { 0 };
        assert_int_equal(zb_grid_detect(&at, model, &tick, NULL), ZB_OK);
        CHECK(at.rows == shapes[k].rows && at.cols == shapes[k].cols, "shape %d",
              (int)k);
        for (int i = 0; i < model->nvars; i++)
            CHECK(at.site[i] == i, "shape %d", (int)k);
        zb_grid_clear(&at);
        zb_model_free(model);
    }
}

static void refused(zb_model *model, const char *why)
{
    zb_model *form;
    zb_error err = { "" };
    assert_int_equal(zb_form_make(&form, model, ZB_FORM_LATTICE, 0, 0, NULL, &err),
                     ZB_EINVAL);
    assert_null(form);
    CHECK(strstr(err.text, why) != NULL, "%s", err.text);
    zb_model_free(model);
}

/* Graphs that are nearly grids. */
static void others_are_refused(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(3);
    zb_model *model = grid_of((shape){ 4, 5, 0, 0, 2, false }, 1);
    add_random(model, &rng, 2, (int[]){ 0, 19 }); /* a chord */
    refused(model, "no rectangle");

    model = grid_of((shape){ 4, 5, 0, 0, 2, false }, 1);
    add_random(model, &rng, 2, (int[]){ 6, 13 });
    refused(model, "more than four neighbours");

    model = grid_of((shape){ 4, 5, 0, 0, 2, false }, 1);
    add_random(model, &rng, 3, (int[]){ 0, 1, 2 });
    refused(model, "has 3 variables");

    model = grid_of((shape){ 4, 5, 0, 0, 2, false }, 1); /* an edge is missing */
    for (int f = 0; f < model->nfactors; f++)
        if (model->factor[f].arity == 2 &&
            model->factor[f].scope[0] + model->factor[f].scope[1] == 13) {
            double value[2] = { 0, 0 };
            zb_factor_clear(&model->factor[f]);
            model->factor[f] = model->factor[--model->nfactors];
            assert_int_equal(zb_model_add_log(model, 1, (int[]){ 6 }, value), ZB_OK);
            f--;
        }
    refused(model, "no rectangle");

    refused(grid_of((shape){ 6, 5, 1, 1, 2, false }, 1), "odd side");
    refused(grid_of((shape){ 1, 7, 0, 1, 2, false }, 1), "odd side");
}

/* A helical grid is locally a torus: every row ends at the next one's begin. */
static void twisted_tori_are_refused(void **state)
{
    (void)state;
    int card[48];
    zb_rng rng = zb_rng_seed(5);
    zb_model *model;
    for (int i = 0; i < 48; i++)
        card[i] = 2;
    assert_int_equal(zb_model_new(&model, 48, card), ZB_OK);
    for (int i = 0; i < 48; i++) {
        add_random(model, &rng, 2, (int[]){ i, (i + 1) % 48 });
        add_random(model, &rng, 2, (int[]){ i, (i + 7) % 48 });
    }
    refused(model, "no rectangle");
}

static void z_is_unchanged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        shape s = { 1 + zb_rng_below(&rng, 5), 1 + zb_rng_below(&rng, 4), 0, 0, 3,
                    zb_rng_below(&rng, 2) == 1 };
        zb_model *model = grid_of(s, seed);
        double half = 0.5;
        for (int k = zb_rng_below(&rng, 4); k > 0; k--) {
            int v = zb_rng_below(&rng, model->nvars);
            zb_model_observe(model, v, zb_rng_below(&rng, model->card[v]));
        }
        zb_model_add(model, 0, NULL, &half);
        zb_form_info info;
        zb_model *form = lattice_of(model, (int)(seed % 2), &info);
        CHECK(close_to(eliminate(model), eliminate(form), 1e-10), "seed %d", (int)seed);
        CHECK(info.nvars + info.fixed == model->nvars, "seed %d", (int)seed);
        zb_model_free(form);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_known_grids),
        cmocka_unit_test(given_numbering_stays),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(twisted_tori_are_refused),
        cmocka_unit_test(z_is_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
