/* Engines against each other on models made to be awkward. */
#include "cross.h"
#include "eliminate.h"

/* Log-uniform between the two. */
static double between(zb_rng *rng, double low, double high)
{
    return low * pow(high / low, zb_rng_uniform(rng));
}

typedef zb_model *maker(uint64_t seed, zb_rng *rng, double *log_z);

static void for_models(const char *name, uint64_t quick, maker *make)
{
    tally t = { 0 };
    for (uint64_t seed = 1; seed <= test_models(quick); seed++) {
        zb_rng rng = zb_rng_seed(seed * 1000 + (uint64_t)name[0]);
        double z = NAN;
        zb_model *model = make(seed, &rng, &z);
        cross_check(name, seed, model, z, &t);
        zb_model_free(model);
    }
    tell(&t);
}

/* Hundreds of tables on a few core spins, from nearly independent to nearly rigid. */
static zb_model *make_hub(uint64_t seed, zb_rng *rng, double *log_z)
{
    hub_spec s = { .seed = seed,
                   .core = 5 + zb_rng_below(rng, 5),
                   .arity = 2 + zb_rng_below(rng, 3),
                   .ties = 30 + zb_rng_below(rng, 300),
                   .coupling = between(rng, 0.01, 700) };
    return hub(s, log_z);
}

/* Entries from 1e-300 to 1e300, with zeros, evidence, empty scopes, one-valued
   variables, repeated scopes and parts that do not touch. */
static zb_model *make_wide(uint64_t seed, zb_rng *rng, double *log_z)
{
    random_spec spec = { 10,  4, 30, 4, 0.3 * zb_rng_uniform(rng), between(rng, 1, 690),
                         true };
    zb_model *model = random_model(seed, spec);
    *log_z = brute_force(model);
    return model;
}

/* More zeros than weights; Z is often 0. */
static zb_model *make_zeros(uint64_t seed, zb_rng *rng, double *log_z)
{
    random_spec spec = { 12, 3, 25, 4, 0.3 + 0.4 * zb_rng_uniform(rng), 2, seed % 2 };
    zb_model *model = random_model(seed, spec);
    *log_z = brute_force(model);
    return model;
}

static void add_random(zb_model *model, zb_rng *rng, int arity, const int *scope,
                       double zeros, double spread)
{
    size_t size = 1;
    for (int i = 0; i < arity; i++)
        size *= (size_t)zb_model_card(model, scope[i]);
    double *value = malloc(size * sizeof *value);
    for (size_t i = 0; i < size; i++)
        value[i] = zb_rng_uniform(rng) < zeros ? -INFINITY
                                               : spread * (2 * zb_rng_uniform(rng) - 1);
    add_logs_to(model, arity, scope, value);
    free(value);
}

/* Side chains: a ring of 81 values here, 2 or 9 there. */
static zb_model *make_81(uint64_t seed, zb_rng *rng, double *log_z)
{
    static const int cards[] = { 81, 2, 81, 9, 3, 79 };
    int n = 3 + (int)(seed % 3), card[6];
    for (int v = 0; v < n; v++)
        card[v] = cards[(v + (int)seed) % 6];
    zb_model *model = model_of(n, card);
    for (int v = 0; v < n; v++) {
        add_random(model, rng, 1, &v, 0, 3);
        add_random(model, rng, 2, (int[]){ v, (v + 1) % n }, seed % 2 ? 0.4 : 0, 30);
    }
    *log_z = eliminate(model);
    return model;
}

/* Thousands of factors on 20 variables, scopes within windows of six. */
static zb_model *make_crowd(uint64_t seed, zb_rng *rng, double *log_z)
{
    enum { N = 20 };
    zb_model *model = spins(N);
    int factors = seed == 1 ? 10000 : 200 + zb_rng_below(rng, 2000);
    double spread = between(rng, 0.001, 30);
    for (int f = 0; f < factors; f++) {
        int first = zb_rng_below(rng, N - 5), window[6],
            arity = 1 + zb_rng_below(rng, 3);
        for (int i = 0; i < 6; i++)
            window[i] = first + i;
        zb_rng_shuffle(rng, 6, window);
        add_random(model, rng, arity, window, 0.00001, spread);
    }
    *log_z = eliminate(model);
    return model;
}

/* Long chains whose scale drifts. */
static zb_model *make_chain(uint64_t seed, zb_rng *rng, double *log_z)
{
    int card = 2 + zb_rng_below(rng, 4), n = 50 + zb_rng_below(rng, 400);
    return chain(seed, n, card, between(rng, 0.01, 2000), log_z);
}

/* Append the variables and factors of `part`; evidence too. */
static void append(zb_model *model, const zb_model *part, int shift)
{
    for (int f = 0; f < part->nfactors; f++) {
        double *value = malloc(part->factor[f].size * sizeof *value);
        int scope[8];
        for (int i = 0; i < part->factor[f].arity; i++)
            scope[i] = part->factor[f].scope[i] + shift;
        zb_model_log_values(part, f, value);
        add_logs_to(model, part->factor[f].arity, scope, value);
        free(value);
    }
    for (int v = 0; v < part->nvars; v++)
        if (part->evidence[v] >= 0)
            assert_int_equal(zb_model_observe(model, v + shift, part->evidence[v]),
                             ZB_OK);
}

/* Dozens of small models side by side; ln Z is the sum of theirs. */
static zb_model *make_parts(uint64_t seed, zb_rng *rng, double *log_z)
{
    enum { MOST = 60 };
    int count = 2 + zb_rng_below(rng, MOST - 1), n = 0, card[MOST * 8];
    zb_model *part[MOST];
    *log_z = 0;
    for (int i = 0; i < count; i++) {
        random_spec spec = { 6, 3, 8, 3, seed % 2 ? 0.15 : 0, 3, true };
        part[i] = random_model(seed * 100 + (uint64_t)i, spec);
        *log_z += brute_force(part[i]);
        for (int v = 0; v < part[i]->nvars; v++)
            card[n++] = part[i]->card[v];
    }
    zb_model *model = model_of(n, card);
    for (int i = 0, shift = 0; i < count; i++) {
        append(model, part[i], shift);
        shift += part[i]->nvars;
        zb_model_free(part[i]);
    }
    return model;
}

/* Stars of up to 60 leaves: one bucket or many messages, as the order will have it. */
static zb_model *make_star(uint64_t seed, zb_rng *rng, double *log_z)
{
    int card[60], leaves = 5 + zb_rng_below(rng, 55);
    for (int i = 0; i < leaves; i++)
        card[i] = 2 + zb_rng_below(rng, seed % 2 ? 2 : 30);
    star_spec s = { .seed = seed,
                    .centre = 2 + zb_rng_below(rng, 80),
                    .leaves = leaves,
                    .card = card,
                    .spread = between(rng, 0.1, 700),
                    .zeros = seed % 3 ? 0 : 0.5 };
    return star(s, log_z);
}

/* Grids of forbidden pairs: the kind that search is for. */
static zb_model *make_grid(uint64_t seed, zb_rng *rng, double *log_z)
{
    int rows = 3 + zb_rng_below(rng, 3), cols = 3 + zb_rng_below(rng, 5);
    zb_model *model = spins(rows * cols);
    double zeros = 0.2 * zb_rng_uniform(rng), spread = between(rng, 0.1, 300);
    for (int v = 0; v < rows * cols; v++) {
        if (v % cols + 1 < cols)
            add_random(model, rng, 2, (int[]){ v, v + 1 }, zeros, spread);
        if (v + cols < rows * cols)
            add_random(model, rng, 2, (int[]){ v, v + cols }, zeros, spread);
    }
    if (seed % 3 == 0)
        assert_int_equal(zb_model_observe(model, zb_rng_below(rng, rows * cols), 1),
                         ZB_OK);
    *log_z = eliminate(model);
    return model;
}

static void hubs(void **state) { (void)state, for_models("hub", 8, make_hub); }
static void wide(void **state) { (void)state, for_models("wide", 60, make_wide); }
static void zeros(void **state) { (void)state, for_models("zeros", 60, make_zeros); }
static void card_81(void **state) { (void)state, for_models("81", 6, make_81); }
static void crowds(void **state) { (void)state, for_models("crowd", 4, make_crowd); }
static void chains(void **state) { (void)state, for_models("chain", 12, make_chain); }
static void parts(void **state) { (void)state, for_models("parts", 12, make_parts); }
static void stars(void **state) { (void)state, for_models("star", 12, make_star); }
static void grids(void **state) { (void)state, for_models("grid", 20, make_grid); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hubs),    cmocka_unit_test(wide),   cmocka_unit_test(zeros),
        cmocka_unit_test(card_81), cmocka_unit_test(crowds), cmocka_unit_test(chains),
        cmocka_unit_test(parts),   cmocka_unit_test(stars),  cmocka_unit_test(grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
