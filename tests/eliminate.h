/* ln Z by plain variable elimination, for models with too many variables to enumerate:
   equality copies, grids. Shares no code with the library. The next variable is the one
   whose product table is smallest; evidence, empty scopes and zeros are respected. */
#ifndef ZB_TEST_ELIMINATE_H
#define ZB_TEST_ELIMINATE_H

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ve_table {
    int arity, scope[64];
    double *value; /* logs */
} ve_table;

static size_t ve_offset(const zb_model *m, const ve_table *t, const int *x)
{
    size_t at = 0;
    for (int i = 0; i < t->arity; i++)
        at = at * (size_t)m->card[t->scope[i]] + (size_t)x[t->scope[i]];
    return at;
}

static bool ve_has(const ve_table *t, int v)
{
    for (int i = 0; i < t->arity; i++)
        if (t->scope[i] == v)
            return true;
    return false;
}

/* The union of the scopes that contain v, without v; returns its table's entries. */
static double ve_join(const zb_model *m, const ve_table *t, int n, int v, ve_table *out)
{
    double size = 1;
    out->arity = 0;
    for (int f = 0; f < n; f++)
        for (int i = 0; ve_has(&t[f], v) && i < t[f].arity; i++)
            if (t[f].scope[i] != v && !ve_has(out, t[f].scope[i])) {
                if (out->arity == 60)
                    return INFINITY;
                out->scope[out->arity++] = t[f].scope[i];
                size *= m->card[t[f].scope[i]];
            }
    return size;
}

static double ve_sum(const zb_model *m, const ve_table *t, int n, int v, int *x)
{
    double term[256], top = -INFINITY, sum = 0; /* the largest cardinality in use */
    int lo = m->evidence[v] >= 0 ? m->evidence[v] : 0;
    int hi = m->evidence[v] >= 0 ? lo + 1 : m->card[v];
    for (x[v] = lo; x[v] < hi; x[v]++) {
        term[x[v]] = 0;
        for (int f = 0; f < n; f++)
            if (ve_has(&t[f], v))
                term[x[v]] += t[f].value[ve_offset(m, &t[f], x)];
        top = fmax(top, term[x[v]]);
    }
    for (int y = lo; y < hi && top > -INFINITY; y++)
        sum += exp(term[y] - top);
    return top > -INFINITY ? top + log(sum) : top;
}

static int ve_eliminate(const zb_model *m, ve_table *t, int n, int v, int *x)
{
    ve_table out;
    size_t size = (size_t)ve_join(m, t, n, v, &out);
    out.value = malloc(size * sizeof *out.value);
    for (size_t at = 0; at < size; at++) {
        size_t rest = at;
        for (int i = out.arity - 1; i >= 0; i--) {
            x[out.scope[i]] = (int)(rest % (size_t)m->card[out.scope[i]]);
            rest /= (size_t)m->card[out.scope[i]];
        }
        out.value[at] = ve_sum(m, t, n, v, x);
    }
    int left = 0;
    for (int f = 0; f < n; f++) {
        if (ve_has(&t[f], v))
            free(t[f].value);
        else
            t[left++] = t[f];
    }
    t[left++] = out;
    return left;
}

static double eliminate(const zb_model *m)
{
    int n = m->nfactors, *x = calloc((size_t)m->nvars + 1, sizeof *x);
    bool *gone = calloc((size_t)m->nvars + 1, sizeof *gone);
    ve_table *t = calloc((size_t)(n + m->nvars + 1), sizeof *t), scope;
    double log_z = m->log_scale;

    for (int f = 0; f < n; f++) {
        const zb_factor *a = &m->factor[f];
        t[f].arity = a->arity;
        if (a->arity > 0)
            memcpy(t[f].scope, a->scope, (size_t)a->arity * sizeof *a->scope);
        t[f].value = malloc(a->size * sizeof(double));
        zb_model_log_values(m, f, t[f].value);
    }
    for (int step = 0; step < m->nvars; step++) {
        int best = -1;
        double least = INFINITY;
        for (int v = 0; v < m->nvars; v++) {
            double size = gone[v] ? INFINITY : ve_join(m, t, n, v, &scope);
            if (size < least)
                best = v, least = size;
        }
        gone[best] = true;
        n = ve_eliminate(m, t, n, best, x);
    }
    for (int f = 0; f < n; f++) {
        log_z += t[f].value[0];
        free(t[f].value);
    }
    free(t);
    free(gone);
    free(x);
    return log_z;
}

#endif
