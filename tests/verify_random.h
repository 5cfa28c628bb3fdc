/* Random valid certificates: the scopes of tables alone tell which steps are possible.
 */
#ifndef VERIFY_RANDOM_H
#define VERIFY_RANDOM_H

#include "verify_model.h"

typedef struct writer {
    chance *c;
    writing *out;
    section side;
    bool gauged, bounding;
    bool positive; /* no table has a zero */
    int nvars, card[MOST_VARS], ntables;
    bool gone[MOST_VARS];
    uint32_t scope[MOST_TABLES]; /* 0: gone */
} writer;

static inline void start(writer *w, const model *m, section side)
{
    w->side = side;
    w->gauged = w->bounding = false;
    w->positive = m->by < 0;
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].size; i++)
            w->positive = w->positive && !fmpq_is_zero(m->factor[f].value[i]);
    w->nvars = m->nvars;
    w->ntables = m->nfactors;
    for (int v = 0; v < m->nvars; v++) {
        w->card[v] = m->card[v];
        w->gone[v] = m->observed[v] >= 0;
    }
    for (int f = 0; f < m->nfactors; f++) {
        w->scope[f] = 0;
        for (int j = 0; j < m->factor[f].n; j++)
            if (!w->gone[m->factor[f].var[j]] && w->card[m->factor[f].var[j]] > 1)
                w->scope[f] |= 1u << m->factor[f].var[j];
    }
}

static inline int with(const writer *w, int v, int *id)
{
    int n = 0;
    for (int t = 0; t < w->ntables; t++)
        if (w->scope[t] >> v & 1)
            id[n++] = t;
    return n;
}

/* A variable that is left and has two values at least, or -1. */
static inline int some_variable(const writer *w)
{
    int left[MOST_VARS], n = 0;
    for (int v = 0; v < w->nvars; v++)
        if (!w->gone[v] && w->card[v] > 1)
            left[n++] = v;
    return n > 0 ? left[below(w->c, n)] : -1;
}

static inline void new_table(writer *w, uint32_t scope)
{
    if (w->ntables == MOST_TABLES)
        abort();
    w->scope[w->ntables++] = scope;
}

static inline void write_sum(writer *w, int v)
{
    int id[MOST_TABLES], n = with(w, v, id);
    uint32_t scope = 0;
    put(w->out, "sum %d\n", v);
    for (int i = 0; i < n; i++) {
        scope |= w->scope[id[i]];
        w->scope[id[i]] = 0;
    }
    if (n > 0)
        new_table(w, scope & ~(1u << v));
    w->gone[v] = true;
}

static inline void write_multiply(writer *w)
{
    uint32_t scope = 0;
    int taken = 0;
    for (int t = 0; t < w->ntables; t++)
        if (w->scope[t] != 0 && percent(w->c, 40)) {
            put(w->out, taken++ == 0 ? "multiply %d" : " %d", t);
            scope |= w->scope[t];
            w->scope[t] = 0;
        }
    if (taken > 0) {
        put(w->out, "   # a product\n");
        new_table(w, scope);
    }
}

static inline void write_copy(writer *w, int v)
{
    int id[MOST_TABLES], n = with(w, v, id), copy = w->nvars;
    if (n == 0 || w->nvars == MOST_VARS)
        return;
    put(w->out, "copy %d :", v);
    for (int i = 0, sure = below(w->c, n); i < n; i++)
        if (i == sure || percent(w->c, 40)) {
            put(w->out, " %d", id[i]);
            w->scope[id[i]] ^= 1u << v | 1u << copy;
        }
    put(w->out, "\n\n");
    w->card[copy] = w->card[v];
    w->gone[copy] = false;
    w->nvars++;
    w->positive = false;
    new_table(w, 1u << v | 1u << copy);
}

/* A table with v less v: by its largest or smallest entry; or as a product. */
static inline void write_smaller(writer *w, int v)
{
    int id[MOST_TABLES], n = with(w, v, id);
    if (n == 0 || w->side == EXACT || w->gauged)
        return;
    int t = id[below(w->c, n)], other = below(w->c, w->nvars);
    uint32_t scope = w->scope[t];
    w->scope[t] = 0;
    if (w->positive && other != v && scope >> other & 1) {
        put(w->out, "split %d %d %d\n", t, v, other);
        new_table(w, scope & ~(1u << other));
    } else {
        put(w->out, "drop %d %d\n", t, v);
    }
    new_table(w, scope & ~(1u << v));
}

/* All values of v, in another order. */
static inline void write_values(writer *w, int v)
{
    int turn = below(w->c, w->card[v]), other = w->nvars, id[MOST_TABLES];
    int n = with(w, v, id);
    if (w->nvars == MOST_VARS)
        return;
    put(w->out, "values %d :", v);
    for (int x = 0; x < w->card[v]; x++)
        put(w->out, " %d", (x + turn) % w->card[v]);
    put(w->out, "\n");
    for (int i = 0; i < n; i++)
        w->scope[id[i]] ^= 1u << v | 1u << other;
    w->card[other] = w->card[v];
    w->gone[other] = false;
    w->gone[v] = true;
    w->nvars++;
}

static inline void write_gauge(writer *w, int v)
{
    int id[MOST_TABLES], d = w->card[v];
    if (with(w, v, id) != 2 || w->bounding)
        return;
    bool swap = percent(w->c, 50);
    put(w->out, "gauge %d %d %d :", v, id[swap], id[!swap]);
    for (int i = 0; i < d * d; i++)
        put(w->out, percent(w->c, 50) ? " %.17g" : " %a",
            2 * uniform(w->c) - 1 + (i % (d + 1) == 0 ? 3 : 0));
    put(w->out, "\n");
    for (int i = 0; i < 2; i++) {
        uint32_t scope = w->scope[id[i ^ swap]];
        w->scope[id[i ^ swap]] = 0;
        new_table(w, scope);
    }
    w->gauged = true;
}

/* Weights that add up to 1: positive, or one positive and the others negative. */
static inline void random_weights(writer *w, int n, double *weight)
{
    double sum = 0;
    int one = below(w->c, n);
    for (int i = 0; i < n; i++) {
        weight[i] = percent(w->c, 20) && i != one ? 0 : 0.05 + uniform(w->c);
        if (w->side == LOWER && i != one)
            weight[i] *= -1;
        sum += weight[i];
    }
    if (w->side == UPPER)
        for (int i = 0; i < n; i++)
            weight[i] /= sum;
    else
        weight[one] += 1 - sum;
}

typedef struct split {
    int v, n, minis, id[MOST_TABLES], in[MOST_TABLES];
    uint32_t scope[3], shared;
    int states;
    double weight[3][9], shift[3][27];
} split;

static inline void random_split(writer *w, split *b)
{
    chance *c = w->c;
    b->n = with(w, b->v, b->id);
    b->minis = 1 + below(c, b->n < 3 ? b->n : 3);
    for (int i = 0; i < b->n; i++) {
        b->in[i] = i < b->minis ? i : below(c, b->minis);
        b->scope[b->in[i]] |= w->scope[b->id[i]];
    }
    b->shared = ~(1u << b->v);
    bool any = percent(c, 30); /* variables, or those that all mini-buckets have */
    for (int r = 0; r < b->minis && !any; r++)
        b->shared &= b->scope[r];
    for (int v = 0; v < w->nvars; v++)
        b->shared &= w->gone[v] ? ~(1u << v) : ~0u;
    for (int v = w->nvars; v < 32; v++)
        b->shared &= ~(1u << v);
    for (int v = 0; v < w->nvars; v++)
        if (b->shared >> v & 1) {
            bool taken = percent(c, 40) && b->states * w->card[v] <= 9;
            b->states *= taken ? w->card[v] : 1;
            b->shared &= taken ? ~0u : ~(1u << v);
            for (int r = 0; r < b->minis && taken && w->card[v] > 1; r++)
                b->scope[r] |= 1u << v;
        }
    for (int m = 0; m < b->states; m++) {
        double weight[3];
        random_weights(w, b->minis, weight);
        for (int r = 0; r < b->minis; r++)
            b->weight[r][m] = weight[r];
    }
    for (int k = 0; k < b->states * w->card[b->v]; k++)
        for (int r = 0; r < b->minis; r++)
            b->shift[r][k] = 4 * uniform(c) - 2;
}

static inline void write_shift(const writer *w, const split *b, int r)
{
    put(w->out, "shift");
    for (int k = 0; k < b->states * w->card[b->v]; k++)
        put(w->out, " %.17g", b->shift[r][k]);
    put(w->out, "\n");
}

static inline void write_bucket(writer *w, int v)
{
    split b = { .v = v, .states = 1 };
    int id[MOST_TABLES];
    if (with(w, v, id) == 0 || w->side == EXACT || (w->side == LOWER && w->gauged)) {
        write_sum(w, v);
        return;
    }
    random_split(w, &b);
    put(w->out, "bucket %d %d", v, b.minis);
    for (int s = 0, first = 1; s < w->nvars; s++)
        if (b.shared >> s & 1)
            put(w->out, first ? " shared %d" : " %d", s), first = 0;
    put(w->out, "\n");
    bool shifts = percent(w->c, 40);
    for (int r = 0; r < b.minis; r++) {
        put(w->out, "  mini");
        for (int m = 0; m < b.states; m++)
            put(w->out, " %.17g", b.weight[r][m]);
        put(w->out, " :");
        for (int i = 0; i < b.n; i++)
            if (b.in[i] == r)
                put(w->out, " %d", b.id[i]);
        put(w->out, "\n");
        if (shifts && r + 1 < b.minis)
            write_shift(w, &b, r);
    }
    for (int i = 0; i < b.n; i++)
        w->scope[b.id[i]] = 0;
    for (int r = 0; r < b.minis; r++)
        new_table(w, b.scope[r] & ~(1u << v));
    w->gone[v] = w->bounding = true;
}

/* All variables that are left, by a distribution or by some of their states. */
static inline void write_group(writer *w, bool field)
{
    int var[MOST_VARS], n = 0;
    bool states[MOST_VARS] = { false };
    for (int v = 0; v < w->nvars; v++)
        if (!w->gone[v])
            var[n++] = v;
    put(w->out, field ? "meanfield" : "states");
    for (int i = 0; i < n; i++)
        put(w->out, " %d", var[i]);
    for (int i = 0; i < n && field; i++) {
        int sure = below(w->c, w->card[var[i]]);
        put(w->out, "\nq :");
        for (int x = 0; x < w->card[var[i]]; x++)
            put(w->out, " %.6g",
                x != sure && percent(w->c, 15) ? 0 : uniform(w->c) + .01);
    }
    for (int k = 0; k < 1 + below(w->c, 2) && !field; k++) { /* differ in the first */
        int x = below(w->c, w->card[var[0]]);
        if (states[x])
            continue;
        states[x] = true;
        put(w->out, "\nstate %d", x);
        for (int i = 1; i < n; i++)
            put(w->out, " %d", below(w->c, w->card[var[i]]));
    }
    put(w->out, "\n");
    for (int v = 0; v < w->nvars; v++)
        w->gone[v] = true;
}

static inline void fix_variable(writer *w, int v)
{
    for (int t = 0; t < w->ntables; t++)
        w->scope[t] &= ~(1u << v);
    w->gone[v] = true;
}

static inline void write_steps(writer *w);

/* Steps of its own for every value, or the same for all. */
static inline void write_cases(writer *w, int v)
{
    if (percent(w->c, 60) || (w->side == LOWER && w->gauged)) {
        put(w->out, "condition %d", v);
        if (w->side == LOWER && !w->gauged && percent(w->c, 50)) {
            put(w->out, " : %d", below(w->c, w->card[v]));
            w->bounding = true;
        }
        put(w->out, "\n");
        fix_variable(w, v);
        write_steps(w);
        return;
    }
    put(w->out, "cases %d\n", v);
    for (int x = 0; x < w->card[v]; x++) {
        writer *branch = malloc(sizeof *branch);
        *branch = *w;
        branch->bounding |= w->side == LOWER;
        put(w->out, "case %d\n", x);
        fix_variable(branch, v);
        write_steps(branch);
        put(w->out, "done\n");
        free(branch);
    }
}

static inline void write_steps(writer *w)
{
    for (int v; (v = some_variable(w)) >= 0;) {
        int kind = below(w->c, 100);
        if (kind < 8) {
            write_multiply(w);
        } else if (kind < 16) {
            write_copy(w, v);
        } else if (kind < 28) {
            write_gauge(w, v);
        } else if (kind < 34) {
            write_cases(w, v);
            return;
        } else if (kind < 42 && w->side == LOWER && !w->gauged) {
            write_group(w, percent(w->c, 50));
        } else if (kind < 48) {
            write_smaller(w, v);
        } else if (kind < 51) {
            write_values(w, v);
        } else if (kind < 64) {
            write_sum(w, v);
        } else {
            write_bucket(w, v);
        }
    }
}

static inline void write_section(chance *c, const model *m, section side,
                                 const char *claim, writing *out)
{
    static const char *const name[] = { "exact", "upper", "lower" };
    writer w = { .c = c, .out = out };
    start(&w, m, side);
    put(out, "%s\n", name[side]);
    int ties =
        m->by >= 0 ? (int)(w.scope[m->by] >> m->to & w.scope[m->by] >> m->tied & 1) : 0;
    if (ties && percent(c, 70)) {
        put(out, "tie %d %d %d :", m->tied, m->to, m->by);
        for (int x = 0; x < m->card[m->to]; x++)
            put(out, " %d", m->map[x]);
        put(out, "\n");
        for (int t = 0; t < w.ntables; t++)
            if (w.scope[t] >> m->tied & 1)
                w.scope[t] = (w.scope[t] & ~(1u << m->tied)) | 1u << m->to;
        w.gone[m->tied] = true;
    }
    write_steps(&w);
    put(out, "claim %s\n", claim);
}

#endif
