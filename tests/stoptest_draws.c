/* Draws inside method auto, stopped at any time: they end promptly, leave nothing
   behind, and what was proved until then holds. */
#include "fake_clock.h"
#include "steered.h"

typedef struct job {
    zb_model *model;
    zb_options opt;
    double log_z;
} job;

static zb_status draw_all(void *context, zb_run *run)
{
    job *j = context;
    steered s;
    zb_status status = steered_open(&s, j->model, &j->opt, run);
    if (status == ZB_OK)
        status = steered_draw(&s, 4, 3);
    fake_clock_done();
    if (s.p.ledger.count > 0) {
        zb_claim all = zb_ledger_total(&s.p.ledger);
        CHECK(all.lower < j->log_z && all.upper > j->log_z, "[%.17g, %.17g]", all.lower,
              all.upper);
    }
    steered_close(&s);
    return status;
}

static void test_draws_stop(void **state)
{
    zb_ising_spec spec = {
        .rows = 14, .cols = 14, .coupling = 1, .field = 0.1, .seed = 3
    };
    job j = { .opt = zb_options_default() };
    zb_result exact;
    (void)state;
    assert_int_equal(zb_generate_ising(&j.model, &spec), ZB_OK);
    j.opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(j.model, &j.opt, NULL, &exact, NULL), ZB_OK);
    j.log_z = 0.5 * (exact.log_lower + exact.log_upper);
    j.opt.threads = 1;
    /* the passes of a slice look at the clock at every node, also on their way out:
       once for each of 196 variables */
    stop_result r = stop_everywhere(draw_all, &j, 30, 220);
    CHECK(r.looks > 100 && r.stopped >= 15, "%ld looks, %ld stopped", r.looks,
          r.stopped);
    zb_model_free(j.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_draws_stop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
