/* Random models and their Z in exact rationals. */
#ifndef VERIFY_MODEL_H
#define VERIFY_MODEL_H

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

#endif
