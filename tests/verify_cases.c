/* zbound-verify: every step on models whose bounds are known by hand. */
#include "verify_ask.h"

typedef struct good {
    const char *name, *model, *evidence, *certificate;
    double lower, upper; /* Z and not ln Z; NAN: no such side */
} good;

static const good goods[] = {
    { "sum", PAIR, NULL,
      OF_PAIR "exact\nsum 0\nclaim 2.397895272798 2.3978952728\nend\n", 11, 11 },
    { "multiply", PAIR, NULL, OF_PAIR "exact\nmultiply 0 1\nsum 0\nclaim -inf 3\nend",
      11, 11 },
    { "copy", PAIR, NULL, OF_PAIR "exact\ncopy 0 : 1\nsum 0\nsum 1\nclaim 2 3\nend", 11,
      11 },
    { "copy all", PAIR, NULL,
      OF_PAIR "exact\ncopy 0 : 1 0\nsum 0\nsum 1\nclaim 2 3\nend", 11, 11 },
    { "both sections, windows line ends", PAIR, NULL,
      OF_PAIR
      "upper\r\n\r\nsum 0\r\nclaim 3\r\nlower # why\r\nsum 0\r\nclaim 2\r\nend\r\n",
      11, 11 },
    { "Hoelder", PAIR, NULL,
      OF_PAIR "upper\nbucket 0 2\nmini 0.5 : 0\nmini 0.5 : 1\nclaim 2.4142\nend", NAN,
      11.180339887498949 },
    { "max", PAIR, NULL,
      OF_PAIR "upper\nbucket 0 2\nmini 1 : 0\nmini 0 : 1\nclaim 3\nend", NAN, 12 },
    { "one mini-bucket", PAIR, NULL,
      OF_PAIR "upper\nbucket 0 1\nmini 1 : 1 0\nclaim 3\nend", NAN, 11 },
    { "shifts that make Hoelder exact", PAIR, NULL,
      OF_PAIR
      "upper\nbucket 0 2\nmini .5 : 0\n"
      "shift 0.54930614433405484570 0.34657359027997265471\nmini .5 : 1\nclaim 3\nend",
      NAN, 11 },
    { "reverse Hoelder", PAIR, NULL,
      OF_PAIR "lower\nbucket 0 2\nmini 2 : 0\nmini -1 : 1\nclaim 2\nend",
      9.991589356707755, NAN },
    { "min", PAIR, NULL,
      OF_PAIR "lower\nbucket 0 2\nmini 1 : 0\nmini 0 : 1\nclaim 2\nend", 9, NAN },
    { "mean field", PAIR, NULL, OF_PAIR "lower\nmeanfield 0\nq : 1 1\nclaim 2\nend",
      9.7979589711327124, NAN },
    { "the best mean field", PAIR, NULL,
      OF_PAIR "lower\nmeanfield 0\nq : 3 8\nclaim 2\nend", 11, NAN },
    { "a certain mean field", PAIR, NULL,
      OF_PAIR "lower\nmeanfield 0\nq : 0 1\nclaim 2\nend", 8, NAN },
    { "one state", PAIR, NULL, OF_PAIR "lower\nstates 0\nstate 1\nclaim 2\nend", 8,
      NAN },
    { "all states", PAIR, NULL,
      OF_PAIR "lower\nstates 0\nstate 1\nstate 0\nclaim 2\nend", 11, NAN },
    { "evidence", PAIR, "1 0 1", OF_PAIR "exact\nclaim 2 3\nend", 8, 8 },
    { "evidence of two samples", PAIR, "2\n1 0 0\n1 0 1\n",
      OF_PAIR "exact\nclaim 1 2\nend", 3, 3 },
    { "evidence with a comment", PAIR, "/* Evidence */ 1 0 1",
      OF_PAIR "exact\nclaim 2 3\nend", 8, 8 },
    { "no evidence", PAIR, " \n", OF_PAIR "exact\nsum 0\nclaim 2 3\nend", 11, 11 },
    { "shared weights", SHARED, NULL,
      OF_SHARED
      "upper\nbucket 0 2 shared 1\nmini .5 1 : 0\nmini .5 0 : 1\nsum 1\nclaim 4\nend",
      NAN, 21.180339887498949 },
    { "shared shifts", SHARED, NULL,
      OF_SHARED
      "upper\nbucket 0 2 shared 1\nmini .5 1 : 0\n"
      "shift 0.54930614433405484570 0 0.34657359027997265471 1.609437912434100374\n"
      "mini .5 0 : 1\nsum 1\n"
      "claim 4\nend",
      NAN, 17 },
    { "condition", SHARED, NULL, OF_SHARED "exact\ncondition 1\nsum 0\nclaim 2 3\nend",
      17, 17 },
    { "condition on all", SHARED, NULL,
      OF_SHARED "exact\ncondition 1 0\nclaim 2 3\nend", 17, 17 },
    { "condition on some", SHARED, NULL,
      OF_SHARED "lower\ncondition 0 1 : 1 1 0 0 \nclaim 2\nend", 8, NAN },
    { "cases", SHARED, NULL,
      OF_SHARED "upper\ncases 1\ncase 1\nsum 0\ndone\ncase 0\nbucket 0 2\nmini .5 : 0\n"
                "mini .5 : 1\ndone\nclaim 3\nend",
      NAN, 17.180339887498949 },
    { "cases in cases", SHARED, NULL,
      OF_SHARED
      "lower\ncases 1\ncase 1\ncases 0\ncase 0\ndone\ncase 1\ndone\ndone\nclaim 1\nend",
      6, NAN },
    { "tie, constants, single values, a variable in no factor", TIED, NULL,
      OF_TIED "exact\ntie 0 1 0 : 1 0 -1\nsum 1\nsum 3\nclaim 7 8\nend", 2080, 2080 },
    { "tie the other way", TIED, NULL,
      OF_TIED "exact\ntie 1 0 0 : 1 0\nsum 0\nsum 3\nsum 2\nclaim 7 8\nend", 2080,
      2080 },
    { "values", TIED, NULL,
      OF_TIED "exact\nvalues 1 : 1 0\ntie 0 4 0 : 0 1\nsum 4\nsum 3\nclaim 7 8\nend",
      2080, 2080 },
    { "one value is left", TIED, "1 0 0",
      OF_TIED "exact\nvalues 1 : 1\nsum 3\nclaim 7 8\nend", 1680, 1680 },
    { "no value is left", TIED, "1 1 2", OF_TIED "upper\nvalues 0 :\nclaim -inf\nend",
      NAN, 0 },
    { "drop, above", SHARED, NULL,
      OF_SHARED "upper\ndrop 0 1\nsum 0\nsum 1\nclaim 4\nend", NAN, 4 + 2 * 9 },
    { "drop, below", SHARED, NULL,
      OF_SHARED "lower\ndrop 1 1\nsum 0\nsum 1\nclaim 2\nend", 2 * 1 + 3 * 4, NAN },
    { "drop, below, with a zero", CHAIN, NULL,
      OF_CHAIN "lower\ndrop 1 2\nsum 0\nsum 1\nsum 2\nclaim 2\nend", 5 * 4 * 2, NAN },
    { "split, above", SHARED, NULL,
      OF_SHARED "upper\nsplit 1 0 1\nsum 0\nsum 1\nclaim 4\nend", NAN,
      1 * 3 + 1 * 1 + 2 * 15 + 1 * 5 },
    { "split, below", SHARED, NULL,
      OF_SHARED "lower\nsplit 1 0 1\nsum 0\nsum 1\nclaim 2\nend",
      1 * 3 + 1 * 1 + 2 * 4 + 1 * (4 / 3.), NAN },
    { "split of a product with zeros", CHAIN, NULL,
      OF_CHAIN "upper\nmultiply 0 1\nsplit 2 0 2\nsum 0\nsum 1\nsum 2\nclaim 5\nlower\n"
               "multiply 0 1\nsplit 2 2 0\nsum 0\nsum 1\nsum 2\nclaim 4\nend",
      56, 56 },
    { "Z = 0", TIED, "1 1 2", OF_TIED "exact\nsum 0\nsum 3\nclaim -inf -inf\nend", 0,
      0 },
    { "Z = 0 by a table", TIED, "1 1 2", OF_TIED "upper\nzero 0\nclaim -inf\nend", NAN,
      0 },
    { "Z = 0 by the constant", TIED, "2 1 2 0 0",
      OF_TIED "upper\nzero\nclaim -inf\nend", NAN, 0 },
    { "gauges", WORKED, NULL,
      OF_WORKED "exact\n" GAUGES "sum 0\nsum 1\nsum 2\nsum 3\nsum 4\nsum 5\n"
                "claim 36.16211848648 36.16211848649\nend",
      5070006459039744, 5070006459039744 },
    { "the same without", WORKED, NULL,
      OF_WORKED "exact\nsum 0\nsum 1\nsum 2\nsum 3\nsum 4\nsum 5\nclaim 36 37\nend",
      5070006459039744, 5070006459039744 },
    { "zeros: a bucket of a negative weight", CHAIN, NULL,
      OF_CHAIN
      "lower\nbucket 1 2\nmini 2 : 1\nmini -1 : 0\nsum 0\nsum 2\nclaim -inf\nend",
      0, NAN },
    { "zeros: a bucket of a positive weight", CHAIN, NULL,
      OF_CHAIN "lower\nbucket 1 2\nmini 2 : 0\nmini -1 : 1\nsum 0\nsum 2\nclaim 1\nend",
      7 / (1 / 4. + 1 / 3.), NAN },
    { "zeros: mean field on forbidden states", CHAIN, NULL,
      OF_CHAIN "lower\nmeanfield 0 1 2\nq : 1 1\nq : 1 1\nq : 1 1\nclaim -inf\nend", 0,
      NAN },
    { "zeros: mean field where it may be", CHAIN, NULL,
      OF_CHAIN "lower\nmeanfield 0 1 2\nq : 0 1\nq : 1 0\nq : 4 6\nclaim 1\nend",
      5 * (4 + 6), NAN },
    { "weights of a single tiny size",
      "MARKOV 1 2 2 1 0 1 0 2 1e-400 2e-400 2 3e400 4e400", NULL,
      OF_PAIR "exact\nsum 0\nclaim 2.3978952727983 2.3978952727984\nend", 11, 11 },
    { "no variables", "MARKOV 0 1 0 1 7", NULL,
      "zbound-certificate 1\nmodel 0 1\nexact\nclaim 1 2\nend", 7, 7 },
    { "Z = 1, exactly", "MARKOV 1 2 1 1 0 2 .5 0.5", NULL,
      "zbound-certificate 1\nmodel 1 1\nexact\nsum 0\nclaim 0 0\nend", 1, 1 },
};

/* The bound that is printed: on the right side of ln z, up to the rounding of z itself,
   and within 1e-13 of it. */
static bool is_bound(const char *bound, double z, bool upper)
{
    if (isnan(z))
        return bound[0] == '\0';
    if (z == 0)
        return strcmp(bound, "-inf") == 0;
    double x = strtod(bound, NULL), off = (x - log(z)) * (upper ? 1 : -1);
    return bound[0] != '\0' && off >= -1e-15 * fmax(1, fabs(x)) &&
           off <= 1e-13 * fmax(1, fabs(x));
}

static void steps_lead_to_known_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const good *g = &goods[i];
        verdict v = ask(g->model, g->evidence, g->certificate, WEIGHTS);
        CHECK(v.outcome == VERIFIED, "%s: %s:%ld: %s\n", g->name, v.file, v.line,
              v.reason);
        CHECK(is_bound(v.lower, g->lower, false) && is_bound(v.upper, g->upper, true),
              "%s: %s .. %s\n", g->name, v.lower, v.upper);
    }
}

static void logarithms(void **state)
{
    (void)state;
    verdict v =
        ask("MARKOV 1 2 1 1 0 2 -inf 1000.5", NULL,
            "zbound-certificate 1\nmodel 1 1\nexact\nsum 0\nclaim 1000.5 1000.5\nend",
            LOGARITHMS);
    CHECK(v.outcome == REFUSED, "e^x is rounded: %s", v.lower); /* within 512 bits */
    v = ask("MARKOV 1 2 1 1 0 2 -inf 1000.5", NULL,
            "zbound-certificate 1\nmodel 1 1\nexact\nsum 0\nclaim 1000.49999999999 "
            "1000.500000000001\nend",
            LOGARITHMS);
    CHECK(v.outcome == VERIFIED && strcmp(v.lower, v.upper) <= 0, "%s", v.reason);
}

/* Formulas: clauses in their order, then weights; a literal twice or with its negation,
   weights of one side, fractions, evidence, 14 literals in two parts. */
static void formulas(void **state)
{
    static const struct {
        const char *model, *evidence, *certificate;
        double z;
    } of[] = {
        { "c x\np cnf 2 1\n1 2 0\n", NULL, "2 1\nexact\nsum 0\nsum 1", 3 },
        { "p cnf 2 3 1 1 -2 0 2 -2 0\n-1\n2 0", NULL,
          "2 2\nexact\nmultiply 0 1\nsum 0\nsum 1", 2 },
        { "p cnf 1 1 0", NULL, "1 1\nexact\nsum 0", 0 },
        { "p cnf 0 0", NULL, "0 0\nexact", 1 },
        { "p cnf 3 0", NULL, "3 0\nexact\nsum 0\nsum 1\nsum 2", 8 },
        { "p cnf 2 1\n1 2 0\nw 1 0.25\nc p weight -2 3/8 0\nc w 2 7", NULL,
          "2 3\nexact\nsum 0\nsum 1", 0.25 + 0.75 * 0.625 },
        { "p cnf 2 1\n1 2 0\nw 1 3 0\nw -2 2\nw 2 5\n", NULL,
          "2 3\nexact\nsum 0\nsum 1", 3 * 7 + 1 * 5 },
        { "p cnf 2 1\n1 2 0\nw 1 -1\nw 2 1\n", NULL, "2 3\nexact\nsum 0\nsum 1", 2 },
        { "p cnf 2 1\n1 2 0\nw 1 0\n", NULL, "2 2\nexact\nsum 0\nsum 1", 1 },
        { "p cnf 2 1\n1 2 0\n%\nw 1 0", NULL, "2 1\nexact\nsum 0\nsum 1", 3 },
        { "p cnf 2 1\n1 2 0\n", "1 0 0", "2 1\nexact\nsum 1", 1 },
        { "p cnf 14 1\n1 2 3 4 5 6 7 8 9 10 11 12 13 -14 0", NULL,
          "15 2\nexact\nsum 14\nsum 0\nsum 1\nsum 2\nsum 3\nsum 4\nsum 5\nsum 6\nsum "
          "7\n"
          "sum 8\nsum 9\nsum 10\nsum 11\nsum 12\nsum 13",
          16383 },
        { "p cnf 12 1\n1 2 3 4 5 6 7 8 9 10 11 -12 0",
          "11 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 9 0 10 0 11 1", "12 1\nexact\nsum 0", 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char certificate[400];
        snprintf(certificate, sizeof certificate,
                 "zbound-certificate 1\nmodel %s\nclaim -inf 99\nend",
                 of[i].certificate);
        verdict v = ask(of[i].model, of[i].evidence, certificate, FORMULA);
        CHECK(v.outcome == VERIFIED, "%s: %s:%ld: %s\n", of[i].model, v.file, v.line,
              v.reason);
        CHECK(is_bound(v.lower, of[i].z, false) && is_bound(v.upper, of[i].z, true),
              "%s: %s .. %s\n", of[i].model, v.lower, v.upper);
    }
}

/* 1 - w of a weight next to 1 needs more than 64 bits: what is left is known all the
   same, and 1 where the weight is above 1. */
static void weights_next_to_one(void **state)
{
    static const char *const sum =
        "zbound-certificate 1\nmodel 1 1\nexact\nsum 0\nclaim -inf 9\nend";
    (void)state;
    verdict v =
        ask("p cnf 1 0\nw 1 0.9999999999999999999999999999999", "1 0 0",
            "zbound-certificate 1\nmodel 1 1\nexact\nclaim -inf 9\nend", FORMULA);
    CHECK(v.outcome == VERIFIED && atof(v.lower) < log(1e-31) &&
              atof(v.upper) > log(1e-31) && atof(v.upper) - atof(v.lower) < 1e-6,
          "%s %s .. %s\n", v.reason, v.lower, v.upper);
    v = ask("p cnf 1 0\nw 1 1.0000000000000000000000000000001", NULL, sum, FORMULA);
    CHECK(v.outcome == VERIFIED && is_bound(v.upper, 2, true), "%s %s\n", v.reason,
          v.upper);
}

/* Gauges, then a split: signs are dropped there, and the bound is above Z; or, from
   below, refused, since a table is negative. */
static void gauges_and_splits(void **state)
{
    (void)state;
    verdict v =
        ask(WORKED, NULL,
            OF_WORKED "upper\n" GAUGES
                      "sum 0\nsum 1\nbucket 2 1\nmini 1 : 15 17\nsum 3\nsum 4\nsum 5\n"
                      "claim 40\nend",
            WEIGHTS);
    CHECK(v.outcome == VERIFIED && atof(v.upper) >= 36.16211, "%ld: %s %s\n", v.line,
          v.reason, v.upper);
    v = ask(WORKED, NULL,
            OF_WORKED "lower\n" GAUGES
                      "bucket 0 2\nmini 2 : 8\nmini -1 : 12\nclaim 1\nend",
            WEIGHTS);
    CHECK(v.outcome == REFUSED && strstr(v.reason, "may be negative"), "%s\n",
          v.reason);
}

/* Every beginning of a certificate is refused: none lacks its end. */
static void truncations_are_refused(void **state)
{
    (void)state;
    char part[4000];
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const char *end = strstr(goods[i].certificate, "\nend");
        for (size_t n = 0; n < (size_t)(end - goods[i].certificate) + 4; n++) {
            snprintf(part, sizeof part, "%.*s", (int)n, goods[i].certificate);
            verdict v = ask(goods[i].model, goods[i].evidence, part, WEIGHTS);
            CHECK(v.outcome == REFUSED, "%s: %zu bytes are enough\n", goods[i].name, n);
        }
    }
}

/* A chain of 400 variables with every factor twice: splits between the two are exact,
   and their rounding must add up and not multiply. */
static void balls_stay_small(void **state)
{
    enum { N = 400, F = 2 * (N - 1) };
    static char model[60000], certificate[60000];
    char *m = model, *c = certificate;
    (void)state;
    m += sprintf(m, "MARKOV %d ", N);
    for (int v = 0; v < N; v++)
        m += sprintf(m, "2 ");
    m += sprintf(m, "%d ", F);
    for (int f = 0; f < F; f++)
        m += sprintf(m, "2 %d %d ", f / 2, f / 2 + 1);
    for (int f = 0; f < F; f++)
        m += sprintf(m, "4 %d.3 0.7 %d.1 1.%d ", f / 2 % 3, f / 2 % 2, f / 2 % 7);
    c += sprintf(c, "zbound-certificate 1\nmodel %d %d\nlower\n", N, F);
    for (int v = 0; v < N; v++)
        c += sprintf(c, "sum %d\n", v);
    c += sprintf(c, "claim -inf\nupper\n");
    for (int v = 0; v < N; v++) {
        c += sprintf(c, "bucket %d 2\n", v);
        for (int r = 0; r < 2; r++) {
            c += sprintf(c, "mini 0.5 :");
            if (v > 0)
                c += sprintf(c, " %d", F + 2 * (v - 1) + r);
            if (v < N - 1)
                c += sprintf(c, " %d", 2 * v + r);
            c += sprintf(c, "\n");
        }
    }
    sprintf(c, "claim 1e6\nend\n");
    verdict v = ask(model, NULL, certificate, WEIGHTS);
    CHECK(v.outcome == VERIFIED, "%ld: %s\n", v.line, v.reason);
    CHECK(atof(v.upper) - atof(v.lower) < 1e-11 && atof(v.upper) >= atof(v.lower),
          "%s .. %s\n", v.lower, v.upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_lead_to_known_bounds),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(formulas),
        cmocka_unit_test(weights_next_to_one),
        cmocka_unit_test(gauges_and_splits),
        cmocka_unit_test(truncations_are_refused),
        cmocka_unit_test(balls_stay_small),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
