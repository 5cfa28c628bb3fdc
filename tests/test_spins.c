/* Files of spins against energies that are summed by hand. */
#include "base/rng.h"
#include "files.h"
#include "io/formats.h"
#include "model/model.h"
#include "oracle.h"

enum { SPINS_MOST = 10, LINES_MOST = 30 };

typedef struct list {
    zb_format format;
    bool binary, header;
    int n, base, lines, i[LINES_MOST], j[LINES_MOST]; /* from 0; j -1: a field */
    double value[LINES_MOST];
    bool used[SPINS_MOST];
} list;

static list random_list(zb_rng *rng, zb_format format)
{
    list a = { .format = format,
               .binary = format == ZB_FORMAT_COO && zb_rng_below(rng, 2) == 0,
               .header = format != ZB_FORMAT_COO && zb_rng_below(rng, 2) == 0,
               .n = 2 + zb_rng_below(rng, SPINS_MOST - 1),
               .lines = 1 + zb_rng_below(rng, LINES_MOST),
               .base = zb_rng_below(rng, 2) };
    for (int k = 0; k < a.lines; k++) {
        bool field = format != ZB_FORMAT_MAXCUT && zb_rng_below(rng, 3) == 0;
        a.i[k] = zb_rng_below(rng, a.n);
        a.j[k] = field ? -1 : (a.i[k] + 1 + zb_rng_below(rng, a.n - 1)) % a.n;
        a.value[k] = (zb_rng_below(rng, 2001) - 1000) / 256.0;
    }
    /* the first and the last number occur, so that the base and n can be told */
    a.i[0] = 0;
    a.j[0] = a.n - 1;
    for (int k = 0; k < a.lines; k++) {
        a.used[a.i[k]] = true;
        if (a.j[k] >= 0)
            a.used[a.j[k]] = true;
    }
    return a;
}

static void write_list(const list *a, zb_rng *rng, char *text)
{
    char *at = text;
    int pairs = 0;
    for (int k = 0; k < a->lines; k++)
        pairs += a->j[k] >= 0;
    if (a->format == ZB_FORMAT_COO)
        at += sprintf(at, "# vartype=%s\n", a->binary ? "BINARY" : "SPIN");
    if (a->header)
        at += sprintf(at, "%d %d\n", a->n, zb_rng_below(rng, 2) ? pairs : a->lines);
    for (int k = 0; k < a->lines; k++) {
        if (zb_rng_below(rng, 5) == 0)
            at += sprintf(at, zb_rng_below(rng, 2) ? "# words\n" : "\n");
        int i = a->i[k] + a->base, j = a->j[k] >= 0 ? a->j[k] + a->base : i;
        if (a->j[k] < 0 && a->format == ZB_FORMAT_SPINS)
            at += sprintf(at, "%d %.10f\n", i, a->value[k]);
        else
            at += sprintf(at, "%d  %d\t%.10g\r\n", i, j, a->value[k]);
    }
}

/* ln of the sum over all states of exp(-energy); unused spins only where they count. */
static long double log_sum(const list *a)
{
    long double sum = 0;
    int free_spins = 0;
    for (int v = 0; v < a->n; v++)
        free_spins += !a->used[v];
    for (unsigned x = 0; x < 1u << a->n; x++) {
        long double energy = 0;
        for (int k = 0; k < a->lines; k++) {
            int s = x >> a->i[k] & 1, t = a->j[k] < 0 ? 1 : x >> a->j[k] & 1;
            if (a->format == ZB_FORMAT_MAXCUT)
                energy -= a->value[k] * (s != t);
            else if (a->binary)
                energy += a->value[k] * s * t;
            else
                energy += a->value[k] * (2 * s - 1) * (2 * t - 1) *
                          (a->format == ZB_FORMAT_SPINS ? -1 : 1);
        }
        sum += expl(-energy);
    }
    return logl(sum) -
           (a->format == ZB_FORMAT_COO ? (long double)free_spins * logl(2) : 0);
}

static zb_status parse(zb_model **out, const char *text, zb_format format, zb_base base,
                       zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), 16, err);
    *out = NULL;
    if (status == ZB_OK)
        status = zb_spins_parse(out, &in, format, base);
    zb_scan_close(&in);
    return status;
}

static zb_result exact_of(const zb_model *model)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r;
}

static void check_answer(const zb_model *m, long double log_z, uint64_t seed)
{
    zb_result r = exact_of(m);
    CHECK(fabsl(r.log_upper - log_z) <= 1e-11L * (1 + fabsl(log_z)),
          "seed %lu: %.17g, %.17Lg", (unsigned long)seed, r.log_upper, log_z);
}

static void sums_are_right(void **state)
{
    static const zb_format formats[] = { ZB_FORMAT_SPINS, ZB_FORMAT_COO,
                                         ZB_FORMAT_MAXCUT };
    char text[LINES_MOST * 64];
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        list a = random_list(&rng, formats[seed % 3]);
        zb_model *m = NULL;
        zb_error err = { "" };
        text[0] = '\0';
        write_list(&a, &rng, text);
        CHECK(parse(&m, text, a.format, ZB_BASE_DETECT, &err) == ZB_OK,
              "seed %lu: %s\n%s", (unsigned long)seed, err.text, text);
        check_answer(m, log_sum(&a), seed);
        zb_model_free(m);
    }
}

/* At another temperature, against energies that are multiplied by it. */
static void temperatures_are_right(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(50); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        list a = random_list(&rng, ZB_FORMAT_SPINS);
        zb_model *m = NULL, *raised;
        char text[LINES_MOST * 64];
        double beta = zb_rng_below(&rng, 5) == 0 ? 0 : 3 * zb_rng_uniform(&rng);
        write_list(&a, &rng, text);
        assert_int_equal(parse(&m, text, a.format, ZB_BASE_DETECT, NULL), ZB_OK);
        assert_int_equal(zb_model_raise(&raised, m, beta), ZB_OK);
        assert_string_equal(zb_model_state_name(raised, 0, 1), "+1");
        for (int k = 0; k < a.lines; k++)
            a.value[k] *= beta;
        check_answer(raised, log_sum(&a), seed);
        zb_model_free(m);
        zb_model_free(raised);
    }
}

static void powers_keep_zeros(void **state)
{
    (void)state;
    zb_model *m, *raised;
    assert_int_equal(zb_model_new(&m, 1, (int[]){ 3 }), ZB_OK);
    assert_int_equal(zb_model_add(m, 1, (int[]){ 0 }, (double[]){ 0, 4, 1 }), ZB_OK);
    assert_int_equal(zb_model_observe(m, 0, 1), ZB_OK);
    assert_int_equal(zb_model_raise(&raised, m, 0.5), ZB_OK);
    assert_int_equal(zb_model_evidence(raised, 0), 1);
    double value[3];
    zb_model_values(raised, 0, value);
    assert_true(value[0] == 0 && fabs(value[1] - 2) < 1e-15 && value[2] == 1);
    zb_model_free(raised);
    assert_int_equal(zb_model_raise(&raised, m, 0), ZB_OK);
    zb_model_values(raised, 0, value);
    assert_true(value[0] == 0 && value[1] == 1 && value[2] == 1);
    zb_model_free(raised);
    assert_int_equal(zb_model_raise(&raised, m, -1), ZB_OK);
    zb_model_values(raised, 0, value);
    assert_true(value[0] == 0 && fabs(value[1] - 0.25) < 1e-15 && value[2] == 1);
    zb_model_free(raised);
    assert_int_equal(zb_model_raise(&raised, m, NAN), ZB_EINVAL);
    assert_int_equal(zb_model_raise(&raised, m, 1e305), ZB_EINVAL);
    assert_null(raised);
    zb_model_free(m);
}

/* Numbers of the file are the names of spins, counted from 0, from 1, or as they come.
 */
static void spins_have_names(void **state)
{
    zb_model *m;
    (void)state;
    assert_int_equal(parse(&m, "0 1 0.5", ZB_FORMAT_SPINS, ZB_BASE_DETECT, NULL),
                     ZB_OK);
    assert_int_equal(zb_model_nvars(m), 2);
    assert_int_equal(zb_model_find_var(m, "1"), 1);
    zb_model_free(m);
    assert_int_equal(parse(&m, "1 3 0.5", ZB_FORMAT_SPINS, ZB_BASE_DETECT, NULL),
                     ZB_OK);
    assert_int_equal(zb_model_nvars(m), 3);
    assert_int_equal(zb_model_find_var(m, "1"), 0);
    assert_int_equal(zb_model_find_var(m, "0"), -1);
    assert_int_equal(zb_model_find_state(m, 0, "-1"), 0);
    assert_int_equal(zb_model_find_state(m, 0, "1"), 1);
    assert_int_equal(zb_model_find_state(m, 0, "0"), -1);
    zb_model_free(m);
    assert_int_equal(parse(&m, "1 3 0.5", ZB_FORMAT_SPINS, ZB_BASE_0, NULL), ZB_OK);
    assert_int_equal(zb_model_nvars(m), 4);
    zb_model_free(m);
    assert_int_equal(parse(&m, "17 3 0.5", ZB_FORMAT_COO, ZB_BASE_DETECT, NULL), ZB_OK);
    assert_int_equal(zb_model_nvars(m), 2);
    assert_string_equal(zb_model_var_name(m, 1), "17");
    zb_model_free(m);
    assert_int_equal(parse(&m, "0 1 0.5", ZB_FORMAT_SPINS, ZB_BASE_1, NULL), ZB_EPARSE);
    assert_null(m);
}

/* By name, by contents, and written as .LG and read again. */
static void files_are_told_apart(void **state)
{
    static const struct {
        const char *ending, *text;
        int vars;
        double log_z; /* of a pair of weight e^J or e^-J: ln(4 cosh J), and so on */
    } files[] = {
        { ".txt", "2 1\n1 2 0.5", 2, 1.506408868 },
        { ".mc", "2 1\n1 2 0.5", 2, 1.667224165 },
        { ".rud", "1 2 0.5", 2, 1.667224165 },
        { ".coo", "4 4 0.5", 1, 0.813261688 },
        { ".txt", "# vartype=BINARY\n4 4 0.5", 1, 0.474076984 },
        { ".qubo", "p qubo 0 5 1 0\n4 4 0.5", 1, 0.474076984 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *path = make_file(files[k].ending, files[k].text);
        char *copy = make_file(".LG", "");
        zb_model *m, *again;
        assert_int_equal(zb_model_read(&m, path, NULL), ZB_OK);
        assert_int_equal(zb_model_nvars(m), files[k].vars);
        zb_result r = exact_of(m);
        CHECK(fabs(r.log_upper - files[k].log_z) < 1e-8, "%zu: %.9f", k, r.log_upper);
        assert_int_equal(zb_model_write(m, copy, NULL), ZB_OK);
        assert_int_equal(zb_model_read(&again, copy, NULL), ZB_OK);
        assert_true(zb_model_hash(m) == zb_model_hash(again));
        zb_model_free(m);
        zb_model_free(again);
        drop_file(path);
        drop_file(copy);
    }
}

static void on_note(void *context, const char *sentence)
{
    snprintf(context, 200, "%s", sentence);
}

static void free_spins_are_noted(void **state)
{
    char note[200] = "";
    char *path = make_file(".txt", "5 1\n1 2 0.5\n");
    zb_observer observer = { .context = note, .note = on_note };
    zb_reading how = { .observer = &observer };
    zb_model *m;
    (void)state;
    assert_int_equal(zb_model_read_with(&m, path, &how, NULL), ZB_OK);
    assert_int_equal(zb_model_nvars(m), 5);
    assert_non_null(strstr(note, ":1: 3 of the spins are in no line, and free"));
    zb_model_free(m);
    how.base = (zb_base)3;
    assert_int_equal(zb_model_read_with(&m, path, &how, NULL), ZB_EINVAL);
    drop_file(path);
}

static zb_status read_bad(const char *path, zb_error *err)
{
    zb_model *m;
    zb_status status = zb_model_read(&m, path, err);
    assert_null(m);
    return status;
}

static void malformed_files_have_lines(void **state)
{
    (void)state;
    assert_true(check_bad_folder("tests/data/bad_spins", read_bad) >= 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(temperatures_are_right),
        cmocka_unit_test(powers_keep_zeros),
        cmocka_unit_test(spins_have_names),
        cmocka_unit_test(files_are_told_apart),
        cmocka_unit_test(free_spins_are_noted),
        cmocka_unit_test(malformed_files_have_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
