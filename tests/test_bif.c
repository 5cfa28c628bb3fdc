/* BIF files against the .uai files that say the same; evidence by name. */
#include "base/rng.h"
#include "files.h"
#include "io/formats.h"
#include "model/model.h"

enum { VARS_MOST = 8, PARENTS_MOST = 3, ROOM = 1 << 16 };

static zb_status parse(zb_model **out, const char *text, zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), 16, err);
    *out = NULL;
    if (status == ZB_OK)
        status = zb_bif_parse(out, &in);
    zb_scan_close(&in);
    return status;
}

typedef struct writer {
    zb_rng rng;
    zb_model *model; /* what the text says */
    char *at;
    int scope[PARENTS_MOST + 1], arity; /* the child last */
} writer;

static int card_of(const writer *w, int i) { return w->model->card[w->scope[i]]; }

static const char *blank(writer *w)
{
    static const char *const blanks[] = { "", " ", "\n", " // words {\n", "/* ; */" };
    return blanks[zb_rng_below(&w->rng, 5)];
}

static void write_rows(writer *w, const double *value, size_t rows)
{
    int k = card_of(w, w->arity - 1);
    for (size_t i = 0; i < rows; i++) {
        size_t row = (i + 7) % rows, left = row; /* in another order */
        int state[PARENTS_MOST];
        for (int p = w->arity - 2; p >= 0; p--) {
            state[p] = (int)(left % (size_t)card_of(w, p));
            left /= (size_t)card_of(w, p);
        }
        if (w->arity == 1)
            w->at += sprintf(w->at, "table");
        for (int p = 0; p < w->arity - 1; p++)
            w->at += sprintf(w->at, "%c%ss%d", p == 0 ? '(' : ',', blank(w), state[p]);
        w->at += sprintf(w->at, w->arity > 1 ? ")" : " ");
        for (int x = 0; x < k; x++)
            w->at += sprintf(w->at, "%s%.17g", x > 0 ? ", " : " ",
                             value[row * (size_t)k + (size_t)x]);
        w->at += sprintf(w->at, "%s;", blank(w));
    }
}

/* All entries, the child slowest. */
static void write_table(writer *w, const double *value, size_t rows)
{
    size_t k = (size_t)card_of(w, w->arity - 1);
    w->at += sprintf(w->at, "table");
    for (size_t x = 0; x < k; x++)
        for (size_t row = 0; row < rows; row++)
            w->at += sprintf(w->at, " %.17g%s", value[row * k + x],
                             x + 1 < k || row + 1 < rows ? "," : ";");
}

static void write_probability(writer *w, int child)
{
    double value[256];
    size_t rows = 1;
    w->arity = 0;
    for (int p = 0; p < child && w->arity < PARENTS_MOST; p++)
        if (zb_rng_below(&w->rng, 3) == 0)
            w->scope[w->arity++] = p;
    w->scope[w->arity++] = child;
    w->at += sprintf(w->at, "probability%s(v%d", blank(w), child);
    for (int i = 0; i < w->arity - 1; i++) {
        w->at += sprintf(w->at, "%s%sv%d", i == 0 ? "|" : ",", blank(w), w->scope[i]);
        rows *= (size_t)card_of(w, i);
    }
    w->at += sprintf(w->at, ") {\n");
    for (size_t e = 0; e < rows * (size_t)card_of(w, w->arity - 1); e++)
        value[e] = zb_rng_below(&w->rng, 4) == 0 ? 0 : zb_rng_uniform(&w->rng);
    if (zb_rng_below(&w->rng, 2) == 0)
        write_table(w, value, rows);
    else
        write_rows(w, value, rows);
    w->at += sprintf(w->at, "}%s\n", blank(w));
    assert_int_equal(zb_model_add(w->model, w->arity, w->scope, value), ZB_OK);
}

static void write_network(writer *w, char *text)
{
    int n = 1 + zb_rng_below(&w->rng, VARS_MOST), card[VARS_MOST];
    for (int v = 0; v < n; v++)
        card[v] = 1 + zb_rng_below(&w->rng, 3);
    assert_int_equal(zb_model_new(&w->model, n, card), ZB_OK);
    w->at = text + sprintf(text, "network \"x\" { property some; }\n");
    for (int v = 0; v < n; v++) {
        w->at += sprintf(w->at, "variable v%d {type discrete[%d]{", v, card[v]);
        for (int x = 0; x < card[v]; x++)
            w->at += sprintf(w->at, "%s%ss%d", x > 0 ? "," : "", blank(w), x);
        w->at += sprintf(w->at, "};%s}\n", blank(w));
    }
    for (int v = 0; v < n; v++)
        write_probability(w, v);
}

/* The same model, bit by bit, with names. */
static void networks_are_read(void **state)
{
    static char text[ROOM];
    (void)state;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        writer w = { .rng = zb_rng_seed(seed) };
        zb_model *m, *copy;
        zb_error err = { "" };
        write_network(&w, text);
        CHECK(parse(&m, text, &err) == ZB_OK, "seed %lu: %s\n%s", (unsigned long)seed,
              err.text, text);
        CHECK(zb_model_hash(m) == zb_model_hash(w.model), "seed %lu\n%s",
              (unsigned long)seed, text);
        assert_true(zb_model_is_bayes(m) && zb_model_has_names(m));
        assert_int_equal(zb_model_copy(&copy, m), ZB_OK);
        zb_model_free(m);
        int last = copy->nvars - 1;
        char name[16];
        snprintf(name, sizeof name, "v%d", last);
        assert_int_equal(zb_model_find_var(copy, name), last);
        assert_string_equal(zb_model_var_name(copy, last), name);
        assert_string_equal(zb_model_state_name(copy, last, copy->card[last] - 1),
                            copy->card[last] == 1   ? "s0"
                            : copy->card[last] == 2 ? "s1"
                                                    : "s2");
        zb_model_free(copy);
        zb_model_free(w.model);
    }
}

static const char ASIA[] =
    "network unknown {\n}\n"
    "variable smoke {\n  type discrete [ 2 ] { yes, no };\n}\n"
    "variable lung {\n  type discrete [ 2 ] { yes, no };\n}\n"
    "probability ( smoke ) {\n  table 0.5, 0.5;\n}\n"
    "probability ( lung | smoke ) {\n  (yes) 0.1, 0.9;\n  (no) 0.01, 0.99;\n}\n";

static void evidence_is_by_name(void **state)
{
    zb_model *m;
    zb_error err;
    zb_result r;
    zb_options opt = zb_options_default();
    (void)state;
    assert_int_equal(parse(&m, ASIA, NULL), ZB_OK);
    assert_int_equal(zb_evidence_set(m, "smoke=yes,lung=no", &err), ZB_OK);
    assert_int_equal(zb_solve(m, &opt, NULL, &r, NULL), ZB_OK);
    assert_true(fabs(r.log_upper - log(0.45)) < 1e-14);
    assert_int_equal(zb_evidence_set(m, "smoke=yes", &err), ZB_OK);
    assert_int_equal(zb_evidence_set(m, "smoke=no", &err), ZB_EINVAL);
    assert_string_equal(err.text, "evidence: 'smoke=no', but the variable is observed "
                                  "in another state already");
    zb_model_observe(m, 0, -1);
    zb_model_observe(m, 1, -1);
    assert_int_equal(zb_evidence_set(m, "lung=yes,smoke=maybe", &err), ZB_EINVAL);
    assert_string_equal(err.text,
                        "evidence: 'smoke=maybe': no such state; the variable's "
                        "are 'yes', 'no'");
    assert_int_equal(zb_model_evidence(m, 1), -1); /* nothing, when it fails */
    assert_int_equal(zb_evidence_set(m, "cough=yes", &err), ZB_EINVAL);
    assert_string_equal(err.text, "evidence: no such variable: 'cough=yes'");
    assert_int_equal(zb_evidence_set(m, "smoke", &err), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(m, "", &err), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(m, "0=yes", &err), ZB_EINVAL);
    zb_model_free(m);
}

/* Without names, by number; names with an equals sign in them. */
static void names_can_be_given(void **state)
{
    zb_model *m;
    (void)state;
    assert_int_equal(zb_model_new(&m, 3, (int[]){ 2, 3, 2 }), ZB_OK);
    assert_false(zb_model_has_names(m));
    assert_int_equal(zb_evidence_set(m, "1=2", NULL), ZB_OK);
    assert_int_equal(zb_model_evidence(m, 1), 2);
    assert_int_equal(zb_evidence_set(m, "3=0", NULL), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(m, "0=2", NULL), ZB_EINVAL);
    assert_int_equal(zb_evidence_set(m, "0=-1", NULL), ZB_EINVAL);
    assert_int_equal(zb_model_name_var(m, 2, "a=b"), ZB_OK);
    assert_int_equal(zb_model_name_state(m, 2, 1, "c=d"), ZB_OK);
    assert_int_equal(zb_evidence_set(m, "a=b=c=d", NULL), ZB_OK);
    assert_int_equal(zb_model_evidence(m, 2), 1);
    assert_int_equal(zb_model_find_var(m, "2"), -1);
    assert_int_equal(zb_model_find_var(m, "1"), 1);
    assert_int_equal(zb_model_name_var(m, 3, "x"), ZB_EINVAL);
    assert_int_equal(zb_model_name_state(m, 2, 2, "x"), ZB_EINVAL);
    assert_string_equal(zb_model_var_name(m, 9), "");
    assert_string_equal(zb_model_state_name(NULL, 0, 0), "");
    zb_model_free(m);
}

static void on_note(void *context, const char *sentence)
{
    snprintf(context, 200, "%s", sentence);
}

static void loose_rows_are_noted(void **state)
{
    char note[200] = "";
    char *path = make_file(".bif", "variable a { type discrete [ 2 ] { yes, no }; }\n"
                                   "probability ( a ) { table 0.4, 0.5; }\n");
    zb_observer observer = { .context = note, .note = on_note };
    zb_model *m;
    (void)state;
    assert_int_equal(zb_model_read_as(&m, path, ZB_FORMAT_DETECT, &observer, NULL),
                     ZB_OK);
    assert_non_null(strstr(note, ":2: weights that do not sum to 1: 1 row, row 1 of"));
    zb_model_free(m);
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
    assert_true(check_bad_folder("tests/data/bad_bif", read_bad) >= 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_are_read),
        cmocka_unit_test(evidence_is_by_name),
        cmocka_unit_test(names_can_be_given),
        cmocka_unit_test(loose_rows_are_noted),
        cmocka_unit_test(malformed_files_have_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
