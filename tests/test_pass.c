/* The engine's promises: bounds on the right side for any valid weights and shifts,
   exact where nothing is split, derivatives as finite differences say. */
#include "oracle.h"
#include "params.h"
#include "base/rng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

typedef struct rig {
    zb_model *model;
    zb_scopes *scopes;
    zb_tree *tree;
    zb_pass *pass;
    double **value; /* factors' logs in the tree's layout */
    int *order;
} rig;

/* Permute a factor's table into the order of the tree's scope. */
static void sorted_values(const rig *r, int f, double *out)
{
    const zb_model *m = r->model;
    int arity = zb_model_arity(m, f), x[16] = { 0 };
    const int *given = zb_model_scope(m, f),
              *sorted = r->tree->scope + r->tree->scope_at[f];
    double *table = malloc(zb_model_size(m, f) * sizeof *table);
    zb_model_log_values(m, f, table);
    for (size_t i = 0; i < zb_model_size(m, f); i++) {
        size_t rest = i, at = 0;
        for (int a = arity - 1; a >= 0; a--) {
            x[a] = (int)(rest % (size_t)zb_model_card(m, given[a]));
            rest /= (size_t)zb_model_card(m, given[a]);
        }
        for (int s = 0; s < arity; s++)
            for (int a = 0; a < arity; a++)
                if (given[a] == sorted[s])
                    at = at * (size_t)zb_model_card(m, sorted[s]) + (size_t)x[a];
        out[at] = table[i];
    }
    free(table);
}

static rig rig_new(zb_model *model, uint64_t seed, int ibound, zb_pass_spec spec)
{
    rig r = { .model = model };
    zb_rng rng = zb_rng_seed(seed);
    int n = zb_model_nvars(model);
    r.order = malloc(((size_t)n + 1) * sizeof *r.order);
    for (int i = 0; i < n; i++)
        r.order[i] = i;
    zb_rng_shuffle(&rng, n, r.order);
    assert_int_equal(zb_scopes_new(&r.scopes, model), ZB_OK);
    zb_split_spec ts = { .ibound = ibound,
                         .partition = (zb_partition)zb_rng_below(&rng, 2) };
    assert_int_equal(zb_tree_new(&r.tree, r.scopes, r.order, &ts), ZB_OK);
    assert_int_equal(zb_pass_new(&r.pass, r.tree, &spec), ZB_OK);
    r.value = calloc((size_t)zb_model_nfactors(model) + 1, sizeof *r.value);
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        r.value[f] = malloc(zb_model_size(model, f) * sizeof **r.value);
        sorted_values(&r, f, r.value[f]);
        zb_pass_set_log(r.pass, f, r.value[f]);
    }
    return r;
}

static void rig_free(rig *r)
{
    for (int f = 0; f < zb_model_nfactors(r->model); f++)
        free(r->value[f]);
    free(r->value);
    free(r->order);
    zb_pass_free(r->pass);
    zb_tree_free(r->tree);
    zb_scopes_free(r->scopes);
}

/* Random weights that make a valid bound of the given side, random shifts that add up
 * to 0. */
static void randomise(rig *r, zb_rng *rng, zb_side side, double shift)
{
    const zb_tree *t = r->tree;
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        if (b->count < 2)
            continue;
        size_t nw = zb_pass_weight_size(t, b->first, zb_pass_options(r->pass)->shared);
        size_t nt = zb_pass_theta_size(t, b->first, zb_pass_options(r->pass)->shared);
        int positive = b->first + zb_rng_below(rng, b->count);
        for (size_t i = 0; i < nw; i++) {
            double sum = 0;
            for (int m = b->first; m < b->first + b->count; m++) {
                double x = exp(6 * zb_rng_uniform(rng) - 3);
                if (side == ZB_SIDE_LOWER && m == positive)
                    x = 0;
                sum += x;
                weights_of(r->pass, m)[i] = side == ZB_SIDE_LOWER ? -x : x;
            }
            for (int m = b->first; m < b->first + b->count; m++)
                if (side == ZB_SIDE_UPPER)
                    weights_of(r->pass, m)[i] /= sum;
                else if (m == positive)
                    weights_of(r->pass, m)[i] = 1 + sum;
        }
        for (size_t i = 0; i < nt && zb_pass_options(r->pass)->theta; i++) {
            double sum = 0;
            for (int m = b->first; m < b->first + b->count; m++) {
                bool last = m == b->first + b->count - 1;
                double x = last ? -sum : shift * (2 * zb_rng_uniform(rng) - 1);
                thetas_of(r->pass, m)[i] = x;
                sum += x;
            }
        }
    }
}

static void condition(zb_model *model)
{
    /* the pass knows no evidence: multiply it in as a singleton of ones and zeros */
    for (int v = 0; v < zb_model_nvars(model); v++) {
        int x = zb_model_evidence(model, v), card = zb_model_card(model, v);
        if (x < 0)
            continue;
        double *one = calloc((size_t)card, sizeof *one);
        one[x] = 1;
        zb_model_add(model, 1, &v, one);
        zb_model_observe(model, v, -1);
        free(one);
    }
}

/* Of the logarithms as doubles, which is what the pass is given. */
static interval logs_interval(const zb_model *model)
{
    zb_model *logs;
    assert_int_equal(zb_model_new(&logs, model->nvars, model->card), ZB_OK);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double *value = malloc(a->size * sizeof *value);
        zb_model_log_values(model, f, value);
        assert_int_equal(zb_model_add_log(logs, a->arity, a->scope, value), ZB_OK);
        free(value);
    }
    interval z = brute_interval(logs);
    zb_model_free(logs);
    return z;
}

static void check_bounds(uint64_t seed, random_spec rs)
{
    zb_model *model = random_model(seed, rs);
    zb_rng rng = zb_rng_seed(seed + 1000003);
    condition(model);
    interval z = logs_interval(model);
    for (int ibound = 1; ibound <= zb_model_nvars(model) + 1; ibound++)
        for (int side = ZB_SIDE_UPPER; side <= ZB_SIDE_LOWER; side++) {
            zb_pass_spec spec = { .side = (zb_side)side,
                                  .theta = zb_rng_below(&rng, 2),
                                  .shared = zb_rng_below(&rng, 2),
                                  .gradient = true,
                                  .threads = 1 + zb_rng_below(&rng, 2) };
            spec.gradient = zb_rng_below(&rng, 2);
            rig r = rig_new(model, seed, ibound, spec);
            randomise(&r, &rng, spec.side, 2);
            double b = zb_pass_forward(r.pass), radius = zb_pass_radius(r.pass);
            CHECK(!isnan(b), "seed %ju ibound %d side %d: NaN", (uintmax_t)seed, ibound,
                  side);
            if (side == ZB_SIDE_UPPER)
                CHECK(is_above(zb_up(b, radius), z),
                      "seed %ju ibound %d: %.17g below %.17g", (uintmax_t)seed, ibound,
                      b, z.lower);
            else
                CHECK(is_below(zb_down(b, radius), z),
                      "seed %ju ibound %d: %.17g above %.17g", (uintmax_t)seed, ibound,
                      b, z.upper);
            if (r.tree->splits == 0)
                CHECK(close_to(b, z.lower, 1e-12),
                      "seed %ju ibound %d: %.17g is not %.17g", (uintmax_t)seed, ibound,
                      b, z.lower);
            rig_free(&r);
        }
    zb_model_free(model);
}

static void bounds_hold(void **state)
{
    (void)state;
    static const random_spec specs[] = {
        { .max_vars = 8,
          .max_card = 3,
          .max_factors = 12,
          .max_arity = 3,
          .spread = 2 },
        { .max_vars = 8,
          .max_card = 2,
          .max_factors = 14,
          .max_arity = 3,
          .zeros = .3,
          .spread = 2,
          .evidence = true },
        { .max_vars = 6,
          .max_card = 5,
          .max_factors = 9,
          .max_arity = 3,
          .zeros = .1,
          .spread = 1,
          .evidence = true },
        { .max_vars = 7,
          .max_card = 3,
          .max_factors = 9,
          .max_arity = 4,
          .zeros = .6,
          .spread = 1 },
        { .max_vars = 7,
          .max_card = 3,
          .max_factors = 9,
          .max_arity = 3,
          .zeros = .1,
          .spread = 400 },
    };
    for (uint64_t seed = 0; seed < test_models(2500); seed++)
        check_bounds(seed, specs[seed % 5]);
}

static double bound_at(rig *r) { return zb_pass_forward(r->pass); }

static bool derivative_ok(double got, double up, double down, double h)
{
    double want = (up - down) / (2 * h);
    return fabs(got - want) <= 1e-6 * fmax(1, fabs(want)) + 2e-7;
}

static void check_parameter(rig *r, double *x, double got, uint64_t seed,
                            const char *name)
{
    double h = 1e-5 * fmax(fabs(*x) < .05 ? fabs(*x) : 1, 1e-3), old = *x;
    *x = old + h;
    double up = bound_at(r);
    *x = old - h;
    double down = bound_at(r);
    *x = old;
    CHECK(derivative_ok(got, up, down, h),
          "seed %ju: %s is %.12g, differences say %.12g", (uintmax_t)seed, name, got,
          (up - down) / (2 * h));
}

static void check_factor(rig *r, int f, uint64_t seed)
{
    size_t n = zb_model_size(r->model, f);
    double *q = malloc(n * sizeof *q), h = 1e-5;
    zb_pass_belief(r->pass, f, q);
    for (size_t i = 0; i < n; i++) {
        double *x = &r->value[f][i], old = *x;
        if (old == -INFINITY)
            continue;
        *x = old + h;
        zb_pass_set_log(r->pass, f, r->value[f]);
        double up = bound_at(r);
        *x = old - h;
        zb_pass_set_log(r->pass, f, r->value[f]);
        double down = bound_at(r);
        *x = old;
        CHECK(derivative_ok(q[i], up, down, h),
              "seed %ju: belief %d is %.12g not %.12g", (uintmax_t)seed, f, q[i],
              (up - down) / (2 * h));
    }
    zb_pass_set_log(r->pass, f, r->value[f]);
    zb_pass_forward(r->pass);
    zb_pass_backward(r->pass);
    free(q);
}

static void check_gradient(uint64_t seed, random_spec rs)
{
    zb_model *model = random_model(seed, rs);
    zb_rng rng = zb_rng_seed(seed + 99);
    int ibound = 2 + zb_rng_below(&rng, 3);
    zb_pass_spec spec = { .side = zb_rng_below(&rng, 3) ? ZB_SIDE_UPPER : ZB_SIDE_LOWER,
                          .theta = true,
                          .shared = zb_rng_below(&rng, 2),
                          .gradient = true,
                          .threads = 1 };
    rig r = rig_new(model, seed, ibound, spec);
    randomise(&r, &rng, spec.side, 1);
    double b = zb_pass_forward(r.pass);
    if (isfinite(b)) {
        zb_pass_backward(r.pass);
        for (int f = 0; f < zb_model_nfactors(model); f++)
            check_factor(&r, f, seed);
        double *entropy =
            malloc((zb_pass_params(r.pass)->nweight + 1) * sizeof *entropy);
        double *shift = malloc((zb_pass_params(r.pass)->ntheta + 1) * sizeof *shift);
        memcpy(entropy, zb_pass_params(r.pass)->entropy,
               zb_pass_params(r.pass)->nweight * sizeof *entropy);
        memcpy(shift, zb_pass_params(r.pass)->theta_grad,
               zb_pass_params(r.pass)->ntheta * sizeof *shift);
        for (size_t i = 0; i < zb_pass_params(r.pass)->nweight; i++)
            check_parameter(&r, &zb_pass_params(r.pass)->weight[i], entropy[i], seed,
                            "entropy");
        for (size_t i = 0; i < zb_pass_params(r.pass)->ntheta; i++)
            check_parameter(&r, &zb_pass_params(r.pass)->theta[i], shift[i], seed,
                            "shift");
        free(entropy);
        free(shift);
    }
    rig_free(&r);
    zb_model_free(model);
}

static void gradients_match(void **state)
{
    (void)state;
    static const random_spec specs[] = {
        { .max_vars = 7,
          .max_card = 3,
          .max_factors = 10,
          .max_arity = 3,
          .spread = 1 },
        { .max_vars = 7,
          .max_card = 2,
          .max_factors = 12,
          .max_arity = 3,
          .zeros = .15,
          .spread = 1 },
        { .max_vars = 5,
          .max_card = 5,
          .max_factors = 8,
          .max_arity = 2,
          .zeros = .05,
          .spread = 1 },
    };
    for (uint64_t seed = 0; seed < test_models(400); seed++)
        check_gradient(seed, specs[seed % 3]);
}

/* A grid large enough for several blocks, outer axes and threads. */
static zb_model *grid(int side, int card, uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = side * side, *cards = malloc((size_t)n * sizeof *cards);
    double *value = malloc((size_t)(card * card) * sizeof *value);
    zb_model *model;
    for (int i = 0; i < n; i++)
        cards[i] = card;
    assert_int_equal(zb_model_new(&model, n, cards), ZB_OK);
    for (int i = 0; i < n; i++)
        for (int way = 0; way < 2; way++) {
            int j = way ? i + side : i + 1, scope[] = { i, j };
            if (way ? j >= n : j % side == 0)
                continue;
            for (int a = 0; a < card * card; a++)
                value[a] = exp(2 * zb_rng_uniform(&rng) - 1);
            assert_int_equal(zb_model_add(model, 2, scope, value), ZB_OK);
        }
    free(cards);
    free(value);
    return model;
}

/* Twenty chains of ones meet in one variable: messages that are large without being far
   from one by themselves, whose product leaves the doubles. */
static void many_large_messages(void **state)
{
    (void)state;
    enum { ARMS = 20, LENGTH = 63, COUNT = ARMS * LENGTH + 1 };
    for (int tiny = 0; tiny < 2; tiny++) {
        int card[COUNT], order[COUNT];
        double value[4], want = log(2) * (tiny ? 1 : COUNT);
        zb_model *model;
        for (int i = 0; i < 4; i++)
            value[i] = tiny ? 0.5 : 1;
        for (int v = 0; v < COUNT; v++)
            card[v] = 2, order[v] = v;
        assert_int_equal(zb_model_new(&model, COUNT, card), ZB_OK);
        for (int v = 0; v + 1 < COUNT; v++) {
            int next = v % LENGTH == LENGTH - 1 ? COUNT - 1 : v + 1;
            assert_int_equal(zb_model_add(model, 2, (int[]){ v, next }, value), ZB_OK);
        }
        zb_pass_spec spec = { .side = ZB_SIDE_UPPER, .gradient = true };
        rig r = rig_new(model, 1, 2, spec);
        zb_tree_free(r.tree);
        zb_pass_free(r.pass);
        assert_int_equal(
            zb_tree_new(&r.tree, r.scopes, order, &(zb_split_spec){ .ibound = 2 }),
            ZB_OK);
        assert_int_equal(zb_pass_new(&r.pass, r.tree, &spec), ZB_OK);
        for (int f = 0; f < zb_model_nfactors(model); f++)
            zb_pass_set_linear(r.pass, f, value, 0);
        double b = zb_pass_forward(r.pass), belief[4];
        CHECK(close_to(b, want, 1e-12), "%.17g is not %.17g", b, want);
        zb_pass_backward(r.pass);
        for (int f = 0; f < zb_model_nfactors(model); f++) {
            zb_pass_belief(r.pass, f, belief);
            for (int i = 0; i < 4; i++)
                CHECK(close_to(belief[i], 0.25, 1e-12), "factor %d: %g", f, belief[i]);
        }
        rig_free(&r);
        zb_model_free(model);
    }
}

static bool any_divided(const rig *r)
{
    for (int k = 0; k < r->tree->nnodes; k++)
        if (zb_pass_parts(r->pass, k) > 1)
            return true;
    return false;
}

/* A number that every bit of the bound and of all derivatives enters. */
static double digest(rig *r)
{
    double sum = zb_pass_forward(r->pass), belief[16];
    zb_pass_backward(r->pass);
    for (size_t i = 0; i < zb_pass_params(r->pass)->ntheta; i++)
        sum += (double)(i % 17) * zb_pass_params(r->pass)->theta_grad[i];
    for (size_t i = 0; i < zb_pass_params(r->pass)->nweight; i++)
        sum += (double)(i % 13) * zb_pass_params(r->pass)->entropy[i];
    for (int f = 0; f < zb_model_nfactors(r->model); f++) {
        zb_pass_belief(r->pass, f, belief);
        for (size_t i = 0; i < zb_model_size(r->model, f); i++)
            sum += (double)(i + 1) * belief[i];
    }
    return sum;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        zb_model *model = grid(24, 2, 7);
        double first = 0;
        for (int threads = 1; threads <= 5; threads++) {
            zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                                  .theta = true,
                                  .shared = shared,
                                  .gradient = true,
                                  .threads = threads };
            rig r = rig_new(model, 3, 17, spec);
            assert_int_equal(zb_pass_threads(r.pass),
                             threads); /* large enough for them */
            assert_true(any_divided(&r));
            zb_rng rng = zb_rng_seed(5);
            randomise(&r, &rng, ZB_SIDE_UPPER, 1);
            double d = digest(&r);
            if (threads == 1)
                first = d;
            CHECK(d == first, "%d threads: %.17g, one: %.17g", threads, d, first);
            rig_free(&r);
        }
        zb_model_free(model);
    }
}

/* Nodes worked on in parts: as one piece up to rounding, the same bits for all threads,
   with signs and zeros too, on both sides. */
static void divided_nodes(void **state)
{
    (void)state;
    int divided = 0, by_value = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int card = seed % 4 == 0 ? 3 : 2;
        zb_model *model = grid(card == 2 ? 6 : 4, card, seed);
        double first = 0;
        for (int threads = 0; threads <= 3; threads++) {
            zb_pass_spec spec = { .side = seed % 3 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER,
                                  .theta = seed % 2,
                                  .shared = seed / 2 % 2,
                                  .gradient = true,
                                  .threads = threads > 0 ? threads : 1,
                                  .divide = threads > 0 ? 64 : 1 << 30 };
            rig r = rig_new(model, seed, card == 2 ? 8 + (int)(seed % 5) : 6, spec);
            zb_rng rng = zb_rng_seed(seed);
            randomise(&r, &rng, spec.side, 1);
            for (int f = 0; f < zb_model_nfactors(model) && seed % 3 == 1; f++) {
                double value[9];
                for (int i = 0; i < card * card; i++)
                    value[i] = zb_rng_uniform(&rng) - (f % 3 ? 0.2 : 0);
                value[f % 4] = f % 5 ? value[f % 4] : 0;
                zb_pass_set_linear(r.pass, f, value, 0.5);
            }
            double d = digest(&r);
            assert_true(threads > 0 || !any_divided(&r));
            divided += any_divided(&r);
            for (int k = 0; k < r.tree->nnodes; k++)
                by_value += zb_pass_by_value(r.pass, k) && zb_pass_parts(r.pass, k) > 1;
            CHECK(threads == 1 ? close_to(d, first, 1e-11) : threads == 0 || d == first,
                  "seed %ju, %d threads: %.17g not %.17g", (uintmax_t)seed, threads, d,
                  first);
            first = d;
            rig_free(&r);
        }
        zb_model_free(model);
    }
    assert_true(divided > 60 && by_value > 10);
}

static void large_tables_have_right_gradients(void **state)
{
    (void)state;
    for (int card = 2; card <= 3; card++) {
        zb_model *model = grid(card == 2 ? 6 : 4, card, 11);
        for (int ibound = 4; ibound <= 11; ibound += card == 2 ? 1 : 2) {
            zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                                  .theta = true,
                                  .shared = ibound % 2 == 0,
                                  .gradient = true,
                                  .divide = ibound % 4 < 2 ? 64 : 0 };
            rig r = rig_new(model, (uint64_t)ibound, ibound, spec);
            zb_rng rng = zb_rng_seed(5);
            randomise(&r, &rng, ZB_SIDE_UPPER, 1);
            zb_pass_forward(r.pass);
            zb_pass_backward(r.pass);
            for (int f = 0; f < zb_model_nfactors(model); f += 5)
                check_factor(&r, f, (uint64_t)ibound);
            rig_free(&r);
        }
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(gradients_match),
        cmocka_unit_test(large_tables_have_right_gradients),
        cmocka_unit_test(many_large_messages),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(divided_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
