/* The public benchmark models: how far they shrink, and that they keep Z. */
#include "within.h"
#include "exact/exact.h"
#include "order/order.h"
#include "oracle.h"
#include "given.h"
#include "shared.h"

/* ln Z by elimination in a min-fill order, where all cliques have less than `most`
   entries together; else false. *total: these entries. */
static bool solve(const zb_model *model, double most, double *log_z, double *total)
{
    zb_order_request request = { .kind = ZB_ORDER_MINFILL, .seed = 1, .tries = 1 };
    int *order = zb_alloc((size_t)model->nvars, sizeof *order);
    zb_scopes *scopes;
    zb_order_cost cost;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_order_make(scopes, &request, order, &cost), ZB_OK);
    *total = cost.total;
    if (cost.total < most)
        assert_int_equal(
            exact_within(model, order, 1, (uint64_t)1 << 30, NULL, log_z, NULL), ZB_OK);
    zb_scopes_free(scopes);
    zb_free(order);
    return cost.total < most;
}

/* Sizes with and without the zeros of pairs, and ln Z where it is quick. */
static bool shrink(const char *name, double expected)
{
    zb_model *model = shared_model(name);
    bool solved = false;
    for (int new_zeros = 0; new_zeros < 2; new_zeros++) {
        zb_reduction *r;
        zb_sizes before;
        double found = 0, total, start = zb_now();
        assert_int_equal(simplify_given(&r, model, new_zeros == 1, NULL), ZB_OK);
        double seconds = zb_now() - start;
        assert_int_equal(zb_measure(model, NULL, &before), ZB_OK);
        solved = solve(r->model, 5e6, &found, &total);
        print_message("%-22s %5d vars %5d factors %6zu entries -> %4d %5d %6zu, "
                      "cliques %.3g, %.4f s%s\n",
                      name, before.vars, before.factors, before.entries, r->after.vars,
                      r->after.factors, r->after.entries, total, seconds,
                      new_zeros == 1 ? "" : " (no new zeros)");
        CHECK(!solved || close_to(found, expected, 2e-10), "%s: %.13g, not %.13g", name,
              found, expected);
        if (strncmp(name, "linkage/", 8) == 0)
            CHECK(4 * r->after.vars < 3 * before.vars &&
                      3 * r->after.entries < 2 * before.entries,
                  "%s", name);
        if (strncmp(name, "Pedigree/", 9) == 0)
            CHECK(3 * r->after.vars < before.vars &&
                      4 * r->after.entries < before.entries,
                  "%s", name);
        zb_reduction_free(r);
    }
    zb_model_free(model);
    return solved;
}

static void count_solved(void *solved, const char *name, double log_z)
{
    *(int *)solved += shrink(name, log_z);
}

static void benchmark_models_shrink(void **state)
{
    (void)state;
    int solved = 0, models = each_known_value(count_solved, &solved);
    print_message("%d models, %d of them solved\n", models, solved);
    CHECK(models > 40 && solved > 14, "%d models, %d solved", models, solved);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(benchmark_models_shrink) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
