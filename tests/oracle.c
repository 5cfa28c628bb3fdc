#include "oracle.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* In place of the library's own: in tests, a broken invariant is the end. */
void zb_broken(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

static void add_random_factor(zb_model *model, zb_rng *rng, random_spec spec)
{
    int nvars = zb_model_nvars(model), scope[16], arity;
    size_t size = 1;

    arity = zb_rng_below(rng, spec.max_arity + 1);
    if (arity > nvars)
        arity = nvars;
    for (int i = 0; i < arity; i++) {
        bool fresh = false;
        while (!fresh) {
            scope[i] = zb_rng_below(rng, nvars);
            fresh = true;
            for (int j = 0; j < i; j++)
                fresh = fresh && scope[j] != scope[i];
        }
        size *= (size_t)zb_model_card(model, scope[i]);
    }
    double *value = malloc(size * sizeof *value);
    if (value == NULL)
        return;
    for (size_t i = 0; i < size; i++) {
        bool zero = zb_rng_uniform(rng) < spec.zeros;
        value[i] = zero ? 0 : exp(spec.spread * (2 * zb_rng_uniform(rng) - 1));
    }
    zb_model_add(model, arity, scope, value);
    free(value);
}

zb_model *random_model(uint64_t seed, random_spec spec)
{
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model;
    int card[32], nvars = zb_rng_below(&rng, spec.max_vars + 1);
    double states = 1;

    for (int v = 0; v < nvars; v++) {
        card[v] = 1 + zb_rng_below(&rng, spec.max_card);
        if (states * card[v] > 65536)
            card[v] = 1;
        states *= card[v];
    }
    if (zb_model_new(&model, nvars, card) != ZB_OK)
        return NULL;
    int nfactors = zb_rng_below(&rng, spec.max_factors + 1);
    for (int f = 0; f < nfactors; f++)
        add_random_factor(model, &rng, spec);
    if (spec.evidence && nvars > 0 && zb_rng_below(&rng, 2) == 0)
        for (int k = zb_rng_below(&rng, 3); k >= 0; k--) {
            int v = zb_rng_below(&rng, nvars);
            zb_model_observe(model, v, zb_rng_below(&rng, card[v]));
        }
    return model;
}

static double log_weight(const zb_model *model, const int *x, double *const *table)
{
    double sum = 0;
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        const int *scope = zb_model_scope(model, f);
        size_t at = 0;
        for (int i = 0; i < zb_model_arity(model, f); i++)
            at = at * (size_t)zb_model_card(model, scope[i]) + (size_t)x[scope[i]];
        sum += table[f][at];
    }
    return sum;
}

static bool next_state(const zb_model *model, int *x)
{
    for (int v = zb_model_nvars(model) - 1; v >= 0; v--) {
        if (zb_model_evidence(model, v) >= 0)
            continue;
        if (++x[v] < zb_model_card(model, v))
            return true;
        x[v] = 0;
    }
    return false;
}

double brute_force(const zb_model *model)
{
    int n = zb_model_nvars(model), nf = zb_model_nfactors(model);
    int *x = calloc((size_t)n + 1, sizeof *x);
    double **table = calloc((size_t)nf + 1, sizeof *table);
    double top = -INFINITY;
    long double sum = 0;

    for (int f = 0; f < nf; f++) {
        table[f] = malloc(zb_model_size(model, f) * sizeof **table);
        zb_model_log_values(model, f, table[f]);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int v = 0; v < n; v++)
            x[v] = zb_model_evidence(model, v) >= 0 ? zb_model_evidence(model, v) : 0;
        do {
            double a = log_weight(model, x, table);
            if (pass == 0)
                top = a > top ? a : top;
            else if (a > -INFINITY)
                sum += expl((long double)a - top);
        } while (next_state(model, x));
        if (top == -INFINITY)
            break;
    }
    for (int f = 0; f < nf; f++)
        free(table[f]);
    free(table);
    free(x);
    return top == -INFINITY ? top : (double)(top + logl(sum));
}

bool close_to(double a, double b, double tol)
{
    if (a == b)
        return true;
    if (!isfinite(a) || !isfinite(b)) /* nothing but itself is near an infinity */
        return false;
    return fabs(a - b) <= tol * fmax(1, fmax(fabs(a), fabs(b)));
}

bool spans_its_rounding(const zb_result *r)
{
    if (r->log_upper == -INFINITY)
        return r->log_lower == -INFINITY && r->rounding == 0;
    double apart = r->log_upper - r->log_lower, unit = 0x1p-50 * fabs(r->log_upper);
    return r->log_lower < r->log_upper && apart >= 1.99 * r->rounding - unit &&
           apart <= 2.01 * r->rounding + unit + 1e-300 &&
           apart < 1e-9 * fmax(1, fabs(r->log_upper));
}

zb_model *random_3cnf(int n, int clauses, uint64_t seed)
{
    int *card = malloc((size_t)n * sizeof *card);
    zb_rng rng = zb_rng_seed(seed);
    zb_model *model = NULL;
    for (int v = 0; card != NULL && v < n; v++)
        card[v] = 2;
    zb_status status = card != NULL ? zb_model_new(&model, n, card) : ZB_ENOMEM;
    free(card);
    for (int i = 0; status == ZB_OK && i < clauses; i++) {
        double table[8] = { 0 };
        int a = zb_rng_below(&rng, n), b = (a + 1 + zb_rng_below(&rng, n - 2)) % n,
            c = a;
        while (c == a || c == b)
            c = zb_rng_below(&rng, n);
        table[zb_rng_below(&rng, 7)] = -INFINITY;
        status = zb_model_add_log(model, 3, (int[]){ a, b, c }, table);
    }
    if (status != ZB_OK)
        zb_model_free(model), model = NULL;
    return model;
}
