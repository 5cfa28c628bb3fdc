/* A certificate from its first line to its last: sections, cases, claims. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- cases -----------------------------------------------------------------------
 *
 * Z is the sum, over the joint values x of some variables, of Z with these variables
 * fixed at x. So bounds of all Z(x) add up to one of Z. In a lower bound some of them
 * may be left out, if nothing is negative: then neither is Z(x). */

typedef struct cases {
    proof *p;
    const char *until; /* what ends the section, or the case, that this stands in */
    int n, *var;
    int **row; /* joint values */
    size_t count, room;
} cases;

static void run_steps(proof *p, reader *r, const char *until, arb_t total);

/* The variables, and whether a colon follows. */
static bool read_variables(cases *c, reader *r)
{
    for (; next_on_line(r) && !word_is(r, ":"); c->n++) {
        c->var = regrow(r->s, c->var, (size_t)c->n + 1, sizeof *c->var);
        c->var[c->n] = live_variable(c->p, (int)as_int(r, 0, INT_MAX, "a variable"));
        for (int i = 0; i < c->n; i++)
            if (c->var[i] == c->var[c->n])
                refuse(r->s, "variable %d stands twice in this line", c->var[i]);
    }
    if (c->n == 0)
        expected(r, "a variable");
    return r->length > 0;
}

static double joint_values(const cases *c)
{
    double count = 1;
    for (int i = 0; i < c->n; i++)
        count *= c->p->card[c->var[i]];
    return count;
}

static int *new_row(cases *c)
{
    if (c->count == c->room)
        c->row = regrow(c->p->s, c->row, c->room = 2 * c->room + 8, sizeof *c->row);
    return c->row[c->count++] = scratch(c->p->s, (size_t)c->n, sizeof(int));
}

/* The word and those that follow. */
static int *read_row(cases *c, reader *r)
{
    int *x = new_row(c);
    for (int i = 0; i < c->n; i++, i < c->n && next_on_line(r))
        x[i] = (int)as_int(r, 0, c->p->card[c->var[i]] - 1, "a value");
    return x;
}

static int row_length; /* of the rows being compared */

static int by_row(const void *a, const void *b)
{
    const int *x = *(int *const *)a, *y = *(int *const *)b;
    int i = 0;
    while (i + 1 < row_length && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

bool rows_distinct(int **row, size_t count, int k)
{
    row_length = k;
    if (count > 0)
        qsort(row, count, sizeof *row, by_row);
    for (size_t i = 0; i + 1 < count; i++)
        if (by_row(&row[i], &row[i + 1]) == 0)
            return false;
    return true;
}

/* Adds the bound that the steps lead to with the variables at x: of each table the
   entries that agree with x are left. */
static void add_case(const cases *c, const int *x, reader *r, const char *until,
                     arb_t total)
{
    session *s = c->p->s;
    proof *p = proof_copy(c->p, c->p->side);
    arb_ptr one = scratch_balls(s, 2), part = one + 1;
    arb_one(one);
    for (int i = 0; i < c->n; i++) {
        table *value = table_new(s, 1, &c->var[i], p->card);
        table_add(s, value, (uint64_t)x[i], one);
        sum_all_with(p, c->var[i], value);
        p->gone[c->var[i]] = true;
        table_release(s, value);
    }
    if (s->work-- == 0 || ++s->depth > 1000)
        refuse(s, "too many cases, or cases within cases");
    run_steps(p, r, until, part);
    s->depth--;
    arb_add(total, total, part, s->prec);
    proof_free(p);
}

/* All joint values are there, or this is a lower bound; none is there twice. */
static void check_cases(cases *c)
{
    if (!rows_distinct(c->row, c->count, c->n))
        refuse(c->p->s, "a joint value stands twice");
    if (c->p->side != LOWER && (double)c->count != joint_values(c))
        refuse(c->p->s, "%zu of %.0f joint values are there", c->count,
               joint_values(c));
}

/* The last variable varies fastest; false: x is all 0 again. */
static bool next_joint_value(const cases *c, int *x)
{
    int i = c->n - 1;
    while (i >= 0 && ++x[i] == c->p->card[c->var[i]])
        x[i--] = 0;
    return i >= 0;
}

/* condition V1 .. Vk                for every joint value
 * condition V1 .. Vk : x1 .. xk ..  for these; in a lower bound
 *
 * The steps that follow, up to the end of the section or case, are made for each. */
static void step_condition(cases *c, reader *r, arb_t total)
{
    session *s = c->p->s;
    bool listed = read_variables(c, r), more = true;
    while (listed && next_on_line(r))
        read_row(c, r);
    if (listed && c->count == 0)
        expected(r, "a value");
    if (listed && c->p->side == LOWER)
        begin_bounding(c->p);
    if (listed)
        check_cases(c);
    else if (joint_values(c) > 4294967296.)
        refuse(s, "%g joint values are more than 2^32", joint_values(c));
    int *x = scratch(s, (size_t)c->n, sizeof *x);
    reader start = *r;
    long line = s->line;
    for (size_t k = 0; more; k++) {
        *r = start;
        s->line = line;
        add_case(c, listed ? c->row[k] : x, r, c->until, total);
        more = listed ? k + 1 < c->count : next_joint_value(c, x);
    }
}

/* cases V1 .. Vk
 * case x1 .. xk  STEPS  done        for every joint value; in a lower bound for some
 *
 * Each joint value has steps of its own. This ends the section or case it is in. */
static void step_cases(cases *c, reader *r, arb_t total)
{
    if (read_variables(c, r))
        expected(r, "a variable");
    if (c->p->side == LOWER)
        begin_bounding(c->p);
    while (next_line_is(r, "case")) {
        next_on_line(r);
        int *x = read_row(c, r);
        end_of_line(r);
        add_case(c, x, r, "done", total);
        end_of_line(r);
    }
    check_cases(c);
    if (!next_line(r) || !word_is(r, c->until))
        expected(r, c->until);
}

/* ---- sections -------------------------------------------------------------------- */

/* No variable is left, so Z is the constant. One with a single value is in no table and
   sums to 1. */
static void finish(const proof *p, arb_t total)
{
    for (int v = 0; v < p->nvars; v++)
        if (!p->gone[v] && p->card[v] > 1)
            refuse(p->s, "variable %d is left", v);
    arb_set(total, p->constant);
}

/* Steps up to a line that begins with `until`; the bound they lead to. */
static void run_steps(proof *p, reader *r, const char *until, arb_t total)
{
    for (;;) {
        struct block *mark = p->s->list[SCRATCH];
        cases c = { .p = p, .until = until };
        if (!next_line(r))
            refuse(p->s, "expected a step or %s, found the end: cut off?", until);
        if (word_is(r, until)) {
            finish(p, total);
            return;
        }
        if (word_is(r, "condition"))
            step_condition(&c, r, total);
        else if (word_is(r, "cases"))
            step_cases(&c, r, total);
        else if (!exact_step(p, r) && !bound_step(p, r))
            expected(r, "a step that this section may have");
        release(p->s, SCRATCH, mark);
        if (c.n > 0)
            return;
    }
}

/* ---- claims ---------------------------------------------------------------------- */

/* The upper or lower end of x, as a ball of its own. */
static void end_of(const session *s, const arb_t x, bool upper, arb_t out)
{
    arf_t end;
    arf_init(end);
    if (upper)
        arb_get_ubound_arf(end, x, s->prec);
    else
        arb_get_lbound_arf(end, x, s->prec);
    arb_set_arf(out, end);
    arf_clear(end);
}

static void write_bound(const arb_t x, bool upper, char out[64])
{
    mpfr_t y;
    mpfr_init2(y, 600);
    arf_get_mpfr(y, arb_midref(x), upper ? MPFR_RNDU : MPFR_RNDD);
    mpfr_snprintf(out, 64, upper ? "%.15RUg" : "%.15RDg", y);
    mpfr_clear(y);
}

/* The next word as a claim about ln Z, and whether z proves it. */
static void check_claim(reader *r, const arb_t z, bool upper, char out[64])
{
    session *s = r->s;
    arb_ptr claim = scratch_balls(s, 2), proved = claim + 1;
    next_on_line(r);
    bool minus_infinity = word_is(r, "-inf");
    if (!minus_infinity)
        as_number(r, claim, "a number or -inf");
    end_of(s, z, upper, proved);
    bool positive = arb_is_positive(proved); /* if not, ln of it is -inf */
    strcpy(out, "-inf");
    if (positive) {
        arb_log(proved, proved, s->prec);
        end_of(s, proved, upper, proved);
        write_bound(proved, upper, out);
    }
    bool holds = upper ? !positive || (!minus_infinity && arb_ge(claim, proved))
                       : minus_infinity || (positive && arb_le(claim, proved));
    if (!holds)
        refuse_unsure(s, "the claim of %.*s is not shown, the %s bound is %s",
                      (int)(r->length < 40 ? r->length : 40), r->word,
                      upper ? "upper" : "lower", out);
}

static void run_section(const proof *model, section side, reader *r, verdict *v)
{
    session *s = model->s;
    proof *p = proof_copy(model, side);
    arb_ptr z = scratch_balls(s, 1);
    end_of_line(r);
    run_steps(p, r, "claim", z);
    proof_free(p);
    if (!arb_is_finite(z))
        refuse_unsure(s, "the bound cannot be told from infinity");
    if (side != LOWER && arb_is_negative(z))
        refuse(s, "Z would be negative");
    if (side != UPPER)
        check_claim(r, z, false, v->lower);
    if (side != LOWER)
        check_claim(r, z, true, v->upper);
    end_of_line(r);
}

/* ---- certificates ---------------------------------------------------------------- */

static void read_certificate(session *s, const question *q, const proof *model,
                             verdict *v)
{
    static const char *const name[] = { "exact", "upper", "lower" };
    reader r = reader_of(s, q->certificate);
    bool seen[3] = { false };
    if (!next_line(&r) || !word_is(&r, "zbound-certificate"))
        expected(&r, "zbound-certificate");
    word_on_line(&r, "1");
    end_of_line(&r);
    if (!next_line(&r) || !word_is(&r, "model"))
        expected(&r, "model");
    if (int_on_line(&r, INT_MAX, "a number of variables") != model->nvars ||
        int_on_line(&r, INT_MAX, "a number of factors") != model->ntables)
        refuse(s, "the model has %d variables and %d factors", model->nvars,
               model->ntables);
    end_of_line(&r);
    while (next_line(&r) && !word_is(&r, "end")) {
        int side = 0;
        while (side < 3 && !word_is(&r, name[side]))
            side++;
        if (side == 3)
            expected(&r, "exact, upper, lower or end");
        if (seen[side] || seen[EXACT] ||
            (side == EXACT && (seen[UPPER] || seen[LOWER])))
            refuse(s, "one section too many");
        seen[side] = true;
        run_section(model, (section)side, &r, v);
    }
    if (r.length == 0)
        refuse(s, "expected end: cut off?");
    if (!seen[EXACT] && !seen[UPPER] && !seen[LOWER])
        refuse(s, "nothing is claimed");
    end_of_line(&r);
    if (next_line(&r))
        expected(&r, "nothing after end");
}

/* One attempt. Whether another one at a higher precision may change the verdict. */
static bool attempt(session *s, const question *q, verdict *v)
{
    *v = (verdict){ .outcome = UNREADABLE };
    if (setjmp(s->refused) == 0) {
        const proof *model = (q->format == FORMULA ? formula_read : model_read)(s, q);
        v->outcome = REFUSED;
        read_certificate(s, q, model, v);
        v->outcome = VERIFIED;
    } else {
        v->file = s->file;
        v->line = s->line;
        memcpy(v->reason, s->reason, sizeof v->reason);
        v->lower[0] = v->upper[0] = '\0';
    }
    release(s, SCRATCH, NULL);
    release(s, OWNED, NULL);
    return v->outcome != VERIFIED && s->retry;
}

verdict verify(const question *q)
{
    verdict v;
    session s;
    slong prec = 64;
    do {
        s = (session){ .prec = prec, .limit = q->memory, .work = q->work };
        prec *= 2;
    } while (attempt(&s, q, &v) && prec <= 512);
    return v;
}
