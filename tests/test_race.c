/* Candidates of a gauged search: each begins with a bound, and the best of them is not
   lost because another looks like it. */
#include "oracle.h"
#include "test.h"
#include "tighten/attempt.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_colour_is_tried) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
