/* Every allocation of the reductions fails in turn. */
#include "base/rng.h"
#include "given.h"
#include "mem_fail.h"
#include "oracle.h"
#include "simplify/simplify.h"
#include "symmetry/exchange.h"
#include "symmetry/turn.h"
#include "test.h"

static zb_status simplify_run(void *context)
{
    zb_reduction *r;
    zb_status status = simplify_given(&r, context, true, NULL);
    CHECK((r != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_reduction_free(r);
    return status;
}

static zb_status tracked_run(void *context)
{
    zb_model *made = NULL;
    const zb_model *model = without_evidence(context, &made);
    zb_reduction *r = NULL;
    zb_status status = model != NULL ? zb_simplify_tracked(&r, model, NULL) : ZB_ENOMEM;
    CHECK((r != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_reduction_free(r);
    zb_model_free(made);
    return status;
}

static zb_status split_run(void *context)
{
    int count, *part, *place;
    zb_model **parts;
    zb_status status =
        zb_components_split(context, NULL, &count, &parts, &part, &place);
    CHECK((parts != NULL) == (status == ZB_OK) && (part != NULL) == (status == ZB_OK),
          "%s", zb_status_text(status));
    zb_free(part);
    zb_free(place);
    zb_components_free(count, parts);
    return status;
}

static zb_status turn_run(void *context)
{
    zb_model *out;
    zb_status status = zb_turn_fix(&out, context, NULL);
    CHECK((out != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(out);
    return status;
}

static void turns_survive(void **state)
{
    (void)state;
    zb_ising_spec spec = { .rows = 3, .cols = 3, .coupling = 1, .seed = 1 };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    assert_true(fail_each_allocation(turn_run, model) > 10);
    zb_model_free(model);
    assert_true(zb_test_allocs_live == 0);
}

/* What was found before memory ended is kept; the steps themselves say so. */
static bool exchange_sorted;

static zb_status exchange_run(void *context)
{
    zb_model *out = NULL;
    zb_rows rows;
    zb_status status = zb_rows_find(&rows, context, false, NULL);
    CHECK((rows.count > 0) == (status == ZB_OK), "%s", zb_status_text(status));
    if (status == ZB_OK)
        status = exchange_sorted ? zb_exchange_sorted(&out, context, &rows)
                                 : zb_exchange_counted(&out, context, &rows, NULL);
    CHECK((out != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_rows_close(&rows);
    zb_model_free(out);
    if (status != ZB_OK)
        return status;
    status = zb_exchange(&out, context, exchange_sorted, NULL);
    zb_model_free(out);
    return status;
}

/* Three rows of two variables, a table between any two rows. */
static zb_model *three_rows(void)
{
    const double within[] = { 1, 2, 3, 5 }, between[] = { 1, 2, 2, 0 };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 6, (int[]){ 2, 2, 2, 2, 2, 2 }), ZB_OK);
    for (int r = 0; r < 3; r++) {
        int row[] = { 2 * r, 2 * r + 1 }, next[] = { 2 * r, (2 * r + 2) % 6 };
        assert_int_equal(zb_model_add(model, 2, row, within), ZB_OK);
        assert_int_equal(zb_model_add(model, 2, next, between), ZB_OK);
    }
    return model;
}

static void exchanges_survive(void **state)
{
    (void)state;
    zb_model *model = three_rows();
    for (int i = 0; i < 2; i++) {
        exchange_sorted = i == 1;
        long allocations = fail_each_allocation(exchange_run, model);
        CHECK(allocations > 40, "%ld", allocations);
    }
    zb_model_free(model);
    assert_true(zb_test_allocs_live == 0);
}

/* Gates and clauses among few variables: clauses, searches and eliminations. */
static zb_status formula_run(void *context)
{
    zb_model *out;
    zb_status status = zb_simplify_formula(&out, context, NULL);
    CHECK(out == NULL || status == ZB_OK, "%s", zb_status_text(status));
    zb_model_free(out);
    return status;
}

static zb_model *gates(uint64_t seed)
{
    enum { N = 8 };
    zb_rng rng = zb_rng_seed(seed);
    int card[N];
    zb_model *model;
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 3; v < N; v++) {
        int a = zb_rng_below(&rng, v), b = (a + 1 + zb_rng_below(&rng, v - 1)) % v;
        double value[8];
        for (int i = 0; i < 8; i++)
            value[i] =
                (i & 1) == (v % 2 == 0 ? i >> 2 & i >> 1 & 1 : (i >> 2 ^ i >> 1) & 1);
        assert_int_equal(zb_model_add(model, 3, (int[]){ a, b, v }, value), ZB_OK);
    }
    return model;
}

static void formulas_survive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        zb_model *model = gates(seed);
        long allocations = fail_each_allocation(formula_run, model);
        CHECK(allocations >= 100, "seed %d: %ld", (int)seed, allocations);
        zb_model_free(model);
    }
}

static void random_models_survive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_spec spec = { .max_vars = 8,
                             .max_card = 3,
                             .max_factors = 12,
                             .max_arity = 3,
                             .zeros = seed % 2 == 0 ? 0.3 : 0,
                             .spread = 1,
                             .evidence = true };
        zb_model *model = random_model(seed, spec);
        assert_non_null(model);
        assert_true(fail_each_allocation(simplify_run, model) >= 10);
        assert_true(fail_each_allocation(tracked_run, model) >= 14);
        assert_true(fail_each_allocation(split_run, model) >= 4);
        zb_model_free(model);
    }
}

/* Tied variables need new tables and longer lists. */
static void merging_survives(void **state)
{
    (void)state;
    enum { N = 12 };
    int card[N];
    zb_model *model;
    const double swap[] = { 0, 2, 3, 0 }, cube[] = { 0, 1, 2, 0, 0, 3, 4, 0 },
                 dense[] = { 1, 2, 3, 5 };
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 0; v + 2 < N; v++) {
        const int scope[] = { v, v + 1, v + 2 }, across[] = { v, (v + 5) % N };
        assert_int_equal(
            zb_model_add(model, v % 3 == 0 ? 3 : 2, scope, v % 3 == 0 ? cube : swap),
            ZB_OK);
        assert_int_equal(zb_model_add(model, 2, across, dense), ZB_OK);
    }
    zb_reduction *r;
    assert_int_equal(simplify_given(&r, model, true, NULL), ZB_OK);
    assert_true(r->merged > 3);
    zb_reduction_free(r);
    assert_true(fail_each_allocation(simplify_run, model) > 60);
    assert_true(fail_each_allocation(tracked_run, model) > 64);
    zb_model_free(model);
}

/* A factor of four variables that is a product of two of three. */
static void splitting_survives(void **state)
{
    (void)state;
    const int card[] = { 2, 2, 2, 2, 2, 2 }, all[] = { 0, 1, 2, 3 };
    const int pairs[][2] = { { 0, 4 }, { 1, 4 }, { 2, 5 }, { 3, 5 } };
    const double dense[] = { 1, 2, 3, 5 };
    double copy[16];
    zb_model *model;
    for (int e = 0; e < 16; e++)
        copy[e] = (e & 1) == (e & 8 ? e >> 1 & 1 : e >> 2 & 1);
    assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
    assert_int_equal(zb_model_add(model, 4, all, copy), ZB_OK);
    for (int f = 0; f < 4; f++)
        assert_int_equal(zb_model_add(model, 2, pairs[f], dense), ZB_OK);
    zb_reduction *r;
    assert_int_equal(simplify_given(&r, model, true, NULL), ZB_OK);
    assert_int_equal(r->split, 1);
    zb_reduction_free(r);
    assert_true(fail_each_allocation(simplify_run, model) > 100);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_survive),     cmocka_unit_test(random_models_survive),
        cmocka_unit_test(exchanges_survive), cmocka_unit_test(formulas_survive),
        cmocka_unit_test(merging_survives),  cmocka_unit_test(splitting_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
