/* Gauges: Z stays, gradients are right, bounds hold, what must be refused is. */
#include "engine.h"
#include "tighten/gauge.h"
#include "tighten/lower.h"
#include "tighten/tighten_internal.h"

#include <inttypes.h>

static double largest_of(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The bound at the present point, rounding included. */
static double certified(zb_tighten *t, zb_side side)
{
    zb_tighten_certify(t);
    zb_ball b = zb_tighten_value(t);
    return side == ZB_SIDE_UPPER ? zb_up(b.mid, b.radius) : zb_down(b.mid, b.radius);
}

/* ---- Z ----------------------------------------------------------------------------
 */

/* ln Z from the transformed tables, signs included. */
static long double gauged_sum(zb_gauge *g, double *log_scale)
{
    double *table[64];
    *log_scale = 0;
    for (int f = 0; f < g->tree->nfactors; f++) {
        zb_gauge_transform(g, f);
        table[f] = zb_gauge_hat(g, f);
        *log_scale += g->log_scale[f];
    }
    return signed_sum(g->tree, table);
}

/* Rounding the transformed entries costs 1e-16 of the largest one, which going back
   through the gauges multiplies by their condition numbers: so their product over the
   model is kept below 1e4, one variable may have all of it. */
static void check_partition(uint64_t seed)
{
    forney_spec s = { .max_vars = 6,
                      .least_card = 2,
                      .max_card = 6,
                      .max_factors = 5,
                      .max_arity = 4,
                      .zeros = seed % 3 == 0 ? 0.2 : 0,
                      .spread = 1 };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed + 77);
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 1 });
    zb_gauge *g;
    double scale, matrix[36], left = 4;
    assert_int_equal(zb_gauge_new(&g, tree, model), ZB_OK);
    long double before = gauged_sum(g, &scale);
    CHECK(close_to((double)logl(before) + scale, brute_force(model), 1e-12),
          "seed %" PRIu64, seed);
    for (int v = 0; v < tree->nvars; v++) {
        double share = v == tree->nvars - 1 ? left : left * zb_rng_uniform(&rng);
        random_matrix(&rng, tree->card[v], pow(10, share), matrix);
        CHECK(zb_gauge_set(g, v, matrix) == ZB_OK, "seed %" PRIu64, seed);
        left -= share;
    }
    long double after = gauged_sum(g, &scale);
    CHECK(fabsl(after - before) <= 1e-10L * before, "seed %" PRIu64 ": %Lg is not %Lg",
          seed, after, before);
    zb_gauge_free(g);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void partition_function_stays(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(1000); seed++)
        check_partition(seed);
}

/* The worked example of the paper's supplement, its misprints corrected. */
static void worked_example(void **state)
{
    (void)state;
    static const int scope[4][3] = {
        { 0, 1, 2 }, { 0, 3, 4 }, { 1, 3, 5 }, { 2, 4, 5 }
    };
    static const double table[4][8] = {
        { 2432, 832, 4672, 640, 4864, 384, 5120, 4160 },
        { 1088, 128, 4928, 4608, 448, 1664, 3264, 1344 },
        { 1216, 5440, 768, 1856, 1920, 960, 3264, 4416 },
        { 5632, 5632, 6080, 6208, 5568, 896, 640, 512 },
    };
    static const double want[4][8] = {
        { 2837, 1559, 3591, 2077, 3631, 2005, 4261, 3143 },
        { 2142, 1434, 4634, 4558, 966, 1490, 1490, 758 },
        { 3960, 8808, -1608, -2520, -328, -3288, 6520, 8296 },
        { 2408, 9160, 10760, 9192, 14536, -6232, -7448, -1208 },
    };
    const double mix[4] = { 0.75, 0.25, 0.25, 0.75 }, unmix[4] = { 1.5, -.5, -.5, 1.5 };
    const int card[6] = { 2, 2, 2, 2, 2, 2 };
    zb_model *model;
    zb_gauges *g;
    double got[4][8], first[4], second[4],
        *list[4] = { got[0], got[1], got[2], got[3] };
    assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
    for (int f = 0; f < 4; f++)
        assert_int_equal(zb_model_add(model, 3, scope[f], table[f]), ZB_OK);
    CHECK(close_to(brute_force(model), log(5070006459039744), 1e-14), "Z before");
    assert_int_equal(zb_gauges_new(&g, model, NULL), ZB_OK);
    for (int v = 0; v < 6; v++) {
        assert_int_equal(zb_gauges_set(g, v, mix), ZB_OK);
        assert_int_equal(zb_gauges_get(g, v, first, second), ZB_OK);
        for (int i = 0; i < 4; i++)
            CHECK(first[i] == mix[i] && close_to(second[i], unmix[i], 1e-15), "%d", v);
    }
    for (int f = 0; f < 4; f++) {
        assert_int_equal(zb_gauges_values(g, f, got[f]), ZB_OK);
        for (int i = 0; i < 8; i++)
            CHECK(fabs(got[f][i] - want[f][i]) < 1e-10, "factor %d entry %d: %.17g", f,
                  i, got[f][i]);
    }
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 3 });
    CHECK(fabsl(signed_sum(tree, list) / 5070006459039744 - 1) < 1e-13L, "Z after");
    zb_tree_free(tree);
    zb_gauges_free(g);
    zb_model_free(model);
}

/* ---- set, compose, invert, refuse ------------------------------------------------ */

static void check_algebra(uint64_t seed)
{
    forney_spec s = { 6, 2, 5, 5, 3, 0.1, 1, false };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_gauges *g;
    double a[25], b[25], got[25], back[25], *before = malloc(4096 * sizeof *before),
                                            *after = malloc(4096 * sizeof *after);
    assert_int_equal(zb_gauges_new(&g, model, NULL), ZB_OK);
    for (int v = 0; v < zb_model_nvars(model); v++) {
        int d = zb_model_card(model, v);
        random_matrix(&rng, d, 10, a);
        random_matrix(&rng, d, 10, b);
        assert_int_equal(zb_gauges_set(g, v, a), ZB_OK);
        assert_int_equal(zb_gauges_multiply(g, v, b), ZB_OK);
        zb_gauges_get(g, v, got, back);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) {
                double ba = 0, unit = 0;
                for (int k = 0; k < d; k++) {
                    ba += b[i * d + k] * a[k * d + j];
                    unit += got[i * d + k] * back[j * d + k];
                }
                CHECK(close_to(got[i * d + j], ba, 1e-14) &&
                          close_to(unit, i == j, 1e-12),
                      "seed %" PRIu64 " variable %d", seed, v);
            }
        assert_int_equal(zb_gauges_invert(g, v), ZB_OK); /* (ba)^-1 ba = 1 */
        assert_int_equal(zb_gauges_multiply(g, v, b), ZB_OK);
        assert_int_equal(zb_gauges_set(g, v, a), ZB_OK);
        assert_int_equal(zb_gauges_invert(g, v), ZB_OK);
        assert_int_equal(zb_gauges_multiply(g, v, a), ZB_OK); /* a a^-1 */
    }
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        size_t n = zb_model_size(model, f);
        zb_model_values(model, f, before);
        assert_int_equal(zb_gauges_values(g, f, after), ZB_OK);
        for (size_t i = 0; i < n; i++)
            CHECK(fabs(before[i] - after[i]) <= 1e-11 * largest_of(n, before),
                  "seed %" PRIu64 " factor %d", seed, f);
    }
    free(before);
    free(after);
    zb_gauges_free(g);
    zb_model_free(model);
}

static void gauges_are_a_group(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(200); seed++)
        check_algebra(seed);
}

static zb_model *two_factors(int d, const double *fa, const double *fb)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 1, &d), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, fa), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, fb), ZB_OK);
    return model;
}

static void bad_gauges_are_refused(void **state)
{
    (void)state;
    const double bad[][9] = {
        { 1, 2, 3, 2, 4, 6, 0, 0, 1 },        { 0, 0, 0, 0, 0, 0, 0, 0, 0 },
        { 1, 0, 0, 0, 1, 0, 0, 0, 1e-9 },     { 1, 0, 0, 0, NAN, 0, 0, 0, 1 },
        { 1, 0, 0, 0, INFINITY, 0, 0, 0, 1 }, { 1, 1, 0, 1, 1 + 1e-12, 0, 0, 0, 1 },
    };
    const double fa[3] = { 1, 2, 3 }, good[9] = { 1, 1, 0, 0, 2, 0, 1, 0, -1 },
                 shrink[9] = { 1e-5, 0, 0, 0, 1, 0, 0, 0, 1 };
    double before[9], after[9];
    zb_model *model = two_factors(3, fa, fa);
    zb_gauges *g;
    assert_int_equal(zb_gauges_new(&g, model, NULL), ZB_OK);
    assert_int_equal(zb_gauges_set(g, 0, good), ZB_OK);
    zb_gauges_get(g, 0, before, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(zb_gauges_set(g, 0, bad[i]) == ZB_EINVAL, "matrix %zu", i);
        CHECK(zb_gauges_multiply(g, 0, bad[i]) == ZB_EINVAL, "matrix %zu", i);
        zb_gauges_get(g, 0, after, NULL);
        assert_memory_equal(before, after, sizeof before);
    }
    assert_int_equal(zb_gauges_multiply(g, 0, shrink), ZB_OK);
    assert_int_equal(zb_gauges_multiply(g, 0, shrink), ZB_EINVAL); /* adds up */
    assert_int_equal(zb_gauges_set(g, 1, good), ZB_EINVAL);
    assert_int_equal(zb_gauges_set(g, -1, good), ZB_EINVAL);
    assert_int_equal(zb_gauges_invert(g, 1), ZB_EINVAL);
    assert_int_equal(zb_gauges_get(g, 1, before, NULL), ZB_EINVAL);
    assert_int_equal(zb_gauges_values(g, 2, before), ZB_EINVAL);
    zb_gauges_free(g);
    zb_model_free(model);
}

static void models_are_checked(void **state)
{
    (void)state;
    const double fa[2] = { 1, 2 }, wide[2] = { 1e-200, 1e200 };
    const double flip[4] = { 0, 1, 1, 0 };
    zb_error err;
    zb_gauges *g = (zb_gauges *)&err;
    zb_model *model = two_factors(2, fa, fa);
    assert_int_equal(zb_model_observe(model, 0, 1), ZB_OK);
    assert_int_equal(zb_gauges_new(&g, model, &err), ZB_EINVAL);
    assert_null(g);
    assert_int_equal(zb_model_observe(model, 0, -1), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, fa), ZB_OK); /* a third */
    assert_int_equal(zb_gauges_new(&g, model, &err), ZB_EINVAL);
    assert_true(strlen(err.text) > 10);
    zb_model_free(model);
    model = two_factors(2, fa, wide); /* linear values cannot hold it: not moved */
    assert_int_equal(zb_gauges_new(&g, model, &err), ZB_OK);
    assert_int_equal(zb_gauges_set(g, 0, flip), ZB_EINVAL);
    zb_gauges_free(g);
    zb_model_free(model);
}

/* ---- gradients ------------------------------------------------------------------- */

static void reload(zb_tighten *t)
{
    for (int f = 0; f < t->tree->nfactors; f++)
        if (t->touched[f]) {
            zb_gauge_transform(t->gauge, f);
            zb_pass_set_linear(t->pass, f, zb_gauge_hat(t->gauge, f),
                               t->gauge->log_scale[f]);
        }
}

static void random_point(zb_tighten *t, zb_rng *rng, double condition)
{
    double matrix[64];
    for (int v = 0; v < t->tree->nvars; v++)
        if (t->gauge->free_var[v] && condition > 1) {
            random_matrix(rng, t->tree->card[v], pow(condition, zb_rng_uniform(rng)),
                          matrix);
            assert_int_equal(zb_gauge_set(t->gauge, v, matrix), ZB_OK);
        }
    for (size_t i = 0; i < t->param->nweight && t->spec.weights; i++)
        t->logit[i] = 4 * zb_rng_uniform(rng) - 2;
    zb_tighten_apply_weights(t);
    reload(t);
}

/* (bound(I + hE) - bound(I - hE)) / 2h for E = the unit at (i,j) of variable v */
static double difference(zb_tighten *t, int v, int i, int j, double h)
{
    int d = t->tree->card[v];
    double *m = t->gauge->matrix + t->gauge->matrix_at[v], old[36], moved[36], bound[2];
    memcpy(old, m, (size_t)(d * d) * sizeof *m);
    for (int side = 0; side < 2; side++) {
        memcpy(moved, old, sizeof old);
        for (int k = 0; k < d; k++)
            moved[i * d + k] += (side ? -h : h) * old[j * d + k];
        assert_int_equal(zb_gauge_set(t->gauge, v, moved), ZB_OK);
        reload(t);
        bound[side] = zb_tighten_evaluate(t, NULL);
    }
    assert_int_equal(zb_gauge_set(t->gauge, v, old), ZB_OK);
    reload(t);
    return (bound[0] - bound[1]) / (2 * h);
}

typedef struct tally {
    int entries, kinks, negative, zero;
} tally;

/* Where two step sizes disagree an entry crosses zero in between: a kink. */
static void check_entry(zb_tighten *t, int v, int i, int j, double got, uint64_t seed,
                        tally *count)
{
    double coarse = difference(t, v, i, j, 1e-5), fine = difference(t, v, i, j, 2e-6);
    double tol = 1e-6 * fmax(1, fabs(fine)) + 3e-7;
    count->entries++;
    if (fabs(coarse - fine) > tol) {
        count->kinks++;
        return;
    }
    CHECK(fabs(got - fine) <= 2 * tol,
          "seed %" PRIu64 " variable %d (%d,%d): %.12g, differences say %.12g", seed, v,
          i, j, got, fine);
}

static void count_signs(const zb_tighten *t, tally *count)
{
    for (int f = 0; f < t->tree->nfactors; f++)
        for (size_t i = 0; i < zb_gauge_table_size(t->gauge, f); i++) {
            count->negative += zb_gauge_hat(t->gauge, f)[i] < 0;
            count->zero += zb_gauge_hat(t->gauge, f)[i] == 0;
        }
}

static void check_gradient(uint64_t seed, tally *count)
{
    forney_spec s = { .max_vars = 9,
                      .least_card = 2,
                      .max_card = 2 + (int)(seed % 3),
                      .max_factors = 7,
                      .max_arity = 3,
                      .zeros = seed % 2 ? 0.15 : 0,
                      .spread = 1 };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed + 1);
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
    zb_tighten_spec ts = { .side = ZB_SIDE_UPPER,
                           .weights = true,
                           .gauges = true,
                           .absolute = zb_rng_below(&rng, 2),
                           .threads = 1 };
    zb_tighten *t;
    assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
    random_point(t, &rng, seed % 4 < 2 ? 1 : 20);
    double *grad = calloc(t->objective.n + 1, sizeof *grad),
           bound = zb_tighten_evaluate(t, grad);
    count_signs(t, count);
    for (int v = 0; v < tree->nvars && isfinite(bound); v++) {
        int d = tree->card[v];
        const double *m = grad + t->objective.block_at[2] + t->gauge->matrix_at[v];
        double trace = 0;
        if (!t->gauge->free_var[v])
            continue;
        for (int i = 0; i < d; i++) {
            trace += m[i * d + i];
            for (int j = 0; j < d; j++)
                check_entry(t, v, i, j, m[i * d + j], seed, count);
        }
        CHECK(fabs(trace) < 1e-9, "seed %" PRIu64 ": trace %g", seed, trace);
    }
    free(grad);
    zb_tighten_free(t);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void gradients_match(void **state)
{
    (void)state;
    tally count = { 0 };
    for (uint64_t seed = 0; seed < test_models(300); seed++)
        check_gradient(seed, &count);
    print_message("%d derivatives, %d at kinks; %d negative entries, %d zeros\n",
                  count.entries, count.kinks, count.negative, count.zero);
    assert_true(count.entries > test_share(3000) && count.kinks < count.entries / 20);
    assert_true(count.negative > test_share(1000) && count.zero > test_share(500));
}

/* Theorem 1: binary variables, f(x) = f(flipped x). Shifts gain nothing, gauges do. */
static void symmetric_models(void **state)
{
    (void)state;
    int useful = 0, split = 0;
    for (uint64_t seed = 0; seed < test_models(200); seed++) {
        forney_spec s = { 10, 2, 2, 7, 4, 0, 1, true };
        zb_model *model = random_forney(seed, s);
        zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
        zb_tighten_spec ts = {
            .side = ZB_SIDE_UPPER, .theta = true, .gauges = true, .threads = 1
        };
        zb_tighten *t;
        assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
        double *grad = calloc(t->objective.n + 1, sizeof *grad);
        const size_t *at = t->objective.block_at;
        zb_tighten_evaluate(t, grad);
        CHECK(largest_of(at[2] - at[1], grad + at[1]) < 1e-13,
              "seed %" PRIu64 ": a shift gains %g", seed,
              largest_of(at[2] - at[1], grad + at[1]));
        for (size_t i = at[2]; i < at[3]; i += 4)
            CHECK(fabs(grad[i]) < 1e-13 && fabs(grad[i + 3]) < 1e-13,
                  "seed %" PRIu64 ": a diagonal gauge gains %g", seed, grad[i]);
        split += tree->splits > 0;
        useful += tree->splits > 0 && largest_of(at[3] - at[2], grad + at[2]) > 1e-4;
        free(grad);
        zb_tighten_free(t);
        zb_tree_free(tree);
        zb_model_free(model);
    }
    print_message("%d symmetric models with splits, %d with a useful gauge\n", split,
                  useful);
    assert_true(split > test_share(100) && useful > split * 9 / 10);
}

/* ---- bounds ---------------------------------------------------------------------- */

static void check_upper(uint64_t seed)
{
    forney_spec s = { .max_vars = 10,
                      .least_card = 2,
                      .max_card = 2 + (int)(seed % 4),
                      .max_factors = 8,
                      .max_arity = 3,
                      .zeros = seed % 5 == 0 ? 0.3 : 0,
                      .spread = seed % 7 == 0 ? 30 : 1 };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_tree *tree =
        tree_of(model, NULL, (zb_split_spec){ .ibound = 2 + zb_rng_below(&rng, 3) });
    zb_tighten_spec ts = { .side = ZB_SIDE_UPPER,
                           .weights = true,
                           .theta = zb_rng_below(&rng, 2),
                           .gauges = true,
                           .shared = zb_rng_below(&rng, 2),
                           .absolute = zb_rng_below(&rng, 2),
                           .threads = 1 };
    zb_tighten *t;
    interval z = brute_interval(model);
    assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
    double *step = malloc((t->objective.n + 1) * sizeof *step);
    for (int round = 0; round < 3; round++) {
        random_point(t, &rng, 100);
        for (size_t i = 0; i < t->objective.n; i++)
            step[i] = 2 * zb_rng_uniform(&rng) - 1;
        if (round > 0)
            t->objective.move(t, step);
        double bound = certified(t, ZB_SIDE_UPPER);
        CHECK(is_above(bound, z) && bound < INFINITY,
              "seed %" PRIu64 ": %.17g is below %.17g", seed, bound, z.lower);
    }
    free(step);
    zb_tighten_free(t);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void upper_bounds_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(2500); seed++)
        check_upper(seed);
}

/* An inverse that is off by this: what it does to the bound is known and counted, up to
   a thousandth, beyond which there is no bound. */
static void check_spoilt(uint64_t seed, double off, int *split)
{
    forney_spec s = { 10, 2, 4, 8, 3, seed % 3 == 0 ? 0.2 : 0, 1, false };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
    zb_tighten_spec ts = {
        .side = ZB_SIDE_UPPER, .weights = true, .gauges = true, .threads = 1
    };
    zb_tighten *t;
    assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
    random_point(t, &rng, 10);
    for (int v = 0; v < tree->nvars; v++)
        if (t->gauge->free_var[v] && tree->splits > 0) {
            double *inverse = t->gauge->inverse + t->gauge->matrix_at[v];
            for (int i = 0; i < tree->card[v] * tree->card[v]; i++)
                inverse[i] *= 1 + off; /* G^T H is 1 + off times the unit matrix */
            double bound = certified(t, ZB_SIDE_UPPER);
            CHECK(is_above(bound, brute_interval(model)), "seed %" PRIu64, seed);
            CHECK(bound == -INFINITY || isfinite(bound) == (fabs(off) < 1e-3),
                  "seed %" PRIu64 ": %g", seed, bound);
            ++*split;
            break;
        }
    zb_tighten_free(t);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void inverses_that_are_off_are_counted(void **state)
{
    static const double off[] = { -9e-4, 9e-4, -1.1e-3, 1.1e-3 };
    int split = 0;
    (void)state;
    for (uint64_t seed = 0; seed < test_models(400); seed++)
        check_spoilt(seed, off[seed % 4], &split);
    assert_true(split > test_share(200));
}

/* Steps on the lower side are cut back until every transformed factor is non-negative.
 */
static void check_lower(uint64_t seed)
{
    forney_spec s = { .max_vars = 9,
                      .least_card = 2,
                      .max_card = 2 + (int)(seed % 3),
                      .max_factors = 8,
                      .max_arity = 3,
                      .zeros = seed % 5 == 0 ? 0.1 : 0,
                      .spread = 1 };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
    zb_tighten_spec ts = { .side = ZB_SIDE_LOWER,
                           .weights = true,
                           .theta = true,
                           .gauges = true,
                           .shared = zb_rng_below(&rng, 2),
                           .threads = 1 };
    zb_tighten *t;
    interval z = brute_interval(model);
    assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
    assert_int_equal(zb_lower_start(t), ZB_OK);
    double *step = malloc((t->objective.n + 1) * sizeof *step);
    for (int round = 0; round < 8; round++) {
        for (size_t i = 0; i < t->objective.n; i++)
            step[i] = zb_rng_uniform(&rng) - 0.5;
        t->objective.move(t, step);
        zb_tighten_evaluate(t, NULL);
        CHECK(!t->invalid, "seed %" PRIu64 ": a step made an entry negative", seed);
        double bound = certified(t, ZB_SIDE_LOWER);
        CHECK(is_below(bound, z), "seed %" PRIu64 ": %.17g is above %.17g", seed, bound,
              z.upper);
        for (int f = 0; f < tree->nfactors; f++)
            for (size_t i = 0; i < zb_gauge_table_size(t->gauge, f); i++)
                CHECK(zb_gauge_hat(t->gauge, f)[i] >= 0, "seed %" PRIu64, seed);
    }
    free(step);
    zb_tighten_free(t);
    zb_tree_free(tree);
    zb_model_free(model);
}

static void lower_bounds_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(1000); seed++)
        check_lower(seed);
}

/* f_a = f_b = (1,1): Z = 2. G = [[2,1],[-1,0]] makes f_a (3,-1) and leaves f_b; with
   weights 2 and -1 the sum of absolute values is bounded from below by 3.73. Two
   neighbours of one value force the split. */
static void counterexample_is_refused(void **state)
{
    (void)state;
    const int card[3] = { 2, 1, 1 };
    const double one[2] = { 1, 1 }, g[4] = { 2, 1, -1, 0 };
    zb_model *model;
    zb_tighten *t;
    zb_tighten_spec ts = {
        .side = ZB_SIDE_LOWER, .weights = true, .gauges = true, .threads = 1
    };
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 1 }, one), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 2 }, one), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 1 }, one), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 2 }, one), ZB_OK);
    zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 2 });
    assert_true(tree->splits == 1);
    assert_int_equal(zb_tighten_new(&t, tree, model, &ts), ZB_OK);
    t->logit[0] = t->logit[1] = 0; /* weights 2 and -1 */
    zb_tighten_set_positive(t, 0, 0);
    CHECK(zb_tighten_evaluate(t, NULL) <= log(2) + 1e-12, "at the identity");

    assert_int_equal(zb_gauge_set(t->gauge, 0, g), ZB_OK);
    reload(t);
    CHECK(close_to(exp(zb_pass_forward(t->pass)), 3.7320508, 1e-6),
          "the pass alone: %.9g", exp(zb_pass_forward(t->pass)));
    double *zero = calloc(t->objective.n, sizeof *zero);
    t->objective.move(t, zero); /* any way through the objective looks at signs */
    CHECK(zb_tighten_evaluate(t, NULL) == -INFINITY && t->invalid, "it was taken");
    free(zero);
    zb_tighten_free(t);
    zb_tree_free(tree);
    zb_model_free(model);
}

/* Variables of up to 64 values can have gauges: what certifies bounds has room for as
   many. */
static void gauges_of_64_values(void **state)
{
    (void)state;
    for (int d = 64; d <= 65; d++) {
        double value[65], matrix[65 * 65];
        zb_model *model;
        zb_gauge *g;
        for (int i = 0; i < d; i++)
            value[i] = 1 + i;
        for (int i = 0; i < d * d; i++)
            matrix[i] = (i % (d + 1) == 0) + 1e-3 * (i % 7);
        assert_int_equal(zb_model_new(&model, 1, &d), ZB_OK);
        for (int f = 0; f < 2; f++)
            assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, value), ZB_OK);
        zb_tree *tree = tree_of(model, NULL, (zb_split_spec){ .ibound = 1 });
        assert_int_equal(zb_gauge_new(&g, tree, model), ZB_OK);
        CHECK((zb_gauge_set(g, 0, matrix) == ZB_OK) == (d <= 64), "%d values", d);
        zb_gauge_free(g);
        zb_tree_free(tree);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauges_of_64_values),
        cmocka_unit_test(partition_function_stays),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(gauges_are_a_group),
        cmocka_unit_test(bad_gauges_are_refused),
        cmocka_unit_test(models_are_checked),
        cmocka_unit_test(gradients_match),
        cmocka_unit_test(symmetric_models),
        cmocka_unit_test(upper_bounds_hold),
        cmocka_unit_test(inverses_that_are_off_are_counted),
        cmocka_unit_test(lower_bounds_hold),
        cmocka_unit_test(counterexample_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
