/* zbound-verify: whatever is wrong with a certificate or a model is refused by its
 * line. */
#include "verify_ask.h"

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
    { OF_PAIR "exact\nvalues 0 : 0\nclaim 2 3\nend", 4, "has an entry at 1" },
    { OF_PAIR "exact\nvalues 0 : 0 1 0\nsum 1\nclaim 2 3\nend", 4, "stands twice" },
    { OF_PAIR "exact\nvalues 0 : 0 2\nsum 1\nclaim 2 3\nend", 4, "a value" },
    { OF_PAIR "exact\nvalues 0 0 1\nsum 1\nclaim 2 3\nend", 4, "expected :" },
    { OF_PAIR "exact\ndrop 0 0\nsum 0\nclaim 2 3\nend", 4, "a step that this" },
    { OF_PAIR "upper\ndrop 0 1\nsum 0\nclaim 3\nend", 4, "not have the variable 1" },
    { OF_PAIR "upper\ndrop 2 0\nsum 0\nclaim 3\nend", 4, "no table 2" },
    { OF_PAIR "upper\ngauge 0 0 1 : 1 0 0 1\ndrop 2 0\nsum 0\nclaim 3\nend", 5,
      "after a gauge" },
    { OF_PAIR "upper\nsplit 0 0 0\nsum 0\nclaim 3\nend", 4, "to the same" },
    { OF_PAIR "exact\nsum\n0\nclaim 2 3\nend", 4, "a variable" },
    { OF_PAIR "exact\nsum 99999999999999999999\nclaim 2 3\nend", 4, "a variable" },
    /* tables and variables that are gone, or not there yet */
    { OF_PAIR "exact\nsum 0\nmultiply 2\nclaim 2 3\nend", 5, "no table 2 any more" },
    { OF_PAIR "exact\ncopy 0 : 1\ntie 1 0 2 : 0 1\nsum 1\nclaim 2 3\nend", 6,
      "no variable 1 any more" },
    { OF_PAIR "upper\nbucket 0 2\nmini 1 : 0\nmini 0 : 2\nclaim 3\nend", 6,
      "no table 2" },
    { OF_PAIR "upper\nbucket 0 1\nmini 1 : 0 1\nbucket 0 1\nmini 1 : 2\nclaim 3\nend",
      6, "no variable 0 any more" },
    { OF_PAIR "exact\nvalues 0 : 0 1\nsum 0\nclaim 2 3\nend", 5,
      "no variable 0 any more" },
    { OF_PAIR "lower\nstates 0\nstate 0\nstates 0\nstate 1\nclaim 1\nend", 6,
      "no variable 0 any more" },
    { OF_PAIR "lower\nstates 0\nstate 0\nsum 0\nclaim 1\nend", 6,
      "no variable 0 any more" },
    { OF_PAIR "exact\ncondition 0\nsum 0\nclaim 2 3\nend", 5,
      "no variable 0 any more" },
    { OF_PAIR "lower\ncases 0\ncase 0\ncondition 0\ndone\nclaim 1\nend", 6,
      "no variable 0 any more" },
    /* weights that a sum within 1e-9 would let pass */
    { OF_PAIR "upper\nbucket 0 2\nmini 1.0000000001 : 0\nmini -1e-10 : 1\nclaim 3\nend",
      4, "is negative" },
    { OF_PAIR "upper\nbucket 0 2\nmini 1.0000000001 : 0\nmini 1e-10 : 1\nclaim 3\nend",
      4, "is negative" },
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nmini .500000002 : 1\nclaim 3\nend", 4,
      "add up to 1.000000002" },
    { OF_PAIR "lower\nbucket 0 2\nmini 2 : 0\nmini -1.000000002 : 1\nclaim 1\nend", 4,
      "add up to 0.999999998" },
    { OF_PAIR "lower\nbucket 0 2\nmini 0.9999999999 : 0\nmini -1e-10 : 1\nclaim 1\nend",
      4, "one positive" },
    { OF_PAIR "upper\nbucket 0 2\nmini -0 : 0\nmini 0 : 1\nclaim 3\nend", 4,
      "add up to 0" },
    /* steps out of place */
    { OF_PAIR "upper\nbucket 0 2\nmini .5 : 0\nclaim 3\nmini .5 : 1\nend", 6,
      "expected mini" },
    { OF_PAIR "upper\nshift 0 0\nsum 0\nclaim 3\nend", 4, "a step that this section" },
    { OF_PAIR "lower\nstate 0\nsum 0\nclaim 1\nend", 4, "a step that this section" },
    { OF_PAIR "exact\ndone\nsum 0\nclaim 2 3\nend", 4, "a step that this section" },
    { OF_PAIR "exact\ncondition 0\nclaim 2 3\nclaim 2 3\nend", 6, "exact, upper" },
    { OF_PAIR "lower\ncases 0\ncase 0\nclaim 1\nend", 6, "a step that this section" },
    { OF_PAIR "lower\nbucket 0 1\nmini 1 : 0 1\nclaim 1\nlower\nsum 0\nclaim 2\nend", 7,
      "one section too" },
    /* gauges that are all but singular, or come too late */
    { OF_PAIR "exact\ngauge 0 0 1 : 1 1 1 0x1.0000000000001p0\nsum 0\nclaim 2.5 3\nend",
      6, "is not shown" },
    { OF_PAIR "exact\ngauge 0 0 1 : 0 0 0 0\nsum 0\nclaim 2 3\nend", 4,
      "cannot be inverted" },
    { OF_PAIR "exact\ngauge 0 0 1 : .1 .3 .2 .6\nsum 0\nclaim 2 3\nend", 4,
      "cannot be inverted" },
    { OF_PAIR "lower\ngauge 0 0 1 : 1 -1 0 1\nstates 0\nstate 0\nclaim 1\nend", 5,
      "may be negative" },
    { OF_PAIR "lower\ngauge 0 0 1 : 1 -1 0 1\ncondition 0 : 1\nclaim 1\nend", 5,
      "may be negative" },
    { OF_PAIR "lower\ngauge 0 0 1 : 1 -1 0 1\ncases 0\ncase 1\ndone\nclaim 1\nend", 5,
      "may be negative" },
    /* claims */
    { OF_PAIR "exact\nsum 0\nclaim 3 2\nend", 5, "is not shown" },
    { OF_PAIR "upper\nsum 0\nclaim -inf\nend", 5, "is not shown" },
    { OF_PAIR "upper\nsum 0\nclaim -infinity\nend", 5, "a number or -inf" },
    { OF_PAIR "upper\nsum 0\nclaim +inf\nend", 5, "a number or -inf" },
    { OF_PAIR "upper\nsum 0\nclaim 3 3\nend", 5, "the end of the line" },
    { OF_PAIR "lower\nsum 0\nclaim 2.39789527279837055\nend", 5, "is not shown" },
    { OF_PAIR "upper\nsum 0\nclaim 2.39789527279837054\nend", 5, "is not shown" },
    /* sizes that are only claimed */
    { OF_PAIR "upper\nbucket 0 2 shared 0 1 2 3 4 5 6 7 8 9\nclaim 3\nend", 4,
      "summed and shared" },
    { OF_PAIR "lower\nstates 0\nstate 1000000000\nclaim 1\nend", 5, "a value" },
    { OF_PAIR "exact\nmultiply 1000000000\nclaim 2 3\nend", 4, "no table 1000000000" },
};

static void check_bad(const char *model, const bad *b)
{
    verdict v = ask(model, NULL, b->certificate, WEIGHTS);
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
        { OF_TIED "upper\nvalues 1 : 0\nsum 0\nsum 3\nclaim 9\nend", 4,
          "every table of 1 has an entry at 1" },
        { OF_TIED "exact\nmultiply 3\nsum 1\nclaim 7 8\nend", 4,
          "no table 3 any more" },
    };
    static const bad chain = { OF_CHAIN "lower\nmeanfield 0\nq : 1 1\nclaim 1\nend", 4,
                               "table 0 has the variable 1 too" };
    static const bad shared = { OF_CHAIN
                                "upper\nbucket 1 2 shared 0 0\nmini .5 .5 .5 .5 "
                                ": 0\nmini .5 .5 .5 .5 : 1\nclaim 9\nend",
                                4, "0 stands twice in this line" };
    static const bad rows = { OF_CHAIN "upper\nsplit 0 0 1\nclaim 9\nend", 4,
                              "rows whose zeros differ" };
    (void)state;
    for (size_t i = 0; i < sizeof of_pair / sizeof *of_pair; i++)
        check_bad(PAIR, &of_pair[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_bad(TIED, &others[i]);
    check_bad(CHAIN, &chain);
    check_bad(CHAIN, &shared);
    check_bad(CHAIN, &rows);
}

static void models_are_read_strictly(void **state)
{
    typedef struct unreadable {
        const char *model, *evidence, *reason;
    } unreadable;
    static const unreadable models[] = {
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
    static const unreadable formulas[] = {
        { "1 0", NULL, "p cnf first" },
        { "p cnf 2 1", NULL, "0 clauses are there, the header says 1" },
        { "p cnf 2 1 1 0 2 0", NULL, "2 clauses are there" },
        { "p cnf 2 1 1 2", NULL, "a literal" },
        { "p cnf 2 1 3 0", NULL, "a literal" },
        { "p cnf 2 1 1 -3 0", NULL, "a literal" },
        { "p cnf 2 1 p cnf 2 1 1 0", NULL, "one line p cnf" },
        { "p dnf 2 1 1 0", NULL, "expected cnf" },
        { "p cnf 500000000 1\n1 0", NULL, "a number of variables that fits" },
        { "p cnf 2 1\n1 0\nw 1 -0.5", NULL, "a weight from 0" },
        { "p cnf 2 1\n1 0\nc p weight 1 -1 0", NULL, "a weight from 0" },
        { "p cnf 2 1\n1 0\nw 1 1/0", NULL, "a fraction" },
        { "p cnf 2 1\n1 0\nw 1 1/2/3", NULL, "a weight" },
        { "p cnf 2 1\n1 0\nw 1 /2", NULL, "a weight" },
        { "p cnf 2 1\n1 0\nw 1 inf", NULL, "a weight" },
        { "p cnf 2 1\n1 0\nw 1 .5\nw 1 .5", NULL, "two weights" },
        { "p cnf 2 1\n1 0\nw 0 .5", NULL, "a literal" },
        { "c p weight 1 .5 0\np cnf 2 1\n1 0", NULL, "p cnf first" },
        { "c t pmc\np cnf 2 1\n1 0", NULL, "no projection" },
        { "c p show 1 0\np cnf 2 1\n1 0", NULL, "no projection" },
        { "p cnf 2 1\n1 0\nc ind 1 0", NULL, "no projection" },
        { "p cnf 1 1\n1 0", "1 1 0", "variable 1 cannot" },
    };
    const size_t n = sizeof models / sizeof *models;
    (void)state;
    for (size_t i = 0; i < n + sizeof formulas / sizeof *formulas; i++) {
        const unreadable *u = i < n ? &models[i] : &formulas[i - n];
        verdict v = ask(u->model, u->evidence, "", i < n ? WEIGHTS : FORMULA);
        CHECK(v.outcome == UNREADABLE && strstr(v.reason, u->reason) != NULL,
              "%s: %s\n", u->model, v.reason);
    }
}

/* Cardinalities that no table bears out. */
static void claimed_sizes_take_no_memory(void **state)
{
    static const struct {
        const char *certificate, *reason;
    } claims[] = {
        { "exact\ncondition 0 1 2 3\nclaim 1 2\nend", "more than 2^32" },
        { "lower\ncondition 0 : 2000000000\nclaim 1\nend", "a value" },
        { "exact\nvalues 0 : 0\nclaim 1 2\nend", "--memory" },
        { "lower\nmeanfield 0\nq : 1 1\nclaim 1\nend", "1000000000 times" },
        { "upper\ncases 0\ncase 0\nsum 1\nsum 2\nsum 3\ndone\nclaim 9\nend",
          "1 of 1000000000 joint" },
        { "upper\nbucket 0 1\nmini 1 : 0\nclaim 9\nend", "1 mini-buckets for the 0" },
        { "exact\nsum 0\nsum 1\nsum 2\nsum 3\nclaim 82.8 82.9\nend", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        char certificate[400];
        snprintf(certificate, sizeof certificate,
                 "zbound-certificate 1\nmodel 4 0\n%s\n", claims[i].certificate);
        verdict v = ask("MARKOV 4 1000000000 1000000000 1000000000 1000000000 0", NULL,
                        certificate, WEIGHTS);
        CHECK(claims[i].reason != NULL
                  ? v.outcome == REFUSED && strstr(v.reason, claims[i].reason) != NULL
                  : v.outcome == VERIFIED,
              "%s: %s\n", certificate, v.reason);
    }
}

/* A number that ends in a byte 0 is none, whatever follows. */
static void bytes_of_zero_end_no_number(void **state)
{
    static const char zero[] = OF_PAIR "exact\nsum 0\nclaim 2 3\0 9\nend\n";
    question q = { .model = { "model", PAIR, strlen(PAIR) },
                   .certificate = { "certificate", zero, sizeof zero - 1 },
                   .memory = 1 << 20,
                   .work = 1000 };
    (void)state;
    verdict v = verify(&q);
    CHECK(v.outcome == REFUSED && v.line == 5, "%d %ld %s\n", (int)v.outcome, v.line,
          v.reason);
}

/* A variable of 1025 values in two tables; of 1024 the matrix is asked for. */
static void gauges_are_not_too_large(void **state)
{
    static char model[9000];
    (void)state;
    for (int d = 1024; d <= 1025; d++) {
        int n = sprintf(model, "MARKOV 1 %d 2 1 0 1 0", d);
        for (int f = 0; f < 2; f++) {
            n += sprintf(model + n, " %d", d);
            for (int i = 0; i < d; i++)
                n += sprintf(model + n, " 1");
        }
        verdict v = ask(model, NULL, OF_PAIR "exact\ngauge 0 0 1 : 1\n", WEIGHTS);
        CHECK(v.outcome == REFUSED &&
                  strstr(v.reason, d == 1024 ? "an entry of a matrix" : "too large"),
              "%d: %s\n", d, v.reason);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(models_are_read_strictly),
        cmocka_unit_test(claimed_sizes_take_no_memory),
        cmocka_unit_test(bytes_of_zero_end_no_number),
        cmocka_unit_test(gauges_are_not_too_large),
        cmocka_unit_test(memory_is_limited),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
