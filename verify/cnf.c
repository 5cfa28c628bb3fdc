/* Formulas (DIMACS): Z is the sum, over assignments that satisfy all clauses, of the
 * products of their literals' weights.
 *
 *   p cnf VARIABLES CLAUSES
 *   1 -3 0                    a clause
 *   c p weight -2 1/4 0       the weight of a literal; also: w -2 0.25
 *   w 2 -1                    both 2 and -2 weigh 1
 *   c ..                      a comment, between clauses
 *   %                         the end
 *
 * A literal without a weight has 1 less that of its negation, or 1 if neither has one
 * or that of the negation is above 1. Variable v of the file is v - 1, false is 0.
 * Tables are those of the clauses, in their order, then those of the weights. A clause
 * of more than WIDEST literals is cut: a new variable says whether one of the first
 * WIDEST - 1 is true, has a table that says so, and takes their place. Its sum has one
 * term, 1. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 12 };

typedef struct formula {
    int nvars;
    int64_t claimed, clauses;
    int *lit; /* of all clauses, each ends with a 0 */
    size_t used, room;
    arb_ptr weight; /* 2 v: of not v, 2 v + 1: of v; NULL: there are none */
    bool *given;
} formula;

static int read_literal(formula *f, reader *r)
{
    next_word(r);
    return (int)as_int(r, -f->nvars, f->nvars, "a literal");
}

static size_t index_of(int lit) { return 2 * (size_t)(abs(lit) - 1) + (lit > 0); }

/* ---- reading --------------------------------------------------------------------- */

/* A claimed size takes memory in proportion to the file only. */
static void read_header(formula *f, reader *r)
{
    int64_t most = (1 << 20) + 16 * (int64_t)(r->end - r->at);
    if (f->nvars >= 0)
        expected(r, "one line p cnf");
    next_word(r);
    if (!word_is(r, "cnf"))
        expected(r, "cnf");
    next_word(r);
    f->nvars = (int)as_int(r, 0, most < INT_MAX / 4 ? most : INT_MAX / 4,
                           "a number of variables that fits the file");
    next_word(r);
    f->claimed = as_int(r, 0, INT64_MAX, "the number of clauses");
}

static void set_weight(formula *f, session *s, int lit, const arb_t x)
{
    if (f->given[index_of(lit)])
        refuse(s, "literal %d has two weights", lit);
    f->given[index_of(lit)] = true;
    arb_set(f->weight + index_of(lit), x);
}

/* A number, or two with a slash between them. */
static void read_fraction(reader *r, arb_ptr x)
{
    const char *slash = memchr(r->word, '/', r->length);
    reader part = *r;
    part.length = slash != NULL ? (size_t)(slash - r->word) : r->length;
    as_number(&part, x, "a weight");
    if (slash == NULL)
        return;
    part.word = slash + 1;
    part.length = r->length - (size_t)(slash + 1 - r->word);
    as_number(&part, x + 1, "a weight");
    if (!arb_is_positive(x + 1))
        expected(r, "a fraction");
    if (!arb_is_zero(x))
        arb_div(x, x, x + 1, r->s->prec);
}

/* LITERAL WEIGHT, and a 0 where that is the way */
static void read_weight(formula *f, reader *r, bool cachet)
{
    session *s = r->s;
    size_t n = 2 * (size_t)f->nvars;
    int lit = read_literal(f, r);
    if (lit == 0)
        expected(r, "a literal");
    if (f->weight == NULL) {
        f->weight = scratch_balls(s, n);
        f->given = scratch(s, n, sizeof *f->given);
    }
    arb_ptr x = scratch_balls(s, 2);
    next_word(r);
    read_fraction(r, x);
    if (cachet && arb_equal_si(x, -1)) {
        arb_one(x);
        set_weight(f, s, -lit, x);
    }
    if (arb_is_negative(x))
        expected(r, "a weight from 0");
    set_weight(f, s, lit, x);
    drop(s, x);
    if (next_on_line(r) && !word_is(r, "0"))
        expected(r, "0");
}

static void skip_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
}

/* What asks for another sum than Z is refused. */
static void read_comment(formula *f, reader *r)
{
    bool special = word_is(r, "c");
    next_on_line(r);
    if (special && (word_is(r, "ind") || word_is(r, "t"))) {
        bool task = word_is(r, "t");
        next_on_line(r);
        bool projected = task ? word_is(r, "pmc") || word_is(r, "pwmc")
                              : r->length > 0 && r->word[0] >= '0' && r->word[0] <= '9';
        if (projected)
            expected(r, "no projection");
    } else if (special && word_is(r, "p")) {
        next_on_line(r);
        if (word_is(r, "show"))
            expected(r, "no projection");
        if (word_is(r, "weight") && f->nvars < 0)
            expected(r, "p cnf first");
        if (word_is(r, "weight"))
            read_weight(f, r, false);
    }
    skip_line(r);
}

static void add_literal(formula *f, session *s, int lit)
{
    if (f->used == f->room)
        f->lit = regrow(s, f->lit, f->room = 2 * f->room + 64, sizeof *f->lit);
    f->lit[f->used++] = lit;
}

static formula read_formula(session *s, text t)
{
    formula f = { .nvars = -1 };
    reader r = reader_of(s, t);
    while (next_word(&r) && !word_is(&r, "%")) {
        if (r.word[0] == 'c')
            read_comment(&f, &r);
        else if (word_is(&r, "p"))
            read_header(&f, &r);
        else if (f.nvars < 0)
            expected(&r, "p cnf first");
        else if (word_is(&r, "w"))
            read_weight(&f, &r, true);
        else {
            r.at = r.word;
            for (int lit = 1; lit != 0; add_literal(&f, s, lit))
                lit = read_literal(&f, &r);
            f.clauses++;
        }
    }
    if (f.nvars < 0)
        expected(&r, "p cnf");
    if (f.clauses != f.claimed)
        refuse(s, "%lld clauses are there, the header says %lld", (long long)f.clauses,
               (long long)f.claimed);
    return f;
}

/* ---- tables ---------------------------------------------------------------------- */

typedef struct part { /* 1 where one of the literals is true */
    int64_t none;     /* the state where none is */
    bool said;        /* a last variable says whether one is: 1 where that is so */
} part;

static void part_entry(void *context, int64_t i, arb_t value)
{
    const part *p = context;
    bool one = (p->said ? i / 2 : i) != p->none;
    arb_set_si(value, p->said ? one == (i % 2 == 1) : one);
}

/* said: the variable that says so, or -1. */
static void add_part(proof *p, int n, const int *lit, int said, const int *observed)
{
    int var[WIDEST];
    factor_scope a = { n + (said >= 0), var };
    part what = { 0, said >= 0 };
    for (int i = 0; i < n; i++) {
        var[i] = abs(lit[i]) - 1;
        what.none = 2 * what.none + (lit[i] < 0);
    }
    if (said >= 0)
        var[n] = said;
    add_table(p, factor_table(p, &a, observed, part_entry, &what));
}

static void weight_entry(void *context, int64_t i, arb_t value)
{
    arb_set(value, (arb_ptr)context + i);
}

/* Each literal once; 0 of them and *always set if one stands with its negation. The
   clause ends with a 0. mark is 0, and is again afterwards. */
static size_t tidy(int *lit, signed char *mark, bool *always)
{
    size_t n = 0, end;
    *always = false;
    for (end = 0; lit[end] != 0; end++) {
        signed char sign = lit[end] > 0 ? 1 : -1, *m = &mark[abs(lit[end]) - 1];
        *always = *always || *m == -sign;
        if (*m == 0) {
            *m = sign;
            lit[n++] = lit[end];
        }
    }
    for (size_t i = 0; i < n; i++)
        mark[abs(lit[i]) - 1] = 0;
    return *always ? 0 : n;
}

/* The parts of one clause; p NULL: only the new variables are counted, by *fresh. */
static void add_clause(proof *p, int *lit, size_t n, int *fresh, const int *observed)
{
    for (; n > WIDEST; n -= WIDEST - 2, lit += WIDEST - 2) {
        if (p != NULL)
            add_part(p, WIDEST - 1, lit, *fresh, observed);
        lit[WIDEST - 2] = ++*fresh; /* as a literal, counted from one */
    }
    if (p != NULL)
        add_part(p, (int)n, lit, -1, observed);
}

static void add_clauses(proof *p, session *s, const formula *f, int *fresh,
                        const int *observed)
{
    signed char *mark = scratch(s, (size_t)f->nvars, 1);
    bool always;
    for (size_t at = 0, next; at < f->used; at = next) {
        for (next = at; f->lit[next] != 0;)
            next++;
        int *lit = scratch(s, ++next - at, sizeof *lit);
        memcpy(lit, f->lit + at, (next - at) * sizeof *lit);
        size_t n = tidy(lit, mark, &always);
        if (!always)
            add_clause(p, lit, n, fresh, observed);
        drop(s, lit);
    }
}

/* The weight of a literal that has none, from that of its negation. */
static void complete_weight(session *s, arb_t x, const arb_t other)
{
    arb_sub_si(x, other, 1, s->prec);
    if (arb_is_positive(x)) {
        arb_one(x);
        return;
    }
    arb_neg(x, x);
    if (!arb_is_nonnegative(x))
        refuse_unsure(s, "a weight cannot be told from 1");
}

static void add_weights(proof *p, const formula *f, const int *observed)
{
    for (int v = 0; v < f->nvars && f->weight != NULL; v++) {
        arb_ptr x = f->weight + 2 * (size_t)v;
        const bool *given = f->given + 2 * (size_t)v;
        factor_scope a = { 1, &v };
        if (!given[0] && !given[1])
            continue;
        for (int i = 0; i < 2; i++)
            if (!given[i])
                complete_weight(p->s, x + i, x + 1 - i);
        add_table(p, factor_table(p, &a, observed, weight_entry, x));
    }
}

proof *formula_read(session *s, const question *q)
{
    formula f = read_formula(s, q->model);
    proof *p = proof_new(s);
    int all = f.nvars, fresh = f.nvars;
    long line = s->line;
    add_clauses(NULL, s, &f, &all, NULL);
    for (int v = 0; v < all; v++)
        add_variable(p, 2);
    const int *observed = read_observed(p, q);
    s->file = q->model.name;
    s->line = line;
    add_clauses(p, s, &f, &fresh, observed);
    add_weights(p, &f, observed);
    release(s, SCRATCH, NULL);
    return p;
}
