/* What the tests of the engine share: trees on the spot, random Forney-style models,
 * and signed sums by enumeration. */
#ifndef ZB_TEST_ENGINE_H
#define ZB_TEST_ENGINE_H

#include "oracle.h"
#include "base/rng.h"
#include "test.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

/* The tree of a model; order NULL: as the variables are numbered. */
static inline zb_tree *tree_of(const zb_model *model, const int *order,
                               zb_split_spec spec)
{
    int n = zb_model_nvars(model), *natural = malloc(((size_t)n + 1) * sizeof *natural);
    zb_scopes *scopes;
    zb_tree *tree;
    for (int v = 0; v < n; v++)
        natural[v] = v;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_tree_new(&tree, scopes, order != NULL ? order : natural, &spec),
                     ZB_OK);
    zb_scopes_free(scopes);
    free(natural);
    return tree;
}

typedef struct forney_spec {
    int max_vars, least_card, max_card, max_factors, max_arity;
    double zeros, spread;
    bool symmetric; /* f(x) = f(x flipped); binary variables */
} forney_spec;

static inline void forney_table(zb_rng *rng, const forney_spec *s, size_t n,
                                double *value)
{
    for (size_t i = 0; i < n; i++) {
        bool zero = zb_rng_uniform(rng) < s->zeros;
        value[i] = zero ? 0 : exp(s->spread * (2 * zb_rng_uniform(rng) - 1));
        if (s->symmetric && n - 1 - i < i)
            value[i] = value[n - 1 - i];
    }
}

/* Every variable in two different factors; tables of at most 4096 entries, at most 4096
   joint states. */
static inline zb_model *random_forney(uint64_t seed, forney_spec s)
{
    zb_rng rng = zb_rng_seed(seed);
    int nf = 2 + zb_rng_below(&rng, s.max_factors - 1), nv = 0, card[32];
    int scope[32][16], arity[32] = { 0 };
    double states = 1, size[32];
    for (int f = 0; f < nf; f++)
        size[f] = 1;
    for (int tries = 0; tries < 4 * s.max_vars && nv < s.max_vars; tries++) {
        int a = zb_rng_below(&rng, nf), b = zb_rng_below(&rng, nf),
            d = s.least_card + zb_rng_below(&rng, s.max_card - s.least_card + 1);
        if (a == b || arity[a] == s.max_arity || arity[b] == s.max_arity ||
            size[a] * d > 4096 || size[b] * d > 4096 || states * d > 4096)
            continue;
        scope[a][arity[a]++] = scope[b][arity[b]++] = nv;
        size[a] *= d, size[b] *= d, states *= d;
        card[nv++] = d;
    }
    zb_model *model;
    double *value = malloc(4096 * sizeof *value);
    assert_int_equal(zb_model_new(&model, nv, card), ZB_OK);
    for (int f = 0; f < nf; f++) {
        zb_rng_shuffle(&rng, arity[f], scope[f]);
        forney_table(&rng, &s, (size_t)size[f], value);
        assert_int_equal(zb_model_add(model, arity[f], scope[f], value), ZB_OK);
    }
    free(value);
    return model;
}

/* sum over all states of the product of tables, which are in the tree's layout. */
static inline long double signed_sum(const zb_tree *t, double *const *table)
{
    int x[32] = { 0 };
    long double sum = 0;
    for (;;) {
        long double product = 1;
        for (int f = 0; f < t->nfactors; f++) {
            size_t at = 0;
            for (size_t i = t->scope_at[f]; i < t->scope_at[f + 1]; i++)
                at = at * (size_t)t->card[t->scope[i]] + (size_t)x[t->scope[i]];
            product *= table[f][at];
        }
        sum += product;
        int v = 0;
        while (v < t->nvars && ++x[v] == t->card[v])
            x[v++] = 0;
        if (v == t->nvars)
            return sum;
    }
}

/* A matrix of condition number `condition` or a bit less (two-norm): a product of
   rotations, a diagonal that spans it, rotations. */
static inline void random_matrix(zb_rng *rng, int d, double condition, double *m)
{
    for (int i = 0; i < d * d; i++)
        m[i] = 0;
    for (int i = 0; i < d; i++) {
        double s = d > 1 ? (double)i / (d - 1) : 0;
        m[i * d + i] = pow(condition, s - 0.5) * (zb_rng_below(rng, 2) ? 1 : -1);
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < d; i++)
            for (int j = 0; j < i; j++) {
                double a = 6.283185307179586 * zb_rng_uniform(rng), c = cos(a),
                       s = sin(a);
                for (int k = 0; k < d; k++) {
                    double *p = side ? &m[i * d + k] : &m[k * d + i],
                           *q = side ? &m[j * d + k] : &m[k * d + j], old = *p;
                    *p = c * old - s * *q;
                    *q = s * old + c * *q;
                }
            }
}

#endif
