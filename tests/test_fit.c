/* Weights by formula: on models whose best weights are known, on both sides of the
 * ratio from which the positive weight moves, and as bounds whatever the point. */
#include "engine.h"
#include "params.h"
#include "tighten/attempt.h"
#include "tighten/lower.h"
#include "tighten/tighten_internal.h"

#include <inttypes.h>

/* ---- one split ------------------------------------------------------------------- */

/* exp(a) where x and y1 agree, exp(-a) where not; b likewise of x and y2; zero: in the
   second table. x goes first, in two mini-buckets. */
static zb_model *star(double a, double b, bool zero)
{
    int card[] = { 2, 2, 2 }, first[] = { 0, 1 }, second[] = { 0, 2 };
    double f[] = { exp(a), exp(-a), exp(-a), exp(a) },
           g[] = { exp(b), exp(-b), zero ? 0 : exp(-b), exp(b) };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, first, f), ZB_OK);
    assert_int_equal(zb_model_add(model, 2, second, g), ZB_OK);
    return model;
}

static zb_attempt *attempt_of(const zb_model *model, zb_side side)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_NATURAL,
                             .ibound = 2,
                             .tighten = { .side = side,
                                          .weights = true,
                                          .theta = true,
                                          .shared = true,
                                          .threads = 1 } };
    zb_attempt *a;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    return a;
}

static double value_of(zb_attempt *a)
{
    const zb_objective *o = zb_tighten_objective(a->tighten);
    double *grad = calloc(o->n + 1, sizeof *grad), value = o->value(o->context, grad);
    free(grad);
    return value;
}

/* Logits as given, the bound evaluated. */
static double value_at(zb_attempt *a, double first, double second)
{
    zb_tighten *t = a->tighten;
    int k = t->tree->bucket[0].first;
    t->logit[t->param->weight_at[k]] = first;
    t->logit[t->param->weight_at[k + 1]] = second;
    zb_tighten_apply_weights(t);
    return value_of(a);
}

static double weight_of(zb_attempt *a, int m)
{
    return weights_of(a->tighten->pass, a->tree->bucket[0].first + m)[0];
}

/* The formula is of second order, so couplings are small. */
static void above_weights_are_in_proportion(void **state)
{
    zb_model *model = star(0.1, 0.05, false);
    zb_attempt *a = attempt_of(model, ZB_SIDE_UPPER);
    (void)state;
    assert_int_equal(a->tree->bucket[0].count, 2);
    double before = value_of(a);
    zb_tighten_fit(a->tighten, 1, INFINITY);
    double after = value_of(a), best = INFINITY;
    assert_true(fabs(weight_of(a, 0) - 2.0 / 3) < 0.01);
    for (double x = -3; x <= 3; x += 0.05)
        best = fmin(best, value_at(a, x, 0));
    assert_true(after < before);
    CHECK(after < best + 0.01 * (before - best), "%.9g, %.9g, %.9g", before, after,
          best);
    zb_attempt_free(a);
    zb_model_free(model);
}

/* Half of the way is half of the way by logarithms. */
static void part_of_the_way(void **state)
{
    zb_model *model = star(0.1, 0.025, false);
    zb_attempt *a = attempt_of(model, ZB_SIDE_UPPER);
    (void)state;
    value_of(a);
    zb_tighten_fit(a->tighten, 0.5, INFINITY);
    CHECK(fabs(weight_of(a, 0) / weight_of(a, 1) - 2) < 0.05, "%g", weight_of(a, 0));
    zb_attempt_free(a);
    zb_model_free(model);
}

static void below_the_larger_is_positive(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        zb_model *model = star(0.1, 0.05, false);
        zb_attempt *a = attempt_of(model, ZB_SIDE_LOWER);
        zb_tighten_set_positive(a->tighten, 0, wrong);
        double before = value_of(a), best = INFINITY;
        zb_tighten_fit(a->tighten, 1, 1.2);
        double after = value_of(a);
        assert_int_equal(a->tighten->positive[0], 0);
        CHECK(fabs(weight_of(a, 1) + 1) < 0.05, "%g", weight_of(a, 1));
        for (double x = -4; x <= 4; x += 0.05)
            best = fmin(best, value_at(a, 0, x));
        CHECK(after < before && after < best + 0.01 * (before - best),
              "%.9g, %.9g, %.9g", before, after, best);
        zb_attempt_free(a);
        zb_model_free(model);
    }
}

/* One varies twice as much as the other; without a limit to the weights the best would
   be at infinity where they vary alike. */
static void by_the_ratio(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const double ratio[] = { 1.9, 2.1, INFINITY, 1.2 };
        static const int want[] = { 0, 1, 1, 1 };
        zb_model *model = star(k < 3 ? 0.1 : 0.055, 0.05, false);
        zb_attempt *a = attempt_of(model, ZB_SIDE_LOWER);
        zb_tighten_set_positive(a->tighten, 0, 1);
        value_of(a);
        zb_tighten_fit(a->tighten, 0.3, ratio[k]);
        CHECK(a->tighten->positive[0] == want[k], "ratio %g: %d", ratio[k],
              a->tighten->positive[0]);
        assert_true(weight_of(a, 0) + weight_of(a, 1) - 1 < 1e-12);
        assert_true(fmax(weight_of(a, 0), weight_of(a, 1)) <= 7 + 1e-9);
        zb_attempt_free(a);
        zb_model_free(model);
    }
}

/* The larger one would be positive but for the zeros of the other. */
static void zeros_stay_positive(void **state)
{
    zb_model *model = star(3, 0.05, true);
    zb_attempt *a = attempt_of(model, ZB_SIDE_LOWER);
    (void)state;
    assert_int_equal(a->tighten->positive[0], 1);
    value_of(a);
    zb_tighten_fit(a->tighten, 1, 1.2);
    assert_int_equal(a->tighten->positive[0], 1);
    assert_true(isfinite(value_of(a)));
    zb_attempt_free(a);
    zb_model_free(model);
}

/* ---- any point ------------------------------------------------------------------- */

static void check_parameters(const zb_attempt *a, uint64_t seed)
{
    const zb_tree *t = a->tree;
    bool lower = a->spec.tighten.side == ZB_SIDE_LOWER;
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        size_t n = b->count > 1 ? zb_pass_weight_size(t, b->first, true) : 0,
               entries = b->count > 1 ? zb_pass_theta_size(t, b->first, true) : 0;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (int m = 0; m < b->count; m++) {
                double w = weights_of(a->tighten->pass, b->first + m)[i];
                sum += w;
                CHECK((w > 0) == (!lower || m == a->tighten->positive[v]),
                      "seed %" PRIu64 ": weight %g", seed, w);
            }
            CHECK(fabs(sum - 1) < 1e-11, "seed %" PRIu64 ": sum %g", seed, sum);
        }
        for (size_t i = 0; i < entries; i++) {
            double sum = 0;
            for (int m = b->first; m < b->first + b->count; m++)
                sum += thetas_of(a->tighten->pass, m)[i];
            CHECK(fabs(sum) < 1e-10, "seed %" PRIu64 ": shifts %g", seed, sum);
        }
    }
}

static int check_bounds(uint64_t seed)
{
    random_spec s = { .max_vars = 9,
                      .max_card = seed % 4 ? 2 : 3,
                      .max_factors = 16,
                      .max_arity = 3,
                      .zeros = seed % 3 ? 0 : .1,
                      .spread = seed % 5 ? 1 : 8 };
    zb_model *model = random_model(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_side side = seed % 2 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    interval z = brute_interval(model);
    zb_attempt *a = attempt_of(model, side);
    const zb_objective *o = zb_tighten_objective(a->tighten);
    double *grad = calloc(o->n + 1, sizeof *grad);
    int moved = 0;
    for (int k = 0; k < 6; k++) {
        static const double ratio[] = { 1, 1.2, 5, INFINITY };
        o->value(o->context, grad);
        int before = 0, after = 0;
        for (int v = 0; v < a->tree->nvars; v++)
            before += a->tighten->positive[v] << v % 20;
        o->fit(o->context, zb_rng_uniform(&rng), ratio[zb_rng_below(&rng, 4)]);
        for (int v = 0; v < a->tree->nvars; v++)
            after += a->tighten->positive[v] << v % 20;
        moved += before != after;
        check_parameters(a, seed);
        zb_tighten_evaluate(a->tighten, NULL);
        double bound = zb_attempt_note(a);
        CHECK(side == ZB_SIDE_UPPER ? is_above(bound, z) : is_below(bound, z),
              "seed %" PRIu64 ": %.17g, ln Z %.17g", seed, bound, z.lower);
        for (size_t i = 0; i < o->n; i++)
            grad[i] = 0.3 * (zb_rng_uniform(&rng) - 0.5);
        o->move(o->context, grad);
    }
    free(grad);
    zb_attempt_free(a);
    zb_model_free(model);
    return moved;
}

static void fits_are_bounds(void **state)
{
    int moved = 0;
    (void)state;
    for (uint64_t seed = 0; seed < test_models(1000); seed++)
        moved += check_bounds(seed);
    CHECK(moved > 0, "%d", moved);
}

/* ---- whole descents -------------------------------------------------------------- */

static double loss_below(const zb_model *model, bool plain, double exact)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINSPLIT,
                             .ibound = 5,
                             .tries = 1,
                             .tighten = { .side = ZB_SIDE_LOWER,
                                          .weights = true,
                                          .theta = true,
                                          .shared = true,
                                          .threads = 1 } };
    zb_descent how = { .rates = { { 0.2, 0.12, 0.2 } },
                       .iterations = 60,
                       .plain = plain,
                       .tolerance = -1 };
    zb_attempt *a;
    zb_stop stop;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    assert_int_equal(zb_attempt_descend(a, how, &stop), ZB_OK);
    double loss = exact - a->bound;
    zb_attempt_free(a);
    return loss;
}

/* What they are for: far fewer wrong choices in trees of many splits. */
static void fits_pay_on_grids(void **state)
{
    double plain = 0, fitted = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        zb_ising_spec spec = {
            .rows = 12, .cols = 12, .coupling = 0.5, .field = 0.1, .seed = seed
        };
        zb_options opt = zb_options_default();
        zb_model *model;
        zb_result r;
        opt.method = ZB_METHOD_BE;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        plain += loss_below(model, true, r.log_upper);
        fitted += loss_below(model, false, r.log_upper);
        zb_model_free(model);
    }
    CHECK(fitted > 0 && fitted < 0.8 * plain, "%g, %g", fitted, plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(above_weights_are_in_proportion),
        cmocka_unit_test(part_of_the_way),
        cmocka_unit_test(below_the_larger_is_positive),
        cmocka_unit_test(by_the_ratio),
        cmocka_unit_test(zeros_stay_positive),
        cmocka_unit_test(fits_are_bounds),
        cmocka_unit_test(fits_pay_on_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
