/* One run of method auto by hand: its components, with upper bounds by mini-buckets
 * that are as small as a test wants them. */
#ifndef ZB_TEST_STEERED_H
#define ZB_TEST_STEERED_H

#include "auto/draws.h"
#include "auto/states.h"
#include "test.h"
#include "within.h"

typedef struct steered {
    zb_run own;
    zb_run *run;
    zb_result result;
    zb_steer p;
} steered;

/* The model has no evidence. run may be NULL: one without limits. */
static inline zb_status steered_open(steered *s, const zb_model *model,
                                     const zb_options *opt, zb_run *run)
{
    zb_status status;
    *s = (steered){ .result.log_lower = -INFINITY, .result.log_upper = INFINITY };
    (void)zb_run_open(&s->own, NULL, INFINITY, UINT64_MAX, opt->threads);
    s->run = run != NULL ? run : &s->own;
    s->p = (zb_steer){ .opt = opt, .out = &s->result, .memory = (uint64_t)1 << 28 };
    TRY(zb_ledger_open(&s->p.ledger, model, s->run));
    TRY(zb_exact_job_new(&s->p.job, model, opt, 0.01, &s->p.ledger.work, NULL));
    TRY(zb_ledger_parts(&s->p.ledger, s->p.job->count, s->p.job->part));
    TRY(zb_draws_open(&s->p));
done:
    return status;
}

static inline void steered_close(steered *s)
{
    zb_draws_close(&s->p);
    zb_exact_job_free(s->p.job);
    zb_ledger_close(&s->p.ledger);
    zb_run_close(&s->own);
}

/* An upper bound of the component at work, entered and offered. FORNEY: with gauges. */
static inline zb_status steered_bound(steered *s, zb_form form, int ibound,
                                      uint64_t seed)
{
    zb_steer *p = &s->p;
    zb_attempt *a = NULL;
    zb_stop stop;
    zb_status status;
    zb_attempt_spec spec = { .form = form,
                             .order = ZB_ORDER_RANDOM,
                             .seed = seed,
                             .ibound = ibound,
                             .tighten = { .side = ZB_SIDE_UPPER,
                                          .weights = true,
                                          .theta = true,
                                          .gauges = form == ZB_FORM_FORNEY,
                                          .threads = 1 } };
    zb_descent descent = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                           .rates = { { 0.2, 0.1, 0.2 } },
                           .iterations = (int64_t)(seed % 5) + 5 * spec.tighten.gauges,
                           .tolerance = -1,
                           .run = &p->ledger.work };
    TRY(zb_attempt_new(&a, zb_steer_model(p), &spec, &p->ledger.work, NULL));
    TRY(zb_attempt_descend(a, descent, &stop));
    zb_ledger_bound(&p->ledger, p->now, -INFINITY, a->bound, "mini-buckets");
    TRY(zb_draws_offer(p, a, p->ledger.work.threads));
done:
    zb_attempt_free(a);
    return status;
}

/* A gauged source for each component, and draws from it. */
static inline zb_status steered_gauged(steered *s, int ibound, uint64_t seed)
{
    zb_status status = ZB_OK;
    for (s->p.now = 0; s->p.now < s->p.job->count; s->p.now++) {
        TRY(steered_bound(s, ZB_FORM_FORNEY, ibound, seed));
        TRY(zb_draws_run(&s->p, INFINITY, s->p.ledger.work.threads));
        TRY(zb_run_more(s->run) ? ZB_OK : ZB_ELIMIT);
    }
done:
    return status;
}

/* Two sources for each component, draws from both, sums around the best state; as far
   as the run's time goes. */
static inline zb_status steered_draw(steered *s, int ibound, uint64_t seed)
{
    zb_status status = ZB_OK;
    for (s->p.now = 0; s->p.now < s->p.job->count; s->p.now++)
        for (int k = 0; k < 2; k++) {
            TRY(steered_bound(s, ZB_FORM_ORIGINAL, ibound + k, seed + (uint64_t)k));
            TRY(zb_draws_run(&s->p, INFINITY, s->p.ledger.work.threads));
            TRY(zb_run_more(s->run) ? ZB_OK : ZB_ELIMIT);
            TRY(zb_states_run(&s->p, INFINITY));
            TRY(zb_run_more(s->run) ? ZB_OK : ZB_ELIMIT);
        }
done:
    return status;
}

#endif
