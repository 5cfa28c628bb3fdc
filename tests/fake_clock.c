#include "fake_clock.h"

#include "mem_fail.h"
#include "test.h"

static _Atomic long looks;
static long done; /* when the work was; 0: at its end */

double zb_now(void) { return 1e-3 * (double)++looks; }

long fake_clock_looks(void) { return looks; }

void fake_clock_done(void) { done = looks; }

void fake_clock_run(zb_run *run, long k)
{
    assert_int_equal(zb_run_open(run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    run->deadline = 1e-3 * ((double)(looks + k) - 0.5);
}

/* One run that ends at look k; true when it was over by the time the work was. */
static bool stop_at(zb_status (*work)(void *context, zb_run *run), void *context,
                    long k, long most, stop_result *out)
{
    const long live = zb_test_allocs_live, start = looks;
    zb_run run;
    fake_clock_run(&run, k);
    done = 0;
    zb_status status = work(context, &run);
    long after = (done > 0 ? done : looks) - start - k;
    CHECK(status == ZB_OK || status == ZB_ELIMIT, "stopped at look %ld: %s", k,
          zb_status_text(status));
    CHECK(status == ZB_OK || after >= 0, "gave up before it was stopped at look %ld",
          k);
    CHECK(after <= most, "went on for %ld looks after look %ld", after, k);
    CHECK(zb_test_allocs_live == live,
          "stopped at look %ld, %ld allocations were leaked", k,
          zb_test_allocs_live - live);
    zb_run_close(&run);
    out->refused += status == ZB_ELIMIT;
    out->stopped += after >= 0;
    return after >= 0;
}

stop_result stop_everywhere(zb_status (*work)(void *context, zb_run *run),
                            void *context, long points, long most)
{
    stop_result out = { 0 };
    zb_run run;
    long start = looks;
    fake_clock_run(&run, 1L << 40);
    done = 0;
    assert_int_equal(work(context, &run), ZB_OK);
    zb_run_close(&run);
    out.looks = (done > 0 ? done : looks) - start;
    for (long i = 0; i < points; i++)
        stop_at(work, context, i * (out.looks + 1) / points, most, &out);
    return out;
}
