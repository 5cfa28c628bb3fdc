/* Random models in exact rationals, and random valid certificates for them. */
#ifndef VERIFY_RANDOM_H
#define VERIFY_RANDOM_H

#include "../verify/verify.h"

#include <flint/fmpq.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance: splitmix64 ---------------------------------------------------------- */

typedef struct chance {
    uint64_t seed;
} chance;

static inline uint64_t draw(chance *c)
{
    uint64_t z = c->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int below(chance *c, int n)
{
    return n > 0 ? (int)(draw(c) % (uint64_t)n) : 0;
}

static inline bool percent(chance *c, int p) { return below(c, 100) < p; }

static inline double uniform(chance *c) { return (double)(draw(c) >> 11) * 0x1p-53; }

/* ---- text ------------------------------------------------------------------------ */

typedef struct writing {
    char data[1 << 16];
    size_t size;
} writing;

__attribute__((format(printf, 2, 3))) static inline void put(writing *w,
                                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->data + w->size, sizeof w->data - w->size, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof w->data - w->size)
        abort();
    w->size += (size_t)n;
}

/* ---- models ---------------------------------------------------------------------- */

enum { VARS = 6, FACTORS = 8, ARITY = 3, MOST_VARS = 14, MOST_TABLES = 200 };

typedef struct factor {
    int n, var[ARITY], size;
    fmpq_t value[27];
} factor;

typedef struct model {
    int nvars, card[VARS], observed[VARS], nfactors;
    factor factor[FACTORS];
    int tied, to, by,
        map[3]; /* variable `tied` is map[`to`] in table `by`; by < 0: none */
    writing text, evidence;
    fmpq_t z;
} model;

/* A weight as it is written and as it is. */
static inline void random_weight(chance *c, int zeros, writing *out, fmpq_t x)
{
    static const int exponent[] = { 0, 0, 0, 0, -1, -2, 3, -25, 18 };
    int digits = percent(c, zeros) ? 0 : 1 + below(c, percent(c, 50) ? 5 : 9999);
    int e = exponent[below(c, percent(c, 30) ? 9 : 4)];
    fmpz_t power;
    fmpz_init(power);
    fmpz_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong)abs(e));
    fmpq_set_si(x, digits, 1);
    if (e < 0)
        fmpq_div_fmpz(x, x, power);
    else
        fmpq_mul_fmpz(x, x, power);
    fmpz_clear(power);
    put(out, e == 0 ? " %d" : " %de%d", digits, e);
}

/* Entries at y = map[x] alone; the factor's variables are x, y. */
static inline void make_tie(chance *c, model *m, int f)
{
    factor *a = &m->factor[f];
    m->by = f, m->to = a->var[0], m->tied = a->var[1];
    for (int x = 0; x < m->card[m->to]; x++)
        m->map[x] = below(c, 5) == 0 ? -1 : below(c, m->card[m->tied]);
}

static inline void random_factor(chance *c, model *m, int f, int zeros)
{
    factor *a = &m->factor[f];
    int x[ARITY] = { 0 };
    put(&m->text, "%d", a->size);
    for (int i = 0; i < a->size; i++) {
        bool out = m->by == f && m->map[x[0]] != x[1];
        fmpq_init(a->value[i]);
        random_weight(c, out ? 100 : zeros, &m->text, a->value[i]);
        for (int j = a->n - 1; j >= 0 && ++x[j] == m->card[a->var[j]]; j--)
            x[j] = 0;
    }
    put(&m->text, "\n");
}

static inline void random_evidence(chance *c, model *m)
{
    int count = 0;
    bool some = percent(c, 40);
    for (int v = 0; v < m->nvars; v++) {
        m->observed[v] = some && percent(c, 30) ? below(c, m->card[v]) : -1;
        count += m->observed[v] >= 0;
    }
    put(&m->evidence, percent(c, 50) ? "%d" : "1\n%d", count);
    for (int v = 0; v < m->nvars; v++)
        if (m->observed[v] >= 0)
            put(&m->evidence, " %d %d", v, m->observed[v]);
}

/* Z: all states, one after the other. */
static inline void brute_force(model *m)
{
    int x[VARS] = { 0 }, v;
    fmpq_t term;
    fmpq_init(term);
    fmpq_init(m->z);
    do {
        bool counts = true;
        fmpq_one(term);
        for (v = 0; v < m->nvars; v++)
            counts = counts && (m->observed[v] < 0 || m->observed[v] == x[v]);
        for (int f = 0; counts && f < m->nfactors; f++) {
            int at = 0;
            for (int j = 0; j < m->factor[f].n; j++)
                at = at * m->card[m->factor[f].var[j]] + x[m->factor[f].var[j]];
            fmpq_mul(term, term, m->factor[f].value[at]);
        }
        if (counts)
            fmpq_add(m->z, m->z, term);
        for (v = m->nvars - 1; v >= 0 && ++x[v] == m->card[v]; v--)
            x[v] = 0;
    } while (v >= 0);
    fmpq_clear(term);
}

static inline model *random_model(chance *c)
{
    model *m = calloc(1, sizeof *m);
    m->nvars = 1 + below(c, VARS);
    m->nfactors = below(c, FACTORS);
    m->by = -1;
    put(&m->text, "%s\n%d\n", percent(c, 50) ? "MARKOV" : "BAYES", m->nvars);
    for (int v = 0; v < m->nvars; v++)
        put(&m->text, "%d ", m->card[v] = percent(c, 10) ? 1 : 2 + below(c, 2));
    put(&m->text, "\n%d\n", m->nfactors);
    for (int f = 0; f < m->nfactors; f++) {
        factor *a = &m->factor[f];
        int arity = below(c, (m->nvars < ARITY ? m->nvars : ARITY) + 1);
        for (a->size = 1; a->n < arity;) {
            int v = below(c, m->nvars), seen = 0;
            for (int j = 0; j < a->n; j++)
                seen += a->var[j] == v;
            if (seen == 0)
                a->var[a->n++] = v, a->size *= m->card[v];
        }
        if (a->n >= 2 && m->by < 0 && percent(c, 20))
            make_tie(c, m, f);
        put(&m->text, "%d", a->n);
        for (int j = 0; j < a->n; j++)
            put(&m->text, " %d", a->var[j]);
        put(&m->text, "\n");
    }
    int zeros = percent(c, 50) ? 0 : 25;
    for (int f = 0; f < m->nfactors; f++)
        random_factor(c, m, f, zeros);
    random_evidence(c, m);
    brute_force(m);
    return m;
}

static inline void free_model(model *m)
{
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].size; i++)
            fmpq_clear(m->factor[f].value[i]);
    fmpq_clear(m->z);
    free(m);
}

/* ---- certificates: the scopes alone tell which steps are possible ---------------- */

typedef struct writer {
    chance *c;
    writing *out;
    section side;
    bool gauged, bounding;
    int nvars, card[MOST_VARS], ntables;
    bool gone[MOST_VARS];
    uint32_t scope[MOST_TABLES]; /* 0: gone */
} writer;

static inline void start(writer *w, const model *m, section side)
{
    w->side = side;
    w->gauged = w->bounding = false;
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
    new_table(w, 1u << v | 1u << copy);
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
    for (int r = 0; r < b->minis; r++)
        b->shared &= b->scope[r];
    for (int v = 0; v < w->nvars; v++)
        if (b->shared >> v & 1) {
            bool taken = percent(c, 40) && b->states * w->card[v] <= 9;
            b->states *= taken ? w->card[v] : 1;
            b->shared &= taken ? ~0u : ~(1u << v);
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
        } else if (kind < 60) {
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
