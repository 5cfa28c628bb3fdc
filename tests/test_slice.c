/* Slices of a cutset: all of them add up to Z, some of them to less. */
#include "within.h"
#include "oracle.h"
#include "base/rng.h"
#include "auto/slice.h"
#include "test.h"

#include <inttypes.h>

static const random_spec SPARSE = { 12, 3, 20, 3, 0.25, 2, false };
static const random_spec DENSE = { 14, 3, 40, 2, 0.05, 1, false };
static const random_spec TIGHT = { 10, 4, 14, 3, 0.5, 2, false }; /* Z is often 0 */

/* Up to four random variables, each once. */
static zb_cutset random_cutset(uint64_t seed, const zb_model *model, int *var)
{
    zb_rng rng = zb_rng_seed(seed + 77);
    int n = zb_model_nvars(model), want = zb_rng_below(&rng, 5);
    zb_cutset c = { .var = var, .slices = 1 };
    for (int v = 0; v < n && c.count < want; v++)
        if (zb_rng_below(&rng, n - v) < want - c.count) {
            var[c.count++] = v;
            c.slices *= zb_model_card(model, v);
        }
    return c;
}

typedef struct listener {
    double last;
    interval z;
    int calls, most; /* stop after `most` calls; negative: never */
    uint64_t seed;
} listener;

static bool listen(void *context, const zb_progress *at)
{
    double log_sum = at->log_lower;
    listener *l = context;
    CHECK(log_sum >= l->last, "seed %" PRIu64 ": a sum that shrinks", l->seed);
    CHECK(is_below(log_sum, l->z), "seed %" PRIu64 ": %.17g above ln Z = %.17g",
          l->seed, log_sum, l->z.upper);
    l->last = log_sum;
    return l->calls++ != l->most;
}

static const int *natural(const zb_model *model, int *order)
{
    for (int v = 0; v < zb_model_nvars(model); v++)
        order[v] = v;
    return order;
}

static bool below(zb_ball sum, interval z)
{
    return is_below(zb_down(sum.mid, sum.radius), z);
}

static bool is_z(zb_ball sum, interval z)
{
    return below(sum, z) && is_above(zb_up(sum.mid, sum.radius), z) &&
           close_to(sum.mid, z.upper, 1e-12);
}

typedef void (*use)(const zb_slices *s, listener *l);

static void for_each_model(random_spec spec, uint64_t count, use body)
{
    for (uint64_t seed = 1; seed <= test_models(count); seed++) {
        int var[4], order[64];
        zb_model *model = random_model(seed, spec);
        zb_cutset cutset = random_cutset(seed, model, var);
        listener l = { -INFINITY, brute_interval(model), 0, -1, seed };
        zb_run run = open_run(NULL, (uint64_t)1 << 30, 1 + (int)(seed % 2));
        zb_run share = zb_run_share(&run, INFINITY, UINT64_MAX, run.threads);
        zb_slices s = { .model = model,
                        .cutset = &cutset,
                        .order = seed % 3 ? natural(model, order) : NULL,
                        .run = &share };
        share.relay = listen;
        share.context = &l;
        body(&s, &l);
        zb_run_close(&run);
        zb_model_free(model);
    }
}

static void check_all(const zb_slices *s, listener *l)
{
    zb_ball z;
    bool complete;
    assert_int_equal(zb_slices_all(s, &z, &complete), ZB_OK);
    CHECK(complete, "seed %" PRIu64 ": incomplete", l->seed);
    CHECK(is_z(z, l->z), "seed %" PRIu64 ": %.17g, not %.17g", l->seed, z.mid,
          l->z.lower);
}

static void all_slices_are_z(void **state)
{
    (void)state;
    for_each_model(SPARSE, 60, check_all);
    for_each_model(DENSE, 20, check_all);
    for_each_model(TIGHT, 80, check_all);
}

static void check_each(const zb_slices *s, listener *l)
{
    const zb_cutset *c = s->cutset;
    int value[4] = { 0 };
    for (int k = c->count; k >= 0;) {
        zb_model *fixed;
        zb_ball z;
        assert_int_equal(zb_model_copy(&fixed, s->model), ZB_OK);
        for (int i = 0; i < c->count; i++)
            assert_int_equal(zb_model_observe(fixed, c->var[i], value[i]), ZB_OK);
        interval naive = brute_interval(fixed);
        assert_int_equal(zb_slice_exact(s, value, NULL, &z), ZB_OK);
        CHECK(is_z(z, naive), "seed %" PRIu64 ": %.17g, not %.17g", l->seed, z.mid,
              naive.lower);
        zb_model_free(fixed);
        for (k = c->count - 1; k >= 0; k--) {
            if (++value[k] < zb_model_card(s->model, c->var[k]))
                break;
            value[k] = 0;
        }
    }
}

static void one_slice_is_the_model_with_evidence(void **state)
{
    (void)state;
    for_each_model(SPARSE, 30, check_each);
    for_each_model(TIGHT, 30, check_each);
}

/* The search moves from positive slices to their neighbours; without zeros it gets
   everywhere. */
static void check_search(const zb_slices *s, listener *l)
{
    int start[4];
    zb_rng rng = zb_rng_seed(l->seed);
    zb_ball sum;
    int64_t solved;
    for (int i = 0; i < s->cutset->count; i++)
        start[i] = zb_rng_below(&rng, zb_model_card(s->model, s->cutset->var[i]));
    assert_int_equal(zb_slices_search(s, start, &sum, &solved), ZB_OK);
    CHECK(zb_down(sum.mid, sum.radius) >= l->last,
          "seed %" PRIu64 ": less than reported", l->seed);
    CHECK(below(sum, l->z), "seed %" PRIu64 ": %.17g > %.17g", l->seed, sum.mid,
          l->z.upper);
    CHECK(solved >= 1 && (double)solved <= s->cutset->slices,
          "seed %" PRIu64 ": %" PRId64 " of %g slices", l->seed, solved,
          s->cutset->slices);
}

static void check_search_everywhere(const zb_slices *s, listener *l)
{
    int start[4] = { 0 };
    zb_ball sum;
    int64_t solved;
    assert_int_equal(zb_slices_search(s, start, &sum, &solved), ZB_OK);
    CHECK((double)solved == s->cutset->slices, "seed %" PRIu64 ": %" PRId64 " of %g",
          l->seed, solved, s->cutset->slices);
    CHECK(is_z(sum, l->z), "seed %" PRIu64 ": %.17g, not %.17g", l->seed, sum.mid,
          l->z.lower);
}

static void searches_stay_below_z(void **state)
{
    (void)state;
    random_spec positive = SPARSE;
    positive.zeros = 0;
    for_each_model(SPARSE, 60, check_search);
    for_each_model(TIGHT, 80, check_search);
    for_each_model(positive, 30, check_search_everywhere);
}

static void check_stopped(const zb_slices *s, listener *l)
{
    zb_ball z;
    bool complete;
    l->most = (int)(l->seed % 3);
    assert_int_equal(zb_slices_all(s, &z, &complete), ZB_OK);
    CHECK(zb_down(z.mid, z.radius) >= l->last && below(z, l->z), "seed %" PRIu64,
          l->seed);
    CHECK(!complete || is_z(z, l->z), "seed %" PRIu64 ": not complete", l->seed);
    CHECK(l->calls <= l->most + 1, "seed %" PRIu64 ": did not stop", l->seed);
}

static void check_late(const zb_slices *s, listener *l)
{
    zb_slices late = *s;
    int start[4] = { 0 };
    zb_ball z;
    bool complete;
    int64_t solved;
    zb_run over = zb_run_share(s->run, zb_now() - 1, UINT64_MAX, 1);
    late.run = &over;
    assert_int_equal(zb_slices_all(&late, &z, &complete), ZB_OK);
    CHECK(!complete && z.mid == -INFINITY, "seed %" PRIu64 ": an answer without time",
          l->seed);
    assert_int_equal(zb_slices_search(&late, start, &z, &solved), ZB_OK);
    CHECK(solved == 0 && z.mid == -INFINITY, "seed %" PRIu64, l->seed);
}

/* Slices that do not fit the memory are left out, never counted as zero. */
static void check_cramped(const zb_slices *s, listener *l)
{
    zb_slices cramped = *s;
    zb_ball z;
    bool complete;
    zb_run small = zb_run_share(s->run, INFINITY, 1, 1);
    cramped.run = &small;
    assert_int_equal(zb_slices_all(&cramped, &z, &complete), ZB_OK);
    CHECK(below(z, l->z), "seed %" PRIu64, l->seed);
    CHECK(!complete || is_z(z, l->z), "seed %" PRIu64 ": %.17g, not %.17g", l->seed,
          z.mid, l->z.lower);
}

static void ends_early_with_a_lower_bound(void **state)
{
    (void)state;
    for_each_model(SPARSE, 30, check_stopped);
    for_each_model(SPARSE, 20, check_late);
    for_each_model(DENSE, 30, check_cramped);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        int var[4];
        zb_model *model = random_model(seed, DENSE);
        zb_cutset cutset = random_cutset(seed, model, var);
        zb_ball z[2];
        bool complete;
        for (int i = 0; i < 2; i++) {
            zb_run run = open_run(NULL, 0, 1 + 2 * i);
            zb_slices s = { .model = model, .cutset = &cutset, .run = &run };
            assert_int_equal(zb_slices_all(&s, &z[i], &complete), ZB_OK);
            zb_run_close(&run);
        }
        CHECK(z[0].mid == z[1].mid && z[0].radius == z[1].radius,
              "seed %" PRIu64 ": %.17g, %.17g", seed, z[0].mid, z[1].mid);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_slices_are_z),
        cmocka_unit_test(one_slice_is_the_model_with_evidence),
        cmocka_unit_test(searches_stay_below_z),
        cmocka_unit_test(ends_early_with_a_lower_bound),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
