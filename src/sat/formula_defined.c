/* Padoa's test. The Booleans of a set I define b just when no two solutions that agree
 * on I differ in b: the formula, a copy of it, I equal in both, b true in one and false
 * in the other, has no solution.
 *
 * I begins as all Booleans; the candidates are tested one by one against what is left
 * of I, and leave it when they are defined. Whoever stays in I is equal in both copies
 * from then on. So equalities that still may go are decisions (selectors) on a stack,
 * and each test takes the topmost one off: one search, which learns, serves all tests.
 *
 * Two solutions that differ in b alone show that no set without b defines it. So the
 * first candidates to fall are those that some solution lets flip. */
#include "sat/formula.h"

#include "base/rng.h"

#include <string.h>

enum { SOLUTIONS = 16 };
static const double TEST_LITERALS = 2e4;     /* set at most, in one test */
static const double SOLUTION_LITERALS = 1e6; /* and for one solution */

/* ---- solutions and flips --------------------------------------------------------- */

/* Candidates leave that are not the only true literal of any clause. */
static void drop_flips(zb_formula *f, const int8_t *model, bool *candidate)
{
    f->stamp++;
    for (int c = 0; c < f->count; c++) {
        const uint32_t *lit = zb_formula_literals(f, c);
        int n = 0;
        uint32_t only = 0;
        zb_tick(&f->tick, 5 + f->clause[c].n);
        for (int i = 0; i < f->clause[c].n; i++)
            if (model[lit[i] >> 1] != (int8_t)(lit[i] & 1)) {
                n++;
                only = lit[i];
            }
        if (n == 1)
            f->mark[only] = f->stamp;
    }
    for (int b = 0; b < f->nbools; b++)
        if (f->mark[2 * b] != f->stamp && f->mark[2 * b + 1] != f->stamp)
            candidate[b] = false;
}

static zb_status drop_by_solutions(zb_formula *f, zb_sat *s, bool *candidate)
{
    zb_rng rng = zb_rng_seed(1);
    int *all = zb_alloc((size_t)f->nbools, sizeof *all);
    zb_status status = all != NULL ? ZB_OK : ZB_ENOMEM;
    for (int b = 0; b < f->nbools && all != NULL; b++)
        all[b] = b;
    for (int i = 0; i < SOLUTIONS && status == ZB_OK; i++) {
        for (int b = 0; b < f->nbools; b++)
            s->phase[b] = (int8_t)(zb_rng_next(&rng) & 1);
        zb_formula_grant(f, s, SOLUTION_LITERALS);
        zb_sat_answer answer = zb_sat_solve(s, f->nbools, all);
        if (answer == ZB_SAT_NO)
            f->empty = true;
        if (zb_sat_over(s))
            status = s->failed ? ZB_ENOMEM : ZB_ELIMIT;
        if (answer != ZB_SAT_YES)
            break;
        drop_flips(f, s->model, candidate);
    }
    zb_free(all);
    return status;
}

/* ---- two copies ------------------------------------------------------------------ */

typedef struct pair {
    zb_formula *f;
    int count, *candidate; /* the stack of those not tested yet, with their selectors */
    int *copy;             /* per Boolean: its number in the copy, or its own */
    int first_selector;
    int nopen, *open; /* Booleans to be decided */
    int *below;       /* per candidate: depth without its selector */
    zb_clauses *clauses;
    zb_sat *sat;
    zb_hold hold;
} pair;

static uint32_t copied(const pair *p, uint32_t literal)
{
    return 2 * (uint32_t)p->copy[literal >> 1] + (literal & 1);
}

static zb_status add_copies(pair *p)
{
    const zb_formula *f = p->f;
    zb_status status = ZB_OK;
    for (int c = 0; c < f->count; c++) {
        const uint32_t *lit = zb_formula_literals(f, c);
        int n = f->clause[c].n;
        bool differs = false;
        if (n == 0)
            continue;
        TRY(zb_clauses_add(p->clauses, n, lit));
        for (int i = 0; i < n; i++) {
            p->f->scratch[i] = copied(p, lit[i]);
            differs = differs || p->f->scratch[i] != lit[i];
        }
        if (differs)
            TRY(zb_clauses_add(p->clauses, n, p->f->scratch));
    }
done:
    return status;
}

/* The selector of the i-th candidate makes it equal in both copies. */
static zb_status add_selectors(pair *p)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < p->count; i++) {
        uint32_t a = 2 * (uint32_t)p->candidate[i], b = copied(p, a);
        uint32_t off = 2 * (uint32_t)(p->first_selector + i) + 1;
        TRY(zb_clauses_add(p->clauses, 3, (uint32_t[]){ off, a ^ 1, b }));
        TRY(zb_clauses_add(p->clauses, 3, (uint32_t[]){ off, a, b ^ 1 }));
    }
done:
    return status;
}

/* Rarest on top of the stack: they are the first to be defined by the others. */
static void sort_candidates(pair *p, const bool *candidate)
{
    const zb_formula *f = p->f;
    double key[2];
    for (int b = 0; b < f->nbools; b++) {
        if (!candidate[b])
            continue;
        key[0] = (double)f->in[2 * b].n * (double)f->in[2 * b + 1].n;
        int at = p->count++;
        for (; at > 0; at--) {
            int other = p->candidate[at - 1];
            key[1] = (double)f->in[2 * other].n * (double)f->in[2 * other + 1].n;
            if (key[1] >= key[0])
                break;
            p->candidate[at] = other;
        }
        p->candidate[at] = b;
    }
}

static zb_status pair_open(pair *p, zb_formula *f, const bool *candidate)
{
    size_t n = (size_t)f->nbools;
    int *card, next = f->nbools;
    zb_status status;
    *p = (pair){ .f = f };
    p->candidate = zb_hold_alloc(&p->hold, n, sizeof *p->candidate);
    p->below = zb_hold_alloc(&p->hold, n, sizeof *p->below);
    p->copy = zb_hold_alloc(&p->hold, n, sizeof *p->copy);
    p->open = zb_hold_alloc(&p->hold, 2 * n, sizeof *p->open);
    card = zb_hold_alloc(&p->hold, 3 * n, sizeof *card);
    TRY(zb_hold_status(&p->hold));
    sort_candidates(p, candidate);
    for (int b = 0; b < f->nbools; b++) {
        p->copy[b] = candidate[b] ? next++ : b;
        if (!f->gone[b] && f->value[2 * b] == 0)
            p->open[p->nopen++] = b;
        if (candidate[b])
            p->open[p->nopen++] = p->copy[b];
    }
    p->first_selector = next;
    for (int b = 0; b < next + p->count; b++)
        card[b] = 2;
    TRY(zb_clauses_new(&p->clauses, next + p->count, card, NULL));
    TRY(add_copies(p));
    TRY(add_selectors(p));
    TRY(zb_sat_new(&p->sat, p->clauses, f->tick.run));
done:
    return status;
}

static void pair_close(pair *p)
{
    zb_formula_charge(p->f, p->sat);
    zb_sat_free(p->sat);
    zb_clauses_free(p->clauses);
    zb_hold_free(&p->hold);
}

/* All selectors are true. They cannot conflict: two equal solutions satisfy them. */
static bool select_all(pair *p)
{
    for (int i = 0; i < p->count; i++) {
        uint32_t on = 2 * (uint32_t)(p->first_selector + i);
        p->below[i] = p->sat->depth;
        if (p->sat->value[on] == 0 && !zb_sat_decide(p->sat, on))
            return false;
    }
    return true;
}

/* Set and propagate, one level deeper; false: it cannot be. */
static bool suppose(zb_sat *s, uint32_t literal)
{
    return s->value[literal] > 0 ||
           (s->value[literal] == 0 && zb_sat_decide(s, literal));
}

/* Is there no solution with a true and its copy false? Not known is no. */
static bool is_defined(pair *p, uint32_t a)
{
    zb_sat *s = p->sat;
    uint32_t b = copied(p, a);
    zb_sat_answer answer = ZB_SAT_NO;
    if (suppose(s, a) && suppose(s, b ^ 1)) {
        zb_formula_grant(p->f, s, TEST_LITERALS);
        answer = zb_sat_solve(s, p->nopen, p->open);
    }
    return answer == ZB_SAT_NO && !zb_sat_over(s);
}

static zb_status test_all(pair *p, bool *candidate)
{
    zb_sat *s = p->sat;
    bool goes_on = select_all(p);
    for (int i = p->count - 1; i >= 0 && goes_on; i--) {
        int b = p->candidate[i];
        zb_sat_undo(s, p->below[i]);
        goes_on = zb_sat_set_units(s);
        candidate[b] = goes_on && is_defined(p, 2 * (uint32_t)b);
        if (!candidate[b])
            zb_sat_always(s, 2 * (uint32_t)(p->first_selector + i));
    }
    if (zb_sat_over(s))
        return s->failed ? ZB_ENOMEM : ZB_ELIMIT;
    p->f->empty = p->f->empty || !goes_on; /* two equal solutions would satisfy all */
    return ZB_OK;
}

zb_status zb_formula_flips(zb_formula *f, bool *candidate)
{
    zb_clauses *clauses = NULL;
    zb_sat *s = NULL;
    zb_status status;
    TRY(zb_formula_subsume(f));
    TRY(zb_formula_clauses(f, &clauses));
    TRY(zb_sat_new(&s, clauses, f->tick.run));
    TRY(drop_by_solutions(f, s, candidate));
done:
    zb_formula_charge(f, s);
    zb_sat_free(s);
    zb_clauses_free(clauses);
    return status;
}

zb_status zb_formula_defined(zb_formula *f, bool *candidate)
{
    pair p;
    zb_status status;
    TRY(pair_open(&p, f, candidate));
    TRY(test_all(&p, candidate));
done:
    pair_close(&p);
    return status;
}
