/* Counting when memory runs out: no memory, or the right answer. */
#include "count/count.h"
#include "base/rng.h"
#include "mem_fail.h"
#include "oracle.h"
#include "test.h"

typedef struct job {
    zb_model *model;
    int order[16];
    double z;
} job;

static zb_status run(void *context)
{
    job *j = context;
    zb_count_spec spec = { .memory = 1 << 20, .memo = 1 << 16 };
    zb_count_result r;
    zb_status status = zb_count_run(j->model, j->order, &spec, &r);
    if (status == ZB_OK)
        CHECK(r.complete && close_to(r.log_z, j->z, 1e-9), "%.17g is not %.17g",
              r.log_z, j->z);
    return status;
}

static zb_model *model_with_zeros(uint64_t seed, int n)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[16];
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = 2 + (v % 3 == 0);
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int f = 0; f < 2 * n; f++) {
        int scope[16];
        double value[27];
        for (int v = 0; v < n; v++)
            scope[v] = v;
        zb_rng_shuffle(&rng, n, scope);
        for (int i = 0; i < 27; i++)
            value[i] = zb_rng_below(&rng, 6) == 0   ? -INFINITY
                       : zb_rng_below(&rng, 2) == 0 ? 0
                                                    : zb_rng_uniform(&rng);
        assert_int_equal(zb_model_add_log(model, 3, scope, value), ZB_OK);
    }
    return model;
}

static void every_allocation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        job j = { .model = model_with_zeros(seed, 10) };
        for (int v = 0; v < 10; v++)
            j.order[v] = v;
        j.z = brute_force(j.model);
        CHECK(fail_each_allocation(run, &j) > 30, "seed %d: few allocations",
              (int)seed);
        zb_model_free(j.model);
    }
}

/* With any limit: refused, a lower bound, or the answer, and never more memory than was
   given but for the heads of the structures. */
static void the_limit_holds(void **state)
{
    (void)state;
    enum { N = 50, HEADS = 4096 };
    zb_model *model = random_3cnf(N, 150, 5);
    int order[N], refused = 0, partial = 0, complete = 0;
    double z = 0;
    for (int v = 0; v < N; v++)
        order[v] = v;
    for (uint64_t memory = 1 << 24; memory >= 1 << 12; memory -= memory / 8) {
        zb_count_spec spec = { .memory = memory, .wide = true };
        zb_count_result r;
        long before = zb_test_bytes_peak = zb_test_bytes_live;
        zb_status status = zb_count_run(model, order, &spec, &r);
        long most = zb_test_bytes_peak - before;
        CHECK(most <= (long)memory + HEADS, "%ld bytes of %ld", most, (long)memory);
        assert_true(status == ZB_OK || status == ZB_ELIMIT);
        assert_int_equal(zb_test_bytes_live, before);
        if (z == 0)
            z = r.log_z;
        refused += status == ZB_ELIMIT;
        complete += status == ZB_OK && r.complete;
        partial += status == ZB_OK && !r.complete;
        CHECK(status != ZB_OK || (zb_down(r.log_z, r.radius) <= z &&
                                  (!r.complete || close_to(r.log_z, z, 1e-9))),
              "%.17g, not %.17g", r.log_z, z);
    }
    CHECK(refused > 0 && complete > 0, "%d refused, %d partial, %d complete", refused,
          partial, complete);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation),
                                        cmocka_unit_test(the_limit_holds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
