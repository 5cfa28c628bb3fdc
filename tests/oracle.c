#include "oracle.h"

#include "base/rng.h"
#include "model/model.h"

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

/* The tables' logarithms, one after the other. */
typedef struct logs {
    const zb_model *model;
    long double **table;
    long double mass; /* the largest sum of magnitudes met in a state */
} logs;

/* False where the weight is 0. No long double is ever infinite: valgrind cannot keep
   those, and an x87 unit takes a hundred cycles for each. */
static bool log_weight(logs *l, const int *x, long double *out)
{
    const zb_model *model = l->model;
    long double sum = 0, mass = 0;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        size_t at = 0;
        for (int i = 0; i < a->arity; i++)
            at = at * (size_t)model->card[a->scope[i]] + (size_t)x[a->scope[i]];
        if (a->value[at] == (a->log ? -INFINITY : 0))
            return false;
        sum += l->table[f][at];
        mass += fabsl(l->table[f][at]);
    }
    if (mass > l->mass)
        l->mass = mass;
    *out = sum;
    return true;
}

static bool next_state(const zb_model *model, int *x)
{
    for (int v = model->nvars - 1; v >= 0; v--) {
        if (model->evidence[v] >= 0)
            continue;
        if (++x[v] < model->card[v])
            return true;
        x[v] = 0;
    }
    return false;
}

/* Of long doubles as they are here: valgrind has fewer bits of them than the hardware.
 */
static long double epsilon(void)
{
    volatile long double e = 1, more = 2;
    while (more > 1) {
        e /= 2;
        more = 1 + e / 2;
    }
    return e;
}

/* ln of the sum over all states, the largest one first; *states: how many. False where
   the sum is 0. */
static bool log_sum(logs *l, int *x, long double *out, double *states)
{
    long double top = 0, sum = 0, a;
    bool any = false;
    for (int pass = 0; pass < 2 && (pass == 0 || any); pass++) {
        *states = 0;
        for (int v = 0; v < l->model->nvars; v++)
            x[v] = l->model->evidence[v] >= 0 ? l->model->evidence[v] : 0;
        do {
            ++*states;
            if (!log_weight(l, x, &a))
                continue;
            if (pass == 0)
                top = !any || a > top ? a : top;
            else
                sum += expl(a - top);
            any = true;
        } while (next_state(l->model, x));
    }
    if (any)
        *out = top + logl(sum);
    return any;
}

static logs load_logs(const zb_model *model)
{
    logs l = { .model = model,
               .table = calloc((size_t)model->nfactors + 1, sizeof *l.table) };
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        l.table[f] = calloc(a->size, sizeof **l.table);
        for (size_t i = 0; i < a->size; i++)
            if (a->value[i] != (a->log ? -INFINITY : 0))
                l.table[f][i] = a->log ? a->value[i] : logl(a->value[i]);
    }
    return l;
}

static void free_logs(logs *l)
{
    for (int f = 0; f < l->model->nfactors; f++)
        free(l->table[f]);
    free(l->table);
}

/* Each state's sum of F logarithms: F additions and logarithms within 4 units, of the
   sum of magnitudes; exp of a difference of two such, within 4; N additions; a
   logarithm. */
static long double sum_radius(const logs *l, double states)
{
    return epsilon() * ((l->model->nfactors + 12) * (l->mass + 1) + states + 20);
}

static bool sum_all(const zb_model *model, long double *log_z, long double *radius)
{
    logs l = load_logs(model);
    int *x = calloc((size_t)model->nvars + 1, sizeof *x);
    double states;
    bool any = log_sum(&l, x, log_z, &states);
    if (any)
        *radius = sum_radius(&l, states);
    free_logs(&l);
    free(x);
    return any;
}

double brute_force(const zb_model *model)
{
    long double log_z, radius;
    return sum_all(model, &log_z, &radius) ? (double)log_z : -INFINITY;
}

interval brute_interval(const zb_model *model)
{
    long double log_z, radius;
    if (!sum_all(model, &log_z, &radius))
        return (interval){ -INFINITY, -INFINITY };
    return (interval){ nextafter((double)(log_z - radius), -INFINITY),
                       nextafter((double)(log_z + radius), INFINITY) };
}

static size_t entry_of(const zb_model *model, const brute_table *t, const int *x)
{
    size_t at = 0;
    for (int i = 0; i < t->arity; i++)
        at = at * (size_t)model->card[t->scope[i]] + (size_t)x[t->scope[i]];
    return at;
}

double brute_marginals(const zb_model *model, int count, const brute_table *table)
{
    logs l = load_logs(model);
    int *x = calloc((size_t)model->nvars + 1, sizeof *x);
    double states;
    long double log_z, a;
    bool any = log_sum(&l, x, &log_z, &states);
    for (int k = 0; k < count; k++) {
        size_t size = 1;
        for (int i = 0; i < table[k].arity; i++)
            size *= (size_t)model->card[table[k].scope[i]];
        for (size_t e = 0; e < size; e++)
            table[k].share[e] = 0;
    }
    for (int v = 0; v < model->nvars; v++)
        x[v] = model->evidence[v] >= 0 ? model->evidence[v] : 0;
    do
        for (int k = 0; log_weight(&l, x, &a) && k < count; k++)
            table[k].share[entry_of(model, &table[k], x)] += expl(a - log_z);
    while (any && next_state(model, x));
    double error = any ? (double)(3 * sum_radius(&l, states)) : -1;
    free_logs(&l);
    free(x);
    return error;
}

static interval around(const logs *l, bool any, long double log)
{
    long double radius = any ? sum_radius(l, 0) : 0;
    if (!any)
        return (interval){ -INFINITY, -INFINITY };
    return (interval){ nextafter((double)(log - radius), -INFINITY),
                       nextafter((double)(log + radius), INFINITY) };
}

interval brute_best(const zb_model *model)
{
    logs l = load_logs(model);
    int *x = calloc((size_t)model->nvars + 1, sizeof *x);
    long double best = 0, a;
    bool any = false;
    for (int v = 0; v < model->nvars; v++)
        x[v] = model->evidence[v] >= 0 ? model->evidence[v] : 0;
    do
        if (log_weight(&l, x, &a) && (!any || a > best))
            best = a, any = true;
    while (next_state(model, x));
    interval out = around(&l, any, best);
    free_logs(&l);
    free(x);
    return out;
}

interval brute_value(const zb_model *model, const int *state)
{
    logs l = load_logs(model);
    long double a;
    bool any = log_weight(&l, state, &a);
    for (int v = 0; v < model->nvars; v++)
        any = any && (model->evidence[v] < 0 || model->evidence[v] == state[v]);
    interval out = around(&l, any, any ? a : 0);
    free_logs(&l);
    return out;
}

bool is_below(double lower, interval z) { return lower <= z.upper; }

bool is_above(double upper, interval z) { return upper >= z.lower; }

bool brackets(const zb_result *r, interval z)
{
    return (!r->has_lower || is_below(r->log_lower, z)) &&
           (!r->has_upper || is_above(r->log_upper, z));
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
    return (r->rounding == 0) == (r->log_lower == r->log_upper) &&
           apart >= 1.99 * r->rounding - unit &&
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
