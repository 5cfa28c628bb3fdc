/* Marginals and the best state when memory runs out: ZB_ENOMEM, and nothing left
 * behind.
 */
#include "mem_fail.h"
#include "oracle.h"
#include "test.h"

#include <inttypes.h>

typedef struct job {
    zb_model *model;
    zb_options opt;
} job;

static zb_status marginals(void *context)
{
    job *j = context;
    zb_marginals_request all = { .pairs = true };
    zb_marginals *m = NULL;
    zb_status status = zb_marginals_new(&m, j->model, &j->opt, &all, NULL, NULL);
    CHECK((m != NULL) == (status == ZB_OK), "status %d", status);
    zb_marginals_free(m);
    return status;
}

static zb_status best(void *context)
{
    job *j = context;
    zb_best b;
    int state[32];
    zb_status status = zb_best_state(j->model, &j->opt, NULL, state, &b, NULL);
    CHECK(status == ZB_OK || (!b.found && b.log_upper == INFINITY), "status %d",
          status);
    return status;
}

static zb_options options(int ibound)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.ibound = ibound;
    opt.iterations = 3;
    opt.threads = 1;
    return opt;
}

static void exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        job j = { random_model(seed, (random_spec){ 8, 3, 10, 3, 0, 2, true }),
                  options(0) };
        CHECK(fail_each_allocation(marginals, &j) > 20, "seed %" PRIu64, seed);
        CHECK(fail_each_allocation(best, &j) > 20, "seed %" PRIu64, seed);
        zb_model_free(j.model);
    }
}

static void bounds(void **state)
{
    (void)state;
    zb_ising_spec spec = {
        .rows = 4, .cols = 4, .coupling = 1, .field = 0.3, .seed = 3
    };
    job j = { .opt = options(3) };
    assert_int_equal(zb_generate_ising(&j.model, &spec), ZB_OK);
    fail_many_allocations(marginals, &j, 200);
    fail_many_allocations(best, &j, 200);
    zb_model_free(j.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
