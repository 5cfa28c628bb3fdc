/* The tables, variables and constant of a proof. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

static void *copy_of(session *s, const void *from, int count, size_t size)
{
    return memcpy(own(s, (size_t)count, size), from, (size_t)count * size);
}

proof *proof_copy(const proof *from, section side)
{
    session *s = from->s;
    proof *p = copy_of(s, from, 1, sizeof *p);
    p->side = side;
    p->var_room = p->nvars, p->table_room = p->ntables, p->link_room = p->nlinks;
    p->card = copy_of(s, from->card, p->nvars, sizeof *p->card);
    p->gone = copy_of(s, from->gone, p->nvars, sizeof *p->gone);
    p->place = copy_of(s, from->place, p->nvars, sizeof *p->place);
    p->first = copy_of(s, from->first, p->nvars, sizeof *p->first);
    p->table = copy_of(s, from->table, p->ntables, sizeof(table *));
    p->link = copy_of(s, from->link, p->nlinks, sizeof *p->link);
    for (int i = 0; i < p->ntables; i++)
        if (p->table[i] != NULL)
            p->table[i]->refs++;
    p->constant = balls(s, OWNED, NULL, 1);
    arb_set(p->constant, from->constant);
    return p;
}

proof *proof_new(session *s)
{
    arb_t one;
    arb_init(one);
    arb_one(one);
    proof nothing = { .s = s,
                      .card = (int[1]){ 0 },
                      .gone = (bool[1]){ 0 },
                      .place = (int[1]){ 0 },
                      .first = (int[1]){ 0 },
                      .table = (table *[1]){ NULL },
                      .link = (struct link[1]){ { 0, 0 } },
                      .constant = one };
    return proof_copy(&nothing, EXACT);
}

void proof_free(proof *p)
{
    void *all[] = { p->card,  p->gone, p->place,    p->first,
                    p->table, p->link, p->constant, p };
    session *s = p->s;
    for (int i = 0; i < p->ntables; i++)
        remove_table(p, i);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        drop(s, all[i]);
}

int add_variable(proof *p, int card)
{
    session *s = p->s;
    if (p->nvars == p->var_room) {
        size_t room = (size_t)(p->var_room = 2 * p->var_room + 8);
        p->card = regrow(s, p->card, room, sizeof *p->card);
        p->gone = regrow(s, p->gone, room, sizeof *p->gone);
        p->place = regrow(s, p->place, room, sizeof *p->place);
        p->first = regrow(s, p->first, room, sizeof *p->first);
    }
    int v = p->nvars++;
    p->card[v] = card;
    p->gone[v] = false;
    p->place[v] = 0;
    p->first[v] = -1;
    return v;
}

void multiply_constant(proof *p, const arb_t x)
{
    arb_mul(p->constant, p->constant, x, p->s->prec);
    if (!arb_is_finite(p->constant))
        refuse_unsure(p->s, "a number cannot be told from infinity");
}

/* ---- tables ---------------------------------------------------------------------- */

void remove_table(proof *p, int id)
{
    if (p->table[id] != NULL)
        table_release(p->s, p->table[id]);
    p->table[id] = NULL;
}

/* The table goes into the lists of its variables; one without variables is a factor of
   Z, its entry or 0, and goes into the constant. */
void replace_table(proof *p, int id, table *t)
{
    remove_table(p, id);
    p->table[id] = t;
    for (int i = 0; i < t->n; i++) {
        if (p->nlinks == p->link_room) {
            p->link_room = 2 * p->link_room + 8;
            p->link = regrow(p->s, p->link, (size_t)p->link_room, sizeof *p->link);
        }
        p->link[p->nlinks] = (struct link){ id, p->first[t->var[i]] };
        p->first[t->var[i]] = p->nlinks++;
    }
    if (t->n == 0 && t->count == 0)
        arb_zero(p->constant);
    else if (t->n == 0)
        multiply_constant(p, t->value);
    if (t->n == 0)
        remove_table(p, id);
}

void add_table(proof *p, table *t)
{
    if (p->ntables == p->table_room) {
        p->table_room = 2 * p->table_room + 8;
        p->table = regrow(p->s, p->table, (size_t)p->table_room, sizeof(table *));
    }
    p->table[p->ntables++] = NULL;
    replace_table(p, p->ntables - 1, t);
}

int *tables_with(const proof *p, int v, int *count)
{
    int n = 0, *id;
    for (int l = p->first[v]; l >= 0; l = p->link[l].next)
        n++;
    id = scratch(p->s, (size_t)n, sizeof *id);
    n = 0;
    for (int l = p->first[v]; l >= 0; l = p->link[l].next) {
        const table *t = p->table[p->link[l].table];
        if (t != NULL && table_has(t, v))
            id[n++] = p->link[l].table;
    }
    qsort(id, (size_t)n, sizeof *id, by_number);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || id[i] != id[i - 1])
            id[(*count)++] = id[i];
    return id;
}

table *live_table(const proof *p, int id)
{
    if (id >= p->ntables || p->table[id] == NULL)
        refuse(p->s, "there is no table %d%s", id, id < p->ntables ? " any more" : "");
    return p->table[id];
}

int live_variable(const proof *p, int v)
{
    if (v >= p->nvars || p->gone[v])
        refuse(p->s, "there is no variable %d%s", v, v < p->nvars ? " any more" : "");
    return v;
}

/* ---- products -------------------------------------------------------------------- */

table *graph_of(const proof *p, int v, int other, const int *map)
{
    bool first = v < other;
    int var[2] = { first ? v : other, first ? other : v };
    table *t = table_new(p->s, 2, var, p->card);
    arb_ptr one = scratch_balls(p->s, 1);
    arb_one(one);
    for (int x = 0; x < p->card[v]; x++) {
        int at[2] = { first ? x : map[x], first ? map[x] : x };
        if (map[x] >= 0)
            table_add(p->s, t, table_key(t, p->card, at), one);
    }
    table_sort(p->s, t);
    return t;
}

/* Sums and products of absolute values bound those of the values, so that above the
   first split of an upper bound no sign matters: there products are made positive. */
static table *multiply(const proof *p, product how)
{
    how.absolute = p->bounding && p->side == UPPER;
    return table_product(p->s, p->card, &how);
}

table *sum_with(const proof *p, const table *t, int v, const table *with)
{
    const table *in[2] = { t, with };
    return multiply(p, (product){ .k = 2, .in = in, .v = v, .combine = add_terms });
}

void sum_all_with(proof *p, int v, const table *with)
{
    int count, *id = tables_with(p, v, &count);
    for (int i = 0; i < count; i++)
        replace_table(p, id[i], sum_with(p, p->table[id[i]], v, with));
}

table *ones_over(const proof *p, int n, const int *var)
{
    table *t = table_new(p->s, n, var, p->card);
    arb_ptr one = scratch_balls(p->s, 1);
    int *x = scratch(p->s, (size_t)n + 1, sizeof *x), i;
    memset(x, 0, ((size_t)n + 1) * sizeof *x);
    arb_one(one);
    do {
        table_add(p->s, t, table_key(t, p->card, x), one);
        for (i = n - 1; i >= 0 && ++x[i] == p->card[var[i]]; i--)
            x[i] = 0;
    } while (i >= 0);
    table_sort(p->s, t);
    return t;
}

void combine_with(proof *p, int n, const int *id, const table *with, product how)
{
    const table **in = scratch(p->s, (size_t)n + 1, sizeof *in);
    for (int i = 0; i < n; i++)
        in[i] = live_table(p, id[i]);
    in[n] = with;
    how.k = n + (with != NULL);
    how.in = in;
    table *t = multiply(p, how);
    for (int i = 0; i < n; i++)
        remove_table(p, id[i]);
    add_table(p, t);
}

void combine_tables(proof *p, int n, const int *id, int v, combiner *combine,
                    void *context)
{
    combine_with(p, n, id, NULL,
                 (product){ .v = v, .combine = combine, .context = context });
}
