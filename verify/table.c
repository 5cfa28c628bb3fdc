/* Sparse tables and their products. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------- */

static void check_states(session *s, int n, const int *var, const int *card)
{
    uint64_t states = 1;
    for (int i = 0; i < n; i++) {
        if (states > (UINT64_C(1) << 62) / (uint64_t)card[var[i]])
            refuse(s, "a table of %d variables has more than 2^62 states", n);
        states *= (uint64_t)card[var[i]];
    }
}

table *table_new(session *s, int n, const int *var, const int *card)
{
    check_states(s, n, var, card);
    table *t = own(s, 1, sizeof *t);
    *t = (table){ .refs = 1, .n = n };
    t->var = own(s, (size_t)n, sizeof *t->var);
    t->key = own(s, 0, sizeof *t->key);
    t->value = balls(s, OWNED, NULL, 0);
    memcpy(t->var, var, (size_t)n * sizeof *var);
    return t;
}

void table_release(session *s, table *t)
{
    if (t == NULL || --t->refs > 0)
        return;
    drop(s, t->var);
    drop(s, t->key);
    drop(s, t->value);
    drop(s, t);
}

bool table_has(const table *t, int v)
{
    for (int i = 0; i < t->n; i++)
        if (t->var[i] == v)
            return true;
    return false;
}

/* An entry that is exactly 0 is left out: that is what its absence means. */
void table_add(session *s, table *t, uint64_t key, const arb_t value)
{
    if (arb_is_zero(value))
        return;
    if (!arb_is_finite(value))
        refuse_unsure(s, "an entry of a table cannot be told from infinity");
    if (t->count == t->room) {
        size_t room = 2 * t->room + 2;
        t->key = regrow(s, t->key, room, sizeof *t->key);
        t->value = balls(s, OWNED, t->value, room);
        t->room = room;
    }
    t->key[t->count] = key;
    arb_set(t->value + t->count++, value);
}

void table_state(const table *t, const int *card, uint64_t key, int *x)
{
    for (int i = t->n - 1; i >= 0; i--) {
        x[i] = (int)(key % (uint64_t)card[t->var[i]]);
        key /= (uint64_t)card[t->var[i]];
    }
}

uint64_t table_key(const table *t, const int *card, const int *x)
{
    uint64_t key = 0;
    for (int i = 0; i < t->n; i++)
        key = key * (uint64_t)card[t->var[i]] + (uint64_t)x[i];
    return key;
}

arb_srcptr table_find(const table *t, uint64_t key)
{
    size_t from = 0, to = t->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (t->key[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from < t->count && t->key[from] == key ? t->value + from : NULL;
}

/* ---- sorting --------------------------------------------------------------------- */

typedef struct place {
    uint64_t key;
    size_t index;
} place;

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const place *)a)->key, y = ((const place *)b)->key;
    return (x > y) - (x < y);
}

void table_sort(session *s, table *t)
{
    struct block *mark = s->list[SCRATCH];
    place *at = scratch(s, t->count, sizeof *at);
    arb_ptr value = balls(s, OWNED, NULL, t->count);
    for (size_t i = 0; i < t->count; i++)
        at[i] = (place){ t->key[i], i };
    qsort(at, t->count, sizeof *at, by_key);
    for (size_t i = 0; i < t->count; i++) {
        t->key[i] = at[i].key;
        arb_swap(value + i, t->value + at[i].index);
    }
    drop(s, t->value);
    t->value = value;
    t->room = t->count;
    release(s, SCRATCH, mark);
}

/* ---- products --------------------------------------------------------------------
 *
 * The product of tables has an entry where each of them has one. It is found variable
 * by variable: with the first d variables fixed, the entries of a table that agree with
 * them are a range of its sorted keys, and the values of variable d + 1 are those that
 * occur in the ranges of all tables that have it. So the entries come in order; with v
 * as the last variable, those that differ in v alone come together and are combined at
 * once. */

typedef struct input {
    const table *t;
    const uint64_t *key; /* ascending, v being the last variable */
    place *moved;        /* NULL: t's own order */
    int n;
    uint64_t *stride, *base; /* per level: of its variable; the key of those before */
    size_t *from, *to, *at;  /* per level: the range, and a place in it */
} input;

typedef struct member {
    input *in;
    int level; /* which of its variables */
} member;

typedef struct walk {
    session *s;
    const product *p;
    const int *card;
    int n, var[DEEPEST + 1], value[DEEPEST + 1];
    member *member; /* those with variable d: from first[d] to first[d + 1] */
    int first[DEEPEST + 2];
    arb_ptr part;                  /* products of the entries that d variables settle */
    arb_srcptr known[DEEPEST + 2]; /* the same, or the entry itself, or NULL for 1 */
    terms terms;
    table *out;
    arb_ptr sum;
} walk;

/* Keys and strides of a table with v made its last variable. */
static void input_set(walk *w, input *in, const table *t)
{
    session *s = w->s;
    uint64_t stride = 1, below = 1, cv = 1;
    bool has = false;
    *in = (input){ .t = t, .n = t->n, .key = t->key };
    in->stride = scratch(s, 2 * (size_t)t->n, sizeof *in->stride);
    in->base = in->stride + t->n;
    in->from = scratch(s, 3 * (size_t)t->n, sizeof *in->from);
    in->to = in->from + t->n;
    in->at = in->to + t->n;
    in->to[0] = t->count;
    for (int i = t->n - 1, at = t->n - 1 - table_has(t, w->p->v); i >= 0; i--) {
        uint64_t c = (uint64_t)w->card[t->var[i]];
        if (t->var[i] == w->p->v) {
            below = stride, cv = c, has = true;
        } else {
            in->stride[at--] = stride;
        }
        stride *= c;
    }
    if (has) {
        for (int i = 0; i < t->n - 1; i++) /* those after v move up */
            if (in->stride[i] < below)
                in->stride[i] *= cv;
        in->stride[t->n - 1] = 1;
    }
    if (!has || below == 1)
        return;
    in->moved = scratch(s, t->count, sizeof *in->moved);
    uint64_t *key = scratch(s, t->count, sizeof *key);
    for (size_t i = 0; i < t->count; i++) {
        uint64_t k = t->key[i], rest = k / (below * cv) * below + k % below;
        in->moved[i] = (place){ rest * cv + k / below % cv, i };
    }
    qsort(in->moved, t->count, sizeof *in->moved, by_key);
    for (size_t i = 0; i < t->count; i++)
        key[i] = in->moved[i].key;
    in->key = key;
}

/* The variables of all inputs, ascending, v last. */
static void find_variables(walk *w)
{
    const product *p = w->p;
    size_t total = 0, n = 0, distinct = 0;
    for (int i = 0; i < p->k; i++)
        total += (size_t)p->in[i]->n;
    int *all = scratch(w->s, total, sizeof *all);
    for (int i = 0; i < p->k; i++)
        for (int j = 0; j < p->in[i]->n; j++)
            all[n++] = p->in[i]->var[j];
    qsort(all, n, sizeof *all, by_number);
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || all[i] != all[i - 1]) && all[i] != p->v)
            all[distinct++] = all[i];
    check_states(w->s, (int)distinct, all, w->card); /* so there are at most 62 */
    memcpy(w->var, all, distinct * sizeof *all);
    w->n = (int)distinct;
    w->out = table_new(w->s, w->n, w->var, w->card);
    if (p->v >= 0)
        w->var[w->n++] = p->v;
}

/* Which inputs have the d-th variable: their variables come in the walk's order. */
static void find_members(walk *w, input *in)
{
    int count = 0, total = 0;
    for (int i = 0; i < w->p->k; i++)
        total += in[i].n;
    w->member = scratch(w->s, (size_t)total, sizeof *w->member);
    int *level = scratch(w->s, (size_t)w->p->k, sizeof *level);
    for (int d = 0; d < w->n; d++) {
        w->first[d] = count;
        for (int i = 0; i < w->p->k; i++)
            if (table_has(in[i].t, w->var[d]))
                w->member[count++] = (member){ &in[i], level[i]++ };
    }
    w->first[w->n] = count;
}

/* The first place from `from` on whose key is `least` at least. */
static size_t advance(const input *in, size_t from, size_t to, uint64_t least)
{
    size_t step = 1, low = from;
    if (from == to || in->key[from] >= least)
        return from;
    while (low + step < to && in->key[low + step] < least)
        low += step, step *= 2;
    size_t high = low + step < to ? low + step : to;
    for (low++; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (in->key[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next value, from `least` on, of the variable that all its members have, or -1. */
static int64_t next_value(member *m, int count, int64_t least)
{
    for (int agreed = 0, i = 0; agreed < count; i = (i + 1) % count) {
        input *in = m[i].in;
        int l = m[i].level;
        uint64_t base = in->base[l], stride = in->stride[l];
        in->at[l] = advance(in, in->at[l], in->to[l], base + (uint64_t)least * stride);
        if (in->at[l] == in->to[l])
            return -1;
        int64_t found = (int64_t)((in->key[in->at[l]] - base) / stride);
        agreed = found == least ? agreed + 1 : 1;
        least = found;
    }
    return least;
}

/* Fix variable d at x: narrow the ranges, multiply what is settled by it. */
static void fix(walk *w, int d, int64_t x)
{
    w->known[d + 1] = w->known[d];
    for (int i = w->first[d]; i < w->first[d + 1]; i++) {
        input *in = w->member[i].in;
        int l = w->member[i].level;
        uint64_t base = in->base[l] + (uint64_t)x * in->stride[l];
        if (l + 1 < in->n) {
            in->base[l + 1] = base;
            in->from[l + 1] = in->at[l];
            in->to[l + 1] = advance(in, in->at[l], in->to[l], base + in->stride[l]);
            continue;
        }
        size_t at = in->moved != NULL ? in->moved[in->at[l]].index : in->at[l];
        if (w->known[d + 1] == NULL) {
            w->known[d + 1] = in->t->value + at;
        } else {
            arb_mul(w->part + d + 1, w->known[d + 1], in->t->value + at, w->s->prec);
            w->known[d + 1] = w->part + d + 1;
        }
    }
    w->value[d] = (int)x;
}

static void settle(walk *w, int d, arb_t out)
{
    arb_set(out, w->known[d]);
    if (w->p->absolute)
        arb_abs(out, out);
}

static void visit(walk *w, int d, uint64_t key)
{
    bool last = d + 1 == w->n, combined = w->p->v >= 0;
    member *m = w->member + w->first[d];
    int count = w->first[d + 1] - w->first[d];
    int64_t x = 0;
    for (int i = 0; i < count; i++)
        m[i].in->at[m[i].level] = m[i].in->from[m[i].level];
    for (w->terms.n = 0; (x = next_value(m, count, x)) >= 0; x++) {
        if (w->s->work-- == 0)
            refuse(w->s, "this takes more work than is allowed");
        fix(w, d, x);
        uint64_t next = key * (uint64_t)w->card[w->var[d]] + (uint64_t)x;
        if (!last) {
            visit(w, d + 1, next);
        } else if (combined) {
            settle(w, d + 1, w->terms.term + w->terms.n);
            w->terms.at[w->terms.n++] = (int)x;
        } else {
            settle(w, d + 1, w->sum);
            table_add(w->s, w->out, next, w->sum);
        }
    }
    if (last && combined && w->terms.n > 0 &&
        w->p->combine(w->s, w->p->context, &w->terms, w->sum))
        table_add(w->s, w->out, key, w->sum);
}

bool add_terms(session *s, void *context, terms *t, arb_t out)
{
    (void)context;
    arb_set(out, t->term);
    for (int i = 1; i < t->n; i++)
        arb_add(out, out, t->term + i, s->prec);
    return true;
}

/* out(rest) = combine over v of prod_i in_i(v, rest) */
table *table_product(session *s, const int *card, const product *p)
{
    struct block *mark = s->list[SCRATCH];
    walk *w = scratch(s, 1, sizeof *w);
    *w = (walk){ .s = s, .p = p, .card = card };
    find_variables(w);
    size_t most = p->v >= 0 ? (size_t)card[p->v] : 1;
    input *in = scratch(s, (size_t)p->k, sizeof *in);
    for (int i = 0; i < p->k; i++)
        input_set(w, &in[i], p->in[i]);
    find_members(w, in);
    w->part = scratch_balls(s, (size_t)w->n + 2);
    w->sum = w->part + w->n + 1;
    w->terms = (terms){ .at = scratch(s, most, sizeof(int)),
                        .term = scratch_balls(s, most),
                        .var = w->var,
                        .x = w->value };
    visit(w, 0, 0);
    table *out = w->out;
    release(s, SCRATCH, mark);
    return out;
}
