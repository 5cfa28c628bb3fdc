/* Steps that bound Z, from above in a section `upper` and from below in `lower`.
 *
 * From the first of them on the tables must not be negative. In an upper bound they are
 * replaced by their absolute values, |sum| <= sum of | |; in a lower bound they must be
 * provably so. All steps are monotone in every entry, so in a bucket an entry may be
 * replaced by the upper end of its ball in an upper bound, and by the lower end, or 0,
 * in a lower one. This keeps balls small: if all x_i are off by a factor of 1 + e, then
 * so is (sum_i x_i^(1/w))^w; but balls do not know that they are off in the same
 * direction, and would grow several times wider with every bucket. */
#include "verify.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void begin_bounding(proof *p)
{
    if (p->bounding)
        return;
    p->bounding = true;
    if (p->side == UPPER) {
        arb_abs(p->constant, p->constant);
        return;
    }
    if (!arb_is_nonnegative(p->constant))
        refuse_unsure(p->s, "the constant may be negative");
    for (int i = 0; i < p->ntables; i++)
        for (size_t e = 0; p->table[i] != NULL && e < p->table[i]->count; e++)
            if (!arb_is_nonnegative(p->table[i]->value + e))
                refuse_unsure(p->s, "table %d may be negative", i);
}

/* ---- buckets --------------------------------------------------------------------- */

typedef struct mini {
    int n, *table;
    arb_ptr weight; /* per state of the shared variables */
    arb_ptr shift;  /* per value of v and state of the shared variables, or NULL: 0 */
} mini;

typedef struct bucket {
    proof *p;
    int v, minis, nshared, *shared;
    size_t states; /* of the shared variables */
    mini *mini;
    const mini *now;
    arb_ptr scratch; /* two */
} bucket;

/* The state of the shared variables, which are among the product's unless they have one
   value only: no table has such a variable. */
static size_t shared_state(const bucket *b, const terms *t)
{
    size_t state = 0;
    for (int i = 0; i < b->nshared; i++) {
        int at = 0;
        if (b->p->card[b->shared[i]] == 1)
            continue;
        while (t->var[at] != b->shared[i])
            at++;
        state = state * (size_t)b->p->card[b->shared[i]] + (size_t)t->x[at];
    }
    return state;
}

/* The end of every term that counts, as a number without a radius; what is left are the
   positive ones. */
static void take_ends(session *s, section side, terms *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        arb_ptr x = t->term + i;
        if (!arb_is_finite(x))
            refuse_unsure(s, "an entry of a table cannot be told from infinity");
        if (side == UPPER)
            arb_get_ubound_arf(arb_midref(x), x, s->prec);
        else
            arb_get_lbound_arf(arb_midref(x), x, s->prec);
        mag_zero(arb_radref(x));
        if (arb_is_positive(x)) {
            t->at[n] = t->at[i];
            arb_swap(t->term + n++, x);
        }
    }
    t->n = n;
}

/* (sum_i x_i^(1/w))^w = x_p (sum_i (x_i/x_p)^(1/w))^w, with the x_p that counts most */
static void power_sum(session *s, const terms *t, const arb_t w, arb_ptr scratch,
                      arb_t out)
{
    bool negative = arb_is_negative(w);
    arb_ptr sum = scratch, power = scratch + 1;
    int p = 0;
    for (int i = 1; i < t->n; i++) {
        int order = arf_cmp(arb_midref(t->term + i), arb_midref(t->term + p));
        p = (negative ? order < 0 : order > 0) ? i : p;
    }
    arb_one(sum);
    for (int i = 0; i < t->n; i++)
        if (i != p) {
            arb_div(power, t->term + i, t->term + p, s->prec);
            arb_log(power, power, s->prec);
            arb_div(power, power, w, s->prec);
            arb_exp(power, power, s->prec);
            arb_add(sum, sum, power, s->prec);
        }
    arb_log(power, sum, s->prec);
    arb_mul(power, power, w, s->prec);
    arb_exp(power, power, s->prec);
    arb_mul(out, t->term + p, power, s->prec);
}

static void extreme(session *s, const terms *t, bool least, arb_t out)
{
    arb_set(out, t->term);
    for (int i = 1; i < t->n; i++)
        if (least)
            arb_min(out, out, t->term + i, s->prec);
        else
            arb_max(out, out, t->term + i, s->prec);
}

/* One entry of the table that a mini-bucket leaves; see step_bucket. */
static bool combine_mini(session *s, void *context, terms *given, arb_t out)
{
    const bucket *b = context;
    section side = b->p->side;
    size_t m = shared_state(b, given);
    arb_srcptr w = b->now->weight + m;
    terms t = *given;
    if (b->now->shift != NULL)
        for (int i = 0; i < t.n; i++)
            arb_mul(t.term + i, t.term + i,
                    b->now->shift + (size_t)t.at[i] * b->states + m, s->prec);
    take_ends(s, side, &t);
    bool all = t.n == b->p->card[b->v];
    if (t.n == 0 || (side == LOWER && !arb_is_positive(w) && !all))
        return false;
    if (arb_is_zero(w))
        extreme(s, &t, side == LOWER, out);
    else if (arb_is_one(w))
        return add_terms(s, NULL, &t, out);
    else
        power_sum(s, &t, w, b->scratch, out);
    return true;
}

/* ---- reading a bucket ------------------------------------------------------------ */

static void read_shared(bucket *b, reader *r)
{
    b->states = 1;
    if (!next_on_line(r))
        return;
    if (!word_is(r, "shared"))
        expected(r, "shared variables or the end of the line");
    b->shared = list_on_line(r, "a variable", &b->nshared);
    for (int i = 0; i < b->nshared; i++) {
        live_variable(b->p, b->shared[i]);
        if (b->shared[i] == b->v)
            refuse(r->s, "variable %d is summed and shared", b->v);
        b->states *= (size_t)b->p->card[b->shared[i]];
        if (b->states > (size_t)(r->end - r->at)) /* a weight each must follow */
            refuse(r->s, "expected more weights than the file is long");
    }
}

static void read_mini(bucket *b, mini *m, reader *r)
{
    if (!next_line(r) || !word_is(r, "mini"))
        expected(r, "mini");
    m->weight = numbers_on_line(r, b->states, "a weight");
    word_on_line(r, ":");
    m->table = list_on_line(r, "a table", &m->n);
    for (int i = 0; i < m->n; i++)
        if (!table_has(live_table(b->p, m->table[i]), b->v))
            refuse(r->s, "table %d does not have the variable %d", m->table[i], b->v);
    if (!next_line_is(r, "shift"))
        return;
    if (m == b->mini + b->minis - 1)
        refuse(r->s, "the last shift of a bucket follows from the others");
    m->shift = numbers_on_line(r, b->states * (size_t)b->p->card[b->v], "a shift");
    end_of_line(r);
}

/* The weights that are not 0 add up to 1 for every shared state: up to 1e-9 as they are
   written, and exactly since the last of them is taken as 1 less the others. */
static void settle_weights(bucket *b, size_t m)
{
    session *s = b->p->s;
    arb_ptr sum = scratch_balls(s, 1), last = NULL;
    int positive = 0, negative = 0;
    for (int i = 0; i < b->minis; i++)
        if (!arb_is_zero(b->mini[i].weight + m)) {
            last = b->mini[i].weight + m;
            arb_add(sum, sum, last, s->prec);
        }
    double about = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
    if (!(fabs(about - 1) <= 1e-9))
        refuse(s, "weights of bucket %d add up to %.10g", b->v, about);
    arb_one(sum);
    for (int i = 0; b->mini[i].weight + m != last; i++)
        arb_sub(sum, sum, b->mini[i].weight + m, s->prec);
    arb_set(last, sum);
    for (int i = 0; i < b->minis; i++) {
        positive += arb_is_positive(b->mini[i].weight + m);
        negative += arb_is_negative(b->mini[i].weight + m);
        if (arb_contains_zero(b->mini[i].weight + m) &&
            !arb_is_zero(b->mini[i].weight + m))
            refuse_unsure(s, "a weight of bucket %d cannot be told from 0", b->v);
    }
    if (b->p->side == UPPER && negative > 0)
        refuse(s, "a weight of bucket %d is negative", b->v);
    if (b->p->side == LOWER && positive != 1)
        refuse(s, "bucket %d needs one positive weight", b->v);
}

/* The shifts add up to 0 for every v and shared state, since that of the last
   mini-bucket is minus the others. Leaves exp of them. */
static void settle_shifts(bucket *b)
{
    session *s = b->p->s;
    size_t count = b->states * (size_t)b->p->card[b->v];
    arb_ptr last = NULL;
    for (int i = 0; i < b->minis; i++) {
        arb_ptr shift = b->mini[i].shift;
        if (shift != NULL && last == NULL)
            last = scratch_balls(s, count);
        for (size_t k = 0; shift != NULL && k < count; k++) {
            arb_sub(last + k, last + k, shift + k, s->prec);
            arb_exp(shift + k, shift + k, s->prec);
        }
    }
    for (size_t k = 0; last != NULL && k < count; k++)
        arb_exp(last + k, last + k, s->prec);
    b->mini[b->minis - 1].shift = last;
}

static bool has_variable(const bucket *b, const mini *m, int v)
{
    for (int i = 0; i < m->n; i++)
        if (table_has(live_table(b->p, m->table[i]), v))
            return true;
    return false;
}

/* f_r may be multiplied by 1, a table over V and the shared variables that it lacks;
   NULL: it has them all. */
static table *ones_of(const bucket *b, const mini *m)
{
    int var[DEEPEST + 1], n = 0;
    var[n++] = b->v;
    for (int i = 0; i < b->nshared; i++)
        if (b->p->card[b->shared[i]] > 1 && !has_variable(b, m, b->shared[i])) {
            if (n == DEEPEST)
                refuse(b->p->s, "too many variables are shared");
            var[n++] = b->shared[i];
        }
    qsort(var, (size_t)n, sizeof *var, by_number);
    return n > 1 ? ones_over(b->p, n, var) : NULL;
}

static void replace_mini(bucket *b, const mini *m)
{
    table *ones = ones_of(b, m);
    b->now = m;
    combine_with(b->p, m->n, m->table, ones,
                 (product){ .v = b->v, .combine = combine_mini, .context = b });
    if (ones != NULL)
        table_release(b->p->s, ones);
}

/* bucket V R [shared S1 .. Sk]
 * mini W : T1 T2 ..       R times
 * shift ..                after any of them but the last
 *
 * With weights that add up to 1 and f_r the product of a mini-bucket's tables,
 *
 *   sum_v prod_r f_r <= prod_r (sum_v f_r^(1/w_r))^w_r    if all w_r > 0 (Hoelder),
 *   sum_v prod_r f_r >= prod_r (sum_v f_r^(1/w_r))^w_r    if one is, the others < 0
 *                                                         (reverse Hoelder),
 *
 * the latter where no f_r of a negative weight is 0 at any v; where one is, 0 is a
 * bound. A weight of 0 stands for max_v f_r (in a lower bound min_v f_r), which can be
 * taken out of the sum. Factors exp(shift_r(v, s)) with sum_r shift_r = 0 leave
 * prod_r f_r as it is. Weights and shifts may depend on s, the state of other
 * variables, which all new tables then have: the inequality holds at each state of
 * these by itself, whether or not f_r depends on them. */
void step_bucket(proof *p, reader *r)
{
    session *s = p->s;
    bucket b = { .p = p, .v = int_on_line(r, INT_MAX, "a variable") };
    int count, *left;
    long line = s->line;
    live_variable(p, b.v);
    tables_with(p, b.v, &count);
    b.minis = int_on_line(r, INT_MAX, "a number of mini-buckets");
    if (b.minis < 1 || b.minis > count)
        refuse(s, "%d mini-buckets for the %d tables of %d", b.minis, count, b.v);
    read_shared(&b, r);
    begin_bounding(p);
    b.mini = scratch(s, (size_t)b.minis, sizeof *b.mini);
    for (int i = 0; i < b.minis; i++)
        read_mini(&b, &b.mini[i], r);
    long after = s->line;
    s->line = line;
    for (size_t m = 0; m < b.states; m++)
        settle_weights(&b, m);
    settle_shifts(&b);
    b.scratch = scratch_balls(s, 2);
    for (int i = 0; i < b.minis; i++)
        replace_mini(&b, &b.mini[i]);
    left = tables_with(p, b.v, &count); /* a table in two of them has been refused */
    if (count > 0)
        refuse(s, "table %d is in no mini-bucket of %d", left[0], b.v);
    p->gone[b.v] = true;
    s->line = after;
}
