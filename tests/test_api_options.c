/* The library's boundary, options: whatever stands in the struct, a call gives an error
 * or a harmless answer. */
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

/* ---- options --------------------------------------------------------------------- */

#define COUNT_ONE(...) +1
enum {
    METHODS = ZB_METHODS(COUNT_ONE),
    SIDES = ZB_SIDES(COUNT_ONE),
    FORMS = ZB_FORMS(COUNT_ONE),
    ORDERS = ZB_ORDERS(COUNT_ONE),
    OPTIMIZERS = ZB_OPTIMIZERS(COUNT_ONE),
    STOPS = ZB_STOPS(COUNT_ONE)
};

/* zb_solve and zb_options_check refuse the options with a sentence that has the word.
 */
static void refused(const zb_model *model, const zb_options *opt, const char *word)
{
    zb_result r = { .has_lower = true, .has_upper = true };
    zb_error err = { "" };
    CHECK(zb_solve(model, opt, NULL, &r, &err) == ZB_EINVAL, "%s", word);
    CHECK(strstr(err.text, word) != NULL, "'%s' has no '%s'", err.text, word);
    assert_true(!r.has_lower && !r.has_upper && !r.has_estimate && !r.guaranteed);
    assert_true(r.log_lower == -INFINITY && r.log_upper == INFINITY);
    assert_int_equal(zb_solve(model, opt, NULL, &r, NULL), ZB_EINVAL);
    err.text[0] = '\0';
    assert_int_equal(zb_options_check(opt, &err), ZB_EINVAL);
    CHECK(strstr(err.text, word) != NULL, "'%s' has no '%s'", err.text, word);
}

/* Each option beyond either end of its range, with every method. */
static void numbers_out_of_range(void **state)
{
    (void)state;
    zb_model *model = grid();
    for (int m = 0; m < METHODS; m++) {
        zb_options opt;
#define BAD_INT(field, option, x)                                                      \
    opt = zb_options_default(), opt.method = (zb_method)m, opt.field = x;              \
    refused(model, &opt, "'" option "'");
#define BAD_REAL(field, option, x) BAD_INT(field, option, x)
#define TRY_INT(field, option, least, most)                                            \
    BAD_INT(field, option, (int)(least)-1)                                             \
    BAD_INT(field, option, (int)(most) + 1)                                            \
    BAD_INT(field, option, INT32_MIN)                                                  \
    BAD_INT(field, option, INT32_MAX)
#define TRY_REAL(field, option, least, most)                                           \
    BAD_REAL(field, option, (least)-1e-9)                                              \
    BAD_REAL(field, option, (most)*1.0001)                                             \
    BAD_REAL(field, option, (double)NAN)                                               \
    BAD_REAL(field, option, (double)INFINITY)                                          \
    BAD_REAL(field, option, -(double)INFINITY)
#define TRY_METHOD(field, option, least, most)
#define TRY_SIDE(field, option, least, most)
#define TRY_FORM(field, option, least, most)
#define TRY_ORDER(field, option, least, most)
#define TRY_OPTIMIZER(field, option, least, most)
#define TRY_SIZE(field, option, least, most)
#define TRY_SEED(field, option, least, most)
#define TRY_ONE(kind, field, option, value, least, most, help)                         \
    TRY_##kind(field, option, least, most)
        ZB_OPTIONS(TRY_ONE)
    }
    zb_model_free(model);
}

static void names_out_of_range(void **state)
{
    (void)state;
    zb_model *model = grid();
    const int beyond[] = { 1000, 99, -1, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        zb_options opt = zb_options_default();
        opt.method = (zb_method)beyond[i];
        refused(model, &opt, "'method'");
        opt = zb_options_default(), opt.side = (zb_side)beyond[i];
        refused(model, &opt, "'side'");
        opt = zb_options_default(), opt.form = (zb_form)beyond[i];
        refused(model, &opt, "'form'");
        opt = zb_options_default(), opt.order = (zb_order)beyond[i];
        refused(model, &opt, "'order'");
        opt = zb_options_default(), opt.optimizer = (zb_optimizer)beyond[i];
        refused(model, &opt, "'optimizer'");
        assert_string_equal(zb_method_name((zb_method)beyond[i]), "unknown");
        assert_string_equal(zb_side_name((zb_side)beyond[i]), "unknown");
        assert_string_equal(zb_form_name((zb_form)beyond[i]), "unknown");
        assert_string_equal(zb_order_name((zb_order)beyond[i]), "unknown");
        assert_string_equal(zb_optimizer_name((zb_optimizer)beyond[i]), "unknown");
        assert_string_equal(zb_stop_name((zb_stop)beyond[i]), "unknown");
        assert_non_null(strstr(zb_status_text((zb_status)beyond[i]), "unknown"));
        assert_false(zb_method_has_side((zb_method)beyond[i], ZB_SIDE_BOTH));
        assert_false(zb_method_has_state((zb_method)beyond[i]));
        assert_false(zb_method_has_side(ZB_METHOD_AUTO, (zb_side)beyond[i]));
    }
    assert_string_equal(zb_method_name((zb_method)METHODS), "unknown");
    assert_string_equal(zb_stop_name((zb_stop)STOPS), "unknown");
    assert_string_equal(zb_method_name((zb_method)(METHODS - 1)), "count");
    assert_string_equal(zb_stop_name(ZB_STOP_CONVERGED), "converged");
    zb_model_free(model);
}

/* The ends of every range are inside. */
static void ends_of_ranges_pass(void **state)
{
    (void)state;
    zb_options low = zb_options_default(), high = low;
    zb_error err = { "" };
#define LEAST_INT(field, least, most) low.field = least, high.field = most;
#define LEAST_REAL(field, least, most) low.field = least, high.field = most;
#define LEAST_METHOD(field, least, most)
#define LEAST_SIDE(field, least, most) high.field = (zb_side)(SIDES - 1);
#define LEAST_FORM(field, least, most) high.field = (zb_form)(FORMS - 1);
#define LEAST_ORDER(field, least, most) high.field = (zb_order)(ORDERS - 2);
#define LEAST_OPTIMIZER(field, least, most) high.field = (zb_optimizer)(OPTIMIZERS - 1);
#define LEAST_SIZE(field, least, most) high.field = UINT64_MAX;
#define LEAST_SEED(field, least, most) high.field = UINT64_MAX;
#define LEAST_ONE(kind, field, option, value, least, most, help)                       \
    LEAST_##kind(field, least, most)
    ZB_OPTIONS(LEAST_ONE)
    CHECK(zb_options_check(&low, &err) == ZB_OK, "%s", err.text);
    CHECK(zb_options_check(&high, &err) == ZB_OK, "%s", err.text);
    assert_int_equal(zb_options_check(NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_options_check(NULL, NULL), ZB_EINVAL);
}

static void orders_from_outside(void **state)
{
    (void)state;
    zb_model *model = grid();
    zb_options opt = zb_options_default();
    zb_result r;
    int order[9] = { 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    opt.order = ZB_ORDER_FILE;
    refused(model, &opt, "'order'");
    opt.order_list = order;
    for (int m = 0; m < METHODS; m++) {
        zb_error err = { "" };
        opt.method = (zb_method)m;
        order[4] = 4;
        CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%d: %s", m, err.text);
        const int wrong[] = { 3, -1, 9, INT32_MAX, INT32_MIN };
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            order[4] = wrong[i];
            assert_int_equal(zb_solve(model, &opt, NULL, &r, &err), ZB_EINVAL);
            assert_non_null(strstr(err.text, "'order'"));
        }
    }
    zb_model_free(model);
}

/* A side that a method does not have is refused, and `both` gives what there is. */
static void sides_of_methods(void **state)
{
    (void)state;
    zb_model *model = grid();
    interval z = brute_interval(model);
    for (int m = 0; m < METHODS; m++)
        for (int s = 0; s < SIDES; s++) {
            zb_options opt = zb_options_default();
            zb_error err = { "" };
            zb_result r;
            opt.method = (zb_method)m, opt.side = (zb_side)s;
            if (!zb_method_has_side(opt.method, opt.side)) {
                refused(model, &opt, "'side'");
                continue;
            }
            CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s %s: %s",
                  zb_method_name(opt.method), zb_side_name(opt.side), err.text);
            if (s != ZB_SIDE_BOTH)
                assert_true(s == ZB_SIDE_UPPER ? r.has_upper : r.has_lower);
            assert_true(r.has_upper || r.has_lower || r.has_estimate);
            assert_true(r.has_upper || r.log_upper == INFINITY);
            assert_true(r.has_lower || r.log_lower == -INFINITY);
            assert_true(is_below(r.log_lower, z) && is_above(r.log_upper, z));
        }
    assert_false(zb_method_has_side(ZB_METHOD_MF, ZB_SIDE_UPPER));
    assert_false(zb_method_has_side(ZB_METHOD_TRBP, ZB_SIDE_LOWER));
    assert_false(zb_method_has_side(ZB_METHOD_BP, ZB_SIDE_UPPER));
    assert_true(zb_method_has_side(ZB_METHOD_BP, ZB_SIDE_BOTH));
    assert_true(zb_method_has_state(ZB_METHOD_MBE));
    assert_true(zb_method_has_state(ZB_METHOD_WMBE_WG));
    assert_false(zb_method_has_state(ZB_METHOD_AUTO));
    assert_false(zb_method_has_state(ZB_METHOD_TRBP));
    zb_model_free(model);
}

static bool stop_at_once(void *context, const zb_progress *at)
{
    (void)context;
    (void)at;
    return false;
}

/* However early a run ends, a side that it does not have is the whole line. */
static void stopped_runs(void **state)
{
    (void)state;
    zb_ising_spec spec = { .rows = 12, .cols = 12, .coupling = 1, .seed = 2 };
    const zb_observer observer = { .progress = stop_at_once };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    for (int m = 0; m < METHODS; m++)
        for (int s = 0; s < SIDES; s++) {
            zb_options opt = zb_options_default();
            zb_result r = { .log_lower = 5, .log_upper = 5 };
            opt.method = (zb_method)m, opt.side = (zb_side)s, opt.ibound = 3;
            zb_status status = zb_solve(model, &opt, &observer, &r, NULL);
            CHECK(status == ZB_OK || status == ZB_ELIMIT || status == ZB_EINVAL,
                  "%s: %s", zb_method_name(opt.method), zb_status_text(status));
            CHECK(status == ZB_OK || (!r.has_lower && !r.has_upper && !r.exact),
                  "method %d side %d", m, s);
            CHECK(r.has_upper || r.log_upper == INFINITY, "method %d side %d", m, s);
            CHECK(r.has_lower || r.log_lower == -INFINITY, "method %d side %d", m, s);
        }
    zb_model_free(model);
}

static bool same_options(const zb_options *a, const zb_options *b)
{
    return a->order_list == b->order_list
#define SAME(kind, field, option, value, least, most, help) &&a->field == b->field
                                ZB_OPTIONS(SAME);
#undef SAME
}

static void options_by_name(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    zb_error err = { "" };
    assert_int_equal(zb_options_set(NULL, "time", "1", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, NULL, "1", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "time", NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "nonsense", "1", &err), ZB_EINVAL);
    assert_int_equal(zb_options_set(&opt, "side", "left", &err), ZB_EINVAL);
    assert_string_equal(err.text,
                        "--side: expected one of both upper lower; found 'left'");
    const char *const bad[][2] = {
        { "time", "" },           { "time", "1,5" },       { "time", "1.5x" },
        { "time", "nan" },        { "time", "inf" },       { "time", "1e99" },
        { "time", " 1" },         { "iterations", "1.5" }, { "iterations", "-1" },
        { "iterations", "1e9x" }, { "memory", "" },        { "memory", "G" },
        { "memory", "4GG" },      { "memory", "-1" },      { "memory", "1e30T" },
        { "memory", "4iB" },      { "memory", "4,5G" },    { "seed", "-1" },
        { "seed", "" },           { "seed", "1e3" },       { "method", "" },
        { "method", "wmbee" },    { "tolerance", "2" },    { "threads", "4097" }
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zb_options before = opt;
        err.text[0] = '\0';
        CHECK(zb_options_set(&opt, bad[i][0], bad[i][1], &err) == ZB_EINVAL,
              "%s '%s' was accepted", bad[i][0], bad[i][1]);
        assert_non_null(strstr(err.text, bad[i][0]));
        assert_true(same_options(&before, &opt));
    }
    assert_int_equal(zb_options_set(&opt, "memory", "1.5GiB", &err), ZB_OK);
    assert_true(opt.memory == UINT64_C(3) << 29);
    assert_int_equal(zb_options_set(&opt, "memory", "512", &err), ZB_OK);
    assert_true(opt.memory == 512);
    assert_int_equal(zb_options_set(&opt, "memory", "2KB", &err), ZB_OK);
    assert_true(opt.memory == 2048);
    assert_int_equal(zb_options_set(&opt, "iterations", "1e3", &err), ZB_OK);
    assert_true(opt.iterations == 1000);
}

static void table_of_options(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    size_t count = zb_options_count();
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        const zb_option_entry *e = zb_options_entry(i);
        assert_true(e != NULL && e->option[0] != '\0' && e->help[0] != '\0');
        assert_true(e->offset < sizeof opt);
        for (int k = 0; e->choices != NULL && e->choices[k] != NULL; k++)
            assert_int_equal(zb_options_set(&opt, e->option, e->choices[k], NULL),
                             ZB_OK);
    }
    assert_null(zb_options_entry(count));
    assert_null(zb_options_entry(SIZE_MAX));
    assert_string_equal(zb_version(), "0.2.0");
    assert_int_equal(ZB_VERSION_NUMBER, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_out_of_range), cmocka_unit_test(names_out_of_range),
        cmocka_unit_test(ends_of_ranges_pass),  cmocka_unit_test(orders_from_outside),
        cmocka_unit_test(sides_of_methods),     cmocka_unit_test(stopped_runs),
        cmocka_unit_test(options_by_name),      cmocka_unit_test(table_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
