/* zbound-verify: every step on models whose bounds are known by hand, every fault. */
#include "../verify/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#define CHECK(ok, ...)                                                                 \
    do {                                                                               \
        if (!(ok)) {                                                                   \
            print_error(__VA_ARGS__);                                                  \
            fail();                                                                    \
        }                                                                              \
    } while (0)

/* One variable, f = (1, 2), g = (3, 4): Z = 11 */
#define PAIR "MARKOV 1 2 2 1 0 1 0 2 1 2 2 3 4"
#define OF_PAIR "zbound-certificate 1\nmodel 1 2\n"
/* v and s: f = (1 1 / 2 1), g = (3 1 / 4 5): Z = 11 + 6 */
#define SHARED "MARKOV 2 2 2 2 2 0 1 2 0 1 4 1 1 2 1 4 3 1 4 5"
#define OF_SHARED "zbound-certificate 1\nmodel 2 2\n"
/* y = (1, 0, 1)[x], x = 2 nearly forbidden; h(y) = (3, 5), k(x) = (2, 7, 11); a
   constant, a variable of one value, one of four in no factor: Z = 10 4 (5 2 + 2 3 7 +
   0) */
#define TIED "MARKOV 4 2 3 1 4 4 2 0 1 2 2 0 1 1 0 6 0 2 0 1 0 0 2 3 5 3 2 7 11 1 10"
#define OF_TIED "zbound-certificate 1\nmodel 4 4\n"
/* The worked example of the gauge paper's supplement. */
#define WORKED                                                                         \
    "MARKOV 6 2 2 2 2 2 2 4 3 0 1 2 3 0 3 4 3 1 3 5 3 2 4 5 "                          \
    "8 2432 832 4672 640 4864 384 5120 4160 8 1088 128 4928 4608 448 1664 3264 1344 "  \
    "8 1216 5440 768 1856 1920 960 3264 4416 8 5632 5632 6080 6208 5568 896 640 512"
#define OF_WORKED "zbound-certificate 1\nmodel 6 4\n"
#define MIX " : 0.75 .25 2.5e-1 0x1.8p-1\n"
#define GAUGES                                                                         \
    "gauge 0 0 1" MIX "gauge 1 4 2" MIX "gauge 2 6 3" MIX "gauge 3 5 7" MIX            \
    "gauge 4 10 9" MIX "gauge 5 11 13" MIX
/* x - y - z, zeros where x and y are equal or y is 1 and z is 1: Z = 2 (1 3) + 5 (4 +
 * 6) */
#define CHAIN "MARKOV 3 2 2 2 2 2 0 1 2 1 2 4 0 2 5 0 4 4 6 3 0"
#define OF_CHAIN "zbound-certificate 1\nmodel 3 2\n"

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

static verdict ask(const char *model, const char *evidence, const char *certificate,
                   bool logarithms)
{
    question q = { .model = { "model", model, strlen(model) },
                   .evidence = { "evidence", evidence,
                                 evidence ? strlen(evidence) : 0 },
                   .certificate = { "certificate", certificate, strlen(certificate) },
                   .logarithms = logarithms,
                   .memory = 64 << 20,
                   .work = 1000000 };
    return verify(&q);
}

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
        verdict v = ask(g->model, g->evidence, g->certificate, false);
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
            true);
    CHECK(v.outcome == REFUSED, "e^x is rounded: %s", v.lower); /* within 512 bits */
    v = ask("MARKOV 1 2 1 1 0 2 -inf 1000.5", NULL,
            "zbound-certificate 1\nmodel 1 1\nexact\nsum 0\nclaim 1000.49999999999 "
            "1000.500000000001\nend",
            true);
    CHECK(v.outcome == VERIFIED && strcmp(v.lower, v.upper) <= 0, "%s", v.reason);
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
            false);
    CHECK(v.outcome == VERIFIED && atof(v.upper) >= 36.16211, "%ld: %s %s\n", v.line,
          v.reason, v.upper);
    v = ask(WORKED, NULL,
            OF_WORKED "lower\n" GAUGES
                      "bucket 0 2\nmini 2 : 8\nmini -1 : 12\nclaim 1\nend",
            false);
    CHECK(v.outcome == REFUSED && strstr(v.reason, "may be negative"), "%s\n",
          v.reason);
}

/* ---- faults ---------------------------------------------------------------------- */

typedef struct bad {
    const char *certificate;
    long line;
    const char *reason;
} bad;

static const bad of_pair[] = {
    { "", 1, "zbound-certificate" },
    { "zbound-certificate 2\n", 1, "expected 1" },
    { "zbound-certificate 1\n", 2, "expected model" },
    { "zbound-certificate 1\nmodel 1 3\n", 2,
      "the model has 1 variables and 2 factors" },
    { OF_PAIR "end\n", 3, "nothing is claimed" },
    { OF_PAIR "exact\nsum 0\n", 5, "cut off" },
    { OF_PAIR "exact\nsum 0\nclaim 2 3\n", 6, "cut off" },
    { OF_PAIR "exact\nsum 0\nclaim 2 3\nend\nend\n", 7, "nothing after end" },
    { OF_PAIR "exact\nsum 0\nclaim 2 3\nexact\nsum 0\nclaim 2 3\nend", 6,
      "one section too" },
    { OF_PAIR "exact\nsum 0\nclaim 2 3\nupper\nsum 0\nclaim 3\nend", 6,
      "one section too" },
    { OF_PAIR "exact\nclaim 2 3\nend", 4, "variable 0 is left" },
    { OF_PAIR "exact\nsum 0\nsum 0\nclaim 2 3\nend", 5, "no variable 0 any more" },
    { OF_PAIR "exact\nsum 1\nclaim 2 3\nend", 4, "no variable 1" },
    { OF_PAIR "exact\nsum -1\nclaim 2 3\nend", 4, "a variable" },
    { OF_PAIR "exact\nsum 0 0\nclaim 2 3\nend", 4, "the end of the line" },
    { OF_PAIR "exact\nmultiply 0 0\nsum 0\nclaim 2 3\nend", 4, "twice" },
    { OF_PAIR "exact\nmultiply 0 1\nmultiply 0 2\nsum 0\nclaim 2 3\nend", 5,
      "no table 0 any" },
    { OF_PAIR "exact\nmultiply 0 2\nsum 0\nclaim 2 3\nend", 4, "no table 2" },
    { OF_PAIR "exact\nmultiply\nsum 0\nclaim 2 3\nend", 4, "a table" },
    { OF_PAIR "exact\nsum 0\nclaim 2.3978952728 2.4\nend", 5,
      "lower bound is 2.397895272798" },
    { OF_PAIR "exact\nsum 0\nclaim 2 2.397895272797\nend", 5,
      "upper bound is 2.397895272798" },
    { OF_PAIR "exact\nsum 0\nclaim 2 nan\nend", 5, "a number or -inf" },
    { OF_PAIR "exact\nsum 0\nclaim 2 inf\nend", 5, "a number or -inf" },
    { OF_PAIR "exact\nsum 0\nclaim 2 -inf\nend", 5, "is not shown" },
    { OF_PAIR "exact\nsum 0\nclaim 2\nend", 5, "found the end" },
    { OF_PAIR "exact\nbucket 0 1\nmini 1 : 0 1\nclaim 2 3\nend", 4,
      "a step that this section" },
    { OF_PAIR "upper\nstates 0\nstate 0\nclaim 3\nend", 4, "a step that this section" },
    { OF_PAIR "upper\nmeanfield 0\nq : 1 1\nclaim 3\nend", 4,
      "a step that this section" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini .4 : 1\nclaim 3\nend", 4,
      "weights of bucket 0 add up to 0.9" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini nan : 1\nclaim 3\nend", 6,
      "a weight" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini 1e9999999999 : 1\nclaim 3\nend", 6,
      "a weight" },
    { OF_PAIR "upper\nbucket 0 2\nmini 0 : 0\nmini 0 : 1\nclaim 3\nend", 4,
      "add up to 0" },
    { OF_PAIR "upper\nbucket 0 2\nmini 2 : 0\nmini -1 : 1\nclaim 3\nend", 4,
      "is negative" },
    { OF_PAIR "lower\nbucket 0 2\nmini .5 : 0\nmini .5 : 1\nclaim 1\nend", 4,
      "one positive" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini .5 : 0\nclaim 3\nend", 4,
      "there is no table 0 any more" },
    { OF_PAIR "upper\nbucket 0 1\nmini 1 : 0\nclaim 3\nend", 4,
      "table 1 is in no mini-bucket" },
    { OF_PAIR "upper\nbucket 0 1000000000\nmini 1 : 0\nclaim 3\nend", 4,
      "1000000000 mini" },
    { OF_PAIR "upper\nbucket 0 2\nmini 1 : 0\nclaim 3\nend", 6, "expected mini" },
    { OF_PAIR
      "upper\nbucket 0 2\nmini .5 : 0\nshift 0 0\nmini .5 : 1\nshift 0 1e-8\nclaim 3\n"
      "end",
      8, "the last shift" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nshift 0\nmini .5 : 1\nclaim 3\nend", 6,
      "a shift" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nshift 0 0 0\nmini .5 : 1\nclaim 3\nend",
      6, "the end of the line" },
    { OF_PAIR "upper\nbucket 0 1 shared 0\nmini 1 : 0 1\nclaim 3\nend", 4,
      "summed and shared" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini .5 : 1\nclaim 2.414156868650\nend",
      7, "the claim of 2.414156868650 is not shown" },
    { OF_PAIR "lower\nmeanfield 0\nq : 1 -1\nclaim 1\nend", 5, "is negative" },
    { OF_PAIR "lower\nmeanfield 0\nq : 0 0\nclaim 1\nend", 5, "are all 0" },
    { OF_PAIR "lower\nmeanfield 0\nq : 1\nclaim 1\nend", 5, "a probability" },
    { OF_PAIR "lower\nmeanfield 0\nclaim 1\nend", 5, "expected q" },
    { OF_PAIR "lower\nmeanfield 0 0\nq : 1 1\nq : 1 1\nclaim 1\nend", 4, "twice" },
    { OF_PAIR "lower\nstates 0\nstate 1\nstate 1\nclaim 1\nend", 6,
      "a state stands twice" },
    { OF_PAIR "lower\nstates 0\nstate 2\nclaim 1\nend", 5, "a value" },
    { OF_PAIR "upper\ncondition 0 : 1\nclaim 3\nend", 4, "1 of 2 joint values" },
    { OF_PAIR "lower\ncondition 0 : 1 1\nclaim 1\nend", 4, "twice" },
    { OF_PAIR "lower\ncondition 0 :\nclaim 1\nend", 4, "a value" },
    { OF_PAIR "exact\ncondition 0 0\nclaim 2 3\nend", 4, "twice" },
    { OF_PAIR "upper\ncases 0\ncase 0\ndone\nclaim 3\nend", 6, "1 of 2 joint values" },
    { OF_PAIR "lower\ncases 0\ncase 0\ndone\ncase 0\ndone\nclaim 1\nend", 8, "twice" },
    { OF_PAIR "exact\ngauge 0 0 1 : 1 2 2 4\nsum 0\nclaim 2 3\nend", 4,
      "cannot be inverted" },
    { OF_PAIR "exact\ngauge 0 0 0 : 1 0 0 1\nsum 0\nclaim 2 3\nend", 4,
      "in two tables" },
    { OF_PAIR "exact\ngauge 0 0 1 : 1 0 0\nsum 0\nclaim 2 3\nend", 4,
      "an entry of a matrix" },
    { OF_PAIR "exact\ngauge 0 0 1 : 1 0 0 inf\nsum 0\nclaim 2 3\nend", 4,
      "entry of a matrix" },
    { OF_PAIR "exact\ntie 0 0 0 : 0 1\nclaim 2 3\nend", 4, "tied to itself" },
    { OF_PAIR "exact\ncopy 0 : 2\nsum 0\nsum 1\nclaim 2 3\nend", 4, "no table 2" },
    { OF_PAIR "exact\ncopy 0 :\nsum 0\nsum 1\nclaim 2 3\nend", 4, "a table" },
    { OF_PAIR "exact\nzero 0\nclaim 2 3\nend", 4, "table 0 has entries" },
    { OF_PAIR "exact\nzero\nclaim 2 3\nend", 4, "the constant is not 0" },
    { OF_PAIR "exact\nsum\n0\nclaim 2 3\nend", 4, "a variable" },
    { OF_PAIR "exact\nsum 99999999999999999999\nclaim 2 3\nend", 4, "a variable" },
};

static void check_bad(const char *model, const bad *b)
{
    verdict v = ask(model, NULL, b->certificate, false);
    CHECK(v.outcome == REFUSED && v.line == b->line &&
              strstr(v.reason, b->reason) != NULL,
          "%s\nexpected %ld: %s, found %d, %ld: %s\n", b->certificate, b->line,
          b->reason, (int)v.outcome, v.line, v.reason);
}

static void faults_are_refused(void **state)
{

    static const bad others[] = {
        { OF_TIED "exact\ntie 0 1 0 : 1 1 -1\nsum 1\nsum 3\nclaim 7 8\nend", 4,
          "table 0 has an entry where variable 1 is 1 and 0 is 0" },
        { OF_TIED "exact\ntie 0 1 0 : 1 0\nsum 1\nsum 3\nclaim 7 8\nend", 4,
          "a value of the" },
        { OF_TIED "exact\ntie 0 1 1 : 1 0 0\nsum 1\nsum 3\nclaim 7 8\nend", 4,
          "table 1 does not have the variable 1" },
        { OF_TIED "exact\ntie 0 1 0 : 1 0 -1\nsum 1\nclaim 7 8\nend", 6,
          "variable 3 is left" },
        { OF_TIED "exact\nmultiply 3\nsum 1\nclaim 7 8\nend", 4,
          "no table 3 any more" },
    };
    static const bad chain = { OF_CHAIN "lower\nmeanfield 0\nq : 1 1\nclaim 1\nend", 4,
                               "table 0 has the variable 1 too" };
    static const bad shared = { OF_CHAIN "upper\nbucket 1 2 shared 0\nmini .5 .5 : 0\n"
                                         "mini .5 .5 : 1\nclaim 9\nend",
                                6, "does not have the shared variable 0" };
    (void)state;
    for (size_t i = 0; i < sizeof of_pair / sizeof *of_pair; i++)
        check_bad(PAIR, &of_pair[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_bad(TIED, &others[i]);
    check_bad(CHAIN, &chain);
    check_bad(CHAIN, &shared);
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
            verdict v = ask(goods[i].model, goods[i].evidence, part, false);
            CHECK(v.outcome == REFUSED, "%s: %zu bytes are enough\n", goods[i].name, n);
        }
    }
}

static void models_are_read_strictly(void **state)
{
    static const struct {
        const char *model, *evidence, *reason;
    } unreadable[] = {
        { "MARKOW 0 0", NULL, "MARKOV or BAYES" },
        { "MARKOV 1 0 0", NULL, "a cardinality" },
        { "MARKOV 1 2 1 1 1 2 1 1", NULL, "a variable" },
        { "MARKOV 1 2 1 2 0 0 2 1 1", NULL, "the size of a scope" },
        { "MARKOV 2 2 2 1 2 0 0 4 1 1 1 1", NULL, "each variable once" },
        { "MARKOV 1 2 1 1 0 3 1 1 1", NULL, "the product of the cardinalities" },
        { "MARKOV 1 2 1 1 0 2 1", NULL, "a number from 0" },
        { "MARKOV 1 2 1 1 0 2 1 -1", NULL, "a number from 0" },
        { "MARKOV 1 2 1 1 0 2 1 nan", NULL, "a number from 0" },
        { "MARKOV 1 2 1 1 0 2 1 1 1", NULL, "the end of the file" },
        { "MARKOV 1000000000 2", NULL, "the number of variables" },
        { "MARKOV 1 2 100000000 1 0", NULL, "the size of a scope" },
        { PAIR, "1 0 2", "cannot have the value 2" },
        { PAIR, "1 1 0", "variable 1 cannot" },
        { PAIR, "2 0 1 0", "expected k" },
        { PAIR, "2 0 1 0 0", "cannot have" },
        { PAIR, "/* Evidence", "the end of the comment" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        verdict v = ask(unreadable[i].model, unreadable[i].evidence, "", false);
        CHECK(v.outcome == UNREADABLE && strstr(v.reason, unreadable[i].reason) != NULL,
              "%s: %s\n", unreadable[i].model, v.reason);
    }
}

/* Ten binary variables in ten tables that are multiplied: 2^20 entries and more. */
static void memory_is_limited(void **state)
{
    static char model[4000], certificate[4000];
    int n = sprintf(model, "MARKOV 20 "), m;
    (void)state;
    for (int v = 0; v < 20; v++)
        n += sprintf(model + n, "2 ");
    n += sprintf(model + n, "20 ");
    for (int v = 0; v < 20; v++)
        n += sprintf(model + n, "1 %d ", v);
    for (int v = 0; v < 20; v++)
        n += sprintf(model + n, "2 1 2 ");
    m = sprintf(certificate, "zbound-certificate 1\nmodel 20 20\nexact\nmultiply");
    for (int v = 0; v < 20; v++)
        m += sprintf(certificate + m, " %d", v);
    sprintf(certificate + m, "\nclaim 1 2\nend\n");
    question q = { .model = { "model", model, strlen(model) },
                   .certificate = { "certificate", certificate, strlen(certificate) },
                   .memory = 1 << 20,
                   .work = UINT64_MAX };
    verdict v = verify(&q);
    CHECK(v.outcome == REFUSED && v.line == 4 && strstr(v.reason, "--memory") != NULL,
          "%s\n", v.reason);
    q.memory = 1 << 30;
    v = verify(&q);
    CHECK(v.outcome == REFUSED && v.line == 5 && strstr(v.reason, "is left") != NULL,
          "%s\n", v.reason);
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
    verdict v = ask(model, NULL, certificate, false);
    CHECK(v.outcome == VERIFIED, "%ld: %s\n", v.line, v.reason);
    CHECK(atof(v.upper) - atof(v.lower) < 1e-11 && atof(v.upper) >= atof(v.lower),
          "%s .. %s\n", v.lower, v.upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_lead_to_known_bounds),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(gauges_and_splits),
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(truncations_are_refused),
        cmocka_unit_test(models_are_read_strictly),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(balls_stay_small),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
