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
        { OF_TIED "upper\nvalues 1 : 0\nsum 0\nsum 3\nclaim 9\nend", 4,
          "every table of 1 has an entry at 1" },
        { OF_TIED "exact\nmultiply 3\nsum 1\nclaim 7 8\nend", 4,
          "no table 3 any more" },
    };
    static const bad chain = { OF_CHAIN "lower\nmeanfield 0\nq : 1 1\nclaim 1\nend", 4,
                               "table 0 has the variable 1 too" };
    static const bad shared = { OF_CHAIN "upper\nbucket 1 2 shared 0\nmini .5 .5 : 0\n"
                                         "mini .5 .5 : 1\nclaim 9\nend",
                                6, "does not have the shared variable 0" };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(models_are_read_strictly),
        cmocka_unit_test(memory_is_limited),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
