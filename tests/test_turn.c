/* Components that a turn of all values leaves as they are, with one variable fixed. */
#include "oracle.h"
#include "symmetry/turn.h"
#include "test.h"

#include "base/rng.h"

#include <inttypes.h>

/* Random tables that a turn does not change, of variables of `card` values; single
   values here and there. */
static void fill(double *table, size_t size, const int *card, int arity, zb_rng *rng)
{
    for (size_t e = 0; e < size; e++)
        table[e] = -1;
    for (size_t e = 0; e < size; e++) {
        double w = zb_rng_below(rng, 6) == 0 ? 0 : exp(4 * zb_rng_uniform(rng) - 2);
        for (size_t at = e; table[at] < 0;) {
            size_t next = 0, stride = 1, rest = at;
            table[at] = w;
            for (int i = arity - 1; i >= 0; i--) {
                size_t n = (size_t)card[i], x = rest % n;
                rest /= n;
                next += stride * ((x + 1) % n);
                stride *= n;
            }
            at = next;
        }
    }
}

/* Components whose tables are alike under a turn; broken: but for the last bit of one
   entry of the last one. */
static zb_model *some_model(uint64_t seed, int components, bool broken)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[24], n = 2 + zb_rng_below(&rng, components > 2 ? 2 : 3),
                  q = 2 + zb_rng_below(&rng, components > 1 ? 2 : 3);
    for (int v = 0; v < n * components; v++)
        card[v] = n == 3 && v % n == 2 && zb_rng_below(&rng, 4) == 0 ? 1 : q;
    zb_model *model;
    assert_int_equal(zb_model_new(&model, n * components, card), ZB_OK);
    for (int c = 0; c < components; c++)
        for (int f = 0; f < n + 1; f++) {
            int scope[3], sizes[3], arity = f < n - 1 ? 2 : 1 + zb_rng_below(&rng, 3);
            size_t size = 1;
            double table[64];
            arity = arity < n ? arity : n;
            int first = f < n - 1 ? f : zb_rng_below(&rng, n);
            for (int i = 0; i < arity; i++) {
                scope[i] = c * n + (first + i) % n;
                sizes[i] = card[scope[i]];
                size *= (size_t)sizes[i];
            }
            fill(table, size, sizes, arity, &rng);
            if (broken && c == components - 1 && f == 0)
                table[0] = nextafter(table[0], 10);
            assert_int_equal(zb_model_add(model, arity, scope, table), ZB_OK);
        }
    return model;
}

static int fixed_count(const zb_model *model, const zb_model *made)
{
    int count = 0;
    for (int v = 0; v < model->nvars; v++)
        count += made->card[v] < model->card[v];
    return count;
}

/* Z stays, with one variable less in each component; one entry that is another by the
   last bit, and its component is left alone. */
static void sums_stay(void **state)
{
    (void)state;
    int fixed = 0, left = 0;
    for (uint64_t seed = 0; seed < test_models(2000); seed++) {
        int components = 1 + (int)(seed % 3);
        bool broken = seed % 2;
        zb_model *model = some_model(seed, components, broken), *made;
        interval around = brute_interval(model);
        assert_int_equal(zb_turn_fix(&made, model, NULL), ZB_OK);
        int most = components - broken;
        if (made == NULL) {
            CHECK(most == 0, "seed %" PRIu64 ": nothing found", seed);
            left++;
        } else {
            int count = fixed_count(model, made);
            CHECK(count == most, "seed %" PRIu64 ": %d fixed, not %d", seed, count,
                  most);
            interval now = brute_interval(made);
            now.lower += made->log_scale, now.upper += made->log_scale;
            CHECK(now.lower - made->radius <= around.upper + made->radius &&
                      around.lower <= now.upper + made->radius,
                  "seed %" PRIu64 ": %.17g, not %.17g", seed, now.upper, around.upper);
            CHECK(around.upper == -INFINITY || close_to(now.upper, around.upper, 1e-12),
                  "seed %" PRIu64 ": %.17g, not %.17g", seed, now.upper, around.upper);
            fixed += count;
        }
        zb_model_free(made);
        zb_model_free(model);
    }
    CHECK(fixed > test_share(1500) && left > test_share(200), "%d fixed, %d left",
          fixed, left);
}

/* Fields, evidence, cardinalities that differ, tables in the wrong direction: none. */
static void others_are_left(void **state)
{
    (void)state;
    const double pair[] = { 2, 1, 1, 2 }, field[] = { 1, 1.5 }, none[] = { 3, 3 };
    const double turned[] = { 1, 2, 3, 3, 1, 2, 2, 3, 1 },
                 mixed[] = { 1, 2, 3, 3, 2, 1 };
    const int two[] = { 2, 2, 2 }, three[] = { 3, 3, 2 };
    for (int kind = 0; kind < 6; kind++) {
        zb_model *model, *made;
        const int *card = kind < 4 ? two : three;
        assert_int_equal(zb_model_new(&model, 3, card), ZB_OK);
        if (kind < 4) {
            assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 1 }, pair), ZB_OK);
            assert_int_equal(zb_model_add(model, 2, (int[]){ 1, 2 }, pair), ZB_OK);
        } else
            assert_int_equal(zb_model_add(model, 2, (int[]){ 0, 1 }, turned), ZB_OK);
        if (kind == 1 || kind == 2)
            assert_int_equal(
                zb_model_add(model, 1, (int[]){ 2 }, kind == 1 ? field : none), ZB_OK);
        if (kind == 3)
            assert_int_equal(zb_model_observe(model, 0, 1), ZB_OK);
        if (kind == 5)
            assert_int_equal(zb_model_add(model, 2, (int[]){ 1, 2 }, mixed), ZB_OK);
        assert_int_equal(zb_turn_fix(&made, model, NULL), ZB_OK);
        bool found = kind == 0 || kind == 2 || kind == 4;
        CHECK((made != NULL) == found, "kind %d", kind);
        zb_model_free(made);
        zb_model_free(model);
    }
}

/* What has most factors is fixed, and of several the one in the middle. */
static void hubs_come_first(void **state)
{
    (void)state;
    const double pair[] = { 2, 1, 1, 2 };
    for (int length = 3; length <= 12; length++)
        for (int hub = -1; hub < (length > 3 ? length : 0); hub++) {
            zb_model *model, *made;
            int card[12], expected = hub >= 0 ? hub : 1 + (length - 3) / 2;
            for (int v = 0; v < length; v++)
                card[v] = 2;
            assert_int_equal(zb_model_new(&model, length, card), ZB_OK);
            for (int v = 0; v + 1 < length; v++)
                assert_int_equal(zb_model_add(model, 2, (int[]){ v, v + 1 }, pair),
                                 ZB_OK);
            for (int v = 0; v < length && hub >= 0; v++)
                if (v != hub)
                    assert_int_equal(zb_model_add(model, 2, (int[]){ hub, v }, pair),
                                     ZB_OK);
            assert_int_equal(zb_turn_fix(&made, model, NULL), ZB_OK);
            assert_non_null(made);
            for (int v = 0; v < length; v++)
                CHECK(made->card[v] == (v == expected ? 1 : 2), "%d of %d, hub %d", v,
                      length, hub);
            zb_model_free(made);
            zb_model_free(model);
        }
}

/* The default method, exact and by bounds, strictly around what brute force says. */
static void answers_hold(void **state)
{
    (void)state;
    int brackets = 0;
    for (uint64_t seed = 1; seed <= test_models(30); seed++) {
        zb_ising_spec spec = { .rows = 3,
                               .cols = 4,
                               .coupling = 1.5,
                               .states = seed % 3 == 0 ? 2 : 0,
                               .periodic = seed % 2,
                               .seed = seed };
        zb_model *model;
        zb_options opt = zb_options_default();
        zb_result r;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        interval around = brute_interval(model);
        opt.memory = seed % 4 == 0 ? 1 << 20 : 8192;
        opt.iterations = 3;
        opt.ibound = 1 + (int)(seed % 3);
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.log_lower <= around.upper && around.lower <= r.log_upper,
              "seed %" PRIu64 ": [%.17g, %.17g], not %.17g", seed, r.log_lower,
              r.log_upper, around.upper);
        brackets += !r.exact;
        zb_model_free(model);
    }
    CHECK(brackets >= test_share(15), "%d brackets", brackets);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_stay),
                                        cmocka_unit_test(others_are_left),
                                        cmocka_unit_test(hubs_come_first),
                                        cmocka_unit_test(answers_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
