/* A certificate is written down in time: a call that its clock ends at any look returns
   promptly, with the bounds that it has and, if there was time left, their proof. */
#include "fake_clock.h"
#include "oracle.h"
#include "certificate/certificate.h"
#include "test.h"
#include "tighten/minibucket.h"

#include <string.h>

enum { POINTS = 12, PROMPT = 12 };

typedef struct job {
    zb_model *model;
    zb_proofs *proofs;
    int written, empty;
} job;

static zb_model *grid(int n)
{
    zb_ising_spec spec = {
        .rows = n, .cols = n, .coupling = 0.5, .field = 0.5, .seed = 1
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

/* All of the work is writing: what is proved was found before. */
static zb_status write_down(void *context, zb_run *run)
{
    job *j = context;
    zb_certificate *made;
    assert_int_equal(zb_certificate_new(&made, j->model), ZB_OK);
    zb_certificate_share(made, run);
    zb_status status = zb_certificate_prove(made, j->proofs, ZB_SIDE_BOTH);
    assert_int_equal(status, ZB_OK);
    if (zb_certificate_is_empty(made))
        j->empty++;
    else
        j->written++;
    zb_certificate_free(made);
    return status;
}

static void check(job *j, const char *what)
{
    stop_result r = stop_everywhere(write_down, j, POINTS, PROMPT);
    CHECK(r.looks >= 5, "%s: %ld looks are too few to be stopped at", what, r.looks);
    CHECK(j->written >= 1 && j->empty >= POINTS / 2 && j->empty >= r.stopped,
          "%s: %d written, %d not", what, j->written, j->empty);
}

/* Mini-buckets on both sides, and nothing at all: the bounds that need no work. */
static void writing(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    zb_state *kept;
    zb_run run;
    zb_result r = { 0 };
    job j = { .model = grid(60) };
    zb_parts parts = { .given = j.model, .count = 1, .part = &j.model };
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.order = ZB_ORDER_NATURAL;
    opt.form = ZB_FORM_ORIGINAL;
    opt.ibound = 3;
    opt.iterations = 1;
    opt.threads = 1;
    opt.time = INFINITY;
    assert_int_equal(zb_proofs_new(&j.proofs, &parts), ZB_OK);
    check(&j, "nothing found");
    fake_clock_run(&run, 1L << 40);
    zb_search s = { .model = j.model, .opt = &opt, .run = &run };
    assert_int_equal(zb_minibucket_solve(&s, &kept, &r, NULL), ZB_OK);
    zb_run_close(&run);
    assert_int_equal(zb_proofs_state(j.proofs, kept, false), ZB_OK);
    j.written = j.empty = 0;
    check(&j, "mini-buckets");
    zb_state_free(kept);
    zb_proofs_free(j.proofs);
    zb_model_free(j.model);
}

static bool count_notes(void *context, const zb_progress *at)
{
    (void)context, (void)at;
    return true;
}

static void note(void *context, const char *sentence)
{
    *(int *)context += strstr(sentence, "no certificate") != NULL;
}

/* The whole call, a millisecond of its clock for every look: never more than 0.1 s
   behind its limit, and without a proof only if a note says so. */
static void calls_keep_their_time(void **state)
{
    static const zb_method methods[] = { ZB_METHOD_AUTO, ZB_METHOD_WMBE_WTHETA,
                                         ZB_METHOD_MF };
    (void)state;
    zb_model *model = grid(30);
    int proved = 0, notes = 0;
    zb_observer observer = { .progress = count_notes, .note = note, .context = &notes };
    for (int k = 0; k < 12; k++) {
        zb_options opt = zb_options_default();
        zb_certificate *made;
        zb_result r;
        int before = notes;
        opt.method = methods[k % 3];
        opt.time = 0.05 * (1 << k / 3);
        opt.threads = 1;
        long start = fake_clock_looks();
        zb_status status = zb_solve_certified(model, &opt, &observer, &made, &r, NULL);
        double seconds = 1e-3 * (double)(fake_clock_looks() - start);
        CHECK(seconds <= fmax(opt.time, 0.1 + 0.5 * opt.time) + 0.1, "%s: %g of %g s",
              zb_method_name(opt.method), seconds, opt.time);
        CHECK(status == ZB_OK || status == ZB_ELIMIT, "%s", zb_status_text(status));
        CHECK(status != ZB_OK || (made != NULL) == (notes == before),
              "%s: %d notes, and a proof or none", zb_method_name(opt.method),
              notes - before);
        proved += made != NULL;
        zb_certificate_free(made);
    }
    CHECK(proved >= 4, "%d calls proved something", proved);
    zb_model_free(model);
}

/* Told to stop, it still has as long as a forecast says. */
static bool stop_soon(void *context, const zb_progress *at)
{
    (void)at;
    return ++*(int *)context < 3;
}

static void interrupted_calls_write(void **state)
{
    (void)state;
    zb_model *model = grid(30);
    zb_options opt = zb_options_default();
    zb_certificate *made;
    zb_result r;
    int reports = 0;
    zb_observer observer = { .progress = stop_soon, .context = &reports };
    opt.time = 0;
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.threads = 1;
    opt.ibound = 4;
    opt.iterations = 1000000;
    assert_int_equal(zb_solve_certified(model, &opt, &observer, &made, &r, NULL),
                     ZB_OK);
    assert_int_equal(r.stop, ZB_STOP_INTERRUPTED);
    assert_non_null(made);
    zb_certificate_free(made);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(calls_keep_their_time),
        cmocka_unit_test(interrupted_calls_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
