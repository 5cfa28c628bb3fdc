/* Tightening from outside and inside: whatever the method, form, settings and moment of
 * interruption, a bound is on its side of ln Z, and what is reported is what the stored
 * parameters give. */
#include "tighten/attempt.h"
#include "engine.h"
#include "params.h"
#include "pass/layout.h"
#include "tighten/minibucket.h"
#include "tighten/tighten_internal.h"

#include <inttypes.h>

/* ---- from outside ---------------------------------------------------------------- */

static random_spec shape(uint64_t seed)
{
    static const random_spec specs[] = {
        { .max_vars = 11,
          .max_card = 2,
          .max_factors = 26,
          .max_arity = 3,
          .spread = 2 },
        { .max_vars = 7,
          .max_card = 4,
          .max_factors = 10,
          .max_arity = 3,
          .spread = 1 },
        { .max_vars = 8,
          .max_card = 3,
          .max_factors = 14,
          .max_arity = 3,
          .zeros = .2,
          .spread = 1,
          .evidence = true },
        { .max_vars = 8,
          .max_card = 2,
          .max_factors = 12,
          .max_arity = 4,
          .zeros = .5,
          .spread = 1 },
        { .max_vars = 7,
          .max_card = 3,
          .max_factors = 12,
          .max_arity = 3,
          .zeros = .05,
          .spread = 300,
          .evidence = true },
    };
    return specs[seed % (sizeof specs / sizeof *specs)];
}

typedef struct patience {
    int calls, left; /* until it says stop */
    interval z;
    uint64_t seed;
} patience;

/* Bounds on the way are bounds too. */
static bool impatient(void *context, const zb_progress *at)
{
    patience *p = context;
    CHECK(is_below(at->log_lower, p->z) && is_above(at->log_upper, p->z),
          "seed %" PRIu64 " on the way: %.17g .. %.17g, ln Z %.17g", p->seed,
          at->log_lower, at->log_upper, p->z.lower);
    p->calls++;
    return p->left-- > 0;
}

/* Open and periodic grids, dense and sparse random models. */
static zb_model *any_model(uint64_t seed, bool *grid)
{
    zb_model *model;
    *grid = seed % 6 == 5; /* odd seeds; even ones are dense */
    if (seed % 2 == 0) {
        zb_random_spec dense = { .variables = 7 + (int)(seed / 2 % 4),
                                 .factors = 16,
                                 .arity = seed % 4 ? 2 : 3,
                                 .cardinality = seed % 8 ? 2 : 3,
                                 .zeros = seed % 10 ? 0 : .3,
                                 .seed = seed };
        dense.variables -= dense.cardinality == 3 ? 3 : 0;
        assert_int_equal(zb_generate_random(&model, &dense), ZB_OK);
        return model;
    }
    if (!*grid)
        return random_model(seed, shape(seed));
    bool ring = seed % 5 == 0; /* even sides only: sides of two do not wrap */
    zb_ising_spec spec = { .rows = ring ? 2 : 2 + (int)(seed / 6 % 2),
                           .cols = ring ? 4 : 3 + (int)(seed / 12 % 2),
                           .coupling = seed % 4 ? 1 : 4,
                           .field = seed % 3 ? .5 : 0,
                           .periodic = ring,
                           .seed = seed };
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_options random_options(zb_rng *rng, bool grid)
{
    static const zb_method methods[] = { ZB_METHOD_MBE,         ZB_METHOD_WMBE,
                                         ZB_METHOD_WMBE_W,      ZB_METHOD_WMBE_THETA,
                                         ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_G,
                                         ZB_METHOD_WMBE_WG };
    static const zb_form forms[] = { ZB_FORM_AUTO, ZB_FORM_ORIGINAL, ZB_FORM_FORNEY,
                                     ZB_FORM_MERGED };
    static const zb_order orders[] = { ZB_ORDER_AUTO, ZB_ORDER_NATURAL,
                                       ZB_ORDER_MINFILL, ZB_ORDER_MINSPLIT,
                                       ZB_ORDER_RANDOM };
    zb_options opt = zb_options_default();
    opt.method = methods[zb_rng_below(rng, 7)];
    opt.form = forms[zb_rng_below(rng, 4)];
    if (opt.form == ZB_FORM_ORIGINAL && opt.method >= ZB_METHOD_WMBE_G)
        opt.form = ZB_FORM_AUTO;
    if (grid && zb_rng_below(rng, 2))
        opt.form = ZB_FORM_LATTICE;
    opt.order = orders[zb_rng_below(rng, 5)];
    opt.side = (zb_side)zb_rng_below(rng, 3);
    opt.ibound = 1 + zb_rng_below(rng, 4);
    opt.iterations = zb_rng_below(rng, 4) ? zb_rng_below(rng, 40) : 0;
    opt.optimizer = (zb_optimizer)zb_rng_below(rng, 2);
    opt.step_gauge = pow(10, -3 * zb_rng_uniform(rng));
    opt.step_weight = 10 * pow(10, -3 * zb_rng_uniform(rng));
    opt.step_theta = 10 * pow(10, -3 * zb_rng_uniform(rng));
    opt.tolerance = zb_rng_below(rng, 2) ? 0 : 1e-3;
    opt.seed = zb_rng_next(rng);
    opt.threads = 1;
    return opt;
}

typedef struct tally {
    int runs, split, gauged, lower, stopped;
} tally;

static void count_run(tally *count, const zb_options *opt, const zb_result *r)
{
    count->runs++;
    count->split += !r->exact;
    count->gauged += !r->exact && opt->method >= ZB_METHOD_WMBE_G;
    count->lower += !r->exact && r->has_lower && r->log_lower > -INFINITY;
    count->stopped += !r->exact && r->stop == ZB_STOP_INTERRUPTED;
}

static void check_solve(uint64_t seed, tally *count)
{
    bool grid;
    zb_model *model = any_model(seed, &grid);
    zb_rng rng = zb_rng_seed(seed + 31);
    interval around = brute_interval(model);
    double z = around.lower;
    for (int round = 0; round < 4; round++) {
        zb_options opt = random_options(&rng, grid);
        patience p = { .left = zb_rng_below(&rng, 2) ? 1 << 30 : zb_rng_below(&rng, 30),
                       .z = around,
                       .seed = seed };
        zb_observer observer = { .context = &p, .progress = impatient };
        zb_result r;
        zb_error err;
        zb_status status = zb_solve(model, &opt, &observer, &r, &err);
        CHECK(status == ZB_OK, "seed %" PRIu64 " round %d %s %s: %s", seed, round,
              zb_method_name(opt.method), zb_form_name(opt.form), err.text);
        CHECK(r.guaranteed && (opt.side == ZB_SIDE_LOWER || r.has_upper) &&
                  (opt.side != ZB_SIDE_LOWER || r.has_lower),
              "seed %" PRIu64 " round %d: no bound", seed, round);
        CHECK(!r.has_upper || is_above(r.log_upper, around),
              "seed %" PRIu64 " round %d %s %s %s: upper %.17g below %.17g", seed,
              round, zb_method_name(opt.method), zb_form_name(opt.form),
              zb_optimizer_name(opt.optimizer), r.log_upper, z);
        CHECK(!r.has_lower || is_below(r.log_lower, around),
              "seed %" PRIu64 " round %d %s %s %s: lower %.17g above %.17g", seed,
              round, zb_method_name(opt.method), zb_form_name(opt.form),
              zb_optimizer_name(opt.optimizer), r.log_lower, z);
        CHECK(!r.exact || (close_to(r.log_lower, z, 1e-9) && spans_its_rounding(&r)),
              "seed %" PRIu64 " round %d: %.17g called exact, ln Z is %.17g", seed,
              round, r.log_upper, z);
        count_run(count, &opt, &r);
    }
    zb_model_free(model);
}

static void bounds_hold(void **state)
{
    (void)state;
    tally count = { 0 };
    int models = (int)test_models(1000);
    for (int seed = 0; seed < models; seed++)
        check_solve((uint64_t)seed, &count);
    print_message("%d runs: %d split, %d of these gauged, %d with a lower bound, "
                  "%d stopped\n",
                  count.runs, count.split, count.gauged, count.lower, count.stopped);
    assert_true(count.split > models && count.gauged > models / 4 &&
                count.lower > models / 2 && count.stopped > models / 8);
}

/* ---- from inside ----------------------------------------------------------------- */

/* Everything again, from the model and the parameters alone. */
static double evaluate_afresh(const zb_attempt *a)
{
    const zb_tighten *old = a->tighten;
    zb_tighten *t;
    zb_tighten_spec spec = old->spec;
    spec.gauges = old->gauge != NULL;
    assert_int_equal(zb_tighten_new(&t, a->tree, a->model, &spec), ZB_OK);
    memcpy(t->param->weight, old->param->weight, t->param->nweight * sizeof(double));
    memcpy(t->param->theta, old->param->theta, t->param->ntheta * sizeof(double));
    for (int v = 0; v < a->tree->nvars && t->gauge != NULL; v++)
        if (old->gauge->free_var[v])
            assert_int_equal(
                zb_gauge_set(t->gauge, v,
                             old->gauge->matrix + old->gauge->matrix_at[v]),
                ZB_OK);
    for (int f = 0; f < a->tree->nfactors && t->gauge != NULL; f++)
        if (t->touched[f]) {
            zb_gauge_transform(t->gauge, f);
            zb_pass_set_linear(t->pass, f, zb_gauge_hat(t->gauge, f),
                               t->gauge->log_scale[f]);
        }
    double bound = zb_tighten_evaluate(t, NULL) + a->model->log_scale;
    zb_tighten_free(t);
    return bound;
}

static void check_weights(const zb_attempt *a, uint64_t seed)
{
    const zb_tree *t = a->tree;
    bool lower = a->spec.tighten.side == ZB_SIDE_LOWER;
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        size_t n = zb_pass_weight_size(t, b->first, a->spec.tighten.shared);
        for (size_t i = 0; i < n && b->count > 1; i++) {
            double sum = 0;
            int positive = 0;
            for (int m = b->first; m < b->first + b->count; m++) {
                double w = weights_of(a->tighten->pass, m)[i];
                sum += w;
                positive += w > 0;
            }
            CHECK(fabs(sum - 1) < 1e-12 && positive == (lower ? 1 : b->count),
                  "seed %" PRIu64 " bucket %d: sum %g, %d positive", seed, v, sum,
                  positive);
        }
    }
}

static void check_shifts(const zb_attempt *a, uint64_t seed)
{
    const zb_tree *t = a->tree;
    for (int v = 0; v < t->nvars && a->spec.tighten.theta; v++) {
        const zb_bucket *b = &t->bucket[v];
        size_t n = zb_pass_theta_size(t, b->first, a->spec.tighten.shared);
        for (size_t i = 0; i < n && b->count > 1; i++) {
            double sum = 0;
            for (int m = b->first; m < b->first + b->count; m++)
                sum += thetas_of(a->tighten->pass, m)[i];
            CHECK(fabs(sum) < 1e-11, "seed %" PRIu64 " bucket %d: sum %g", seed, v,
                  sum);
        }
    }
}

typedef struct watcher {
    double best;
    zb_side side;
    int left;
} watcher;

static bool watch(void *context, int64_t iteration, double bound, double best)
{
    watcher *w = context;
    (void)iteration;
    (void)bound;
    CHECK(!zb_tighter(w->side, w->best, best) || close_to(w->best, best, 1e-13),
          "the best became worse: %.17g, %.17g", w->best, best);
    w->best = best;
    return w->left-- > 0;
}

static void check_state(uint64_t seed)
{
    forney_spec s = { .max_vars = 10,
                      .least_card = 2,
                      .max_card = 3,
                      .max_factors = 8,
                      .max_arity = 3,
                      .zeros = seed % 3 ? 0 : .1,
                      .spread = 1 };
    zb_model *model = random_forney(seed, s);
    zb_rng rng = zb_rng_seed(seed);
    zb_side side = zb_rng_below(&rng, 2) ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINFILL,
                             .ibound = 2 + zb_rng_below(&rng, 2),
                             .tighten = { .side = side,
                                          .weights = zb_rng_below(&rng, 4) > 0,
                                          .theta = zb_rng_below(&rng, 2),
                                          .gauges = zb_rng_below(&rng, 2) &&
                                                    side == ZB_SIDE_UPPER,
                                          .gradient = seed % 2,
                                          .shared = zb_rng_below(&rng, 2),
                                          .absolute = zb_rng_below(&rng, 2),
                                          .threads = 1 } };
    watcher w = { .best = side == ZB_SIDE_UPPER ? INFINITY : -INFINITY,
                  .side = side,
                  .left = zb_rng_below(&rng, 40) };
    zb_descent run = { .optimizer = (zb_optimizer)zb_rng_below(&rng, 2),
                       .rates = { { .3, .3, .1 } },
                       .iterations = 30,
                       .tolerance = -1,
                       .report = watch,
                       .context = &w };
    zb_attempt *a;
    zb_stop stop;
    interval z = brute_interval(model);
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    double first = a->bound;
    assert_int_equal(zb_attempt_descend(a, run, &stop), ZB_OK);
    if (side == ZB_SIDE_LOWER && a->tighten->gauge == NULL && seed % 2)
        assert_int_equal(zb_tighten_add_gauges(a->tighten), ZB_OK);
    w.left = 10;
    assert_int_equal(zb_attempt_descend(a, run, &stop), ZB_OK);
    CHECK(!zb_tighter(side, first, a->bound), "seed %" PRIu64 ": worse", seed);
    CHECK(side == ZB_SIDE_UPPER ? is_above(a->bound, z) : is_below(a->bound, z),
          "seed %" PRIu64 ": %.17g, ln Z %.17g", seed, a->bound, z.lower);
    double again = zb_tighten_evaluate(a->tighten, NULL) + a->model->log_scale,
           afresh = evaluate_afresh(a);
    /* gauges below may give more than can be proved, which then is not reported */
    bool refused = side == ZB_SIDE_LOWER && a->tighten->gauge != NULL &&
                   zb_tighter(side, again, a->bound);
    CHECK(refused ||
              (close_to(again, a->bound, 1e-12) && close_to(afresh, a->bound, 1e-11)),
          "seed %" PRIu64 ": %.17g, again %.17g, afresh %.17g", seed, a->bound, again,
          afresh);
    check_weights(a, seed);
    check_shifts(a, seed);
    zb_attempt_free(a);
    zb_model_free(model);
}

static void reported_is_stored(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(1000); seed++)
        check_state(seed);
}

/* ---- gradients by logits and shifts, on both sides ------------------------------- */

static void check_tangent(uint64_t seed)
{
    random_spec rs = { .max_vars = 8,
                       .max_card = 3,
                       .max_factors = 12,
                       .max_arity = 3,
                       .zeros = seed % 3 ? 0 : .05,
                       .spread = 1 };
    zb_model *model = random_model(seed, rs);
    zb_rng rng = zb_rng_seed(seed);
    zb_side side = seed % 2 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_NATURAL,
                             .ibound = 2,
                             .tighten = { .side = side,
                                          .weights = true,
                                          .theta = true,
                                          .shared = zb_rng_below(&rng, 2),
                                          .threads = 1 } };
    zb_attempt *a;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    const zb_objective *o = &a->tighten->objective;
    double *grad = calloc(o->n + 1, sizeof *grad),
           *step = calloc(o->n + 1, sizeof *step);
    for (size_t i = 0; i < o->n; i++)
        step[i] = zb_rng_uniform(&rng) - .5;
    o->move(o->context, step);
    double here = o->value(o->context, grad);
    o->keep(o->context);
    for (size_t i = 0; i < o->n && isfinite(here); i++) {
        double h = 1e-5, value[2];
        memset(step, 0, o->n * sizeof *step);
        for (int k = 0; k < 2; k++) {
            step[i] = k ? -h : h;
            o->move(o->context, step);
            value[k] = zb_tighten_evaluate(a->tighten, NULL);
            o->back(o->context);
        }
        double want = (value[0] - value[1]) / (2 * h);
        want = side == ZB_SIDE_LOWER ? -want : want;
        CHECK(fabs(grad[i] - want) <= 1e-6 * fmax(1, fabs(want)) + 1e-7,
              "seed %" PRIu64 " coordinate %zu of %zu: %.12g, differences say %.12g",
              seed, i, o->n, grad[i], want);
    }
    free(grad);
    free(step);
    zb_attempt_free(a);
    zb_model_free(model);
}

static void tangents_match(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(300); seed++)
        check_tangent(seed);
}

/* ---- steps ------------------------------------------------------------------------
 */

static double upper_after(const zb_model *model, int iterations)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_MINFILL;
    opt.side = ZB_SIDE_UPPER;
    opt.ibound = 5;
    opt.iterations = iterations;
    opt.time = 0;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r.log_upper;
}

/* Thirty passes come about as close, whatever the strength of the couplings. */
static void steps_fit_couplings(void **state)
{
    static const double strength[] = { 0.2, 1, 5, 10 };
    (void)state;
    for (size_t i = 0; i < sizeof strength / sizeof *strength; i++) {
        zb_ising_spec spec = {
            .rows = 12, .cols = 12, .coupling = strength[i], .seed = 3
        };
        zb_model *model = NULL;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        double some = upper_after(model, 30), many = upper_after(model, 600);
        CHECK(some < 1.006 * many, "couplings of %g: %.10g after 30 passes, %.10g",
              strength[i], some, many);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(reported_is_stored),
        cmocka_unit_test(tangents_match),
        cmocka_unit_test(steps_fit_couplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
