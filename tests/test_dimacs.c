/* Counts of formulas, from their text, against enumeration in 128 bits. */
#include "base/rng.h"
#include "io/dimacs.h"
#include "io/scan.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { MOST = 10, CLAUSES = 24, LONGEST = 6, ROOM = 8192 };
enum { WEIGHTED = 1, PROJECTED = 2, NEGATIVE = 4 };

typedef struct formula {
    int nvars, clauses;
    int lit[CLAUSES][LONGEST], length[CLAUSES];
    bool has[MOST], shown[MOST];
    int over[MOST][2], below[MOST]; /* weights of v and -v, over below[v] */
    char text[ROOM];
} formula;

/* ---- making one ------------------------------------------------------------------ */

static void say(formula *f, const char *fmt, ...)
{
    size_t used = strlen(f->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->text + used, ROOM - used, fmt, args);
    va_end(args);
    assert_true(strlen(f->text) < ROOM - 1);
}

static void say_number(formula *f, int over, int below)
{
    if (below == 100)
        say(f, "%s%d.%02d", over < 0 ? "-" : "", abs(over) / 100, abs(over) % 100);
    else if (below == 1)
        say(f, "%d", over);
    else
        say(f, "%d/%d", over, below);
}

/* Of both literals, or of one, with what the other is then. */
static void give_weight(formula *f, zb_rng *rng, int v, bool negative)
{
    static const int below[] = { 1, 2, 3, 7, 12, 100, 100 };
    int q = f->below[v] = below[zb_rng_below(rng, 7)], mode = zb_rng_below(rng, 4);
    f->has[v] = true;
    for (int i = 0; i < 2; i++) {
        f->over[v][i] = zb_rng_below(rng, 2 * q + 2);
        if (negative && zb_rng_below(rng, 2) == 0)
            f->over[v][i] = -f->over[v][i];
    }
    for (int i = 0; i < 2; i++) {
        if (mode == i)
            continue;
        say(f, "c p weight %d ", i == 0 ? v + 1 : -v - 1);
        say_number(f, f->over[v][i], q);
        say(f, " 0\n");
    }
    if (mode < 2) {
        int given = f->over[v][1 - mode];
        f->over[v][mode] = given > q ? q : q - given;
    }
}

static formula random_formula(uint64_t seed, int kind)
{
    zb_rng rng = zb_rng_seed(seed);
    formula f = { .nvars = zb_rng_below(&rng, MOST + 1) };
    f.clauses = f.nvars == 0 ? 0 : zb_rng_below(&rng, zb_min_int(CLAUSES, 3 * f.nvars));
    say(&f, "p cnf %d %d\n", f.nvars, f.clauses);
    if (kind & PROJECTED)
        say(&f, "c p show ");
    for (int v = 0; v < f.nvars; v++) {
        f.shown[v] = !(kind & PROJECTED) || zb_rng_below(&rng, 2) == 0;
        if ((kind & PROJECTED) && f.shown[v])
            say(&f, "%d ", v + 1);
    }
    if (kind & PROJECTED)
        say(&f, "0\n");
    for (int v = 0; v < f.nvars && (kind & WEIGHTED); v++)
        if (f.shown[v] && zb_rng_below(&rng, 4) > 0)
            give_weight(&f, &rng, v, kind & NEGATIVE);
    for (int c = 0; c < f.clauses; c++) {
        f.length[c] = 1 + zb_rng_below(&rng, LONGEST);
        for (int i = 0; i < f.length[c]; i++) {
            int v = 1 + zb_rng_below(&rng, f.nvars);
            f.lit[c][i] = zb_rng_below(&rng, 2) == 0 ? v : -v;
            say(&f, "%d ", f.lit[c][i]);
        }
        say(&f, "0\n");
    }
    return f;
}

/* ---- counting one ---------------------------------------------------------------- */

static bool holds(const formula *f, unsigned x)
{
    for (int c = 0; c < f->clauses; c++) {
        bool any = false;
        for (int i = 0; i < f->length[c]; i++)
            any = any || (x >> (abs(f->lit[c][i]) - 1) & 1) == (f->lit[c][i] > 0);
        if (!any)
            return false;
    }
    return true;
}

static wide divisor(wide a, wide b)
{
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static char *put_wide(char *to, wide x)
{
    char digit[64];
    int n = 0;
    wide size = x < 0 ? -x : x;
    if (x < 0)
        *to++ = '-';
    do
        digit[n++] = (char)('0' + (int)(size % 10));
    while ((size /= 10) > 0);
    while (n > 0)
        *to++ = digit[--n];
    *to = '\0';
    return to;
}

typedef struct answer {
    char text[128];
    long double value;
    bool satisfiable;
} answer;

static answer enumerate(const formula *f)
{
    bool seen[1 << MOST] = { false };
    unsigned shown = 0;
    answer a = { .satisfiable = false };
    wide sum = 0, below = 1;
    for (int v = 0; v < f->nvars; v++) {
        shown |= (unsigned)f->shown[v] << v;
        below *= f->has[v] ? f->below[v] : 1;
    }
    for (unsigned x = 0; x < 1u << f->nvars; x++) {
        wide product = 1;
        if (seen[x & shown] || !holds(f, x))
            continue;
        seen[x & shown] = a.satisfiable = true;
        for (int v = 0; v < f->nvars; v++)
            product *= f->has[v] ? f->over[v][!(x >> v & 1)] : 1;
        sum += product;
    }
    wide g = divisor(sum, below);
    a.value = (long double)(sum < 0 ? -sum : sum) / (long double)below;
    a.value = sum < 0 ? -a.value : a.value; /* valgrind has no long doubles */
    char *end = put_wide(a.text, sum / g);
    if (below / g > 1) {
        *end++ = '/';
        put_wide(end, below / g);
    }
    return a;
}

static zb_dimacs *parse(const char *text)
{
    zb_error err = { "" };
    zb_scan in;
    zb_dimacs *d;
    assert_int_equal(zb_scan_memory(&in, "memory", text, strlen(text), 64, &err),
                     ZB_OK);
    zb_status status = zb_dimacs_parse(&d, &in);
    CHECK(status == ZB_OK, "%s\n%s", err.text, text);
    zb_scan_close(&in);
    return d;
}

static void check(const formula *f, int kind)
{
    zb_dimacs *d = parse(f->text);
    zb_options opt = zb_options_default();
    zb_tally t;
    answer a = enumerate(f);
    zb_dimacs_info info = zb_dimacs_about(d);
    opt.time = 0;
    assert_int_equal(zb_dimacs_count(d, &opt, NULL, &t, NULL), ZB_OK);
    CHECK(t.complete && strcmp(t.count, a.text) == 0, "%s is not %s\n%s", t.count,
          a.text, f->text);
    CHECK(t.satisfiable == a.satisfiable, "%s", f->text);
    CHECK(t.negative == (a.value < 0), "%s", f->text);
    if (a.value != 0)
        assert_true(fabsl(expl((long double)t.log_count) - fabsl(a.value)) <=
                    1e-12L * fabsl(a.value));
    else
        assert_true(t.log_count == -INFINITY);
    assert_true(info.projected == !!(kind & PROJECTED) && info.vars == f->nvars);
    assert_true(!info.negative || (kind & NEGATIVE));
    zb_tally_clear(&t);
    zb_dimacs_free(d);
}

static void check_kind(int kind)
{
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        formula f = random_formula(seed, kind);
        check(&f, kind);
    }
}

static void plain(void **state)
{
    (void)state;
    check_kind(0);
}

static void weighted(void **state)
{
    (void)state;
    check_kind(WEIGHTED);
}

static void projected(void **state)
{
    (void)state;
    check_kind(PROJECTED);
}

static void projected_and_weighted(void **state)
{
    (void)state;
    check_kind(PROJECTED | WEIGHTED);
}

static void negative_weights(void **state)
{
    (void)state;
    check_kind(WEIGHTED | NEGATIVE);
    check_kind(WEIGHTED | NEGATIVE | PROJECTED);
}

/* ---- single ones ----------------------------------------------------------------- */

static void check_count(const char *text, const char *expected)
{
    zb_dimacs *d = parse(text);
    zb_options opt = zb_options_default();
    zb_tally t;
    opt.time = 0;
    assert_int_equal(zb_dimacs_count(d, &opt, NULL, &t, NULL), ZB_OK);
    CHECK(t.complete && strcmp(t.count, expected) == 0, "%s is not %s", t.count,
          expected);
    zb_tally_clear(&t);
    zb_dimacs_free(d);
}

static void known_counts(void **state)
{
    (void)state;
    check_count("p cnf 0 0\n", "1");
    check_count("p cnf 0 1\n0\n", "0");
    check_count("p cnf 100 0\n", "1267650600228229401496703205376");
    check_count("p cnf 2 0\nc p show 0\n", "1");
    check_count("p cnf 2 2\nc p show 0\n1 0\n-1 0\n", "0");
    check_count("p cnf 1 0\nc p weight 1 1e-30 0\nc p weight -1 0 0\n",
                "1/1000000000000000000000000000000");
    check_count("p cnf 1 0\nc p weight 1 12.5e1 0\n", "126");
    check_count("p cnf 1 0\nc p weight 1 .5/1.25 0\nc p weight -1 1/99999999977 0\n",
                "199999999959/499999999885"); /* 2/5 + 1/p */
    check_count("p cnf 1 0\nw 1 -1\n", "2");
    check_count("p cnf 1 0\nc p weight 1 -1 0\n", "1"); /* -1 + 2 */
    check_count("c t pmc\np cnf 2 1\n1 2 0\n", "3");    /* no list: all of them */
}

/* A weight that is kept has at most 10000 digits. */
static void long_weights(void **state)
{
    (void)state;
    static char text[20100];
    zb_error err;
    zb_scan in;
    zb_dimacs *d;
    for (int digits = 9998; digits <= 10000; digits++) {
        strcpy(text, "p cnf 1 0\nc p weight 1 ");
        size_t at = strlen(text);
        memset(text + at, '1', (size_t)digits);
        strcpy(text + at + digits, " 0\n");
        assert_int_equal(zb_scan_memory(&in, "m", text, strlen(text), 64, &err), ZB_OK);
        zb_status status = zb_dimacs_parse(&d, &in);
        assert_int_equal(status, digits < 10000 ? ZB_OK : ZB_EPARSE);
        if (status != ZB_OK)
            assert_string_equal(err.text,
                                "m:2: expected a weight of at most 10000 digits");
        zb_scan_close(&in);
        zb_dimacs_free(d);
    }
    check_count("p cnf 1 0\nc p weight 1 0e10000 0\nc p weight -1 1 0\n", "1");
}

/* Models are those of the formula without its projection; weights below 0 have none. */
static void models(void **state)
{
    (void)state;
    zb_dimacs *d = parse("p cnf 2 1\nc p show 1 0\nc p weight 2 0.5 0\n1 2 0\n");
    assert_int_equal(zb_model_nvars(zb_dimacs_model(d)), 2);
    assert_int_equal(zb_dimacs_about(d).shown, 1);
    assert_false(zb_dimacs_about(d).weighted); /* outside of the projection */
    zb_dimacs_free(d);
    d = parse("p cnf 2 1\nc p weight 2 -0.5 0\n1 2 0\n");
    assert_null(zb_dimacs_model(d));
    zb_dimacs_free(d);
    d = parse("p cnf 2 1\nc p weight 2 1e-400 0\n1 2 0\n");
    assert_null(zb_dimacs_model(d));
    zb_dimacs_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(weighted),
        cmocka_unit_test(projected),
        cmocka_unit_test(projected_and_weighted),
        cmocka_unit_test(negative_weights),
        cmocka_unit_test(known_counts),
        cmocka_unit_test(long_weights),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
