/* Published values of ln Z by elimination, and tree-reweighted bounds no worse than an
 * independent implementation's. */
#include "baseline/trbp.h"
#include "reference.h"
#include "shared.h"

/* ---- published values ------------------------------------------------------------ */

static void solve_quick(void *context, const char *name, double log_z)
{
    static const char *const quick[] = { "Alchemy_11", "Grids_11",   "grid10x10",
                                         "Pedigree_",  "Promedus_2", "Promedus_3",
                                         "linkage_16", "linkage_22", "linkage_24",
                                         "linkage_26", "c432" };
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    size_t k = 0;
    while (k < sizeof quick / sizeof *quick && strstr(name, quick[k]) == NULL)
        k++;
    if (k == sizeof quick / sizeof *quick)
        return;
    opt.method = ZB_METHOD_BE;
    opt.memory = (uint64_t)1 << 30;
    zb_model *model = shared_model(name);
    CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s: %s", name, err.text);
    double digit = pow(10, floor(log10(fabs(log_z))) - 11); /* it has 12 of them */
    CHECK(r.exact && r.log_lower <= log_z + digit && log_z - digit <= r.log_upper,
          "%s: %.17g to %.17g, not %.12g", name, r.log_lower, r.log_upper, log_z);
    zb_model_free(model);
    ++*(int *)context;
}

static void published_values(void **state)
{
    (void)state;
    int solved = 0;
    each_known_value(solve_quick, &solved);
    CHECK(solved > 15, "only %d", solved);
}

/* ---- trbp ------------------------------------------------------------------------ */

/* At or below the reference bound plus 1 % of its error, never below ln Z. */
static void check_trbp(const char *table, int least)
{
    need(table);
    reference all = reference_read(table);
    int rows = 0;
    for (int i = 0; i < all.count; i++) {
        const reference_row *a = &all.row[i];
        if (strcmp(a->method, "trbp") != 0)
            continue;
        zb_baseline_options opt = zb_baseline_default();
        zb_baseline_result r;
        zb_model *model;
        zb_error err = { "" };
        CHECK(reference_model(&model, SHARED_REFERENCE, a, &err) == ZB_OK, "%s",
              err.text);
        assert_int_equal(zb_trbp_run(model, &opt, &r), ZB_OK);
        CHECK(r.guaranteed && r.log_value >= a->log_z, "%s, row %d: %.12g", table, i,
              r.log_value);
        CHECK(r.log_value <= a->log_upper + 0.01 * (a->log_upper - a->log_z),
              "%s, row %d: %.12g, not %.12g", table, i, r.log_value, a->log_upper);
        zb_model_free(model);
        rows++;
    }
    free(all.row);
    CHECK(rows >= least, "%s has %d rows", table, rows);
}

static void trbp_meets_reference(void **state)
{
    (void)state;
    check_trbp(SHARED_REFERENCE "/ising.csv", 50);
    check_trbp(SHARED_REFERENCE "/regular3.csv", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values),
        cmocka_unit_test(trbp_meets_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
