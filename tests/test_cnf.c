/* DIMACS files against counting by hand. */
#include "base/rng.h"
#include "exact/solve_exact.h"
#include "files.h"
#include "io/formats.h"
#include "model/model.h"
#include "oracle.h"

enum { VARS_MOST = 16, CLAUSES_MOST = 12, LITERALS_MOST = 40 };

static zb_status parse(zb_model **out, const char *text, size_t room, zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), room, err);
    *out = NULL;
    if (status == ZB_OK)
        status = zb_cnf_parse(out, &in);
    zb_scan_close(&in);
    return status;
}

static double exact_of(const zb_model *model)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r.log_upper;
}

typedef struct formula {
    int vars, clauses, length[CLAUSES_MOST], lit[CLAUSES_MOST][LITERALS_MOST];
    double weight[VARS_MOST][2]; /* of false and true */
    bool weighted[VARS_MOST];
} formula;

/* Repeated and opposite literals, empty clauses and long ones. */
static formula random_formula(zb_rng *rng)
{
    formula f = { .vars = 1 + zb_rng_below(rng, VARS_MOST),
                  .clauses = zb_rng_below(rng, CLAUSES_MOST + 1) };
    for (int k = 0; k < f.clauses; k++) {
        f.length[k] = zb_rng_below(rng, 10) == 0 ? zb_rng_below(rng, LITERALS_MOST + 1)
                                                 : 1 + zb_rng_below(rng, 4);
        bool one_sign = zb_rng_below(rng, 2) == 0; /* long, yet not always true */
        for (int i = 0; i < f.length[k]; i++) {
            int v = 1 + (one_sign ? i % f.vars : zb_rng_below(rng, f.vars));
            bool minus = one_sign ? v % 2 == 0 : zb_rng_below(rng, 2) == 0;
            f.lit[k][i] = minus ? -v : v;
        }
    }
    for (int v = 0; v < f.vars; v++) {
        f.weighted[v] = zb_rng_below(rng, 3) == 0;
        f.weight[v][1] = f.weighted[v] ? 0.125 * zb_rng_below(rng, 9) : 1;
        f.weight[v][0] = f.weighted[v] ? 1 - f.weight[v][1] : 1;
        if (f.weighted[v] && zb_rng_below(rng, 2) == 0)
            f.weight[v][0] = 0.5 * zb_rng_below(rng, 7);
    }
    return f;
}

static double count(const formula *f)
{
    double sum = 0;
    for (unsigned x = 0; x < 1u << f->vars; x++) {
        double product = 1;
        for (int v = 0; v < f->vars; v++)
            product *= f->weight[v][x >> v & 1];
        for (int k = 0; k < f->clauses; k++) {
            bool any = false;
            for (int i = 0; i < f->length[k]; i++) {
                int lit = f->lit[k][i];
                any = any || (x >> (abs(lit) - 1) & 1) == (lit > 0);
            }
            product *= any;
        }
        sum += product;
    }
    return log(sum);
}

static void write_formula(const formula *f, zb_rng *rng, char *text)
{
    text += sprintf(text, "c made by chance\np cnf %d %d\n", f->vars, f->clauses);
    for (int v = 0; v < f->vars; v++) {
        const char *form = zb_rng_below(rng, 2) ? "c p weight %d %g 0\n" : "w %d %g\n";
        if (f->weighted[v])
            text += sprintf(text, form, v + 1, f->weight[v][1]);
        if (f->weighted[v] && f->weight[v][0] != 1 - f->weight[v][1])
            text += sprintf(text, form, -(v + 1), f->weight[v][0]);
    }
    for (int k = 0; k < f->clauses; k++) {
        for (int i = 0; i < f->length[k]; i++)
            text += sprintf(text, zb_rng_below(rng, 5) ? "%d " : "%d\n", f->lit[k][i]);
        text += sprintf(text, zb_rng_below(rng, 3) ? "0\n" : "0\nc so far\n");
    }
    if (zb_rng_below(rng, 4) == 0)
        sprintf(text, "%%\n0\n");
}

static void counts_are_right(void **state)
{
    (void)state;
    static char text[1 << 16];
    int long_ones = 0;
    for (uint64_t seed = 1; seed <= test_models(1500); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        formula f = random_formula(&rng);
        zb_error err = { "" };
        zb_model *model;
        write_formula(&f, &rng, text);
        zb_status status =
            parse(&model, text, 1 + (size_t)zb_rng_below(&rng, 99), &err);
        CHECK(status == ZB_OK, "seed %d: %s", (int)seed, err.text);
        long_ones += zb_model_nvars(model) > f.vars;
        CHECK(close_to(exact_of(model), count(&f), 1e-12), "seed %d: %.15g, not %.15g",
              (int)seed, exact_of(model), count(&f));
        zb_model_free(model);
    }
    CHECK(long_ones > test_share(20), "%d long clauses", long_ones);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        { "", "memory:1: expected a line p cnf first, found the end of the file" },
        { "1 2 0\n", "memory:1: expected a line p cnf first, found '1'" },
        { "p sat 1 1\n", "memory:1: expected cnf, found 'sat'" },
        { "p cnf 2 1\n1 3 0\n",
          "memory:2: expected a literal from -2 to 2, found '3'" },
        { "p cnf 2 1\n1 2\n",
          "memory:2: expected the 0 that ends a clause, found the end of the file" },
        { "p cnf 2 1\n1 2\nc no\n", "memory:3: expected a literal, found 'c'" },
        { "p cnf 2 1\np cnf 2 1\n", "memory:2: a second line p cnf" },
        { "p cnf 2 0\nc p weight 1 -0.5 0\n",
          "memory:2: expected a non-negative weight (--mc counts with others, too), "
          "found '-0.5'" },
        { "p cnf 2 0\nw 1 1e-400\n",
          "memory:2: expected a weight that a double holds, found '1e-400'" },
        { "p cnf 2 0\nw 0 0.5\n", "memory:2: expected a literal, found '0'" },
        { "p cnf 99999999 0\n", "memory:1: expected the number of variables from 0 to "
                                "16777216, found '99999999'" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zb_error err = { "" };
        zb_model *model;
        CHECK(parse(&model, bad[i][0], 3, &err) == ZB_EPARSE, "%s", bad[i][0]);
        assert_null(model);
        assert_string_equal(err.text, bad[i][1]);
    }
}

static zb_status read_bad(const char *path, zb_error *err)
{
    zb_model *model;
    zb_status status = zb_model_read(&model, path, err);
    CHECK((model != NULL) == (status == ZB_OK), "%s", path);
    zb_model_free(model);
    return status;
}

static void malformed_files_are_named(void **state)
{
    (void)state;
    assert_true(check_bad_folder("tests/data/bad_cnf", read_bad) >= 25);
}

/* ---- legal, though odd ----------------------------------------------------------- */

typedef struct notes {
    int count;
    char last[512];
} notes;

static void on_note(void *context, const char *sentence)
{
    notes *n = context;
    n->count++;
    snprintf(n->last, sizeof n->last, "%s", sentence);
}

/* The sum of a text that must be read, whatever the buffer; its notes. */
static double sum_of(const char *text, size_t room, notes *heard)
{
    const zb_observer observer = { .context = heard, .note = on_note };
    zb_error err = { "" };
    zb_model *model = NULL;
    zb_scan in;
    *heard = (notes){ .count = 0 };
    assert_int_equal(zb_scan_memory(&in, "memory", text, strlen(text), room, &err),
                     ZB_OK);
    in.observer = &observer;
    CHECK(zb_cnf_parse(&model, &in) == ZB_OK, "%s: %s", text, err.text);
    zb_scan_close(&in);
    double z = exp(brute_force(model));
    zb_model_free(model);
    return z;
}

static void oddities_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double z;
        const char *note; /* NULL: none */
    } odd[] = {
        /* a projection onto all variables is none, in any spelling, before the header
         */
        { "c t pmc\nc ind 1 2 0\nc ind 3 0\np cnf 3 1\n1 2 3 0\n", 7, NULL },
        { "p cnf 3 1\nc p show 3 1\nc p show 2 2 0\n1 2 3 0\nc t pwmc", 7, NULL },
        { "p cnf 0 0\nc p show 0\n", 1, NULL },
        { "c t mc\np cnf 2 1\n1 2 0\n", 3, NULL },
        { "c t wmc\np cnf 2 1\nw 1 0.25\n1 2 0\n", 1.25, NULL },
        { "c t\nc p\nc\np cnf 2 1\n1 2 0\n", 3, NULL },
        { "c ind is but a word\np cnf 2 1\n1 2 0\nc ind", 3, NULL },
        /* Cachet: -1 is 1 for both */
        { "p cnf 2 1\nw 1 -1\nw 2 0.25\n1 2 0\n", 1.25, NULL },
        { "p cnf 2 1\nw 1 0.5\nw 1 -1.0\nw 2 -1 0\n1 2 0\n", 3, NULL },
        /* fractions, weights above 1 */
        { "p cnf 1 0\nc p weight 1 1/4 0\nc p weight -1 3/2 0\n", 1.75, NULL },
        { "p cnf 1 0\nc p weight -1 2.5 0\n", 3.5,
          "memory:2: a weight above 1, and none for the negation, which then weighs 1 "
          "(one of 1)" },
        /* the number of clauses is a claim */
        { "c x\np cnf 2 2\n1 2 0\n", 3,
          "memory:2: the header says 2 clauses, the file has 1" },
        { "p cnf 2 1\n1 0 2\n0\n", 1,
          "memory:1: the header says 1 clauses, the file has 2" },
        /* the end of old files, a clause over lines, a byte order mark */
        { "p cnf 2 1\n1\n2\n0\n%\n0\nrest", 3, NULL },
        { "\xEF\xBB\xBFp cnf 2 1\n1 2 0\n", 3, NULL },
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t room = 1; room < 40; room += 6) {
            notes heard;
            double z = sum_of(odd[i].text, room, &heard);
            CHECK(close_to(z, odd[i].z, 1e-12), "%s: %.15g", odd[i].text, z);
            CHECK(heard.count == (odd[i].note != NULL), "%s: %s", odd[i].text,
                  heard.last);
            assert_string_equal(heard.last, odd[i].note != NULL ? odd[i].note : "");
        }
}

static void found_by_first_word_or_name(void **state)
{
    (void)state;
    char *plain = make_file(".txt", "c comment\np cnf 3 2\n1 -2 0\n2 3 0\n");
    char *named = make_file(".cnf", "\ncomment\np cnf 3 2\n1 -2 0\n2 3 0\n");
    const char *path[] = { plain, named };
    for (int i = 0; i < 2; i++) {
        zb_error err = { "" };
        zb_model *model;
        CHECK(zb_model_read(&model, path[i], &err) == ZB_OK, "%s", err.text);
        assert_true(close_to(brute_force(model), log(4), 1e-12));
        zb_model_free(model);
    }
    drop_file(plain);
    drop_file(named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_right),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(malformed_files_are_named),
        cmocka_unit_test(oddities_are_read),
        cmocka_unit_test(found_by_first_word_or_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
