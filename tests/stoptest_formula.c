/* Reductions of formulas that are stopped anywhere: what is left has as many solutions
   as there were. */
#include "base/rng.h"
#include "count/tally.h"
#include "fake_clock.h"
#include "sat/formula.h"
#include "test.h"

enum { POINTS = 25, PROMPT = 60, NAND_INPUTS = 10 };

typedef struct job {
    zb_formula *(*make)(zb_run *run);
    double log_count;
} job;

/* ---- formulas -------------------------------------------------------------------- */

static void add(zb_formula *f, int n, const uint32_t *lit)
{
    assert_int_equal(zb_formula_add(f, n, lit), ZB_OK);
}

/* x_v = x_(v-2) xor x_(v-1): 4 solutions. */
static zb_formula *xors(zb_run *run)
{
    enum { N = 200 };
    zb_formula *f;
    assert_int_equal(zb_formula_new(&f, N, run), ZB_OK);
    for (uint32_t v = 2; v < N; v++)
        for (uint32_t s = 0; s < 4; s++)
            add(f, 3,
                (uint32_t[]){ 2 * (v - 2) + (s & 1), 2 * (v - 1) + (s >> 1),
                              2 * v + ((s & 1) == s >> 1) });
    return f;
}

/* x_v = not (x_a and x_b), with a and b anywhere before: as many as inputs have. */
static zb_formula *nands(zb_run *run)
{
    enum { N = 1500 };
    zb_rng rng = zb_rng_seed(5);
    zb_formula *f;
    assert_int_equal(zb_formula_new(&f, N, run), ZB_OK);
    for (int v = NAND_INPUTS; v < N; v++) {
        uint32_t a = 2 * (uint32_t)zb_rng_below(&rng, v), x = 2 * (uint32_t)v;
        uint32_t b = 2 * (uint32_t)zb_rng_below(&rng, v);
        add(f, 2, (uint32_t[]){ a, x });
        add(f, 2, (uint32_t[]){ b, x });
        add(f, 3, (uint32_t[]){ a ^ 1, b ^ 1, x ^ 1 });
    }
    return f;
}

/* ---- their solutions ------------------------------------------------------------- */

/* A table that is 0 where all literals are false. */
static void forbid(zb_model *m, int n, const uint32_t *lit)
{
    double value[1 << ZB_FORMULA_LONGEST];
    int scope[ZB_FORMULA_LONGEST], none = 0;
    for (int i = 0; i < n; i++) {
        scope[i] = (int)(lit[i] >> 1);
        none = 2 * none + (int)(lit[i] & 1);
    }
    for (int x = 0; x < 1 << n; x++)
        value[x] = x != none;
    assert_int_equal(zb_model_add(m, n, scope, value), ZB_OK);
}

/* ln of the number of solutions; Booleans that are gone do not count. */
static double log_solutions(const zb_formula *f)
{
    zb_clauses *c;
    zb_model *m;
    zb_result r;
    zb_options opt = zb_options_default();
    int *card = malloc((size_t)f->nbools * sizeof *card);
    for (int b = 0; b < f->nbools; b++)
        card[b] = f->gone[b] ? 1 : 2;
    assert_int_equal(zb_model_new(&m, f->nbools, card), ZB_OK);
    assert_int_equal(zb_formula_clauses(f, &c), ZB_OK);
    for (int i = 0; i < c->count; i++)
        forbid(m, (int)(c->at[i + 1] - c->at[i]), c->lit + c->at[i]);
    opt.time = 0;
    opt.threads = 1;
    assert_int_equal(zb_solve(m, &opt, NULL, &r, NULL), ZB_OK);
    assert_true(r.exact);
    zb_clauses_free(c);
    zb_model_free(m);
    free(card);
    return f->empty ? -INFINITY : r.log_upper;
}

static zb_status reduce(void *context, zb_run *run)
{
    job *j = context;
    zb_formula *f = j->make(run);
    bool *may = malloc((size_t)f->nbools * sizeof *may);
    for (int b = 0; b < f->nbools; b++)
        may[b] = true;
    zb_status status = zb_formula_reduce(f, may);
    fake_clock_done();
    double is = log_solutions(f);
    CHECK(fabs(is - j->log_count) < 1e-9, "ln %.12g is not ln %.12g", exp(is),
          exp(j->log_count));
    free(may);
    zb_formula_free(f);
    return status;
}

static void formulas_keep_their_solutions(void **state)
{
    (void)state;
    job jobs[] = { { .make = xors, .log_count = log(4) },
                   { .make = nands, .log_count = NAND_INPUTS * log(2) } };
    for (int i = 0; i < 2; i++) {
        stop_result r = stop_everywhere(reduce, &jobs[i], POINTS, PROMPT);
        CHECK(r.looks >= 20, "%d: %ld looks are too few", i, r.looks);
        CHECK(r.stopped >= POINTS / 2, "%d: %ld were stopped", i, r.stopped);
        CHECK(r.refused >= POINTS / 2, "%d: %ld gave up", i, r.refused);
    }
}

/* ---- exact counts ---------------------------------------------------------------- */

typedef struct tally_job {
    zb_clauses *clauses;
    int order[64];
    bool shown[64];
    double log_count; /* NAN before it is known */
} tally_job;

/* Stopped, it has a lower bound. */
static zb_status count(void *context, zb_run *run)
{
    tally_job *j = context;
    zb_tally_spec spec = {
        .clauses = j->clauses, .shown = j->shown, .order = j->order, .run = run
    };
    zb_tally_result r;
    zb_status status = zb_tally_run(&spec, &r);
    double is = zb_big_log(&r.count);
    zb_big_clear(&r.count);
    if (status != ZB_OK)
        return status;
    if (isnan(j->log_count)) {
        assert_true(r.complete);
        j->log_count = is;
    }
    CHECK(is <= j->log_count, "%g is above %g", is, j->log_count);
    CHECK(!r.complete || is == j->log_count, "%g is not %g", is, j->log_count);
    CHECK(!r.satisfiable || is >= 0, "%g with a solution", is);
    return status;
}

static void counts_are_lower_bounds(void **state)
{
    (void)state;
    enum { N = 36, CLAUSES = 80 };
    zb_rng rng = zb_rng_seed(2);
    tally_job j = { .log_count = NAN };
    int card[N];
    for (int b = 0; b < N; b++) {
        card[b] = 2;
        j.order[b] = b;
        j.shown[b] = b % 4 > 0;
    }
    assert_int_equal(zb_clauses_new(&j.clauses, N, card, NULL), ZB_OK);
    for (int c = 0; c < CLAUSES; c++) {
        uint32_t at = (uint32_t)zb_rng_below(&rng, N);
        uint32_t lit[3] = { at, (at + 1 + (uint32_t)zb_rng_below(&rng, N / 2)) % N };
        lit[2] = (lit[1] + 1 + (uint32_t)zb_rng_below(&rng, N / 2 - 1)) % N;
        for (int i = 0; i < 3; i++)
            lit[i] = 2 * lit[i] + (uint32_t)zb_rng_below(&rng, 2);
        assert_int_equal(zb_clauses_add(j.clauses, 3, lit), ZB_OK);
    }
    stop_result r = stop_everywhere(count, &j, POINTS, PROMPT);
    CHECK(r.looks >= 5 && r.stopped >= 2, "%ld looks, %ld stopped", r.looks, r.stopped);
    assert_true(j.log_count > 0);
    zb_clauses_free(j.clauses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_keep_their_solutions),
        cmocka_unit_test(counts_are_lower_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
