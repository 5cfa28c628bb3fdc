/* Random models on which rounding shows: every family has its own way of being unkind
 * to the last digit. All are small enough for tests/enclose.h. */
#ifndef ZB_TEST_STRICT_MODELS_H
#define ZB_TEST_STRICT_MODELS_H

#include "awkward.h"
#include "model/model.h"

typedef zb_model *family_maker(uint64_t seed, zb_rng *rng);

static inline double log_between(zb_rng *rng, double low, double high)
{
    return low * pow(high / low, zb_rng_uniform(rng));
}

/* Entries of one kind of table. */
typedef enum entries {
    ENTRIES_SMOOTH,    /* e^uniform(-2, 2) */
    ENTRIES_WIDE,      /* 1e-300 .. 1e300 */
    ENTRIES_WIDE_LOGS, /* logarithms of up to some thousands either way */
    ENTRIES_NEARLY,    /* one number but for the last few digits */
    ENTRIES_EQUAL,     /* one number */
    ENTRIES_BITS,      /* 0 or 1 */
    ENTRIES_KINDS
} entries;

static inline double draw_entry(zb_rng *rng, entries kind, double level)
{
    double u = 2 * zb_rng_uniform(rng) - 1;
    switch (kind) {
    case ENTRIES_SMOOTH: return exp(2 * u);
    case ENTRIES_WIDE: return pow(10, 300 * u);
    case ENTRIES_WIDE_LOGS: return level * 500 * u;
    case ENTRIES_NEARLY: return level * (1 + 0x1p-50 * u);
    case ENTRIES_EQUAL: return level;
    default: return u < 0.3;
    }
}

static inline void put(zb_model *model, zb_rng *rng, int arity, const int *scope,
                       entries kind, double zeros)
{
    size_t size = 1;
    double level = log_between(rng, 0.01, 20), *value;
    bool logs = kind == ENTRIES_WIDE_LOGS;
    for (int i = 0; i < arity; i++)
        size *= (size_t)zb_model_card(model, scope[i]);
    value = malloc(size * sizeof *value);
    for (size_t i = 0; i < size; i++) {
        value[i] = draw_entry(rng, kind, level);
        if (zb_rng_uniform(rng) < zeros)
            value[i] = logs ? -INFINITY : 0;
    }
    assert_int_equal(
        (logs ? zb_model_add_log : zb_model_add)(model, arity, scope, value), ZB_OK);
    free(value);
}

static inline int draw_scope(zb_rng *rng, int nvars, int most, int *scope)
{
    int arity = zb_min_int(nvars, zb_rng_below(rng, most + 1)), all[64];
    for (int v = 0; v < nvars; v++)
        all[v] = v;
    zb_rng_shuffle(rng, nvars, all);
    for (int i = 0; i < arity; i++)
        scope[i] = all[i];
    return arity;
}

/* Any scopes, empty ones too; any cardinalities from one on; one kind of tables, or one
   for each; evidence in every third. */
static inline zb_model *any_model(zb_rng *rng, int kind, double zeros)
{
    int n = zb_rng_below(rng, 10), card[10], most = 1 + zb_rng_below(rng, 5);
    for (int v = 0; v < n; v++)
        card[v] = 1 + zb_rng_below(rng, most);
    zb_model *model = model_of(n, card);
    for (int f = zb_rng_below(rng, 16); f > 0; f--) {
        int scope[4], arity = draw_scope(rng, n, 4, scope);
        put(model, rng, arity, scope,
            kind == ENTRIES_KINDS ? (entries)zb_rng_below(rng, kind) : (entries)kind,
            zeros);
    }
    if (n > 0 && zb_rng_below(rng, 3) == 0) {
        int v = zb_rng_below(rng, n);
        zb_model_observe(model, v, zb_rng_below(rng, card[v]));
    }
    return model;
}

static inline zb_model *make_smooth(uint64_t seed, zb_rng *rng)
{
    return any_model(rng, ENTRIES_SMOOTH, seed % 2 ? 0.2 : 0);
}

static inline zb_model *make_wide_values(uint64_t seed, zb_rng *rng)
{
    return any_model(rng, ENTRIES_WIDE, seed % 2 ? 0.2 : 0);
}

static inline zb_model *make_wide_logs(uint64_t seed, zb_rng *rng)
{
    return any_model(rng, ENTRIES_WIDE_LOGS, seed % 2 ? 0.2 : 0);
}

static inline zb_model *make_nearly(uint64_t seed, zb_rng *rng)
{
    return any_model(rng, seed % 2 ? ENTRIES_NEARLY : ENTRIES_EQUAL, 0);
}

static inline zb_model *make_mixture(uint64_t seed, zb_rng *rng)
{
    return any_model(rng, ENTRIES_KINDS, seed % 2 ? 0.3 : 0);
}

static inline zb_model *make_clauses(uint64_t seed, zb_rng *rng)
{
    int n = 4 + zb_rng_below(rng, 9);
    return random_3cnf(n, 1 + zb_rng_below(rng, 4 * n), seed);
}

/* A pair for every edge and a singleton here and there. */
static inline zb_model *on_pairs(zb_rng *rng, int n, int count, int (*edge)[2],
                                 entries kind)
{
    int card[64];
    bool binary = zb_rng_below(rng, 2);
    for (int v = 0; v < n; v++)
        card[v] = binary ? 2 : 1 + zb_rng_below(rng, 4);
    zb_model *model = model_of(n, card);
    for (int i = 0; i < count; i++)
        put(model, rng, 2, edge[i], kind, 0);
    for (int v = 0; v < n; v++)
        if (zb_rng_below(rng, 2))
            put(model, rng, 1, &v, kind, 0);
    return model;
}

static inline zb_model *make_tree(uint64_t seed, zb_rng *rng)
{
    int n = 2 + zb_rng_below(rng, 30), edge[64][2];
    for (int v = 1; v < n; v++)
        edge[v - 1][0] = zb_rng_below(rng, v), edge[v - 1][1] = v;
    return on_pairs(rng, n, n - 1, edge, (entries)(seed / 3 % ENTRIES_BITS));
}

static inline zb_model *make_grid(uint64_t seed, zb_rng *rng)
{
    int rows = 2 + zb_rng_below(rng, 3), cols = 2 + zb_rng_below(rng, 3), count = 0,
        edge[64][2];
    for (int v = 0; v < rows * cols; v++) {
        if (v % cols + 1 < cols)
            edge[count][0] = v, edge[count++][1] = v + 1;
        if (v + cols < rows * cols)
            edge[count][0] = v, edge[count++][1] = v + cols;
    }
    return on_pairs(rng, rows * cols, count, edge, (entries)(seed / 3 % ENTRIES_BITS));
}

/* Cubic graphs whose edges are the variables: what gauges are for. */
static inline zb_model *make_forney(uint64_t seed, zb_rng *rng)
{
    zb_regular_spec spec = { .factors = 4 + 2 * zb_rng_below(rng, 4),
                             .coupling = log_between(rng, 1e-9, 100),
                             .chord = seed % 2 ? ZB_CHORD_RANDOM : ZB_CHORD_OPPOSITE,
                             .seed = seed };
    zb_model *model;
    assert_int_equal(zb_generate_regular(&model, &spec), ZB_OK);
    return model;
}

/* A Bayesian network whose tables add up to one exactly: Z = 1. With evidence, or
   thirds, Z is next to it or below. */
static inline zb_model *make_unit(uint64_t seed, zb_rng *rng)
{
    int n = 1 + zb_rng_below(rng, 10), parts = seed % 3 == 0 ? 3 : 8;
    zb_model *model = spins(n);
    for (int v = 0; v < n; v++) {
        int scope[4], arity = v > 0 ? draw_scope(rng, v, 3, scope) : 0;
        double value[16];
        for (int row = 0; row < 1 << arity; row++) {
            value[2 * row] = (double)zb_rng_below(rng, parts + 1) / parts;
            value[2 * row + 1] = 1 - value[2 * row];
        }
        scope[arity] = v;
        assert_int_equal(zb_model_add(model, arity + 1, scope, value), ZB_OK);
    }
    return model;
}

/* Several of the others side by side. */
static inline zb_model *make_parts(uint64_t seed, zb_rng *rng)
{
    int count = 2 + zb_rng_below(rng, 6), n = 0, card[64];
    zb_model *part[8];
    for (int i = 0; i < count; i++) {
        part[i] = any_model(rng, seed % 2 ? ENTRIES_SMOOTH : ENTRIES_KINDS, 0);
        for (int v = 0; v < zb_model_nvars(part[i]) && n < 64; v++)
            card[n++] = zb_model_card(part[i], v);
    }
    zb_model *model = model_of(n, card);
    for (int i = 0, shift = 0; i < count; i++) {
        for (int f = 0; f < part[i]->nfactors; f++) {
            const zb_factor *a = &part[i]->factor[f];
            int scope[4];
            for (int j = 0; j < a->arity; j++)
                scope[j] = a->scope[j] + shift;
            assert_int_equal(zb_model_put(model, a->arity, scope, a), ZB_OK);
        }
        shift += part[i]->nvars;
        zb_model_free(part[i]);
    }
    return model;
}

/* Few variables in many factors: mini-buckets are many, and none is whole. */
static inline zb_model *make_dense(uint64_t seed, zb_rng *rng)
{
    int n = 6 + zb_rng_below(rng, 6);
    zb_model *model = spins(n);
    for (int f = 0; f < 3 * n; f++) {
        int scope[4], arity = draw_scope(rng, n, 4, scope);
        put(model, rng, arity, scope, (entries)(seed / 5 % ENTRIES_BITS),
            seed % 2 ? 0.02 : 0);
    }
    return model;
}

typedef struct family {
    const char *name;
    family_maker *make;
} family;

static const family FAMILIES[] = {
    { "smooth", make_smooth },   { "wide values", make_wide_values },
    { "tree", make_tree },       { "wide logs", make_wide_logs },
    { "grid", make_grid },       { "nearly constant", make_nearly },
    { "mixture", make_mixture }, { "clauses", make_clauses },
    { "forney", make_forney },   { "unit", make_unit },
    { "parts", make_parts },     { "dense", make_dense },
};

enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

static inline zb_model *family_model(const family *f, uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed * 77 + (uint64_t)(f - FAMILIES));
    return f->make(seed, &rng);
}

/* `copies` triangles of spins with every entry `value`: Z = (8 value^3)^copies. */
static inline zb_model *equal_triangles(int copies, double value)
{
    zb_model *model = spins(3 * copies);
    double table[4] = { value, value, value, value };
    for (int i = 0; i < copies; i++)
        for (int j = 0; j < 3; j++) {
            int scope[2] = { 3 * i + j, 3 * i + (j + 1) % 3 };
            assert_int_equal(zb_model_add(model, 2, scope, table), ZB_OK);
        }
    return model;
}

/* n spins, all pairs: see enclose_complete. */
static inline zb_model *complete_graph(int n, double coupling, double field)
{
    zb_model *model = spins(n);
    double j = coupling, pair[] = { j, -j, -j, j }, one[] = { -field, field };
    for (int v = 0; v < n; v++) {
        add_logs_to(model, 1, &v, one);
        for (int u = 0; u < v; u++)
            add_logs_to(model, 2, (int[]){ u, v }, pair);
    }
    return model;
}

#endif
