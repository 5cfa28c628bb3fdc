/* Configurations of positive weight to start from, and the lower bounds that grow from
 * them where zeros spoil all others. */
#include "auto/sides.h"
#include "auto/start.h"
#include "given.h"
#include "awkward.h"
#include "engines.h"

/* ln of the weight that is left when the variables have these values. */
static double log_z_at(const zb_model *model, int count, const int *var,
                       const int *value)
{
    zb_model *copy = model_of(model->nvars, model->card);
    for (int f = 0; f < model->nfactors; f++) {
        double *table = malloc(model->factor[f].size * sizeof *table);
        zb_model_log_values(model, f, table);
        add_logs_to(copy, model->factor[f].arity, model->factor[f].scope, table);
        free(table);
    }
    for (int v = 0; v < model->nvars; v++)
        if (model->evidence[v] >= 0)
            assert_int_equal(zb_model_observe(copy, v, model->evidence[v]), ZB_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(zb_model_observe(copy, var[i], value[i]), ZB_OK);
    double z = brute_force(copy);
    zb_model_free(copy);
    return z;
}

/* An upper bound's attempt, exact if ibound is large. */
static zb_attempt *guide_of(const zb_model *model, int ibound)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINFILL,
                             .tries = 1,
                             .ibound = ibound,
                             .tighten = { .side = ZB_SIDE_UPPER,
                                          .weights = true,
                                          .gradient = true,
                                          .threads = 1 } };
    zb_attempt *guide;
    assert_int_equal(zb_attempt_new(&guide, model, &spec, NULL, NULL), ZB_OK);
    return guide;
}

static const random_spec ZEROS = { 10, 4, 20, 3, 0.35, 2, false };

/* Found if and only if there is one, with a guide and without. */
static void finds_what_there_is(void **state)
{
    (void)state;
    int none = 0, some = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        zb_model *given = random_model(seed, ZEROS), *model;
        double z = brute_force(given);
        assert_int_equal(clean_given(&model, given, NULL), ZB_OK);
        int var[10], value[10], count = (model->nvars + 1) / 2;
        zb_attempt *guide = seed % 2 && model->nvars > 0 ? guide_of(model, 3) : NULL;
        bool found;
        for (int i = 0; i < count; i++)
            var[i] = model->nvars - 1 - 2 * i;
        assert_int_equal(zb_start_find(model, guide,
                                       &(zb_cutset){ .count = count, .var = var }, NULL,
                                       value, &found),
                         ZB_OK);
        CHECK(found == (z > -INFINITY), "seed %ju: found %d, ln Z %g", (uintmax_t)seed,
              found, z);
        for (int i = 0; i < count && found; i++)
            CHECK(value[i] >= 0 && value[i] < model->card[var[i]], "seed %ju",
                  (uintmax_t)seed);
        CHECK(!found || log_z_at(model, count, var, value) > -INFINITY,
              "seed %ju: a start without weight", (uintmax_t)seed);
        none += !found;
        some += found;
        zb_attempt_free(guide);
        zb_model_free(model);
        zb_model_free(given);
    }
    CHECK(none > 50 && some > 50, "%d with, %d without", some, none);
}

/* Without zeros nothing stands against the values that the guide believes in: where its
   beliefs are the marginals themselves, the likelier value of each spin. */
static void follows_the_guide(void **state)
{
    (void)state;
    int clear = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        enum { N = 10 };
        double z;
        zb_model *model = chain(seed, N, 2, 2, &z);
        zb_attempt *guide = guide_of(model, N);
        int value[N], var[N] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
        bool found;
        assert_int_equal(zb_start_find(model, guide,
                                       &(zb_cutset){ .count = N, .var = var }, NULL,
                                       value, &found),
                         ZB_OK);
        assert_true(found);
        for (int v = 0; v < N; v++) {
            double odds = log_z_at(model, 1, &v, &value[v]) -
                          log_z_at(model, 1, &v, (int[]){ 1 - value[v] });
            CHECK(odds > -1e-6, "seed %ju: spin %d, odds %g", (uintmax_t)seed, v, odds);
            clear += odds > 0.5;
        }
        zb_attempt_free(guide);
        zb_model_free(model);
    }
    CHECK(clear > 100, "only %d spins have a preference", clear);
}

/* Slices from a start: a lower bound that is never minus infinity if Z is not 0. */
static void slices_from_a_start(void **state)
{
    (void)state;
    int whole = 0, runs = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        zb_model *given = random_model(seed, ZEROS), *model;
        interval z = brute_interval(given);
        zb_ball sum;
        assert_int_equal(clean_given(&model, given, NULL), ZB_OK);
        int count = zb_min_int(4, model->nvars), var[4], value[4];
        zb_cutset cutset = { .count = count, .var = var, .slices = 1 };
        zb_run run = open_run(NULL, 0, 1 + (int)(seed % 2));
        zb_slices s = { .model = model, .cutset = &cutset, .run = &run };
        int64_t solved;
        bool found;
        for (int i = 0; i < count; i++)
            cutset.slices *= model->card[var[i] = i];
        assert_int_equal(zb_start_find(model, NULL, &cutset, NULL, value, &found),
                         ZB_OK);
        if (found) {
            assert_int_equal(zb_slices_search(&s, value, &sum, &solved), ZB_OK);
            CHECK(sum.mid > -INFINITY && is_below(zb_down(sum.mid, sum.radius), z),
                  "seed %ju: %.17g of %.17g", (uintmax_t)seed, sum.mid, z.upper);
            CHECK((double)solved <= cutset.slices, "seed %ju: slices twice",
                  (uintmax_t)seed);
            whole += close_to(sum.mid, z.upper, 1e-9);
            runs++;
        }
        zb_run_close(&run);
        zb_model_free(model);
        zb_model_free(given);
    }
    CHECK(2 * whole > runs, "%d of %d sums are whole", whole, runs);
}

/* ---- inside the default method ----------------------------------------------------
 */

/* The first look at a model of one component, mini-buckets of two variables and slices
   within `memory`, with time in plenty. Returns whether there is anything to look at.
 */
static bool first_look(const zb_model *model, zb_side side, uint64_t memory,
                       double *lower, double *upper)
{
    zb_options opt = zb_options_default();
    zb_result out = { 0 };
    opt.ibound = 2;
    opt.side = side;
    zb_run run = open_run(NULL, 0, 1);
    zb_steer p = { .opt = &opt, .memory = memory, .out = &out };
    zb_sides sides;
    assert_int_equal(zb_ledger_open(&p.ledger, model, &run), ZB_OK);
    assert_int_equal(zb_exact_job_new(&p.job, model, &opt, 0.01, &run, NULL), ZB_OK);
    assert_int_equal(zb_ledger_parts(&p.ledger, p.job->count, p.job->part), ZB_OK);
    bool one = p.job->components == 1 && p.job->part[0]->nvars > 2;
    if (one) {
        assert_int_equal(pthread_mutex_init(&p.describe, NULL), 0);
        zb_sides_open(&sides, &p, 0, 0);
        assert_int_equal(zb_sides_first(&sides, zb_now() + 1e5), ZB_OK);
        assert_int_equal(zb_sides_second(&sides, zb_now() + 1e5), ZB_OK);
        zb_sides_close(&sides);
        pthread_mutex_destroy(&p.describe);
    }
    zb_claim all = zb_ledger_total(&p.ledger);
    *lower = all.lower;
    *upper = all.upper;
    zb_exact_job_free(p.job);
    zb_ledger_close(&p.ledger);
    zb_run_close(&run);
    return one;
}

/* Pairs of all spins, some of them forbidden. */
static zb_model *dense(uint64_t seed, int n, double zeros)
{
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model = spins(n);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double value[4];
            for (int i = 0; i < 4; i++)
                value[i] =
                    zb_rng_uniform(&rng) < zeros ? -INFINITY : zb_rng_uniform(&rng);
            add_logs_to(model, 2, (int[]){ u, v }, value);
        }
    return model;
}

/* Negative weights make nothing of a model with zeros; slices that start from a
   configuration of positive weight do, and here there are few enough to sum them all.
 */
static void support_bounds_from_below(void **state)
{
    (void)state;
    int looks = 0, whole = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double lower, upper;
        zb_model *model = dense(seed, 14, 0.06);
        interval z = brute_interval(model);
        zb_side side = seed % 2 ? ZB_SIDE_BOTH : ZB_SIDE_LOWER;
        if (first_look(model, side, 1600 << 10, &lower, &upper)) {
            CHECK((lower > -INFINITY || z.upper == -INFINITY) && is_below(lower, z) &&
                      is_above(upper, z),
                  "seed %ju: [%.17g, %.17g], ln Z %.17g", (uintmax_t)seed, lower, upper,
                  z.lower);
            looks++;
            whole += close_to(lower, z.lower, 1e-9);
        }
        zb_model_free(model);
    }
    CHECK(looks > 4 && 2 * whole > looks, "%d of %d sums are whole", whole, looks);
}

/* Rank of a system of parities over GF(2), rows of 128 bits. */
static int rank(int rows, uint64_t (*row)[2])
{
    int r = 0;
    for (int bit = 0; bit < 128; bit++) {
        int pivot = r;
        while (pivot < rows && !(row[pivot][bit / 64] >> bit % 64 & 1))
            pivot++;
        if (pivot == rows)
            continue;
        for (int w = 0; w < 2; w++) {
            uint64_t swap = row[pivot][w];
            row[pivot][w] = row[r][w];
            row[r][w] = swap;
        }
        for (int i = 0; i < rows; i++)
            if (i != r && row[i][bit / 64] >> bit % 64 & 1)
                row[i][0] ^= row[r][0], row[i][1] ^= row[r][1];
        r++;
    }
    return r;
}

/* Sums of six random variables are even: 2^(n - rank) solutions, by linear algebra,
   which the library does not know. A common weight of e^0.1 a parity. */
static zb_model *parities(uint64_t seed, int n, int count, double *log_z)
{
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model = spins(n);
    uint64_t(*row)[2] = calloc((size_t)count, sizeof *row);
    double even[64];
    for (int i = 0; i < 64; i++)
        even[i] = __builtin_popcount((unsigned)i) % 2 ? -INFINITY : 0.1;
    for (int c = 0; c < count; c++) {
        int order[128];
        for (int v = 0; v < n; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, n, order);
        add_logs_to(model, 6, order, even);
        for (int i = 0; i < 6; i++)
            row[c][order[i] / 64] |= (uint64_t)1 << order[i] % 64;
    }
    *log_z = 0.1 * count + (n - rank(count, row)) * log(2);
    free(row);
    return model;
}

/* Counting does not come to an end here. The clock ends it, and decides how far the
   rest comes: the bounds hold however far that is. */
static void bounds_of_parities(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        double z;
        zb_model *model = parities(seed, 120, 90, &z);
        zb_options opt = zb_options_default();
        zb_result r;
        opt.time = 0.4;
        opt.memory = 16 << 20;
        opt.threads = (int)seed;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        /* three roundings of the closed form */
        interval around = { nextafter(z - 1e-13, 0), nextafter(z + 1e-13, 1e9) };
        CHECK(r.has_lower && brackets(&r, around),
              "seed %ju: [%.17g, %.17g], ln Z %.17g", (uintmax_t)seed, r.log_lower,
              r.log_upper, z);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_there_is),
        cmocka_unit_test(follows_the_guide),
        cmocka_unit_test(slices_from_a_start),
        cmocka_unit_test(support_bounds_from_below),
        cmocka_unit_test(bounds_of_parities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
