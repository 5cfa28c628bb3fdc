/* Mean field between blocks against enumeration. */
#include "baseline/blockfield.h"
#include "baseline/blocks.h"
#include "baseline/meanfield.h"
#include "base/rng.h"
#include "engine.h"
#include "given.h"
#include "model/table.h"
#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

/* From the state, or all values alike; with that much memory. */
static zb_blockfield_result field_within(const zb_model *model, const int *state,
                                         uint64_t memory, zb_blockfield_spec spec)
{
    zb_blockfield_result r;
    zb_run run;
    double q[4096], *to = q;
    begin_alike(model, q);
    for (int v = 0; state != NULL && v < model->nvars; to += model->card[v++])
        for (int x = 0; x < model->card[v]; x++)
            to[x] = x == state[v];
    spec.q = q;
    spec.known = -INFINITY;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, memory, 1), ZB_OK);
    spec.run = &run;
    assert_int_equal(zb_blockfield_run(model, &spec, &r), ZB_OK);
    zb_run_close(&run);
    return r;
}

static zb_blockfield_result field_of(const zb_model *model, const int *state,
                                     zb_blockfield_spec spec)
{
    return field_within(model, state, UINT64_MAX, spec);
}

/* Is there a zero in a table of two variables or more? */
static bool may_cut_zeros(const zb_model *model)
{
    for (int f = 0; f < model->nfactors; f++)
        for (size_t e = 0; e < model->factor[f].size; e++)
            if (model->factor[f].arity > 1 &&
                zb_factor_log(&model->factor[f], e) == -INFINITY)
                return true;
    return false;
}

static void never_above(void **state)
{
    (void)state;
    const double entries[] = { 1, 4, 9, 40, INFINITY };
    random_spec spec = {
        .max_vars = 9, .max_card = 4, .max_factors = 14, .max_arity = 4
    };
    int found = 0, none = 0, exact = 0;
    for (uint64_t seed = 0; seed < test_models(3000); seed++) {
        spec.zeros = seed % 3 == 0 ? 0.1 * (double)(seed % 4) : 0;
        spec.spread = seed % 11 == 0 ? 300 : 3; /* 260 orders of magnitude */
        zb_model *model = random_model(seed, spec);
        zb_rng rng = zb_rng_seed(seed);
        int at[16];
        for (int v = 0; v < model->nvars; v++)
            at[v] = zb_rng_below(&rng, model->card[v]);
        zb_blockfield_spec how = { .entries = entries[seed % 5],
                                   .seed = seed % 7,
                                   .rounds =
                                       1 + (int)(seed % 4 + seed % 5 * (seed % 3)) };
        interval around = brute_interval(model);
        zb_blockfield_result r = field_of(model, seed % 2 ? at : NULL, how);
        CHECK(is_below(r.log_value, around), "seed %" PRIu64 ": %.17g, exact %.17g",
              seed, r.log_value, around.upper);
        if (how.entries == INFINITY && around.upper > -INFINITY) {
            CHECK(close_to(r.log_value, around.upper, 1e-9) && r.rounds <= 1,
                  "seed %" PRIu64 ": one block has %.12g, exact %.12g", seed,
                  r.log_value, around.upper);
            exact++;
        }
        if (!may_cut_zeros(model) && around.upper > -INFINITY)
            CHECK(r.log_value > -INFINITY && (r.rounds >= 1) == (model->nvars > 0),
                  "seed %" PRIu64 ": nothing found", seed);
        found += r.log_value > -INFINITY && how.entries < INFINITY;
        none += r.log_value == -INFINITY && around.upper > -INFINITY;
        zb_model_free(model);
    }
    CHECK(found > test_share(1000) && none > test_share(100) && exact > test_share(300),
          "%d found, %d not, %d exact", found, none, exact);
}

static zb_model *glass(int side, double coupling, uint64_t seed)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = coupling, .field = 0.1, .seed = seed
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static double exact_log_z(const zb_model *model)
{
    zb_options opt = zb_options_default();
    zb_result r;
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    return r.log_upper;
}

/* Blocks of one variable are naive mean field; larger ones lose less. */
static void larger_blocks_are_tighter(void **state)
{
    (void)state;
    const double entries[] = { 2, 16, 64, 2048 };
    double loss[4] = { 0 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        zb_model *model = glass(16, 0.2, seed);
        double z = exact_log_z(model);
        zb_baseline_options naive = zb_baseline_default();
        zb_baseline_result single;
        assert_int_equal(zb_meanfield_run(model, &naive, &single), ZB_OK);
        for (int i = 0; i < 4; i++) {
            zb_blockfield_spec how = { .entries = entries[i], .rounds = 3 };
            double lower = field_of(model, NULL, how).log_value;
            CHECK(lower <= z + 1e-9, "seed %" PRIu64 ": %.12g, exact %.12g", seed,
                  lower, z);
            loss[i] += z - lower;
            if (i == 0)
                CHECK(fabs(lower - single.log_value) < 0.02 * (z - lower),
                      "seed %" PRIu64 ": %.12g, naive %.12g", seed, lower,
                      single.log_value);
        }
        zb_model_free(model);
    }
    for (int i = 1; i < 4; i++)
        CHECK(loss[i] < 0.8 * loss[i - 1], "%g with cliques of %g, %g of %g",
              loss[i] / 20, entries[i], loss[i - 1] / 20, entries[i - 1]);
}

/* A later call goes on: with other blocks, from the best distributions, which stay what
   they are where it finds nothing better. */
static void calls_go_on(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        zb_model *model = glass(10, 1, seed);
        double q[200], z = exact_log_z(model), kept[200];
        zb_run run;
        assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
        zb_blockfield_spec spec = {
            .q = q, .known = -INFINITY, .entries = 16, .seed = seed, .run = &run
        };
        begin_alike(model, q);
        int calls[] = { 1, 3, 2, 4, 9 };
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            zb_blockfield_result r;
            memcpy(kept, q, sizeof q);
            spec.rounds = calls[i];
            assert_int_equal(zb_blockfield_run(model, &spec, &r), ZB_OK);
            CHECK(r.tried == calls[i] && r.rounds == calls[i] && !r.zeros,
                  "seed %" PRIu64 ": %d choices, %d to an end", seed, r.tried,
                  r.rounds);
            CHECK(r.log_value <= z + 1e-9, "seed %" PRIu64 ": %.12g, exact %.12g", seed,
                  r.log_value, z);
            bool more = r.log_value > spec.known;
            CHECK((memcmp(kept, q, sizeof q) != 0) == more, "seed %" PRIu64, seed);
            better += more && i > 0;
            spec.known = fmax(spec.known, r.log_value);
            spec.first += r.tried;
            spec.best = r.best;
        }
        zb_run_close(&run);
        zb_model_free(model);
    }
    assert_true(better >= 12);
}

/* Where every choice cuts zeros it says so, and not where one does not. */
static void zeros_are_told(void **state)
{
    (void)state;
    const double hard[] = { 1, 0, 2, 3 }, soft[] = { 1, 4, 2, 3 };
    for (int i = 0; i < 2; i++) {
        zb_model *model;
        int card[12];
        for (int v = 0; v < 12; v++)
            card[v] = 2;
        assert_int_equal(zb_model_new(&model, 12, card), ZB_OK);
        for (int v = 0; v + 1 < 12; v++) /* pairs of twins; or a chain of zeros */
            assert_int_equal(zb_model_add(model, 2, (int[]){ v, v + 1 },
                                          v % 2 == 1 && i == 1 ? soft : hard),
                             ZB_OK);
        zb_blockfield_spec how = { .entries = 4, .rounds = 20 };
        zb_blockfield_result r = field_of(model, NULL, how);
        CHECK(r.zeros == (i == 0), "%d: %d", i, r.zeros);
        CHECK((r.log_value > -INFINITY) == (i == 1), "%d: %g", i, r.log_value);
        CHECK(i == 1 ? r.tried == 20 && r.rounds > 0
                     : r.tried == ZB_SEQUENCES && r.rounds == 0,
              "%d: %d choices, %d to an end", i, r.tried, r.rounds);
        assert_true(r.log_value <= exact_log_z(model) + 1e-9);
        zb_model_free(model);
    }
}

/* What does not fit the memory is not begun; what fits is the same whatever is left. */
static void memory_is_kept(void **state)
{
    (void)state;
    zb_model *model = glass(12, 1, 1);
    zb_blockfield_spec how = { .entries = 2, .rounds = 4 };
    zb_blockfield_result all = field_of(model, NULL, how);
    int none = 0, some = 0;
    for (uint64_t memory = 1 << 12; memory <= 1 << 24; memory *= 2) {
        zb_blockfield_result r = field_within(model, NULL, memory, how);
        /* 144 blocks of 32 KiB at least */
        bool room = memory >= 144 * 32768;
        CHECK(room || r.log_value == -INFINITY, "%d KiB: %g", (int)(memory >> 10),
              r.log_value);
        CHECK(r.log_value == -INFINITY || r.log_value == all.log_value,
              "%d KiB: %g, not %g", (int)(memory >> 10), r.log_value, all.log_value);
        none += r.log_value == -INFINITY && r.rounds == 0 && !r.zeros;
        some += r.log_value > -INFINITY;
    }
    CHECK(none >= 5 && some >= 1, "%d refused, %d not", none, some);
    zb_model_free(model);
}

/* Numbers that no double holds are no bounds, and scopes without end none either. */
static void extremes_are_no_bounds(void **state)
{
    (void)state;
    const double most[] = { 1e308, 1e308, 1e308, 1e308 };
    const double least[] = { -1e308, -1e308, -1e308, -1e308 };
    int card[70];
    zb_model *model;
    for (int v = 0; v < 70; v++)
        card[v] = v < 6 ? 2 : 1;
    zb_blockfield_spec how = { .entries = 2, .rounds = 4 };
    assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
    assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, 1 }, most), ZB_OK);
    assert_int_equal(zb_model_add_log(model, 2, (int[]){ 2, 3 }, most), ZB_OK);
    assert_int_equal(zb_model_add_log(model, 2, (int[]){ 4, 5 }, least), ZB_OK);
    CHECK(field_of(model, NULL, how).log_value < INFINITY, "%s", "a bound of infinity");
    zb_model_free(model);
    int wide[70];
    for (int v = 0; v < 70; v++)
        wide[v] = v;
    for (int arity = 64; arity <= 65; arity++) {
        double values[64] = { 0 };
        assert_int_equal(zb_model_new(&model, 70, card), ZB_OK);
        assert_int_equal(zb_model_add_log(model, arity, wide, values), ZB_OK);
        CHECK((field_of(model, NULL, how).log_value > -INFINITY) == (arity == 64),
              "%d axes", arity);
        zb_model_free(model);
    }
}

/* Every variable is in one block, in one place; limits are kept; inside a block is what
   a look at all scopes finds there. */
static void blocks_cover(void **state)
{
    (void)state;
    random_spec spec = {
        .max_vars = 30, .max_card = 3, .max_factors = 45, .max_arity = 3
    };
    int cuts = 0;
    for (uint64_t seed = 0; seed < test_models(300); seed++) {
        zb_model *model = random_model(seed, spec);
        zb_scopes *scopes;
        zb_incidence g;
        zb_blocks *b;
        bool seen[64] = { false };
        assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
        assert_int_equal(zb_incidence_new(&g, scopes), ZB_OK);
        zb_blocks_request r = { .graph = &g,
                                .entries = 30,
                                .total = seed % 2 ? 200 : INFINITY,
                                .sequence = (zb_sequence)(seed % ZB_SEQUENCES),
                                .seed = seed / ZB_SEQUENCES % 3 };
        assert_int_equal(zb_blocks_new(&b, &r), ZB_OK);
        assert_int_equal(b->start[0], 0);
        assert_int_equal(b->start[b->count], model->nvars);
        for (int k = 0; k < b->count; k++) {
            int n = b->start[k + 1] - b->start[k], count, *factor, parts = 0;
            zb_order_cost cost;
            zb_scopes *in;
            assert_true(n > 0);
            for (int i = b->start[k]; i < b->start[k + 1]; i++) {
                assert_false(seen[b->var[i]]);
                seen[b->var[i]] = true;
                assert_int_equal(b->block[b->var[i]], k);
                assert_int_equal(b->place[b->var[i]], i);
            }
            assert_int_equal(zb_blocks_inside(&in, &factor, &count, &g, b, k), ZB_OK);
            for (int f = 0; f < scopes->count; f++) {
                int members = 0;
                for (size_t j = scopes->at[f]; j < scopes->at[f + 1]; j++)
                    members += b->block[scopes->var[j]] == k;
                parts += members > 1;
                cuts += members > 1 && members < zb_scopes_arity(scopes, f);
            }
            assert_int_equal(count, parts);
            assert_int_equal(zb_order_evaluate(in, b->order + b->start[k], NULL, &cost),
                             ZB_OK);
            if (n > 1)
                CHECK(cost.largest <= 30 && cost.total <= r.total,
                      "seed %" PRIu64 ": %g, %g", seed, cost.largest, cost.total);
            zb_scopes_free(in);
            zb_free(factor);
        }
        zb_blocks_free(b);
        zb_incidence_free(&g);
        zb_scopes_free(scopes);
        zb_model_free(model);
    }
    assert_true(cuts > test_share(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_above),    cmocka_unit_test(larger_blocks_are_tighter),
        cmocka_unit_test(calls_go_on),    cmocka_unit_test(zeros_are_told),
        cmocka_unit_test(memory_is_kept), cmocka_unit_test(extremes_are_no_bounds),
        cmocka_unit_test(blocks_cover)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
