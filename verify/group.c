/* Steps of lower bounds that settle a group of variables at once; see bound.c. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>

typedef struct group {
    proof *p;
    int n, *var;
    int ntables, *table; /* all that have one of the variables */
} group;

/* The variables on this line, and their tables, which must have no others. */
static group read_group(proof *p, reader *r)
{
    session *s = p->s;
    group g = { .p = p };
    int room = 0, count;
    g.var = list_on_line(r, "a variable", &g.n);
    begin_bounding(p);
    for (int i = 0; i < g.n; i++) {
        live_variable(p, g.var[i]);
        p->place[g.var[i]] = i + 1;
    }
    for (int i = 0; i < g.n; i++) {
        int *id = tables_with(p, g.var[i], &count);
        for (int j = 0; j < count; j++) {
            const table *t = p->table[id[j]];
            bool first = true; /* each table once: with the first of its variables */
            for (int k = 0; k < t->n; k++) {
                if (p->place[t->var[k]] == 0)
                    refuse(s, "table %d has the variable %d too", id[j], t->var[k]);
                first = first && p->place[t->var[k]] > i;
            }
            if (first && g.ntables == room)
                g.table =
                    regrow(s, g.table, (size_t)(room = 2 * room + 8), sizeof *g.table);
            if (first)
                g.table[g.ntables++] = id[j];
        }
    }
    return g;
}

/* The group's sum has been bounded by x: its variables and tables go. */
static void settle_group(group *g, const arb_t x)
{
    for (int i = 0; i < g->ntables; i++)
        remove_table(g->p, g->table[i]);
    for (int i = 0; i < g->n; i++) {
        g->p->gone[g->var[i]] = true;
        g->p->place[g->var[i]] = 0;
    }
    multiply_constant(g->p, x);
}

/* A distribution over the values of v: p / sum p. Adds its entropy, - sum_x q ln q. */
static arb_ptr read_distribution(const proof *p, int v, reader *r, arb_t entropy)
{
    session *s = p->s;
    size_t d = (size_t)p->card[v];
    if (!next_line(r) || !word_is(r, "q"))
        expected(r, "q");
    word_on_line(r, ":");
    arb_ptr q = numbers_on_line(r, d, "a probability");
    arb_ptr sum = scratch_balls(s, 2), log = sum + 1;
    end_of_line(r);
    for (size_t x = 0; x < d; x++) {
        if (arb_is_negative(q + x))
            refuse(s, "a probability of variable %d is negative", v);
        arb_add(sum, sum, q + x, s->prec);
    }
    if (!arb_is_positive(sum))
        refuse(s, "the probabilities of variable %d are all 0", v);
    for (size_t x = 0; x < d; x++)
        if (!arb_is_zero(q + x)) {
            arb_div(q + x, q + x, sum, s->prec);
            arb_log(log, q + x, s->prec);
            arb_submul(entropy, q + x, log, s->prec);
        }
    return q;
}

/* Adds sum_x q(x) ln t(x); false if t(x) may be 0 where q(x) is not. */
static bool add_expectation(const group *g, const table *t, arb_ptr *q, arb_t sum)
{
    session *s = g->p->s;
    arb_ptr x = scratch_balls(s, 2);
    int state[DEEPEST];
    uint64_t wanted = 1, found = 0;
    for (int i = 0; i < t->n; i++) {
        uint64_t positive = 0;
        for (int k = 0; k < g->p->card[t->var[i]]; k++)
            positive += !arb_is_zero(q[g->p->place[t->var[i]] - 1] + k);
        wanted *= positive;
    }
    for (size_t e = 0; e < t->count; e++) {
        table_state(t, g->p->card, t->key[e], state);
        arb_one(x);
        for (int i = 0; i < t->n; i++)
            arb_mul(x, x, q[g->p->place[t->var[i]] - 1] + state[i], s->prec);
        if (arb_is_zero(x) || !arb_is_positive(t->value + e))
            continue;
        found++;
        arb_log(x + 1, t->value + e, s->prec);
        arb_addmul(sum, x, x + 1, s->prec);
    }
    return found == wanted;
}

/* meanfield V1 .. Vk
 * q : p0 p1 ..            for each of them
 *
 * For any distribution q, ln sum_x f(x) >= sum_x q(x) ln(f(x) / q(x)) (Jensen, Gibbs);
 * here q is a product, so that this is sum_T E_q ln T + sum_i H(q_i). Where f is 0 and
 * q is not, the bound is 0. */
static void step_meanfield(proof *p, reader *r)
{
    session *s = p->s;
    group g = read_group(p, r);
    arb_ptr *q = scratch(s, (size_t)g.n, sizeof *q), sum = scratch_balls(s, 1);
    bool positive = true;
    for (int i = 0; i < g.n; i++)
        q[i] = read_distribution(p, g.var[i], r, sum);
    for (int i = 0; i < g.ntables; i++)
        positive = add_expectation(&g, p->table[g.table[i]], q, sum) && positive;
    arb_exp(sum, sum, s->prec);
    if (!positive)
        arb_zero(sum);
    settle_group(&g, sum);
}

/* The product of the group's tables at the state x of its variables. */
static void value_at(const group *g, const int *x, arb_t value)
{
    int state[DEEPEST];
    arb_one(value);
    for (int i = 0; i < g->ntables && !arb_is_zero(value); i++) {
        const table *t = g->p->table[g->table[i]];
        for (int k = 0; k < t->n; k++)
            state[k] = x[g->p->place[t->var[k]] - 1];
        arb_srcptr entry = table_find(t, table_key(t, g->p->card, state));
        if (entry == NULL)
            arb_zero(value);
        else
            arb_mul(value, value, entry, g->p->s->prec);
    }
}

/* states V1 .. Vk
 * state x1 .. xk          once or more, all of them different
 *
 * A sum of non-negative terms is at least the sum of some of them. */
static void step_states(proof *p, reader *r)
{
    session *s = p->s;
    group g = read_group(p, r);
    arb_ptr sum = scratch_balls(s, 2);
    int **row = NULL;
    size_t count = 0, room = 0;
    for (; next_line_is(r, "state"); count++) {
        if (count == room)
            row = regrow(s, row, room = 2 * room + 8, sizeof *row);
        row[count] = scratch(s, (size_t)g.n, sizeof **row);
        for (int i = 0; i < g.n; i++)
            row[count][i] = int_on_line(r, p->card[g.var[i]] - 1, "a value");
        end_of_line(r);
        value_at(&g, row[count], sum + 1);
        arb_add(sum, sum, sum + 1, s->prec);
    }
    if (!rows_distinct(row, count, g.n))
        refuse(s, "a state stands twice");
    settle_group(&g, sum);
}

bool bound_step(proof *p, reader *r)
{
    if (p->side != EXACT && word_is(r, "bucket"))
        step_bucket(p, r);
    else if (p->side != EXACT && word_is(r, "drop"))
        step_drop(p, r);
    else if (p->side != EXACT && word_is(r, "split"))
        step_split(p, r);
    else if (p->side == LOWER && word_is(r, "meanfield"))
        step_meanfield(p, r);
    else if (p->side == LOWER && word_is(r, "states"))
        step_states(p, r);
    else
        return false;
    return true;
}
