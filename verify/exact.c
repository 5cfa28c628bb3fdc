/* Steps that keep Z. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>

static int read_variable(const proof *p, reader *r)
{
    return live_variable(p, int_on_line(r, INT_MAX, "a variable"));
}

static const table *table_with(const proof *p, int id, int v)
{
    if (!table_has(live_table(p, id), v))
        refuse(p->s, "table %d does not have the variable %d", id, v);
    return p->table[id];
}

/* multiply T1 T2 ..
 *
 * Z is a sum of products of all tables; a product may be taken beforehand. */
static void step_multiply(proof *p, reader *r)
{
    int n, *id = list_on_line(r, "a table", &n);
    combine_tables(p, n, id, -1, NULL, NULL);
}

/* sum V
 *
 * Tables without V come out of the sum over V (the distributive law). If no table has
 * V, its sum is the number of its values. */
static void step_sum(proof *p, reader *r)
{
    int v = read_variable(p, r), n, *id = tables_with(p, v, &n);
    end_of_line(r);
    if (n > 0)
        combine_tables(p, n, id, v, add_terms, NULL);
    else
        arb_mul_si(p->constant, p->constant, p->card[v], p->s->prec);
    p->gone[v] = true;
}

static int position(const table *t, int v)
{
    int i = 0;
    while (t->var[i] != v)
        i++;
    return i;
}

/* tie Y X K : g0 g1 ..
 *
 * Table K has entries at y = g(x) only, so every other y adds nothing to Z: in each
 * table with Y, entries at other y can go, and the sum over Y has one term,
 * T'(x, ..) = T(g(x), ..) = sum over y of T(y, ..) [y = g(x)]. Where g(x) is -1, K has
 * no entry at x, and Z no term. */
static void step_tie(proof *p, reader *r)
{
    int y = read_variable(p, r), x = read_variable(p, r), state[DEEPEST];
    int id = int_on_line(r, INT_MAX, "a table");
    table_with(p, id, y);
    const table *k = table_with(p, id, x);
    if (x == y)
        refuse(p->s, "variable %d is tied to itself", x);
    int *g = scratch(p->s, (size_t)p->card[x], sizeof *g);
    word_on_line(r, ":");
    for (int i = 0; i < p->card[x]; i++) {
        next_on_line(r);
        g[i] =
            (int)as_int(r, -1, p->card[y] - 1, "a value of the tied variable, or -1");
    }
    end_of_line(r);
    for (size_t e = 0; e < k->count; e++) {
        table_state(k, p->card, k->key[e], state);
        int at_x = state[position(k, x)], at_y = state[position(k, y)];
        if (g[at_x] != at_y)
            refuse(p->s, "table %d has an entry where variable %d is %d and %d is %d",
                   id, x, at_x, y, at_y);
    }
    table *graph = graph_of(p, x, y, g);
    sum_all_with(p, y, graph);
    p->gone[y] = true;
    table_release(p->s, graph);
}

static void nothing_left(proof *p)
{
    arb_zero(p->constant);
    for (int i = 0; i < p->ntables; i++)
        remove_table(p, i);
    for (int v = 0; v < p->nvars; v++)
        p->gone[v] = true;
}

/* Does some table with v have no entry at v = x? */
static bool is_excluded(const proof *p, int v, int x)
{
    int n, *id = tables_with(p, v, &n), state[DEEPEST];
    for (int i = 0; i < n; i++) {
        const table *t = p->table[id[i]];
        bool found = false;
        for (size_t e = 0; e < t->count && !found; e++) {
            table_state(t, p->card, t->key[e], state);
            found = state[position(t, v)] == x;
        }
        if (!found)
            return true;
    }
    return false;
}

/* The values of v on this line, all different and the others excluded; *n of them. */
static int *read_values(const proof *p, int v, reader *r, int *n)
{
    int *value = scratch(p->s, (size_t)p->card[v], sizeof *value);
    bool *stays = scratch(p->s, (size_t)p->card[v], sizeof *stays);
    word_on_line(r, ":");
    for (*n = 0; next_on_line(r);) {
        int x = (int)as_int(r, 0, p->card[v] - 1, "a value");
        if (stays[x])
            refuse(p->s, "value %d stands twice", x);
        stays[x] = true;
        value[(*n)++] = x;
    }
    for (int x = 0; x < p->card[v]; x++)
        if (!stays[x] && !is_excluded(p, v, x))
            refuse(p->s, "every table of %d has an entry at %d", v, x);
    return value;
}

/* values V : x0 x1 ..
 *
 * A value of V at which some table has no entry adds nothing to Z. Of the others, a new
 * variable W says which: V = x_W, as with `tie`. If one is left, V is fixed there and W
 * not needed; if none is, Z = 0. */
static void step_values(proof *p, reader *r)
{
    int v = read_variable(p, r), n, *value = read_values(p, v, r, &n);
    table *graph;
    if (n == 0) {
        nothing_left(p);
        return;
    }
    if (n == 1) {
        arb_ptr one = scratch_balls(p->s, 1);
        arb_one(one);
        graph = table_new(p->s, 1, &v, p->card);
        table_add(p->s, graph, (uint64_t)value[0], one);
    } else {
        int w = add_variable(p, n);
        graph = graph_of(p, w, v, value);
    }
    sum_all_with(p, v, graph);
    p->gone[v] = true;
    table_release(p->s, graph);
}

/* The table (v = other). */
static table *equality(const proof *p, int v, int other)
{
    int *same = scratch(p->s, (size_t)p->card[v], sizeof *same);
    for (int x = 0; x < p->card[v]; x++)
        same[x] = x;
    return graph_of(p, v, other, same);
}

/* copy V : T1 T2 ..
 *
 * A new variable V' takes the place of V in these tables, by a sum over V with the
 * table (V = V'). That table is a new one of the model too: it leaves one value of V'
 * in the sum over V', at which the tables are what they were. */
static void step_copy(proof *p, reader *r)
{
    int v = read_variable(p, r), n;
    word_on_line(r, ":");
    int *id = list_on_line(r, "a table", &n);
    table *equal = equality(p, v, add_variable(p, p->card[v]));
    for (int i = 0; i < n; i++)
        replace_table(p, id[i], sum_with(p, table_with(p, id[i], v), v, equal));
    add_table(p, equal);
}

/* A'(x, ..) = sum over x' of G(x, x') A(x', ..), by way of a variable `other` for x */
static table *transform(proof *p, const table *a, int v, int other, arb_srcptr g)
{
    int d = p->card[v];
    table *matrix = table_new(p->s, 2, (int[2]){ v, other }, p->card);
    for (int i = 0; i < d * d; i++)
        table_add(p->s, matrix, (uint64_t)i, g + i % d * d + i / d);
    table *equal = equality(p, v, other), *sum = sum_with(p, a, v, matrix);
    table *out = sum_with(p, sum, other, equal);
    table_release(p->s, sum);
    table_release(p->s, equal);
    table_release(p->s, matrix);
    return out;
}

enum { LARGEST = 1024 }; /* rows: inverting takes d^3 steps, and memory beside ours */

/* b = (a^-1)^T, of d rows; false if a may be singular */
static bool invert(arb_srcptr a, arb_ptr b, int d, slong prec)
{
    arb_mat_t g, inverse;
    arb_mat_init(g, d, d);
    arb_mat_init(inverse, d, d);
    for (int i = 0; i < d * d; i++)
        arb_set(arb_mat_entry(g, i / d, i % d), a + i);
    bool ok = arb_mat_inv(inverse, g, prec);
    for (int i = 0; i < d * d; i++)
        arb_set(b + i, arb_mat_entry(inverse, i % d, i / d));
    arb_mat_clear(g);
    arb_mat_clear(inverse);
    return ok;
}

/* gauge V A B : G
 *
 * V is in A and B alone, and A' = G A, B' = (G^-1)^T B along V. The sum over V of A' B'
 * is that of A (G^T (G^-1)^T) B = A B. */
static void step_gauge(proof *p, reader *r)
{
    session *s = p->s;
    int v = read_variable(p, r), d = p->card[v], id[2], n;
    table *out[2];
    tables_with(p, v, &n);
    for (int i = 0; i < 2; i++)
        table_with(p, id[i] = int_on_line(r, INT_MAX, "a table"), v);
    if (n != 2 || id[0] == id[1])
        refuse(s, "a gauge needs a variable in two tables, %d is in %d", v, n);
    if (p->bounding || d > LARGEST)
        refuse(s, d > LARGEST ? "this gauge is too large" : "a gauge after a bound");
    word_on_line(r, ":");
    arb_ptr g = numbers_on_line(r, (size_t)(d * d), "an entry of a matrix");
    arb_ptr inverse = scratch_balls(s, (size_t)(d * d));
    end_of_line(r);
    if (!invert(g, inverse, d, s->prec))
        refuse_unsure(s, "the gauge of variable %d cannot be inverted", v);
    p->gauged = true;
    int other = add_variable(p, d);
    out[0] = transform(p, p->table[id[0]], v, other, g);
    out[1] = transform(p, p->table[id[1]], v, other, inverse);
    p->nvars--; /* the other variable was for the sums alone */
    for (int i = 0; i < 2; i++)
        remove_table(p, id[i]);
    for (int i = 0; i < 2; i++)
        add_table(p, out[i]);
}

/* zero [T]
 *
 * A table without entries is 0 everywhere, and so is Z, as it is if the constant is 0
 * (where no table is named): there is nothing more to sum. */
static void step_zero(proof *p, reader *r)
{
    bool named = next_on_line(r);
    int id = named ? (int)as_int(r, 0, INT_MAX, "a table") : -1;
    if (named ? live_table(p, id)->count > 0 : !arb_is_zero(p->constant))
        refuse(p->s, named ? "table %d has entries" : "the constant is not 0", id);
    end_of_line(r);
    nothing_left(p);
}

bool exact_step(proof *p, reader *r)
{
    static const struct {
        const char *name;
        void (*make)(proof *p, reader *r);
    } step[] = { { "multiply", step_multiply }, { "sum", step_sum },
                 { "tie", step_tie },           { "copy", step_copy },
                 { "gauge", step_gauge },       { "zero", step_zero },
                 { "values", step_values } };
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (word_is(r, step[i].name)) {
            step[i].make(p, r);
            return true;
        }
    return false;
}
