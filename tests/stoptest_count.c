/* A count that is stopped anywhere: a bracket of what brute force sums. */
#include "base/rng.h"
#include "count/count.h"
#include "fake_clock.h"
#include "oracle.h"
#include "test.h"

enum { N = 18, POINTS = 40, PROMPT = 60 };

typedef struct job {
    zb_model *model;
    int order[N];
    interval z;
    int levels; /* -1: without a limit */
    int open;   /* times that a bracket was left open, and finite */
} job;

static zb_status count(void *context, zb_run *run)
{
    job *j = context;
    zb_count_spec spec = { .memory = 1 << 22, .run = run };
    zb_counter *c;
    zb_count_result r;
    zb_status status;
    TRY(zb_counter_new(&c, j->model, j->order, &spec));
    status = j->levels < 0 ? zb_counter_run(c, run, &r)
                           : zb_counter_look(c, run, j->levels, &r);
    fake_clock_done();
    zb_counter_free(c);
    TRY(status);
    CHECK(is_below(zb_down(r.log_z, r.radius), j->z) && is_above(r.log_most, j->z),
          "%.17g .. %.17g, not %.17g", r.log_z, r.log_most, j->z.upper);
    j->open += !r.complete && r.log_most < INFINITY;
done:
    return status;
}

/* Clauses of three or tables with weights and zeros. */
static zb_model *random_formula(uint64_t seed, bool weights)
{
    zb_rng rng = zb_rng_seed(seed);
    int card[N], order[N];
    zb_model *model;
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int i = 0; i < 2 * N; i++) {
        double value[8] = { 0 };
        for (int v = 0; v < N; v++)
            order[v] = v;
        zb_rng_shuffle(&rng, N, order);
        for (int k = 0; k < 8 && weights; k++)
            value[k] = zb_rng_uniform(&rng);
        value[zb_rng_below(&rng, 8)] = -INFINITY;
        assert_int_equal(zb_model_add_log(model, 3, order, value), ZB_OK);
    }
    return model;
}

static void counts_are_brackets(void **state)
{
    (void)state;
    int open = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        job j = { .model = random_formula(seed, seed % 2),
                  .levels = seed < 3 ? -1 : 5 };
        for (int v = 0; v < N; v++)
            j.order[v] = v;
        j.z = brute_interval(j.model);
        stop_result r = stop_everywhere(count, &j, POINTS, PROMPT);
        CHECK(r.stopped > 0, "%ju: none was stopped", (uintmax_t)seed);
        open += j.open;
        zb_model_free(j.model);
    }
    CHECK(open > POINTS / 2, "only %d brackets", open);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_are_brackets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
