/* Derivatives of bounds by the factors' logarithms: marginals where nothing is split,
 * difference quotients of the bound where something is. */
#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

static const random_spec ODD = { 9, 4, 12, 3, 0.05, 2, true };

/* Dense enough to be split; evidence in some. */
static zb_model *wide(uint64_t seed)
{
    zb_random_spec spec = { .variables = 7 + (int)(seed % 4),
                            .factors = 14,
                            .arity = 3,
                            .cardinality = 2 + (int)(seed % 2),
                            .zeros = seed % 3 ? 0 : 0.1,
                            .seed = seed };
    zb_model *model;
    assert_int_equal(zb_generate_random(&model, &spec), ZB_OK);
    if (seed % 4 == 1)
        assert_int_equal(zb_model_observe(model, (int)(seed % 7), 1), ZB_OK);
    return model;
}

static size_t entries(const zb_model *model)
{
    size_t n = 0;
    for (int f = 0; f < zb_model_nfactors(model); f++)
        n += zb_model_size(model, f);
    return n;
}

static zb_options options(zb_method method, int ibound, int iterations)
{
    zb_options opt = zb_options_default();
    opt.method = method;
    opt.form = ZB_FORM_ORIGINAL;
    opt.ibound = ibound;
    opt.iterations = iterations;
    opt.threads = 1;
    return opt;
}

/* Another model, with logarithms of the entries as they are, but entry `at` (counted
   over all factors) moved by `step`. */
static zb_model *moved(const zb_model *model, size_t at, double step)
{
    int n = zb_model_nvars(model), card[64];
    zb_model *out;
    for (int v = 0; v < n; v++)
        card[v] = zb_model_card(model, v);
    assert_int_equal(zb_model_new(&out, n, card), ZB_OK);
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        size_t size = zb_model_size(model, f);
        double *table = malloc(size * sizeof *table);
        zb_model_log_values(model, f, table);
        if (at < size)
            table[at] += step;
        at -= size; /* wraps around behind the entry: no factor is that large */
        assert_int_equal(zb_model_add_log(out, zb_model_arity(model, f),
                                          zb_model_scope(model, f), table),
                         ZB_OK);
        free(table);
    }
    for (int v = 0; v < n; v++)
        assert_int_equal(zb_model_observe(out, v, zb_model_evidence(model, v)), ZB_OK);
    return out;
}

static void sums_are_one(uint64_t seed, const zb_model *model, const double *g)
{
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        double sum = 0;
        for (size_t i = 0; i < zb_model_size(model, f); i++)
            sum += *g++;
        CHECK(fabs(sum - 1) < 1e-9, "seed %" PRIu64 ": factor %d sums to %.17g", seed,
              f, sum);
    }
}

/* d ln Z / d ln f(x) = (Z - Z without the entry) / Z, by enumeration. */
static double marginal(const zb_model *model, size_t at, double log_z)
{
    zb_model *without = moved(model, at, -INFINITY);
    double rest = brute_force(without);
    zb_model_free(without);
    return 1 - exp(rest - log_z);
}

static void exact_gradients_are_marginals(void **test)
{
    (void)test;
    int zero = 0, done = 0;
    for (uint64_t seed = 1; seed <= test_models(60); seed++) {
        zb_model *model = random_model(seed, ODD);
        zb_options opt = options(ZB_METHOD_WMBE, 60, 0);
        double log_z = brute_force(model), *g = calloc(entries(model) + 1, sizeof *g);
        zb_state *state = NULL;
        zb_result r;
        zb_error err = { "" };
        assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &r, &err),
                         ZB_OK);
        assert_true(r.exact);
        zb_side side = seed % 2 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
        zb_status status = zb_state_gradient(state, model, side, &opt, NULL, g, &err);
        if (log_z == -INFINITY) {
            assert_int_equal(status, ZB_EINVAL);
            assert_non_null(strstr(err.text, "infinite"));
            zero++;
        } else {
            CHECK(status == ZB_OK, "seed %" PRIu64 ": %s", seed, err.text);
            sums_are_one(seed, model, g);
            for (size_t i = 0; i < entries(model); i++, done++)
                CHECK(fabs(g[i] - marginal(model, i, log_z)) < 1e-10,
                      "seed %" PRIu64 ": entry %zu is %.17g, not %.17g", seed, i, g[i],
                      marginal(model, i, log_z));
        }
        free(g);
        zb_state_free(state);
        zb_model_free(model);
    }
    CHECK(zero >= test_share(1) && done > test_share(1000), "%d, %d", zero, done);
}

static double bound_from(const zb_model *model, const zb_state *state, zb_side side)
{
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    opt.iterations = 0;
    opt.threads = 1;
    opt.side = side;
    zb_status status = zb_solve_with(model, &opt, state, NULL, NULL, &r, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    return side == ZB_SIDE_LOWER ? r.log_lower : r.log_upper;
}

static void check_slopes(uint64_t seed, const zb_model *model, const zb_state *state,
                         zb_side side, const double *g)
{
    const double h = 1e-4;
    size_t n = entries(model);
    sums_are_one(seed, model, g);
    for (size_t i = seed % 3; i < n; i += n / 12 + 1) {
        zb_model *up = moved(model, i, h), *down = moved(model, i, -h);
        double slope =
            (bound_from(up, state, side) - bound_from(down, state, side)) / (2 * h);
        CHECK(fabs(slope - g[i]) < 1e-6,
              "seed %" PRIu64 ", %s: entry %zu is %.17g, not %g", seed,
              zb_side_name(side), i, g[i], slope);
        zb_model_free(up);
        zb_model_free(down);
    }
}

static void split_gradients_are_slopes(void **test)
{
    (void)test;
    static const zb_method methods[] = { ZB_METHOD_WMBE, ZB_METHOD_WMBE_W,
                                         ZB_METHOD_WMBE_THETA, ZB_METHOD_WMBE_WTHETA };
    int split = 0;
    for (uint64_t seed = 1; seed <= test_models(40); seed++) {
        zb_model *model = wide(seed);
        zb_options opt = options(methods[seed % 4], 2, seed % 5 ? 12 : 0);
        double *g = calloc(entries(model) + 1, sizeof *g);
        zb_state *state = NULL;
        zb_result r;
        assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &r, NULL),
                         ZB_OK);
        for (int i = 0; i < 2 && !r.exact; i++) {
            zb_side side = i ? ZB_SIDE_LOWER : ZB_SIDE_UPPER;
            if (!isfinite(i ? r.log_lower : r.log_upper))
                continue;
            zb_error err = { "" };
            zb_status status =
                zb_state_gradient(state, model, side, &opt, NULL, g, &err);
            CHECK(status == ZB_OK, "seed %" PRIu64 ": %s", seed, err.text);
            check_slopes(seed, model, state, side, g);
            split++;
        }
        free(g);
        zb_state_free(state);
        zb_model_free(model);
    }
    CHECK(split > test_share(30), "only %d", split);
}

/* ---- what is refused ------------------------------------------------------------- */

static void refuses(const zb_state *state, const zb_model *model, zb_side side,
                    zb_options opt, const char *why)
{
    double g[256];
    zb_error err = { "" };
    assert_int_equal(zb_state_gradient(state, model, side, &opt, NULL, g, &err),
                     ZB_EINVAL);
    CHECK(strstr(err.text, why) != NULL, "'%s' instead of '%s'", err.text, why);
}

/* A triangle: mini-buckets of two variables split it. */
static zb_model *triangle(void)
{
    const int card[3] = { 2, 2, 2 }, scope[3][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 } };
    const double value[4] = { 2, 1, 1, 3 };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(zb_model_add(model, 2, scope[i], value), ZB_OK);
    return model;
}

static zb_state *state_of(const zb_model *model, zb_options opt)
{
    zb_state *state = NULL;
    zb_result r;
    assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &r, NULL), ZB_OK);
    return state;
}

static void misfits_are_refused(void **test)
{
    (void)test;
    zb_model *model = triangle(), *other;
    const int card[3] = { 2, 3, 2 };
    zb_options opt = options(ZB_METHOD_WMBE_W, 2, 4), upper = opt, forney = opt,
               wrong = opt;
    upper.side = ZB_SIDE_UPPER;
    forney.form = ZB_FORM_FORNEY;
    wrong.threads = -1;
    zb_state *state = state_of(model, opt), *half = state_of(model, upper),
             *formed = state_of(model, forney);
    refuses(NULL, model, ZB_SIDE_UPPER, opt, "no state");
    refuses(state, NULL, ZB_SIDE_UPPER, opt, "no model");
    refuses(state, model, ZB_SIDE_BOTH, opt, "upper or the lower");
    refuses(state, model, ZB_SIDE_UPPER, wrong, "threads");
    refuses(half, model, ZB_SIDE_LOWER, opt, "has no lower bound");
    refuses(formed, model, ZB_SIDE_UPPER, opt, "form 'original'");
    assert_int_equal(zb_model_new(&other, 2, card), ZB_OK);
    refuses(state, other, ZB_SIDE_UPPER, opt, "3 variables, this one has 2");
    zb_model_free(other);
    assert_int_equal(zb_model_new(&other, 3, card), ZB_OK);
    refuses(state, other, ZB_SIDE_UPPER, opt, "nothing of the state fits");
    zb_model_free(other);
    zb_state_free(state);
    zb_state_free(half);
    zb_state_free(formed);
    zb_model_free(model);
}

static void threads_change_no_bit(void **test)
{
    (void)test;
    zb_model *model = wide(5);
    zb_options opt = options(ZB_METHOD_WMBE_WTHETA, 2, 5);
    zb_state *state = state_of(model, opt);
    size_t n = entries(model);
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    assert_int_equal(
        zb_state_gradient(state, model, ZB_SIDE_UPPER, &opt, NULL, a, NULL), ZB_OK);
    opt.threads = 3;
    assert_int_equal(
        zb_state_gradient(state, model, ZB_SIDE_UPPER, &opt, NULL, b, NULL), ZB_OK);
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
    zb_state_free(state);
    zb_model_free(model);
}

static void time_ends_it(void **test)
{
    (void)test;
    const zb_ising_spec spec = { .rows = 18, .cols = 18, .coupling = 1, .seed = 3 };
    zb_options opt = options(ZB_METHOD_WMBE, 14, 0);
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    zb_state *state = state_of(model, opt);
    double *g = calloc(entries(model), sizeof *g);
    opt.time = 1e-9;
    assert_int_equal(
        zb_state_gradient(state, model, ZB_SIDE_UPPER, &opt, NULL, g, NULL), ZB_ELIMIT);
    opt.time = 100;
    assert_int_equal(
        zb_state_gradient(state, model, ZB_SIDE_UPPER, &opt, NULL, g, NULL), ZB_OK);
    free(g);
    zb_state_free(state);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_gradients_are_marginals),
        cmocka_unit_test(split_gradients_are_slopes),
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(time_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
