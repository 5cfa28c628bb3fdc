/* Both sides of every threshold in the arithmetic: where small
 * tables are multiplied first, where logarithms take over, where scales are settled,
 * where a table is cut into blocks and parts and threads join in. ln Z is known without
 * the library (awkward.h, brute force). */
#include "auto/counting.h"
#include "awkward.h"
#include "engines.h"

#include <inttypes.h>

static const double TOL = 1e-11;

/* Elimination and the pass, both in the order of the numbers, one thread and two. */
static void check_both(const zb_model *model, double z, size_t divide, const char *what,
                       double at)
{
    double one = by_elimination(model, false, 1), two = by_elimination(model, false, 2);
    CHECK(close_to(one, z, TOL) && one == two,
          "%s %g: elimination %.17g, two threads %.17g, ln Z %.17g", what, at, one, two,
          z);
    for (int gradient = 0; gradient < 2; gradient++) {
        pass_how how = { .gradient = gradient, .threads = 1, .divide = divide };
        one = by_pass(model, how);
        how.threads = 2;
        two = by_pass(model, how);
        CHECK(close_to(one, z, TOL) && one == two,
              "%s %g: pass %.17g, two threads %.17g, ln Z %.17g", what, at, one, two,
              z);
    }
}

/* ---- many tables in one bucket --------------------------------------------------- */

/* `tables` random tables on spin 0 and two others of n, ranges of about 2 spread. */
static zb_model *bucket(uint64_t seed, int n, int tables, double spread)
{
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model = spins(n);
    for (int t = 0; t < tables; t++) {
        int a = 1 + t % (n - 1),
            b = 1 + (a - 1 + 1 + zb_rng_below(&rng, n - 2)) % (n - 1);
        double value[8];
        for (int i = 0; i < 8; i++)
            value[i] = spread * (2 * zb_rng_uniform(&rng) - 1);
        add_logs_to(model, 3, (int[]){ 0, a, b }, value);
    }
    return model;
}

/* Any number of tables meet in a bucket; in elimination, small ones are multiplied
   first where that saves 4096 multiplications and their product has at most a sixteenth
   of the clique. Ranges add up to less than 600 nats, or to much more. */
static void tables_of_a_bucket(void **state)
{
    (void)state;
    static const int counts[] = { 30, 31, 32, 33, 34, 61, 62, 63, 64, 65, 93, 94, 95 };
    static const double spreads[] = { 1, 4, 20, 300 };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < 4; s++)
            for (int large = 0; large < 2; large++) {
                if (large && (c % 3 == 1 || s % 2 == 0))
                    continue; /* the others are enough for cliques of 8192 */
                zb_model *model =
                    bucket(c + 100 * s, large ? 13 : 7, counts[c], spreads[s]);
                check_both(model, brute_force(model), 0, "tables", counts[c]);
                zb_model_free(model);
            }
}

/* 66 tables and more on a core spin, each over hundreds of nats: a product in
   logarithms. */
static void hubs_of_many_wide_tables(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        static const double couplings[] = { 1, 5, 20, 400 };
        for (int c = 0; c < 4; c++) {
            double z;
            zb_model *model = hub((hub_spec){ .seed = seed,
                                              .core = seed == 1 ? 13 : 9,
                                              .arity = 3,
                                              .ties = seed == 1 ? 0 : 250,
                                              .coupling = couplings[c] },
                                  &z);
            for (int threads = 1; threads <= 2; threads++) {
                double e = by_elimination(model, true, threads);
                CHECK(close_to(e, z, TOL), "elimination %.17g, ln Z %.17g", e, z);
                e = by_pass(model, (pass_how){ .good = true, .threads = threads });
                CHECK(close_to(e, z, TOL), "pass %.17g, ln Z %.17g", e, z);
                e = by_solve(model, threads == 1 ? ZB_METHOD_BE : ZB_METHOD_AUTO,
                             threads);
                CHECK(close_to(e, z, TOL), "solve %.17g, ln Z %.17g", e, z);
            }
            zb_model_free(model);
        }
    }
}

/* ---- ranges ---------------------------------------------------------------------- */

/* m tables over (x, y) that together fall by `nats` from y = 0 to y = 1; then y = 0 is
   ruled out, so that the smallest products are all there is. */
static zb_model *tiny_alone(int m, double nats, bool linear, double *log_z)
{
    zb_model *model = spins(2);
    double total = 0;
    for (int i = 0; i < m; i++) {
        double value[4] = { 0, -nats / m, 0.1, 0.1 - nats / m };
        for (int k = 0; k < 4 && linear; k++)
            value[k] = exp(value[k]);
        assert_int_equal((linear ? zb_model_add
                                 : zb_model_add_log)(model, 2, (int[]){ 0, 1 }, value),
                         ZB_OK);
        total += linear ? log(value[1]) : value[1];
    }
    assert_int_equal(zb_model_add(model, 1, (int[]){ 1 }, (double[]){ 0, 1 }), ZB_OK);
    *log_z = total + log1p(exp(0.1 * m));
    return model;
}

/* 600 nats in a node, 708 and 745 in a double. */
static void smallest_products_alone(void **state)
{
    (void)state;
    static const double nats[] = { 1,   390, 399, 401, 410, 590, 599, 600.1,
                                   601, 610, 640, 649, 651, 660, 699, 701,
                                   709, 745, 746, 760, 999, 1e4, 1e6 };
    static const int counts[] = { 1, 2, 7, 31, 32, 33, 63, 64, 65, 300 };
    for (size_t i = 0; i < sizeof nats / sizeof *nats; i++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int linear = 0; linear < (nats[i] / counts[c] < 700 ? 2 : 1);
                 linear++) {
                double z;
                zb_model *model = tiny_alone(counts[c], nats[i], linear, &z);
                check_both(model, z, 0, "nats", nats[i]);
                zb_model_free(model);
            }
}

/* Inputs so wide that logarithms are needed, and a message of `nats`, about as wide as
   what is turned back into linear values. */
static void messages_about_as_wide_as_allowed(void **state)
{
    (void)state;
    static const double nats[] = { 1, 390, 399.9, 400.1, 410, 599, 601, 640, 660, 720 };
    for (size_t i = 0; i < sizeof nats / sizeof *nats; i++)
        for (int side = 0; side < 2; side++) {
            double up = 700, down = nats[i] + up;
            zb_model *model = spins(3);
            add_logs_to(model, 2, (int[]){ 0, 1 }, (double[]){ 0, up, 0.5, up + 0.5 });
            add_logs_to(model, 2, (int[]){ 0, 1 }, (double[]){ 0, -down, 0, -down });
            add_logs_to(model, 2, (int[]){ 1, 2 }, (double[]){ 0, 0.25, 0, 0.25 });
            add_logs_to(model, 1, (int[]){ 1 },
                        side ? (double[]){ -INFINITY, 0 } : (double[]){ 0, 0 });
            double z = log1p(exp(0.5)) + log1p(exp(0.25)) +
                       (side ? -nats[i] : log1p(exp(-nats[i])));
            check_both(model, z, 0, "message over", nats[i]);
            zb_model_free(model);
        }
}

/* Scales that drift along a chain, by less and by more than 32 bits (22 nats) a step,
   downwards over thousands of them. */
static void scales_drift(void **state)
{
    (void)state;
    static const double drops[] = {
        0, 1, 5, 10, 11, 12, 20, 22, 23, 24, 100, 320, 800
    };
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
        for (int card = 2; card <= 3; card++) {
            double z;
            zb_model *model = chain(i, 300, card, drops[i], &z);
            check_both(model, z, 0, "drop", drops[i]);
            zb_model_free(model);
        }
}

/* Linear tables at both ends of what a double holds, given to the pass as they are:
   bringing the large entries near one must not lose the small ones. */
static void linear_tables_at_both_ends(void **state)
{
    (void)state;
    static const double ends[][2] = {
        { 1e300, 1e-300 },        { 1e300, 1e299 }, { 1e-300, 1 },
        { 1e-307, 1e-300 },       { 65536, 1 },     { 131072, 1 },
        { 0x1p-1022, 0x1p-1022 }, { 1, 0x1p-1022 }
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int only = 0; only < 2; only++) {
            zb_scopes *scopes;
            zb_tree *tree;
            zb_pass *pass;
            double a = ends[i][0], b = ends[i][1], pair[] = { a, b, a, b },
                   one[] = { only == 0, only == 1 };
            zb_model *model = spins(2);
            assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 1 }, pair), ZB_OK);
            assert_int_equal(zb_model_add(model, 1, (int[]){ 1 }, one), ZB_OK);
            assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
            zb_split_spec whole = { .ibound = 3 };
            assert_int_equal(zb_tree_new(&tree, scopes, (int[]){ 0, 1 }, &whole),
                             ZB_OK);
            zb_pass_spec spec = { .gradient = true,
                                  .side = ZB_SIDE_UPPER,
                                  .threads = 1 };
            assert_int_equal(zb_pass_new(&pass, tree, &spec), ZB_OK);
            zb_pass_set_linear(pass, 0, pair, 0);
            zb_pass_set_linear(pass, 1, one, 0);
            double got = zb_pass_forward(pass), z = log(2) + log(only ? b : a);
            CHECK(close_to(got, z, TOL), "%g, %g: %.17g, not %.17g", a, b, got, z);
            zb_pass_free(pass);
            zb_tree_free(tree);
            zb_scopes_free(scopes);
            zb_model_free(model);
        }
}

/* ---- blocks and parts ------------------------------------------------------------ */

/* Plain sums without a way back work in blocks of up to 1024 entries, all else in
   blocks of 128 to 512; an axis that is longer is a block by itself. */
static void blocks_of_any_shape(void **state)
{
    (void)state;
    static const int shapes[][7] = { { 1, 127 },
                                     { 1, 128 },
                                     { 1, 129 },
                                     { 1, 511 },
                                     { 1, 512 },
                                     { 1, 513 },
                                     { 1, 1023 },
                                     { 1, 1024 },
                                     { 1, 1025 },
                                     { 1, 2048 },
                                     { 1, 2049 },
                                     { 1, 5000 },
                                     { 2, 2, 63 },
                                     { 2, 2, 64 },
                                     { 2, 2, 65 },
                                     { 2, 3, 64 },
                                     { 2, 64, 3 },
                                     { 2, 4, 127 },
                                     { 2, 4, 128 },
                                     { 2, 4, 129 },
                                     { 2, 5, 128 },
                                     { 2, 2, 512 },
                                     { 2, 3, 512 },
                                     { 2, 512, 3 },
                                     { 2, 32, 32 },
                                     { 2, 33, 32 },
                                     { 2, 5, 1025 },
                                     { 2, 1025, 5 },
                                     { 2, 1025, 2 },
                                     { 2, 2, 1025 },
                                     { 2, 1030, 40 },
                                     { 3, 7, 11, 13 },
                                     { 3, 13, 11, 8 },
                                     { 3, 3, 1025, 2 },
                                     { 3, 81, 81, 3 },
                                     { 4, 5, 6, 7, 8 },
                                     { 4, 2, 2, 2, 1025 },
                                     { 4, 32, 2, 32, 3 },
                                     { 5, 4, 4, 4, 4, 5 },
                                     { 5, 3, 3, 3, 3, 3 },
                                     { 6, 2, 3, 4, 5, 6, 7 } };
    static const int centres[] = { 2, 3, 16, 17 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t c = 0; c < 4; c++) {
            double z, size = centres[c];
            for (int k = 1; k <= shapes[i][0]; k++)
                size *= shapes[i][k];
            if (size > 150000 && c > 0)
                continue;
            zb_model *model = star((star_spec){ .seed = i + 50 * c,
                                                .centre = centres[c],
                                                .leaves = shapes[i][0],
                                                .card = shapes[i] + 1,
                                                .spread = c == 1 ? 200 : 1,
                                                .zeros = c == 2 ? 0.2 : 0 },
                                   &z);
            check_both(model, z, i % 2 ? 512 : 0, "shape", (double)i);
            zb_model_free(model);
        }
}

/* Cliques of 2^15 to 2^19 entries, from below the 2^15 from which on they are cut into
   parts, messages about the 2^14 and 2^18 from which on they are gone over by several
   threads and in stretches, with linear values and with logarithms. The pass is told to
   let threads join from 2^12 entries on. */
static void nodes_in_parts(void **state)
{
    (void)state;
    static const double spreads[] = { 1, 60 };
    for (int leaves = 14; leaves <= 18; leaves++)
        for (int s = 0; s < 2; s++) {
            double z;
            zb_model *model = star((star_spec){ .seed = (uint64_t)leaves,
                                                .centre = 2,
                                                .leaves = leaves,
                                                .spread = spreads[s] },
                                   &z);
            check_both(model, z, 4096, "leaves", leaves);
            zb_model_free(model);
        }
}

/* Threads join from 4e6 clique entries on: 2^21 are below, 2^22 above. */
static void threads_join(void **state)
{
    (void)state;
    for (int leaves = 19; leaves <= 20; leaves++) {
        double z;
        zb_model *model = star(
            (star_spec){ .seed = 5, .centre = 2, .leaves = leaves, .spread = 1 }, &z);
        double one = by_pass(model, (pass_how){ .gradient = true, .threads = 1 });
        double two = by_pass(model, (pass_how){ .gradient = true, .threads = 2 });
        CHECK(close_to(one, z, TOL) && one == two,
              "%d leaves: %.17g, two threads %.17g, ln Z %.17g", leaves, one, two, z);
        one = by_elimination(model, false, 1);
        two = by_elimination(model, false, 2);
        CHECK(close_to(one, z, TOL) && one == two,
              "%d leaves, elimination: %.17g, two threads %.17g, ln Z %.17g", leaves,
              one, two, z);
        zb_model_free(model);
    }
}

/* ---- many variables -------------------------------------------------------------- */

/* A table of `arity` variables of which five have more than one value, and two of those
   are observed: at most 64 axes fit an array, so those of one value must not count. */
static void more_than_64_variables_in_a_table(void **state)
{
    (void)state;
    static const int arities[] = { 62, 63, 64, 65, 66, 100, 300 };
    static const zb_method methods[] = { ZB_METHOD_BE,          ZB_METHOD_AUTO,
                                         ZB_METHOD_MBE,         ZB_METHOD_WMBE,
                                         ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_WG,
                                         ZB_METHOD_TRBP,        ZB_METHOD_BP,
                                         ZB_METHOD_MF };
    for (size_t i = 0; i < sizeof arities / sizeof *arities; i++) {
        int card[300], scope[300], n = arities[i];
        double value[72];
        zb_rng rng = zb_rng_seed(i);
        for (int v = 0; v < n; v++) {
            card[v] = v == 3 || v == n - 1 ? 3 : v == 10 || v == 40 || v == 60 ? 2 : 1;
            scope[v] = v;
        }
        size_t size = 1;
        for (int v = 0; v < n; v++)
            size *= (size_t)card[v];
        for (size_t k = 0; k < size; k++)
            value[k] = k % 5 == 1 ? -INFINITY : zb_rng_uniform(&rng);
        zb_model *model = model_of(n, card);
        zb_rng_shuffle(&rng, n, scope);
        add_logs_to(model, n, scope, value);
        add_logs_to(model, 2, (int[]){ 3, 10 }, (double[]){ 0, 1, 2, 3, 4, 5 });
        add_logs_to(model, 2, (int[]){ 60, 3 }, (double[]){ 0, .1, .2, .3, .4, .5 });
        assert_int_equal(zb_model_observe(model, 10, 1), ZB_OK);
        assert_int_equal(zb_model_observe(model, n - 1, 2), ZB_OK);
        double z = brute_force(model);
        check_both(model, z, 0, "arity", n);
        double searched = by_search(model, false, 1 << 16, NULL);
        CHECK(close_to(searched, z, TOL), "arity %d: search %.17g, not %.17g", n,
              searched, z);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            zb_options opt = zb_options_default();
            zb_result r;
            zb_error err = { "" };
            opt.method = methods[m];
            opt.ibound = 2;
            opt.iterations = 3;
            opt.threads = 1;
            CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "arity %d, %s: %s", n,
                  zb_method_name(methods[m]), err.text);
            CHECK(brackets(&r, brute_interval(model)),
                  "arity %d, %s: [%.17g, %.17g] without %.17g", n,
                  zb_method_name(methods[m]), r.log_lower, r.log_upper, z);
        }
        zb_model_free(model);
    }
}

/* Tables that are products are taken apart up to eight variables, not beyond. */
static void tables_that_are_products(void **state)
{
    (void)state;
    for (int arity = 6; arity <= 10; arity++) {
        zb_rng rng = zb_rng_seed((uint64_t)arity);
        zb_model *model = spins(arity);
        double one[10][2], value[1024];
        int scope[10];
        for (int v = 0; v < arity; v++) {
            scope[v] = v;
            one[v][0] = zb_rng_uniform(&rng);
            one[v][1] = zb_rng_uniform(&rng);
        }
        for (int i = 0; i < 1 << arity; i++) {
            value[i] = i & 1 && i & 2 ? 1 : 0; /* the last two belong together */
            for (int v = 0; v < arity; v++)
                value[i] += one[v][i >> (arity - 1 - v) & 1];
        }
        add_logs_to(model, arity, scope, value);
        add_logs_to(model, 3, (int[]){ 0, 1, 2 }, (double[]){ 0, 1, 2, 0, 1, 0, 0, 1 });
        double z = brute_force(model), be = by_solve(model, ZB_METHOD_BE, 1);
        CHECK(close_to(be, z, TOL), "arity %d: %.17g, not %.17g", arity, be, z);
        zb_model_free(model);
    }
}

/* Up to 20000 factors are merged by several rules, beyond by two. */
static void many_factors_are_merged(void **state)
{
    (void)state;
    for (int n = 9999; n <= 10002; n += 3) { /* 2 n - 1 factors */
        double z;
        zb_model *form, *model = chain(1, n, 2, 1, &z);
        assert_int_equal(zb_form_make(&form, model, ZB_FORM_MERGED, 3, 0, NULL, NULL),
                         ZB_OK);
        double got = by_elimination(form, true, 1);
        CHECK(close_to(got, z, TOL), "%d factors: %.17g, not %.17g", 2 * n - 1, got, z);
        zb_model_free(form);
        zb_model_free(model);
    }
}

/* Merged tables have at most 2^20 entries: three variables of 81 values, not four. Of
   variables with more than 16 factors only some of these are looked at. */
static void merged_tables_are_limited(void **state)
{
    (void)state;
    static const int leaves[] = { 3, 4, 15, 16, 17, 40 };
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        for (int variant = 0; variant < 2; variant++) {
            int card[40], n = leaves[i];
            double z;
            for (int v = 0; v < n; v++)
                card[v] = n < 5 ? 81 : 2;
            zb_model *form, *model = star((star_spec){ .seed = i,
                                                       .centre = n < 5 ? 81 : 3,
                                                       .leaves = n,
                                                       .card = card,
                                                       .spread = 2 },
                                          &z);
            double *tie = calloc((size_t)(81 * 81), sizeof *tie);
            for (int k = 0; k < 81; k++)
                tie[82 * k] = 1;
            for (int v = 1; v < n && n < 5; v++) /* so that no leaf is summed out */
                add_logs_to(model, 2, (int[]){ v, v + 1 }, tie);
            free(tie);
            if (n < 5)
                z = by_elimination(model, true, 2);
            assert_int_equal(
                zb_form_make(&form, model, ZB_FORM_MERGED, 6, variant, NULL, NULL),
                ZB_OK);
            for (int f = 0; f < zb_model_nfactors(form); f++)
                CHECK(zb_model_size(form, f) <= 1 << 20, "%zu entries",
                      zb_model_size(form, f));
            double got = by_elimination(form, true, 2);
            CHECK(close_to(got, z, TOL), "%d leaves: %.17g, not %.17g", n, got, z);
            zb_model_free(form);
            zb_model_free(model);
        }
}

/* The signed sum of a model of two factors over the same two variables. */
static long double pair_sum(zb_gauges *g, size_t size)
{
    double *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b);
    long double sum = 0;
    assert_int_equal(zb_gauges_values(g, 0, a), ZB_OK);
    assert_int_equal(zb_gauges_values(g, 1, b), ZB_OK);
    for (size_t i = 0; i < size; i++)
        sum += (long double)a[i] * b[i];
    free(a);
    free(b);
    return sum;
}

/* Variables of up to 64 values have gauges, larger ones do not move. */
static void gauges_of_64_values(void **state)
{
    (void)state;
    for (int d = 62; d <= 66; d++) {
        zb_rng rng = zb_rng_seed((uint64_t)d);
        int card[] = { d, 2 };
        size_t size = (size_t)d * 2, square = (size_t)(d * d);
        double *value = malloc(size * sizeof *value), *m = calloc(square, sizeof *m);
        zb_model *model = model_of(2, card);
        zb_gauges *g;
        for (int f = 0; f < 2; f++) {
            for (size_t i = 0; i < size; i++)
                value[i] = zb_rng_uniform(&rng);
            add_logs_to(model, 2, (int[]){ 0, 1 }, value);
        }
        for (size_t i = 0; i < square; i++)
            m[i] = 0.3 / d * (zb_rng_uniform(&rng) - 0.5) + (i % (size_t)(d + 1) == 0);
        assert_int_equal(zb_gauges_new(&g, model, NULL), ZB_OK);
        double z = exp(brute_force(model));
        CHECK(zb_gauges_set(g, 0, m) == (d <= 64 ? ZB_OK : ZB_EINVAL), "%d values", d);
        assert_int_equal(zb_gauges_set(g, 1, (double[]){ 1, 0.5, -0.2, 2 }), ZB_OK);
        double got = (double)pair_sum(g, size);
        CHECK(close_to(got, z, 1e-10), "%d values: %.17g, not %.17g", d, got, z);
        zb_gauges_free(g);
        zb_model_free(model);
        free(value);
        free(m);
    }
}

/* ---- orders ---------------------------------------------------------------------- */

/* A wheel without a rim: sweeps give up fronts beyond 4000 variables, minsplit measures
   buckets beyond 256 items only now and then. Leaves first is best, width 1, no split,
   whichever side of a threshold a rule is on. */
static void orders_of_large_stars(void **state)
{
    (void)state;
    static const int sizes[] = { 254,  255,  256,  257,  258, 700,
                                 3998, 3999, 4000, 4001, 4100 };
    static const zb_order kinds[] = { ZB_ORDER_SWEEP, ZB_ORDER_MINSPLIT,
                                      ZB_ORDER_MINFILL, ZB_ORDER_MINDEGREE,
                                      ZB_ORDER_AUTO };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        zb_model *model = spins(sizes[i] + 1);
        zb_scopes *scopes;
        int *order = malloc(((size_t)sizes[i] + 1) * sizeof *order);
        for (int v = 1; v <= sizes[i]; v++)
            add_logs_to(model, 2, (int[]){ 0, v }, (double[]){ 0, 0, 0, 1 });
        assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            zb_order_request request = {
                .kind = kinds[k], .ibound = 2, .seed = 1, .tries = 2, .seconds = 0.01
            };
            zb_order_cost told, found;
            zb_split_cost split;
            assert_int_equal(zb_order_make(scopes, &request, order, &told), ZB_OK);
            assert_int_equal(zb_order_evaluate(scopes, order, NULL, &found), ZB_OK);
            assert_int_equal(zb_order_splits(scopes, order, 2, 0, NULL, &split), ZB_OK);
            CHECK(told.width == found.width && told.total == found.total &&
                      (found.width == 1 || kinds[k] == ZB_ORDER_SWEEP),
                  "%d leaves, %s: width %d, %d found", sizes[i],
                  zb_order_name(kinds[k]), told.width, found.width);
            CHECK(split.splits == 0 || kinds[k] == ZB_ORDER_SWEEP,
                  "%d leaves, %s: %g splits", sizes[i], zb_order_name(kinds[k]),
                  split.splits);
        }
        free(order);
        zb_scopes_free(scopes);
        zb_model_free(model);
    }
}

/* Searches stay from round to round while they hold a sixteenth of the memory. */
static void searches_that_stay(void **state)
{
    (void)state;
    const uint64_t memory = (uint64_t)1 << 30;
    assert_true(zb_counting_stays((double)(memory / 16), memory));
    assert_false(zb_counting_stays((double)(memory / 16) + 1, memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_a_bucket),
        cmocka_unit_test(hubs_of_many_wide_tables),
        cmocka_unit_test(smallest_products_alone),
        cmocka_unit_test(messages_about_as_wide_as_allowed),
        cmocka_unit_test(scales_drift),
        cmocka_unit_test(linear_tables_at_both_ends),
        cmocka_unit_test(blocks_of_any_shape),
        cmocka_unit_test(nodes_in_parts),
        cmocka_unit_test(threads_join),
        cmocka_unit_test(more_than_64_variables_in_a_table),
        cmocka_unit_test(tables_that_are_products),
        cmocka_unit_test(many_factors_are_merged),
        cmocka_unit_test(merged_tables_are_limited),
        cmocka_unit_test(gauges_of_64_values),
        cmocka_unit_test(searches_that_stay),
        cmocka_unit_test(orders_of_large_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
