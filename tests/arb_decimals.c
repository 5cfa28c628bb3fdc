/* Bounds on models from files hold for the decimals in the file, not for the nearest
 * doubles: singletons, whose Z is a product of sums, in ball arithmetic. Built where
 * Arb is. */
#include "zbound.h"

#include "base/rng.h"
#include "model/model.h"
#include "test.h"

#include <arb.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 300, SINGLES = 20, LONGEST = 48 };

typedef struct file {
    char path[40];
    FILE *out;
    arb_t log_z; /* of what was written so far */
} file;

static file open_file(const char *ending)
{
    file f = { .path = "" };
    snprintf(f.path, sizeof f.path, "/tmp/zb_readXXXXXX%s", ending);
    int fd = mkstemps(f.path, (int)strlen(ending));
    assert_true(fd >= 0);
    f.out = fdopen(fd, "w");
    arb_init(f.log_z);
    return f;
}

/* ln(a + b) more; log: of e^a + e^b. */
static void count_in(file *f, const char *a, const char *b, bool log)
{
    arb_t x, y;
    arb_init(x), arb_init(y);
    assert_int_equal(arb_set_str(x, a, BITS), 0);
    assert_int_equal(arb_set_str(y, b, BITS), 0);
    if (log)
        arb_exp(x, x, BITS), arb_exp(y, y, BITS);
    arb_add(x, x, y, BITS);
    arb_log(x, x, BITS);
    arb_add(f->log_z, f->log_z, x, BITS);
    arb_clear(x), arb_clear(y);
}

/* Up to 25 digits; small ones, whole ones and those with an exponent among them. */
static void random_decimal(zb_rng *rng, int most, char *out)
{
    int digits = 1 + zb_rng_below(rng, 25), n = 0;
    if (zb_rng_below(rng, 4) == 0) {
        snprintf(out, LONGEST, "%d", 1 + zb_rng_below(rng, 9));
        return;
    }
    n += snprintf(out, LONGEST, "%d.", zb_rng_below(rng, most));
    for (int i = 0; i < digits; i++)
        out[n++] = (char)('0' + (i == digits - 1 ? 1 + zb_rng_below(rng, 9)
                                                 : zb_rng_below(rng, 10)));
    out[n] = '\0';
    if (zb_rng_below(rng, 3) == 0)
        snprintf(out + n, (size_t)(LONGEST - n), "e-%d", zb_rng_below(rng, 200));
}

/* Bounds by two methods and the exact answer contain the product. */
static void check_bounds(file *f, uint64_t seed)
{
    static const zb_method methods[] = { ZB_METHOD_AUTO, ZB_METHOD_BE, ZB_METHOD_MBE,
                                         ZB_METHOD_TRBP, ZB_METHOD_MF };
    zb_error err = { "" };
    zb_model *model;
    zb_result r;
    arb_t bound;
    fclose(f->out);
    arb_init(bound);
    CHECK(zb_model_read(&model, f->path, &err) == ZB_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        zb_options opt = zb_options_default();
        opt.method = methods[i];
        opt.threads = 1;
        CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s", err.text);
        arb_set_d(bound, r.log_lower);
        CHECK(!r.has_lower || !arb_gt(bound, f->log_z),
              "%s seed %" PRIu64 ": lower %.17g", zb_method_name(opt.method), seed,
              r.log_lower);
        arb_set_d(bound, r.log_upper);
        CHECK(!r.has_upper || !arb_lt(bound, f->log_z),
              "%s seed %" PRIu64 ": upper %.17g", zb_method_name(opt.method), seed,
              r.log_upper);
        CHECK(r.rounding <= 1e-9, "%s seed %" PRIu64 ": %.3g",
              zb_method_name(opt.method), seed, r.rounding);
    }
    zb_model_free(model);
    arb_clear(bound);
    arb_clear(f->log_z);
    remove(f->path);
}

static void uai_or_log(uint64_t seed, bool log)
{
    zb_rng rng = zb_rng_seed(seed);
    file f = open_file(log ? ".LG" : ".uai");
    char a[LONGEST], b[LONGEST];
    int n = 1 + zb_rng_below(&rng, SINGLES);
    fprintf(f.out, "MARKOV\n%d\n", n);
    for (int v = 0; v < n; v++)
        fprintf(f.out, "2 ");
    fprintf(f.out, "\n%d\n", n);
    for (int v = 0; v < n; v++)
        fprintf(f.out, "1 %d\n", v);
    for (int v = 0; v < n; v++) {
        random_decimal(&rng, log ? 200 : 9, a);
        random_decimal(&rng, log ? 200 : 9, b);
        fprintf(f.out, "2 %s %s\n", a, b);
        count_in(&f, a, b, log);
    }
    check_bounds(&f, seed);
}

static void weights(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++)
        uai_or_log(seed, false);
}

static void logarithms(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++)
        uai_or_log(seed, true);
}

/* Weights of both literals, or of one below 1, of which the other is the rest. */
static void formulas(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        file f = open_file(".cnf");
        char a[LONGEST], b[LONGEST];
        int n = 1 + zb_rng_below(&rng, SINGLES);
        fprintf(f.out, "p cnf %d 0\n", n);
        for (int v = 1; v <= n; v++) {
            bool both = zb_rng_below(&rng, 2) == 0;
            random_decimal(&rng, both ? 9 : 1, a);
            random_decimal(&rng, 9, b);
            both =
                both || strchr(a, '.') == NULL; /* a whole number is no share of one */
            fprintf(f.out, "w %d %s 0\n", v, a);
            if (both)
                fprintf(f.out, "w -%d %s 0\n", v, b);
            count_in(&f, both ? a : "1", both ? b : "0", false);
        }
        check_bounds(&f, seed);
    }
}

/* Whole numbers below 2^53 are what they are; others move ln Z. */
static void what_is_rounded(void **state)
{
    static const struct {
        const char *ending, *text;
        bool rounded;
    } files[] = { { ".uai", "MARKOV 1 2 1 1 0 2 9007199254740991 3", false },
                  { ".uai", "MARKOV 1 2 1 1 0 2 9007199254740993 3", true },
                  { ".uai", "MARKOV 1 2 1 1 0 2 0.1 3", true },
                  { ".LG", "MARKOV 1 2 1 1 0 2 -7 -inf", false },
                  { ".LG", "MARKOV 1 2 1 1 0 2 -7.1 -inf", true },
                  { ".uai", "MARKOV 1 2 1 1 0 2 1 1e-400", true },
                  { ".cnf", "p cnf 1 0\nw 1 1 0\nw -1 3 0\n", false },
                  { ".cnf", "p cnf 1 0\nw 1 0.1 0\n", true },
                  { ".cnf", "p cnf 1 0\nw 1 1/3 0\n", true } };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        file f = open_file(files[i].ending);
        zb_error err = { "" };
        zb_model *model;
        fprintf(f.out, "%s", files[i].text);
        fclose(f.out);
        CHECK(zb_model_read(&model, f.path, &err) == ZB_OK, "%s", err.text);
        CHECK((model->radius > 0) == files[i].rounded && model->radius < 1e-10,
              "%s: %.3g", files[i].text, model->radius);
        zb_model_free(model);
        arb_clear(f.log_z);
        remove(f.path);
    }
}

/* What a weight leaves of one is found from its digits, or refused: never taken for
   nothing. */
static void rests_of_one(void **state)
{
    static const struct {
        const char *weight;
        double rest; /* 0: refused */
    } weights_of[] = { { "0.9999999999999999999", 1e-19 },
                       { "0.99999999999999999999", 0 },
                       { "0.9999999", 1e-7 },
                       /* 25 digits: by subtraction, while 4 u of it are below 1e-3 */
                       { "0.9999999999994990234375001", 5.00988e-13 },
                       { "0.9999999999996000000000001", 0 },
                       { "1", -1 } };
    (void)state;
    for (size_t i = 0; i < sizeof weights_of / sizeof *weights_of; i++) {
        file f = open_file(".cnf");
        zb_error err = { "" };
        zb_model *model = NULL;
        double table[2];
        fprintf(f.out, "p cnf 1 0\nw 1 %s 0\n", weights_of[i].weight);
        fclose(f.out);
        zb_status status = zb_model_read(&model, f.path, &err);
        CHECK(status == (weights_of[i].rest == 0 ? ZB_EPARSE : ZB_OK), "%s",
              weights_of[i].weight);
        if (status == ZB_OK) {
            zb_model_values(model, 0, table);
            double rest = weights_of[i].rest > 0 ? weights_of[i].rest : 0;
            double radius = strlen(weights_of[i].weight) > 22 ? 1e-3 : 0;
            CHECK(fabs(table[0] - rest) <= radius * rest, "%s leaves %.17g",
                  weights_of[i].weight, table[0]);
            CHECK(model->radius >= radius / 2, "%s: %g", weights_of[i].weight,
                  model->radius);
        } else
            assert_non_null(strstr(err.text, ":2: "));
        zb_model_free(model);
        arb_clear(f.log_z);
        remove(f.path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(weights),
                                        cmocka_unit_test(logarithms),
                                        cmocka_unit_test(formulas),
                                        cmocka_unit_test(what_is_rounded),
                                        cmocka_unit_test(rests_of_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
