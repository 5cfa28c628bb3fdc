/* Method auto against brute force, with so little memory and patience that every
 * branch has its turn: exact, slices, brackets, support, interruptions. What is short
 * is counted in reports, not in seconds: the same runs on every machine. */
#include "model/model.h"
#include "oracle.h"
#include "base/rng.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

static const double TOL = 1e-9;

/* What is seen on the way: reports only ever improve and always contain ln Z. */
typedef struct listener {
    interval z;
    double lower, upper;
    int calls, most; /* stop after `most` calls; negative: never */
    uint64_t seed;
} listener;

/* An exact answer may be wider than a bound that it meets, by rounding. */
static bool at_most(double a, double b) { return a <= b || close_to(a, b, TOL); }

static bool listen(void *context, const zb_progress *at)
{
    listener *l = context;
    CHECK(!isnan(at->log_lower) && !isnan(at->log_upper), "seed %" PRIu64 ": NaN",
          l->seed);
    CHECK(at_most(l->lower, at->log_lower) && at_most(at->log_upper, l->upper),
          "seed %" PRIu64 ": [%.15g, %.15g] after [%.15g, %.15g]", l->seed,
          at->log_lower, at->log_upper, l->lower, l->upper);
    CHECK(is_below(at->log_lower, l->z) && is_above(at->log_upper, l->z),
          "seed %" PRIu64 ": [%.17g, %.17g] without %.17g", l->seed, at->log_lower,
          at->log_upper, l->z.lower);
    l->lower = at->log_lower;
    l->upper = at->log_upper;
    return l->calls++ != l->most;
}

static void check_result(const zb_result *r, const listener *l, zb_side side)
{
    CHECK(r->guaranteed, "seed %" PRIu64 ": not guaranteed", l->seed);
    CHECK(r->has_lower == (side != ZB_SIDE_UPPER) &&
              r->has_upper == (side != ZB_SIDE_LOWER),
          "seed %" PRIu64 ": sides", l->seed);
    if (r->has_lower)
        CHECK(is_below(r->log_lower, l->z) && r->log_lower >= l->lower,
              "seed %" PRIu64 ": lower %.17g, ln Z %.17g, reported %.17g", l->seed,
              r->log_lower, l->z.upper, l->lower);
    if (r->has_upper)
        CHECK(is_above(r->log_upper, l->z) && r->log_upper <= l->upper,
              "seed %" PRIu64 ": upper %.17g, ln Z %.17g, reported %.17g", l->seed,
              r->log_upper, l->z.lower, l->upper);
    if (r->has_lower && r->has_upper)
        CHECK(r->log_lower <= r->log_upper, "seed %" PRIu64 ": %.17g > %.17g", l->seed,
              r->log_lower, r->log_upper);
    if (r->exact)
        CHECK((!r->has_upper || close_to(r->log_upper, l->z.upper, TOL)) &&
                  (!r->has_lower || close_to(r->log_lower, l->z.lower, TOL)) &&
                  (side != ZB_SIDE_BOTH || spans_its_rounding(r)),
              "seed %" PRIu64 ": exact [%.15g, %.15g], ln Z %.15g", l->seed,
              r->log_lower, r->log_upper, l->z.lower);
    CHECK(r->exact == (r->stop == ZB_STOP_EXACT), "seed %" PRIu64 ": stop %s", l->seed,
          zb_stop_name(r->stop));
}

/* Runs, checks and returns the result. most: progress calls before the interruption. */
static zb_result run_auto(uint64_t seed, const zb_model *model, const zb_options *opt,
                          int most)
{
    listener l = { .z = brute_interval(model),
                   .lower = -INFINITY,
                   .upper = INFINITY,
                   .most = most,
                   .seed = seed };
    zb_observer observer = { .context = &l, .progress = listen };
    zb_result r;
    zb_error err;
    zb_status status = zb_solve(model, opt, &observer, &r, &err);
    CHECK(status == ZB_OK, "seed %" PRIu64 ": %s", seed, err.text);
    check_result(&r, &l, opt->side);
    CHECK(most < 0 || r.exact || l.calls <= most || r.stop == ZB_STOP_INTERRUPTED,
          "seed %" PRIu64 ": %s after a request to stop", seed, zb_stop_name(r.stop));
    return r;
}

/* No limit of time. */
static zb_options options(uint64_t memory)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.memory = memory;
    opt.threads = 2;
    return opt;
}

static void small_models_are_exact(void **state)
{
    (void)state;
    random_spec spec = { 12, 4, 16, 4, 0, 2, true };
    zb_options opt = options(0);
    for (uint64_t seed = 1; seed <= test_models(150); seed++) {
        spec.zeros = (double)(seed % 4) * 0.2;
        zb_model *model = random_model(seed, spec);
        opt.side = (zb_side)(seed % 3);
        zb_result r = run_auto(seed, model, &opt, -1);
        CHECK(r.exact, "seed %" PRIu64 ": not exact", seed);
        zb_model_free(model);
    }
}

/* Pairs on binary variables, nearly all of them: reductions find little to do. parts
   models side by side. */
static zb_model *dense_model(uint64_t seed, int parts, double zeros)
{
    zb_rng rng = zb_rng_seed(seed);
    int each = 14 / parts, n = each * parts, card[14];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[4];
            int scope[2] = { u, v };
            for (int i = 0; i < 4; i++)
                value[i] = zb_rng_uniform(&rng) < zeros
                               ? 0
                               : exp(2 * zb_rng_uniform(&rng) - 1);
            if (u / each == v / each)
                assert_int_equal(zb_model_add(model, 2, scope, value), ZB_OK);
        }
    return model;
}

typedef struct tally {
    int exact, finite, runs;
} tally;

static void count(tally *t, const zb_result *r)
{
    t->runs++;
    t->exact += r->exact;
    t->finite += !r->exact && r->log_lower > -INFINITY;
}

/* Memory too small for the width: all slices. */
static void slices_are_exact(void **state)
{
    (void)state;
    tally t = { 0 };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        zb_model *model = dense_model(seed, 1 + (int)(seed % 2), 0.05);
        zb_options opt = options(400 << 10);
        opt.threads = 1; /* its tables are within the memory of one */
        zb_result r = run_auto(seed, model, &opt, -1);
        count(&t, &r);
        zb_model_free(model);
    }
    CHECK(t.exact >= 5, "only %d of %d were exact", t.exact, t.runs);
}

/* Neither memory nor patience: brackets. */
static void brackets_contain_z(void **state)
{
    (void)state;
    tally t = { 0 };
    for (uint64_t seed = 1; seed <= 16; seed++) {
        int parts = 1 + (int)(seed % 3);
        zb_model *model = dense_model(seed, parts, seed % 2 ? 0.08 : 0);
        zb_options opt = options((uint64_t)4096 << seed % 8);
        opt.side = (zb_side)(seed / 3 % 3);
        zb_result r = run_auto(seed, model, &opt, 2 + (int)(seed % 8));
        if (opt.side != ZB_SIDE_UPPER)
            count(&t, &r);
        zb_model_free(model);
    }
    CHECK(t.runs > t.exact, "no run was a bracket");
    CHECK(t.finite > 0, "no lower bound in %d brackets", t.runs - t.exact);
}

/* Mixed cardinalities, zeros, evidence, several components, an ibound of one's own. */
static void odd_models_are_bracketed(void **state)
{
    (void)state;
    random_spec spec = { 15, 4, 40, 3, 0, 3, true };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        spec.zeros = (double)(seed % 5) * 0.1;
        zb_model *model = random_model(seed, spec);
        zb_options opt = options((uint64_t)1024 << seed % 8);
        opt.side = (zb_side)(seed % 3);
        opt.ibound = (int)(seed % 4);
        run_auto(seed, model, &opt, 1 + (int)(seed % 16));
        zb_model_free(model);
    }
}

static void interruptions_leave_a_bracket(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(5);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        zb_model *model = dense_model(seed, 1 + (int)(seed % 3), seed % 2 ? 0.1 : 0);
        zb_options opt = options((uint64_t)4096 << seed % 4);
        opt.side = (zb_side)(seed % 3);
        run_auto(seed, model, &opt, zb_rng_below(&rng, seed % 5 ? 12 : 200));
        zb_model_free(model);
    }
}

/* One component with Z = 0 decides for all, whatever became of the others. */
static void one_empty_component_is_exact(void **state)
{
    (void)state;
    zb_model *model = dense_model(3, 2, 0);
    double equal[4] = { 1, 0, 0, 1 }, unequal[4] = { 0, 1, 1, 0 };
    for (int i = 0; i < 3; i++) { /* an odd cycle that must alternate */
        int scope[2] = { 7 + i, 7 + (i + 1) % 3 };
        zb_model_add(model, 2, scope, unequal);
    }
    zb_model_add(model, 2, (int[]){ 10, 11 }, equal);
    for (int tries = 0; tries < 3; tries++) {
        zb_options opt = options((uint64_t)4096 << 4 * tries);
        zb_result r = run_auto(3, model, &opt, -1);
        CHECK(r.exact && r.log_upper == -INFINITY, "upper %g", r.log_upper);
    }
    zb_model_free(model);
}

static void a_given_order_is_taken(void **state)
{
    (void)state;
    int order[14];
    for (int v = 0; v < 14; v++)
        order[v] = 13 - v;
    zb_options opt = options(0);
    opt.order = ZB_ORDER_FILE;
    opt.order_list = order;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        zb_model *model = dense_model(seed, 1, 0);
        opt.memory = seed % 2 ? 0 : 8192;
        run_auto(seed, model, &opt, seed % 2 ? -1 : 8);
        zb_model_free(model);
    }
}

/* Grids: the gauged forms join in. ln Z comes from method be. most: reports before the
   interruption. */
static zb_result fly_over_grid(uint64_t seed, const zb_options *opt, int most)
{
    zb_ising_spec spec = {
        .rows = 16, .cols = 16, .coupling = 1, .field = 0.1, .seed = seed
    };
    zb_options be = options(0);
    zb_model *model;
    zb_result exact, r;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    be.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &be, NULL, &exact, NULL), ZB_OK);
    listener l = { .z = { exact.log_lower, exact.log_upper },
                   .lower = -INFINITY,
                   .upper = INFINITY,
                   .most = most,
                   .seed = seed };
    zb_observer observer = { .context = &l, .progress = listen };
    assert_int_equal(zb_solve(model, opt, &observer, &r, NULL), ZB_OK);
    check_result(&r, &l, ZB_SIDE_BOTH);
    zb_model_free(model);
    return r;
}

static void grids_are_bracketed(void **state)
{
    (void)state;
    zb_options opt = options(1 << 20);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        zb_result r = fly_over_grid(seed, &opt, 40);
        CHECK(!r.exact && r.log_lower > -INFINITY, "seed %" PRIu64, seed);
    }
}

/* Whatever part of its work the machine did in that time; memory may end before it. */
static void time_ends_a_run(void **state)
{
    (void)state;
    zb_options opt = options(1 << 20);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        opt.time = 0.02 * (double)seed;
        zb_result r = fly_over_grid(seed, &opt, -1);
        CHECK(r.exact || r.stop == ZB_STOP_TIME || r.stop == ZB_STOP_MEMORY,
              "seed %" PRIu64 ": %s", seed, zb_stop_name(r.stop));
    }
}

/* Where no clock ends a run, the number of threads changes no number: short of memory,
   with sides side by side, exact. */
static void threads_change_no_number(void **state)
{
    (void)state;
    static const uint64_t memory[] = { 1 << 18, 1 << 19, 40 << 20, 0 };
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
        zb_ising_spec spec = {
            .rows = 9, .cols = 8, .coupling = 1, .field = 0.1, .seed = m + 1
        };
        zb_result r[2];
        zb_model *model;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        for (int i = 0; i < 2; i++) {
            zb_options opt = options(memory[m]);
            opt.ibound = 3;
            opt.threads = 1 + 2 * i;
            assert_int_equal(zb_solve(model, &opt, NULL, &r[i], NULL), ZB_OK);
        }
        CHECK(r[0].log_lower == r[1].log_lower && r[0].log_upper == r[1].log_upper &&
                  r[0].exact == r[1].exact && r[0].iterations == r[1].iterations &&
                  r[0].stop == r[1].stop,
              "memory %zu: [%.17g, %.17g] and [%.17g, %.17g]", (size_t)memory[m],
              r[0].log_lower, r[0].log_upper, r[1].log_lower, r[1].log_upper);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_models_are_exact),
        cmocka_unit_test(slices_are_exact),
        cmocka_unit_test(brackets_contain_z),
        cmocka_unit_test(odd_models_are_bracketed),
        cmocka_unit_test(interruptions_leave_a_bracket),
        cmocka_unit_test(one_empty_component_is_exact),
        cmocka_unit_test(a_given_order_is_taken),
        cmocka_unit_test(grids_are_bracketed),
        cmocka_unit_test(threads_change_no_number),
        cmocka_unit_test(time_ends_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
