/* Counting when memory runs out: no memory, or the right answer. */
#include "auto/count.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
