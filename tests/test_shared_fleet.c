/* Public models over ranks: the same bits as in one process. */
#include "shared.h"
#include "thread_ranks.h"

static const char *const NAMES[] = {
    "Grids/Grids_11.uai",       "Grids/Grids_17.uai",
    "Pedigree/Pedigree_11.uai", "Promedus/Promedus_11.uai",
    "CSP/CSP_11.uai",           "ObjectDetection/ObjectDetection_11.uai",
    "DBN/DBN_11.uai",           "Segmentation/Segmentation_11.uai",
};
enum { NAMES_COUNT = sizeof NAMES / sizeof *NAMES };

static zb_result solve_over(const zb_model *model, zb_method method, zb_ranks *ranks)
{
    zb_options opt = zb_options_default();
    zb_error err = { "" };
    zb_result r;
    opt.method = method;
    opt.form = method == ZB_METHOD_WMBE_WG ? ZB_FORM_FORNEY : ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_MINFILL;
    opt.ibound = 4;
    opt.iterations = 3;
    opt.time = 0;
    opt.threads = 1;
    opt.ranks = ranks;
    CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s", err.text);
    return r;
}

static void public_models_have_the_same_bits(void **state)
{
    (void)state;
    const int sizes[] = { 2, 3, 5, 8 };
    for (int i = 0; i < NAMES_COUNT; i++) {
        zb_model *model = shared_model(NAMES[i]);
        zb_method method = i % 4 == 1   ? ZB_METHOD_WMBE
                           : i % 4 == 2 ? ZB_METHOD_WMBE_WG
                                        : ZB_METHOD_WMBE_WTHETA;
        zb_result one = solve_over(model, method, NULL);
        for (int k = 0; k < 4; k++) {
            thread_ranks t;
            zb_ranks *ranks = thread_ranks_open(&t, sizes[k], 0);
            zb_result many = solve_over(model, method, ranks);
            CHECK(one.log_lower == many.log_lower && one.log_upper == many.log_upper &&
                      one.rounding == many.rounding && ranks->letters > 0,
                  "%s, %d ranks: %.17g %.17g, %.17g %.17g", NAMES[i], sizes[k],
                  one.log_lower, one.log_upper, many.log_lower, many.log_upper);
            thread_ranks_close(&t);
        }
        print_message("%-40s %.17g %.17g\n", NAMES[i], one.log_lower, one.log_upper);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_models_have_the_same_bits),
    };
    return test_exit_code(cmocka_run_group_tests(tests, NULL, NULL));
}
