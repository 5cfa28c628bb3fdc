#include "files.h"
#include "io/formats.h"
#include "model/model.h"
#include "oracle.h"
#include "base/rng.h"

#include <float.h>
#include <locale.h>

/* Parse text; room is the first size of the scanner's buffer. */
static zb_status parse(zb_model **out, const char *text, bool log, size_t room,
                       zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), room, err);
    *out = NULL;
    if (status == ZB_OK)
        status = zb_uai_parse(out, &in, log);
    zb_scan_close(&in);
    return status;
}

static zb_model *parsed(const char *text, bool log)
{
    zb_error err = { "" };
    zb_model *model;
    zb_status status = parse(&model, text, log, 64, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    return model;
}

static double log_z_of(const char *text)
{
    zb_model *model = parsed(text, false);
    double log_z = brute_force(model);
    zb_model_free(model);
    return log_z;
}

static bool same_bits(const double *a, const double *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static void check_same(const zb_model *a, const zb_model *b, uint64_t seed)
{
    CHECK(a->nvars == b->nvars && a->nfactors == b->nfactors, "seed %lu",
          (unsigned long)seed);
    for (int v = 0; v < a->nvars; v++)
        CHECK(a->card[v] == b->card[v], "seed %lu", (unsigned long)seed);
    for (int f = 0; f < a->nfactors; f++) {
        const zb_factor *p = &a->factor[f], *q = &b->factor[f];
        CHECK(p->arity == q->arity && p->size == q->size && p->log == q->log,
              "seed %lu, factor %d", (unsigned long)seed, f);
        CHECK(p->arity == 0 ||
                  memcmp(p->scope, q->scope, (size_t)p->arity * sizeof(int)) == 0,
              "seed %lu, factor %d", (unsigned long)seed, f);
        CHECK(same_bits(p->value, q->value, p->size), "seed %lu, factor %d",
              (unsigned long)seed, f);
    }
}

/* ---- numbers --------------------------------------------------------------------- */

static double number(const char *text)
{
    char word[1200];
    zb_decimal d;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    snprintf(word, sizeof word, "%s ", text);
    CHECK(zb_decimal_parse(&d, word, word + strlen(text)), "'%s'", text);
    double x = zb_decimal_value(&d, word, c);
    freelocale(c);
    return d.negative ? -x : x;
}

static void numbers_of_all_shapes(void **state)
{
    (void)state;
    assert_true(number("0") == 0 && number("-0") == 0 && number("-0.0e99") == 0);
    assert_true(number("+1.5") == 1.5 && number(".5") == 0.5 && number("5.") == 5);
    assert_true(number("1E3") == 1000 && number("1e+3") == 1000 &&
                number("1e-3") == 1e-3);
    assert_true(number("007") == 7 &&
                number("0.00000000000000000000000000001") == 1e-29);
    assert_true(number("100000000000000000000000") == 1e23);
    assert_true(number("0e999999999999999999999") == 0);
    assert_true(number("9007199254740993") == 9007199254740992.0); /* tie to even */
    assert_true(number("9007199254740993.00000000000000001") == 9007199254740994.0);
    assert_true(number("9007199254740995") == 9007199254740996.0);
    assert_true(number("4.9406564584124654e-324") == 0x1p-1074);
    assert_true(number("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
    assert_true(number("1.7976931348623157e308") == DBL_MAX);
    assert_true(isinf(number("1e400")) && number("1e-400") == 0);
    assert_true(number("18446744073709551615") == 18446744073709551615.0);
    assert_true(number("9999999999999999999") == 1e19);
    assert_true(number("12345678901234567890123") == 12345678901234567890123.0);
}

/* Every range of the conversion against the C library, which is correctly rounded. */
static void numbers_are_rounded_correctly(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(7);
    for (int i = 0; i < 300000; i++) {
        char text[80];
        int digits = 1 + zb_rng_below(&rng, 21), used = 0;
        int point = zb_rng_below(&rng, digits + 1);
        int e =
            i % 2 == 0 ? zb_rng_below(&rng, 70) - 35 : zb_rng_below(&rng, 700) - 350;
        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[used++] = '.';
            text[used++] = (char)('0' + zb_rng_below(&rng, 10));
        }
        snprintf(text + used, sizeof text - (size_t)used, "e%d", e);
        double x = number(text), y = strtod(text, NULL);
        CHECK(x == y, "%s: %a, not %a", text, x, y);
    }
}

/* Halfway between two doubles, and just beside: where a sloppy conversion errs. */
static void numbers_at_ties(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(8);
    for (int i = 0; i < 100000; i++) {
        char text[60];
        uint64_t odd = (((uint64_t)1 << 53) | (zb_rng_next(&rng) >> 11)) * 2 + 1;
        uint64_t beside = odd * 64 + (uint64_t)zb_rng_below(&rng, 3) - 1;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)beside,
                 zb_rng_below(&rng, 56) - 28);
        double x = number(text), y = strtod(text, NULL);
        CHECK(x == y, "%s: %a, not %a", text, x, y);
    }
}

static void numbers_keep_their_17_digits(void **state)
{
    (void)state;
    zb_rng rng = zb_rng_seed(9);
    for (int i = 0; i < 200000; i++) {
        char text[60];
        double x = ldexp(zb_rng_uniform(&rng), zb_rng_below(&rng, 2000) - 1000);
        snprintf(text, sizeof text, "%.17g", x);
        CHECK(number(text) == x, "%s", text);
    }
}

static double log_of(const char *text)
{
    zb_decimal d;
    char word[200];
    snprintf(word, sizeof word, "%s ", text);
    CHECK(zb_decimal_parse(&d, word, word + strlen(text)), "'%s'", text);
    return zb_decimal_log(&d, number(text));
}

static void logs_of_any_size(void **state)
{
    (void)state;
    assert_true(close_to(log_of("1e-400"), -400 * log(10), 1e-15));
    assert_true(close_to(log_of("2.5e1000000"), log(2.5) + 1e6 * log(10), 1e-15));
    assert_true(close_to(log_of("0.1234567890123456789012345"),
                         log(0.12345678901234568), 1e-15));
    assert_true(log_of("0.000") == -INFINITY && log_of("1") == 0);
}

/* ---- models ---------------------------------------------------------------------- */

static const char SMALL[] = "MARKOV\n2\n2 3\n2\n1 0\n2 1 0\n\n2\n .5 1.5\n\n6\n 1 2 3\n"
                            " 4 5 6\n";

static void reads_a_small_model(void **state)
{
    (void)state;
    for (size_t room = 1; room < 100; room++) { /* words cut at every place */
        zb_error err = { "" };
        zb_model *model;
        CHECK(parse(&model, SMALL, false, room, &err) == ZB_OK, "%s", err.text);
        assert_int_equal(zb_model_nvars(model), 2);
        assert_int_equal(zb_model_nfactors(model), 2);
        assert_int_equal(zb_model_scope(model, 1)[0], 1);
        assert_true(zb_model_size(model, 1) == 6 && model->factor[1].value[5] == 6);
        /* x0 = 0: 1 + 3 + 5, x0 = 1: 2 + 4 + 6 */
        assert_true(close_to(brute_force(model), log(0.5 * 9 + 1.5 * 12), 1e-14));
        zb_model_free(model);
    }
}

static void white_space_is_free(void **state)
{
    (void)state;
    char text[200];
    snprintf(text, sizeof text, "%s", SMALL);
    for (char *p = text; *p != '\0'; p++)
        *p = *p == '\n' ? ' ' : *p;
    zb_model *a = parsed(SMALL, false), *b = parsed(text, false);
    zb_model *c =
        parsed("\r\n\tMARKOV 2\v2\f3 2 1 0 2\r\n1 0\r\n2 .5 1.5 6 1 2 3 4 5 6", false);
    check_same(a, b, 0);
    check_same(a, c, 0);
    zb_model_free(a);
    zb_model_free(b);
    zb_model_free(c);
}

static void legal_oddities(void **state)
{
    (void)state;
    assert_true(log_z_of("MARKOV 0 0") == 0); /* the empty product */
    assert_true(log_z_of("MARKOV 0 1 0 1 0") == -INFINITY);
    assert_true(close_to(log_z_of("MARKOV 1 3 0"), log(3), 1e-15));
    assert_true(close_to(log_z_of("MARKOV 3 2 3 1 3 1 0 0 2 2 0 2 1 2 1 10 2 1 2"),
                         log(3 * 10 * 5), 1e-14)); /* a lone variable and a constant */
    assert_true(close_to(log_z_of("BAYES 2 2 2 2 1 0 2 0 1 2 2 2 4 1 1 .5 3"),
                         log(2 * 2 + 2 * 3.5), 1e-14)); /* rows need no sum of 1 */
    assert_true(close_to(log_z_of("MARKOV 1 2 3 1 0 1 0 1 0 2 1 2 2 1 2 2 1 2"),
                         log(1 + 8), 1e-14)); /* a scope repeated */
    assert_true(close_to(log_z_of("MARKOV 1 2 1 1 0 +2 -0 +7.e0"), log(7), 1e-14));
}

/* Tables of 300 and more orders of magnitude, and weights that only logarithms hold. */
static void weights_of_any_size(void **state)
{
    (void)state;
    const char *tiny = "MARKOV 1 3 1 1 0 3 1e-400 3e-400 0";
    const char *huge = "MARKOV 1 2 1 1 0 2 2e400 1";
    const char *wide = "MARKOV 2 2 2 2 1 0 1 1 2 1e-300 1e300 2 1e-5 1e-5";
    const char *deep = "MARKOV 1 2 1 1 0 2 3e-324 0.5"; /* 5e-324 is no good stand-in */
    const char *edge = "MARKOV 1 2 1 1 0 2 4.9406564584124654e-324 2.5e-310";
    assert_true(close_to(log_z_of(tiny), log(4) - 400 * log(10), 1e-15));
    assert_true(close_to(log_z_of(huge), log(2) + 400 * log(10), 1e-15));
    assert_true(close_to(log_z_of(wide), log(2) + 295 * log(10), 1e-14));
    zb_model *a = parsed(deep, false), *b = parsed(edge, false),
             *c = parsed(wide, false);
    assert_true(a->factor[0].log);
    assert_true(close_to(a->factor[0].value[0], log(3) - 324 * log(10), 1e-15));
    assert_true(close_to(a->factor[0].value[1], log(0.5), 1e-15));
    assert_false(b->factor[0].log); /* subnormal, but what is meant */
    assert_true(b->factor[0].value[0] == 0x1p-1074);
    assert_false(c->factor[0].log);
    zb_model_free(a);
    zb_model_free(b);
    zb_model_free(c);
}

static void many_tiny_factors(void **state)
{
    (void)state;
    char text[2000] = "MARKOV 1 2 21 ";
    for (int f = 0; f < 21; f++)
        strcat(text, "1 0 ");
    for (int f = 0; f < 21; f++)
        strcat(text, "2 1e-200 1e-200 ");
    assert_true(close_to(log_z_of(text), log(2) - 21 * 200 * log(10), 1e-14));
}

/* One factor over 200000 variables of cardinality 1, which square time would betray. */
static void long_scopes(void **state)
{
    (void)state;
    enum { N = 200000 };
    char *text = malloc(16 * N), *p = text;
    assert_non_null(text);
    p += sprintf(p, "MARKOV %d ", N);
    for (int v = 0; v < N; v++)
        p += sprintf(p, "1 ");
    p += sprintf(p, "1 %d ", N);
    for (int v = 0; v < N; v++)
        p += sprintf(p, "%d ", N - 1 - v);
    sprintf(p, "1 2.5");
    zb_model *model = parsed(text, false);
    assert_int_equal(zb_model_arity(model, 0), N);
    assert_true(model->factor[0].size == 1 && model->factor[0].value[0] == 2.5);
    assert_int_equal(zb_model_card(model, N / 2), 1);
    zb_model_free(model);
    free(text);
}

static void logs_are_read(void **state)
{
    (void)state;
    zb_model *model =
        parsed("MARKOV 1 6 1 1 0 6 -inf -1e5 0 1000.25 -INFINITY -1e-400", true);
    const double expected[] = { -INFINITY, -1e5, 0, 1000.25, -INFINITY, 0 };
    assert_true(model->factor[0].log);
    for (int i = 0; i < 6; i++)
        assert_true(model->factor[0].value[i] == expected[i]);
    zb_model_free(model);
}

/* ---- refusals -------------------------------------------------------------------- */

static zb_status read_bad_model(const char *path, zb_error *err)
{
    zb_model *model = (zb_model *)1;
    zb_status status = zb_model_read(&model, path, err);
    CHECK(model == NULL, "%s was read", path);
    return status;
}

static void malformed_files_give_their_line(void **state)
{
    (void)state;
    assert_true(check_bad_folder("tests/data/bad_uai", read_bad_model) >= 70);
    assert_true(check_bad_folder("tests/data/bad_lg", read_bad_model) >= 12);
}

/* Wherever a file is cut there is an error, unless only blanks or digits are lost. */
static void every_truncation_is_refused(void **state)
{
    (void)state;
    char text[sizeof SMALL];
    for (size_t n = 0; n + 2 < sizeof SMALL; n++) {
        zb_error err = { "" };
        zb_model *model;
        memcpy(text, SMALL, n);
        text[n] = '\0';
        CHECK(parse(&model, text, false, 16, &err) == ZB_EPARSE, "%s", text);
        assert_null(model);
        assert_non_null(strstr(err.text, "memory:"));
    }
}

static void tables_together_must_fit(void **state)
{
    (void)state;
    double memory = (double)zb_mem_physical();
    char text[300], expected[300];
    zb_error err = { "" };
    zb_model *model;
    if (memory == 0 || memory > 16e9 * 2 * INT32_MAX) {
        print_message("skipped: the machine's memory is not known\n");
        return;
    }
    int card = (int)sqrt(memory / 8 * 0.75); /* two tables are 1.5 times the memory */
    snprintf(text, sizeof text, "MARKOV\n2\n%d %d\n2\n2 0 1\n2\n1 0\n", card, card);
    double bytes = 8. * card * card;
    snprintf(expected, sizeof expected,
             "memory:6: expected tables that fit into memory, found %.4g bytes up to "
             "here, of which %.4g for this scope",
             2 * bytes, bytes);
    assert_int_equal(parse(&model, text, false, 64, &err), ZB_EPARSE);
    assert_string_equal(err.text, expected);
}

static void endless_words_are_refused(void **state)
{
    (void)state;
    size_t n = (size_t)3 << 20;
    char *text = malloc(n + 1);
    zb_error err = { "" };
    zb_model *model;
    assert_non_null(text);
    memset(text, '1', n);
    memcpy(text, "MARKOV\n1\n2\n1\n1 0\n2\n1 ", 21);
    text[n] = '\0';
    assert_int_equal(parse(&model, text, false, 64, &err), ZB_EPARSE);
    assert_string_equal(err.text, "memory:7: expected a word of fewer than 1048576 "
                                  "characters, found a longer one");
    free(text);
}

static void missing_files_are_another_matter(void **state)
{
    (void)state;
    zb_error err = { "" };
    zb_model *model;
    assert_int_equal(zb_model_read(&model, "tests/data/none.uai", &err), ZB_EIO);
    assert_string_equal(err.text,
                        "tests/data/none.uai: cannot open: No such file or directory");
    assert_int_equal(zb_model_read(&model, "tests/data", &err), ZB_EIO);
    assert_string_equal(err.text, "tests/data:1: cannot read: Is a directory");
}

/* ---- writing --------------------------------------------------------------------- */

static zb_model *through_file(const zb_model *model, const char *ending)
{
    zb_error err = { "" };
    zb_model *back;
    char *path = make_file(ending, "");
    CHECK(zb_model_write(model, path, &err) == ZB_OK, "%s", err.text);
    CHECK(zb_model_read(&back, path, &err) == ZB_OK, "%s", err.text);
    drop_file(path);
    return back;
}

static void round_trips_are_exact(void **state)
{
    (void)state;
    const random_spec spec = { 8, 5, 12, 4, 0.2, 300, true };
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_model *back = through_file(model, seed % 2 == 0 ? ".uai" : ".uai.gz");
        check_same(model, back, seed);
        for (int v = 0; v < back->nvars; v++)
            assert_int_equal(zb_model_evidence(back, v), -1);
        zb_model_free(back);
        for (int f = 0; f < model->nfactors; f++) { /* now with logarithms */
            zb_factor *a = &model->factor[f];
            zb_model_log_values(model, f, a->value);
            a->log = true;
        }
        back = through_file(model, seed % 2 == 0 ? ".LG" : ".lg.gz");
        check_same(model, back, seed);
        zb_model_free(back);
        zb_model_free(model);
    }
}

static void subnormal_weights_come_back(void **state)
{
    (void)state;
    const double value[] = { 0x1p-1074, 0x1.8p-1073, 0x1p-1023, DBL_MIN, DBL_MAX, 0 };
    zb_model *model, *back;
    assert_int_equal(zb_model_new(&model, 1, (int[]){ 6 }), ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, value), ZB_OK);
    back = through_file(model, ".uai");
    check_same(model, back, 0);
    zb_model_free(back);
    zb_model_free(model);
}

static void constants_and_mixtures_are_written(void **state)
{
    (void)state;
    zb_model *model = parsed(SMALL, false), *back;
    const double logs[] = { -INFINITY, 2 };
    assert_int_equal(zb_model_add_log(model, 1, (int[]){ 0 }, logs), ZB_OK);
    model->log_scale = -3.25;
    double log_z = brute_force(model) - 3.25; /* the oracle has no constant */
    const char *const ending[] = { ".uai", ".LG" };
    for (int i = 0; i < 2; i++) {
        back = through_file(model, ending[i]);
        assert_int_equal(back->nfactors, 4);
        assert_int_equal(back->factor[3].arity, 0);
        assert_true(back->log_scale == 0);
        assert_true(close_to(brute_force(back), log_z, 1e-14));
        zb_model_free(back);
    }
    zb_model_free(model);
}

/* Weights that no double holds go into .LG only, and the refusal writes no file. */
static void unwritable_weights_are_refused(void **state)
{
    (void)state;
    zb_model *model = parsed("MARKOV 1 2 1 1 0 2 1e-400 1", false), *back;
    char *path = make_file(".uai", "old"), text[600];
    zb_error err = { "" };
    assert_int_equal(zb_model_write(model, path, &err), ZB_EINVAL);
    snprintf(text, sizeof text,
             "%s: no double holds the weight e^-921.034 in factor 0; write a file that "
             "ends in .LG",
             path);
    assert_string_equal(err.text, text);
    read_text(path, text, sizeof text);
    assert_string_equal(text, "old");
    back = through_file(model, ".LG");
    check_same(model, back, 0);
    zb_model_free(back);
    model->factor[0].value[0] = 0;
    model->log_scale = 1000;
    assert_int_equal(zb_model_write(model, path, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "the constant e^1000 of this model"));
    drop_file(path);
    zb_model_free(model);
}

static void unwritable_places_are_reported(void **state)
{
    (void)state;
    zb_model *model = parsed(SMALL, false);
    zb_error err = { "" };
    assert_int_equal(zb_model_write(model, "tests/none/a.uai", &err), ZB_EIO);
    assert_string_equal(err.text,
                        "tests/none/a.uai: cannot write: No such file or directory");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(zb_model_write(model, "/dev/full", &err), ZB_EIO);
        assert_string_equal(err.text,
                            "/dev/full: cannot write: No space left on device");
    }
    zb_model_free(model);
}

/* A locale that writes 1,5 changes neither reading nor writing. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    bool set = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    if (!set)
        print_message("no locale with a decimal comma here: tried in the C locale\n");
    zb_model *model =
        parsed("MARKOV 1 2 1 1 0 2 1.25e-40 0.123456789012345678901234", false);
    zb_model *back = through_file(model, ".uai");
    assert_true(model->factor[0].value[0] == 1.25e-40);
    assert_true(model->factor[0].value[1] == 0.123456789012345678901234);
    check_same(model, back, 0);
    setlocale(LC_ALL, "C");
    zb_model_free(back);
    zb_model_free(model);
}

static void standard_input_is_read(void **state)
{
    (void)state;
    char *path = make_file(".uai", SMALL);
    int keep = dup(STDIN_FILENO);
    zb_error err = { "" };
    zb_model *model;
    for (int cut = 0; cut < 2; cut++) {
        if (cut)
            assert_int_equal(truncate(path, 10), 0);
        assert_non_null(freopen(path, "rb", stdin));
        zb_status status = zb_model_read(&model, "-", &err);
        assert_int_equal(status, cut ? ZB_EPARSE : ZB_OK);
        zb_model_free(model);
    }
    assert_string_equal(err.text,
                        "<stdin>:3: expected a cardinality, found the end of the file");
    dup2(keep, STDIN_FILENO);
    close(keep);
    drop_file(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_shapes),
        cmocka_unit_test(numbers_are_rounded_correctly),
        cmocka_unit_test(numbers_at_ties),
        cmocka_unit_test(numbers_keep_their_17_digits),
        cmocka_unit_test(logs_of_any_size),
        cmocka_unit_test(reads_a_small_model),
        cmocka_unit_test(white_space_is_free),
        cmocka_unit_test(legal_oddities),
        cmocka_unit_test(weights_of_any_size),
        cmocka_unit_test(many_tiny_factors),
        cmocka_unit_test(long_scopes),
        cmocka_unit_test(logs_are_read),
        cmocka_unit_test(malformed_files_give_their_line),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(tables_together_must_fit),
        cmocka_unit_test(endless_words_are_refused),
        cmocka_unit_test(missing_files_are_another_matter),
        cmocka_unit_test(round_trips_are_exact),
        cmocka_unit_test(subnormal_weights_come_back),
        cmocka_unit_test(constants_and_mixtures_are_written),
        cmocka_unit_test(unwritable_weights_are_refused),
        cmocka_unit_test(unwritable_places_are_reported),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(standard_input_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
