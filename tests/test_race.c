/* Candidates of a gauged search: each begins with a bound, and the best of them is not
   lost because another looks like it. */
#include "oracle.h"
#include "test.h"
#include "tighten/search.h"

#include <inttypes.h>

/* A grid of spins, six by six, as a spin glass has them. */
static zb_model *some_grid(uint64_t seed)
{
    zb_model *m;
    zb_ising_spec spec = {
        .rows = 6, .cols = 6, .coupling = 1.5, .field = 0.1, .seed = seed
    };
    assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
    return m;
}

/* On the checkerboard of that colour, row by row, with gauges. */
static double first_bound(const zb_model *model, int variant)
{
    zb_attempt_spec spec = { .form = ZB_FORM_LATTICE,
                             .variant = variant,
                             .order = ZB_ORDER_NATURAL,
                             .tries = 1,
                             .ibound = 4,
                             .tighten = { .side = ZB_SIDE_UPPER,
                                          .weights = true,
                                          .theta = true,
                                          .gauges = true,
                                          .gradient = true,
                                          .shared = true,
                                          .threads = 1 } };
    zb_attempt *a;
    assert_int_equal(zb_attempt_new(&a, model, &spec, NULL, NULL), ZB_OK);
    double bound = a->bound;
    zb_attempt_free(a);
    return bound;
}

static double searched(const zb_model *model, int iterations)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_WMBE_WG;
    opt.form = ZB_FORM_LATTICE;
    opt.order = ZB_ORDER_NATURAL;
    opt.side = ZB_SIDE_UPPER;
    opt.ibound = 4;
    opt.iterations = iterations;
    opt.time = 0;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r.log_upper;
}

static void every_colour_is_tried(void **state)
{
    int second = 0, apart = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        zb_model *model = some_grid(seed);
        double white = first_bound(model, 0), black = first_bound(model, 1),
               best = fmin(white, black);
        CHECK(isfinite(white) && isfinite(black), "seed %" PRIu64, seed);
        CHECK(searched(model, 0) <= best + 1e-9 * fabs(best),
              "seed %" PRIu64 ": the better start was not taken", seed);
        CHECK(searched(model, 40) <= best + 1e-9 * fabs(best),
              "seed %" PRIu64 ": worse than a start", seed);
        second += black < white;
        apart += black != white;
        zb_model_free(model);
    }
    CHECK(second >= 2 && apart > second, "%d of %d second colours", second, apart);
}

/* ---- candidates that are judged after as many passes -------------------------------
 */

static zb_attempt *begun(const zb_model *m, const zb_options *opt, int few,
                         const zb_attempt_spec *like, int *entered)
{
    zb_run run;
    zb_attempt *a;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    zb_search search = { .model = m,
                         .opt = opt,
                         .run = &run,
                         .other = -INFINITY,
                         .few = few,
                         .decide = 15,
                         .like = like,
                         .entered = entered };
    assert_int_equal(zb_search_begin(&a, &search, ZB_SIDE_UPPER, NULL), ZB_OK);
    zb_attempt_watch(a, NULL);
    zb_run_close(&run);
    return a;
}

/* The best of several is not worse than the first alone, after as many passes; the
   order of the search before comes first. */
static void candidates_are_decided(void **state)
{
    int better = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        zb_model *model = some_grid(seed);
        zb_options opt = zb_options_default();
        int one, many, again;
        opt.method = ZB_METHOD_WMBE_WTHETA;
        opt.form = ZB_FORM_ORIGINAL;
        opt.iterations = 100;
        opt.ibound = 4;
        zb_attempt *a = begun(model, &opt, 1, NULL, &one),
                   *b = begun(model, &opt, 6, NULL, &many);
        CHECK(one == 1 && many > 1 && many <= 6, "seed %" PRIu64 ": %d, %d", seed, one,
              many);
        CHECK(a->passes <= 1 && b->passes >= 15 && b->passes <= 18,
              "seed %" PRIu64 ": %d and %d passes", seed, (int)a->passes,
              (int)b->passes);
        CHECK(b->spec.tries == 1, "seed %" PRIu64 ": random ties", seed);
        CHECK(b->bound < a->bound, "seed %" PRIu64 ": no better", seed);
        zb_attempt *c = begun(model, &opt, 1, &b->spec, &again);
        CHECK(c->spec.order == b->spec.order && c->spec.ties == b->spec.ties,
              "seed %" PRIu64 ": another order", seed);
        better += b->spec.ties != a->spec.ties || b->spec.order != a->spec.order;
        zb_attempt_free(a);
        zb_attempt_free(b);
        zb_attempt_free(c);
        zb_model_free(model);
    }
    CHECK(better >= 2, "the first one is always the best: %d", better);
}

/* ---- forms with gauges beside the model as it is -----------------------------------
 */

static zb_result bracket(const zb_model *model, zb_method method, int iterations)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = method;
    opt.ibound = 4;
    opt.iterations = iterations;
    opt.time = 0;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r;
}

/* A gauged method that chooses its form is never behind the same method without gauges,
   whose passes it does not lose to forms that are not taken. */
static void gauges_cost_nothing(void **state)
{
    static const zb_method pair[][2] = {
        { ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_WG },
        { ZB_METHOD_WMBE_THETA, ZB_METHOD_WMBE_G },
    };
    static const zb_ising_spec kind[] = {
        { .rows = 7, .cols = 7, .coupling = 0.5, .field = 0.1 },
        { .rows = 7, .cols = 7, .coupling = 2, .field = 0.1 },
        { .rows = 6, .cols = 6, .coupling = 1, .states = 3, .periodic = true },
        { .rows = 4, .cols = 4, .layers = 3, .coupling = 1, .field = 0.1 },
        { .rows = 6, .cols = 6, .coupling = 1, .lattice = ZB_LATTICE_TRIANGULAR },
    };
    int better = 0, same = 0;
    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int i = 0; i < 12; i++) {
            zb_ising_spec spec = kind[k];
            zb_model *m;
            int n = i % 3 == 0 ? 20 : i % 3 == 1 ? 60 : 150;
            spec.seed = (uint64_t)(i + 1);
            assert_int_equal(zb_generate_ising(&m, &spec), ZB_OK);
            zb_result plain = bracket(m, pair[i % 2][0], n),
                      gauged = bracket(m, pair[i % 2][1], n);
            double room = 1e-12 * fabs(plain.log_upper);
            CHECK(gauged.log_upper <= plain.log_upper + room &&
                      gauged.log_lower >= plain.log_lower - room,
                  "kind %zu, seed %d, %d passes: [%.6f, %.6f], without gauges [%.6f, "
                  "%.6f]",
                  k, i + 1, n, gauged.log_lower, gauged.log_upper, plain.log_lower,
                  plain.log_upper);
            CHECK(gauged.iterations <= n, "%d passes", (int)gauged.iterations);
            better += gauged.log_upper < plain.log_upper - 0.01;
            same += gauged.log_upper == plain.log_upper;
            zb_model_free(m);
        }
    CHECK(better >= 5 && same >= 5, "of 60 %d better, %d the same", better, same);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_colour_is_tried),
                                        cmocka_unit_test(gauges_cost_nothing),
                                        cmocka_unit_test(candidates_are_decided) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
