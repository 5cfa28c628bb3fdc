/* Booleans that are the same in all solutions, or opposite, or constant.
 *
 * A sample of solutions is kept as bits, one word of them per Boolean. Only Booleans
 * whose words agree (or are opposite, or constant) can be what is looked for; that they
 * are is shown by searches for a solution where they are not, and each one that is
 * found joins the sample. */
#include "sat/formula.h"

#include "base/rng.h"

enum { FIRST = 48, MOST = 64 };          /* solutions: sampled at first, kept at most */
static const double TEST_LITERALS = 2e4; /* set at most, in one test */
static const double SAMPLE_LITERALS = 1e6; /* and for one solution */

typedef struct sample {
    zb_formula *f;
    zb_clauses *clauses;
    zb_sat *sat;
    int count, nopen;
    int *open;      /* Booleans that are in clauses, as far as known */
    uint64_t *bits; /* per Boolean: its value in the solutions, from bit 0 on */
    bool *known;    /* per Boolean: constant, or equal to one before it */
    zb_hold hold;
} sample;

static void take(sample *s)
{
    for (int i = 0; i < s->nopen && s->count < MOST; i++)
        if (s->sat->model[s->open[i]])
            s->bits[s->open[i]] |= (uint64_t)1 << s->count;
    s->count = zb_min_int(s->count + 1, MOST);
}

/* The bits of a literal that is false in the first solution. */
static uint32_t literal_of(const sample *s, int b)
{
    return 2 * (uint32_t)b + (uint32_t)(s->bits[b] & 1);
}

static uint64_t bits_of(const sample *s, int b)
{
    uint64_t all = s->count == MOST ? UINT64_MAX : ((uint64_t)1 << s->count) - 1;
    return s->bits[b] & 1 ? ~s->bits[b] & all : s->bits[b];
}

static zb_status sample_open(sample *s, zb_formula *f)
{
    size_t n = (size_t)f->nbools;
    zb_status status;
    *s = (sample){ .f = f };
    s->open = zb_hold_alloc(&s->hold, n, sizeof *s->open);
    s->bits = zb_hold_calloc(&s->hold, n, sizeof *s->bits);
    s->known = zb_hold_calloc(&s->hold, n, sizeof *s->known);
    TRY(zb_hold_status(&s->hold));
    for (int b = 0; b < f->nbools; b++)
        if (!f->gone[b] && f->value[2 * b] == 0 &&
            f->in[2 * b].n + f->in[2 * b + 1].n > 0)
            s->open[s->nopen++] = b;
    TRY(zb_formula_clauses(f, &s->clauses));
    TRY(zb_sat_new(&s->sat, s->clauses, f->tick.run));
done:
    return status;
}

static void sample_close(sample *s)
{
    zb_formula_charge(s->f, s->sat);
    zb_sat_free(s->sat);
    zb_clauses_free(s->clauses);
    zb_hold_free(&s->hold);
}

static zb_status stopped(const sample *s)
{
    if (s->sat->failed)
        return ZB_ENOMEM;
    return zb_sat_over(s->sat) ? ZB_ELIMIT : ZB_OK;
}

static zb_status draw(sample *s)
{
    zb_rng rng = zb_rng_seed(1);
    zb_sat_answer answer = ZB_SAT_YES;
    for (int i = 0; i < FIRST && answer == ZB_SAT_YES; i++) {
        for (int k = 0; k < s->nopen; k++)
            s->sat->phase[s->open[k]] = (int8_t)(zb_rng_next(&rng) & 1);
        zb_formula_grant(s->f, s->sat, SAMPLE_LITERALS);
        answer = zb_sat_solve(s->sat, s->nopen, s->open);
        if (answer == ZB_SAT_YES)
            take(s);
    }
    s->f->empty = s->f->empty || answer == ZB_SAT_NO;
    return stopped(s);
}

/* Can both literals be true (the same one twice: can it)? Not known is yes. */
static bool possible(sample *s, uint32_t a, uint32_t b)
{
    zb_sat *sat = s->sat;
    zb_sat_answer answer = ZB_SAT_NO;
    zb_formula_grant(s->f, sat, TEST_LITERALS);
    if (sat->value[a] > 0 || (sat->value[a] == 0 && zb_sat_decide(sat, a)))
        if (sat->value[b] > 0 || (sat->value[b] == 0 && zb_sat_decide(sat, b)))
            answer = zb_sat_solve(sat, s->nopen, s->open);
    bool over = zb_sat_over(sat);
    zb_sat_undo(sat, 0);
    if (answer == ZB_SAT_YES)
        take(s);
    return answer != ZB_SAT_NO || over || !zb_sat_set_units(sat);
}

/* Literal a, false in all samples, is false everywhere; *is: it was shown. */
static zb_status try_constant(sample *s, uint32_t a, bool *is)
{
    *is = !possible(s, a, a);
    return *is ? zb_formula_add(s->f, 1, (uint32_t[]){ a ^ 1 }) : ZB_OK;
}

static zb_status try_equal(sample *s, uint32_t a, uint32_t b, bool *is)
{
    zb_status status = ZB_OK;
    *is = !possible(s, a, b ^ 1) && !possible(s, a ^ 1, b);
    if (*is) {
        TRY(zb_formula_add(s->f, 2, (uint32_t[]){ a ^ 1, b }));
        TRY(zb_formula_add(s->f, 2, (uint32_t[]){ a, b ^ 1 }));
    }
done:
    return status;
}

/* b against those before it whose bits agree: a few, since some are hard to tell. */
static zb_status try_all(sample *s, int i, bool *is)
{
    zb_status status = ZB_OK;
    int b = s->open[i], tries = 3;
    *is = false;
    if (bits_of(s, b) == 0)
        return try_constant(s, literal_of(s, b), is);
    for (int k = 0; k < i && tries > 0 && !*is; k++) {
        int a = s->open[k];
        if (s->known[a] || bits_of(s, a) != bits_of(s, b))
            continue;
        tries--;
        TRY(try_equal(s, literal_of(s, a), literal_of(s, b), is));
    }
    zb_tick(&s->f->tick, 2.0 * i);
done:
    return status;
}

zb_status zb_formula_equal(zb_formula *f)
{
    sample s = { .f = f };
    zb_status status;
    TRY(zb_formula_subsume(f));
    TRY(sample_open(&s, f));
    TRY(draw(&s));
    for (int i = 0; i < s.nopen && !f->empty && s.count > 0; i++) {
        TRY(try_all(&s, i, &s.known[s.open[i]]));
        TRY(stopped(&s));
    }
    TRY(zb_formula_subsume(f));
done:
    sample_close(&s);
    return status;
}
