/* Steps that replace a table by smaller ones that are not below it (upper), or not
 * above it (lower), at any state. As long as no table is negative, Z then is not
 * smaller (larger) either. They lose next to nothing where the table is a product, or
 * does not depend on a variable, up to rounding: an equation that balls cannot show. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const table *read_table(const proof *p, reader *r, int *id)
{
    *id = int_on_line(r, INT_MAX, "a table");
    if (p->gauged)
        refuse(p->s, "after a gauge tables may be negative");
    return live_table(p, *id);
}

static int read_axis(const proof *p, const table *t, reader *r)
{
    int v = int_on_line(r, INT_MAX, "a variable"), i = 0;
    while (i < t->n && t->var[i] != v)
        i++;
    if (i == t->n)
        refuse(p->s, "the table does not have the variable %d", v);
    return i;
}

typedef struct extreme {
    bool least;
    int least_terms; /* that there must be, or 0 is the least of them */
} extreme;

static bool take_extreme(session *s, void *context, terms *t, arb_t out)
{
    const extreme *how = context;
    arb_set(out, t->term);
    for (int i = 1; i < t->n; i++)
        if (how->least)
            arb_min(out, out, t->term + i, s->prec);
        else
            arb_max(out, out, t->term + i, s->prec);
    return t->n >= how->least_terms;
}

/* drop T V
 *
 * T(v, r) <= max over v of T(v, r) for every v, and >= the min. */
void step_drop(proof *p, reader *r)
{
    int id;
    const table *t = read_table(p, r, &id);
    int v = t->var[read_axis(p, t, r)];
    bool lower = p->side == LOWER;
    extreme how = { lower, lower ? p->card[v] : 1 };
    end_of_line(r);
    combine_tables(p, 1, &id, v, take_extreme, &how);
}

/* ---- products -------------------------------------------------------------------- */

typedef struct cell { /* an entry T(v, w, r) */
    uint64_t rest;    /* the number of r */
    int v, w;
    size_t entry;
} cell;

static int by_place(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->rest != y->rest)
        return x->rest < y->rest ? -1 : 1;
    return x->v != y->v ? (x->v > y->v) - (x->v < y->v) : (x->w > y->w) - (x->w < y->w);
}

/* The entries of T by r, then v, then w; v and w are its axes i and j. */
static cell *sort_cells(const proof *p, const table *t, int i, int j)
{
    cell *c = scratch(p->s, t->count, sizeof *c);
    int x[DEEPEST];
    for (size_t e = 0; e < t->count; e++) {
        table_state(t, p->card, t->key[e], x);
        c[e] = (cell){ .v = x[i], .w = x[j], .entry = e };
        x[i] = x[j] = 0;
        c[e].rest = table_key(t, p->card, x);
    }
    qsort(c, t->count, sizeof *c, by_place);
    return c;
}

/* How many cells from c[0] on are of the same r and v. */
static size_t row_length(const cell *c, size_t most)
{
    size_t n = 1;
    while (n < most && c[n].rest == c[0].rest && c[n].v == c[0].v)
        n++;
    return n;
}

/* h(w, r) = T(a, w, r) with the first a that has entries at r, and 1/h, into h[0] and
   h[1]. The other v that have entries at r must have them at the same w. */
static void find_second(proof *p, const table *t, const cell *c, int i, table *h[2])
{
    session *s = p->s;
    arb_ptr inverse = scratch_balls(s, 1);
    int x[DEEPEST];
    for (size_t e = 0, first = 0, n = 0; e < t->count; e += n) {
        size_t length = row_length(c + e, t->count - e);
        bool begins = e == 0 || c[e].rest != c[first].rest, same = length == n;
        for (size_t k = 0; !begins && same && k < length; k++)
            same = c[e + k].w == c[first + k].w;
        if (!begins && !same)
            refuse(s, "the table has rows whose zeros differ");
        n = length;
        for (size_t k = 0; begins && k < n; k++) {
            const arb_struct *value = t->value + c[e + k].entry;
            table_state(t, p->card, t->key[c[e + k].entry], x);
            memmove(x + i, x + i + 1, (size_t)(t->n - 1 - i) * sizeof *x);
            if (!arb_is_positive(value))
                refuse_unsure(s, "an entry cannot be told from 0");
            arb_inv(inverse, value, s->prec);
            table_add(s, h[0], table_key(h[0], p->card, x), value);
            table_add(s, h[1], table_key(h[1], p->card, x), inverse);
        }
        first = begins ? e : first;
    }
    table_sort(s, h[0]);
    table_sort(s, h[1]);
}

/* split T V W
 *
 * With any h(w, r) > 0, and g(v, r) the largest of T(v, w, r) / h(w, r) over w,
 * T(v, w, r) <= g(v, r) h(w, r); with the smallest, >=. h is a row of T, so that both
 * are equations if T is such a product. Two new tables: first g, then h. */
void step_split(proof *p, reader *r)
{
    session *s = p->s;
    int id, var[DEEPEST], n = 0;
    const table *t = read_table(p, r, &id);
    int i = read_axis(p, t, r), j = read_axis(p, t, r);
    table *h[2];
    end_of_line(r);
    if (i == j)
        refuse(s, "a table is not split from one variable to the same");
    for (int k = 0; k < t->n; k++)
        if (k != i)
            var[n++] = t->var[k];
    for (int k = 0; k < 2; k++)
        h[k] = table_new(s, n, var, p->card);
    find_second(p, t, sort_cells(p, t, i, j), i, h);
    extreme how = { p->side == LOWER, 1 };
    const table *in[2] = { t, h[1] };
    product quotient = { 2, in, t->var[j], false, take_extreme, &how };
    table *g = table_product(s, p->card, &quotient);
    remove_table(p, id);
    add_table(p, g);
    add_table(p, h[0]);
    table_release(s, h[1]);
}
