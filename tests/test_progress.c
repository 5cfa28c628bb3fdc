/* What an observer hears, and what a result says of how it came about. */
#include "oracle.h"
#include "test.h"

#include <string.h>

typedef struct heard {
    int64_t last[3]; /* per side: the iteration reported last */
    int leaps, calls;
    bool crossed; /* a bound became worse */
    double lower, upper;
} heard;

static bool on_progress(void *context, const zb_progress *at)
{
    heard *h = context;
    int64_t step = at->iteration - h->last[at->side];
    h->calls++;
    h->leaps += step != 0 && step != 1;
    h->last[at->side] = at->iteration;
    h->crossed = h->crossed || at->log_lower < h->lower || at->log_upper > h->upper;
    h->lower = at->log_lower, h->upper = at->log_upper;
    return true;
}

static zb_model *grid(int size, uint64_t seed)
{
    zb_ising_spec spec = {
        .rows = size, .cols = size, .coupling = 1, .field = 0.1, .seed = seed
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_result solve(const zb_model *model, zb_options opt, heard *h)
{
    zb_observer observer = { .context = h, .progress = on_progress };
    zb_result r;
    zb_error err = { "" };
    *h = (heard){ .lower = -INFINITY, .upper = INFINITY };
    CHECK(zb_solve(model, &opt, &observer, &r, &err) == ZB_OK, "%s", err.text);
    return r;
}

/* Each side counts 1, 2, 3, .. up to at most what was asked for, and the result has the
   larger of the two numbers. */
static void iterations_have_one_meaning(void **state)
{
    (void)state;
    static const zb_method methods[] = { ZB_METHOD_WMBE_W, ZB_METHOD_WMBE_THETA,
                                         ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_G,
                                         ZB_METHOD_WMBE_WG };
    static const int asked[] = { 1, 2, 7, 40, 90 };
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            for (int limited = 0; limited < 2; limited++) {
                zb_options opt = zb_options_default();
                zb_model *model = grid(7, k + 1);
                heard h;
                opt.method = methods[m];
                opt.ibound = 3;
                opt.tolerance = 0;
                opt.iterations = asked[k];
                opt.time = limited ? 1000 : -1; /* far, but looked at */
                opt.optimizer = k % 2 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
                zb_result r = solve(model, opt, &h);
                const int64_t *last = h.last;
                const char *name = zb_method_name(opt.method);
                CHECK(h.leaps == 0, "%s, %d: %d leaps", name, asked[k], h.leaps);
                CHECK(!h.crossed, "%s, %d", name, asked[k]);
                CHECK(last[ZB_SIDE_UPPER] <= asked[k], "%s: %d", name, asked[k]);
                CHECK(last[ZB_SIDE_LOWER] <= asked[k], "%s: %d", name, asked[k]);
                CHECK(r.iterations == (last[1] > last[2] ? last[1] : last[2]),
                      "%s, %d: %d", name, asked[k], (int)r.iterations);
                CHECK(r.stop != ZB_STOP_ITERATIONS || r.iterations == asked[k],
                      "%s, %d: %d", name, asked[k], (int)r.iterations);
                zb_model_free(model);
            }
}

static bool same(zb_recipe a, zb_method method, zb_form form, zb_order order,
                 int ibound)
{
    return a.method == method && a.form == form && a.order == order &&
           a.ibound == ibound;
}

static void results_say_what_found_them(void **state)
{
    (void)state;
    zb_model *model = grid(6, 1);
    zb_options opt = zb_options_default();
    heard h;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_MINFILL;
    opt.ibound = 3;
    opt.iterations = 5;
    opt.memory = 1 << 28;
    zb_result r = solve(model, opt, &h);
    assert_true(same(r.upper_by, opt.method, opt.form, opt.order, 3));
    assert_true(same(r.lower_by, opt.method, opt.form, opt.order, 3));
    assert_true(r.memory_limit == opt.memory && isinf(r.time_limit));
    opt.method = ZB_METHOD_BE;
    opt.time = 100;
    r = solve(model, opt, &h);
    assert_true(same(r.upper_by, ZB_METHOD_BE, ZB_FORM_ORIGINAL, opt.order, 0));
    assert_true(r.time_limit == 100 && r.memory_limit > 0);
    opt.method = ZB_METHOD_TRBP;
    r = solve(model, opt, &h);
    assert_true(r.upper_by.method == ZB_METHOD_TRBP && r.has_upper);
    assert_true(h.last[ZB_SIDE_UPPER] == r.iterations && h.last[ZB_SIDE_LOWER] == 0);
    opt.method = ZB_METHOD_MF;
    r = solve(model, opt, &h);
    assert_true(r.lower_by.method == ZB_METHOD_MF && r.has_lower);
    assert_true(h.last[ZB_SIDE_LOWER] == r.iterations && h.last[ZB_SIDE_UPPER] == 0);
    zb_model_free(model);
    assert_true(
        strcmp(zb_kernels(), "avx512") == 0 || strcmp(zb_kernels(), "avx2") == 0 ||
        strcmp(zb_kernels(), "sse2") == 0 || strcmp(zb_kernels(), "portable") == 0);
    assert_string_equal(zb_stop_name(ZB_STOP_MEMORY), "memory");
}

/* ---- the model's fingerprint ----------------------------------------------------- */

static zb_model *pair(const double *table, int second)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 3, (int[]){ 2, 2, 2 }), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, (int[]){ 0, second }, table), ZB_OK);
    return model;
}

static void hashes_tell_models_apart(void **state)
{
    (void)state;
    const double a[] = { 1, 2, 3, 4 }, b[] = { 1, 2, 4, 3 }, z[] = { 1, 2, -0.0, 4 },
                 zero[] = { 1, 2, 0, 4 };
    zb_model *models[7] = { pair(a, 1), pair(a, 1), pair(b, 1),   pair(a, 2),
                            pair(a, 1), pair(z, 1), pair(zero, 1) };
    assert_int_equal(zb_model_observe(models[4], 2, 0), ZB_OK);
    uint64_t h[7];
    for (int i = 0; i < 7; i++)
        h[i] = zb_model_hash(models[i]);
    assert_true(h[0] == h[1] && h[5] == h[6]);
    for (int i = 1; i < 6; i++)
        for (int j = i + 1; j < 6; j++)
            CHECK(h[i] != h[j], "%d and %d", i, j);
    /* pinned: the same on every machine and from version to version */
    assert_true(h[0] == UINT64_C(0x86af2eac966f7e73));
    assert_true(zb_model_hash(NULL) == 0);
    for (int i = 0; i < 7; i++)
        zb_model_free(models[i]);
}

/* Logarithms whose signs change in pairs: what a plain product of words would miss. */
static void hashes_see_signs(void **state)
{
    (void)state;
    uint64_t seen[16];
    for (int mask = 0; mask < 16; mask++) {
        double table[4];
        zb_model *model;
        for (int i = 0; i < 4; i++)
            table[i] = mask >> i & 1 ? -1 : 1;
        assert_int_equal(zb_model_new(&model, 1, (int[]){ 4 }), ZB_OK);
        assert_int_equal(zb_model_add_log(model, 1, (int[]){ 0 }, table), ZB_OK);
        seen[mask] = zb_model_hash(model);
        for (int other = 0; other < mask; other++)
            CHECK(seen[mask] != seen[other], "%d and %d", mask, other);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_have_one_meaning),
        cmocka_unit_test(results_say_what_found_them),
        cmocka_unit_test(hashes_tell_models_apart),
        cmocka_unit_test(hashes_see_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
