/* The default method. The model is reduced and cut into components; each is solved
 * exactly where memory and time allow, one slice at a time where only time does, and
 * bracketed otherwise, in rounds of growing length: whoever stops the run gets about
 * what the time so far could buy. Within a round come first small mini-buckets and
 * every kind of candidate, then the kind that did best and the largest mini-buckets
 * that the round can pay for. Every number seen on the way is a proved bound; the
 * ledger keeps the best. */
#include "auto/auto.h"

#include "auto/bracket.h"
#include "auto/counting.h"
#include "auto/draws.h"
#include "auto/helpers.h"
#include "base/account.h"
#include "model/table.h"
#include "symmetry/turn.h"

/* ---- the state ------------------------------------------------------------------- */

bool zb_steer_limited(const zb_steer *p) { return isfinite(p->ledger.work.deadline); }

double zb_steer_left(const zb_steer *p) { return zb_run_left(&p->ledger.work); }

const zb_model *zb_steer_model(const zb_steer *p) { return p->job->part[p->now]; }

const int *zb_steer_order(const zb_steer *p) { return p->job->order[p->now]; }

bool zb_steer_wanted(const zb_steer *p, zb_side side)
{
    return p->opt->side == ZB_SIDE_BOTH || p->opt->side == side;
}

bool zb_steer_is_open(zb_steer *p, int i)
{
    return !zb_ledger_claim(&p->ledger, i).exact;
}

bool zb_steer_open(zb_steer *p, zb_side side)
{
    return zb_steer_wanted(p, side) && zb_steer_is_open(p, p->now) &&
           zb_run_more(&p->ledger.work);
}

bool zb_steer_goes_on(zb_steer *p)
{
    return zb_run_more(&p->ledger.work) && !zb_ledger_total(&p->ledger).exact;
}

zb_run zb_steer_share(zb_steer *p, double seconds, uint64_t memory, int threads)
{
    return zb_run_share(&p->ledger.work, zb_now() + seconds, memory, threads);
}

static bool on_lower(void *context, const zb_progress *at)
{
    const zb_lower_share *t = context;
    zb_steer *p = t->steer;
    zb_side side = p->opt->side == ZB_SIDE_UPPER ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
    double lower = p->proofs == NULL ? at->log_lower : -INFINITY;
    return zb_ledger_bound(&p->ledger, p->now, lower, INFINITY, t->by) &&
           zb_steer_open(p, side);
}

void zb_steer_share_lower(zb_lower_share *t, zb_steer *p, const char *by, zb_run share)
{
    *t = (zb_lower_share){ .steer = p, .by = by, .share = share };
    t->share.relay = on_lower;
    t->share.context = t;
}

bool zb_steer_has_zeros(const zb_steer *p)
{
    const zb_model *model = zb_steer_model(p);
    for (int f = 0; f < model->nfactors; f++)
        if (zb_factor_extremes(&model->factor[f]).zero)
            return true;
    return false;
}

/* ---- rounds ---------------------------------------------------------------------- */

/* All open components, for so many seconds in all. */
static zb_status run_round(zb_steer *p, double seconds)
{
    double end = zb_now() + seconds;
    zb_status status = ZB_OK;
    int open = 0;
    bool hurried = false;
    for (int i = 0; i < p->job->count; i++)
        open += zb_steer_is_open(p, i);
    for (int i = 0; i < p->job->count && zb_steer_goes_on(p); i++) {
        if (!zb_steer_is_open(p, i))
            continue;
        p->now = i;
        p->hurried = true; /* unless it gets to its end */
        double share = isfinite(seconds) ? (end - zb_now()) / open : INFINITY;
        if (share > 0)
            TRY(zb_bracket_run(p, share));
        hurried = hurried || (p->hurried && zb_steer_is_open(p, i));
        open--;
    }
    p->hurried = hurried;
done:
    return status;
}

zb_status zb_stage_bracket(zb_steer *p, const zb_stage *stage)
{
    return zb_steer_goes_on(p) ? run_round(p, zb_steer_allow(p, stage).seconds) : ZB_OK;
}

zb_status zb_stage_rounds(zb_steer *p, const zb_stage *stage)
{
    zb_status status = ZB_OK;
    (void)stage;
    for (double seconds = ZB_STEERING.round_first; zb_steer_goes_on(p) && !p->last;
         seconds *= ZB_STEERING.round_ratio) {
        double left = zb_steer_left(p);
        p->last = !zb_steer_limited(p) || left < ZB_STEERING.round_ratio * seconds;
        TRY(run_round(p, p->last ? left : seconds));
    }
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

static zb_status open_proofs(zb_steer *p, const zb_model *model)
{
    zb_parts parts = { .given = model,
                       .reduction = p->job->reduction,
                       .count = p->job->count,
                       .part = p->job->part,
                       .part_of = p->job->part_of,
                       .order = p->job->order };
    p->ledger.whole.lower = -INFINITY; /* what is known of the parts has a proof */
    p->ledger.whole.upper = INFINITY;
    return zb_proofs_new(&p->proofs, &parts);
}

static zb_status prepare(zb_steer *p, const zb_model *model, bool certified,
                         zb_error *err)
{
    zb_options plain = *p->opt;
    double effort =
        fmin(ZB_STEERING.order_most,
             fmax(ZB_STEERING.order_least, ZB_STEERING.order_share * p->opt->time));
    zb_status status;
    if (plain.order != ZB_ORDER_FILE)
        plain.order = ZB_ORDER_AUTO;
    /* in a certificate there is no step for it; for want of memory all stays */
    if (!certified && zb_turn_fix(&p->fixed, model, &p->ledger.work) == ZB_OK &&
        p->fixed != NULL)
        model = p->fixed;
    TRY((certified ? zb_exact_job_traced : zb_exact_job_searched)(
        &p->job, model, &plain, effort, &p->ledger.work, err));
    if (certified)
        TRY(open_proofs(p, model));
    TRY(zb_ledger_parts(&p->ledger, p->job->count, p->job->part));
    TRY(zb_draws_open(p));
    p->bracket = zb_calloc((size_t)p->job->count, sizeof *p->bracket);
    TRY(p->bracket != NULL ? ZB_OK : ZB_ENOMEM);
    p->memory = (uint64_t)(0.9 * fmin((double)p->ledger.work.memory,
                                      (double)zb_account_left()));
done:
    return status;
}

zb_allowance zb_steer_allow(const zb_steer *p, const zb_stage *stage)
{
    double left = zb_steer_left(p);
    if (!zb_steer_limited(p))
        return (zb_allowance){ .forecast = stage->unlimited, .seconds = INFINITY };
    return (zb_allowance){ .forecast = fmin(stage->most, stage->forecast * left),
                           .seconds = fmin(stage->most, stage->share * left) };
}

static zb_status work(zb_steer *p, const zb_model *model, bool certified, zb_error *err)
{
    zb_status status;
    zb_ledger_tell(&p->ledger);
    TRY(zb_model_observed(model) ? ZB_ENOMEM : ZB_OK); /* see solve.c */
    TRY(prepare(p, model, certified, err));
    for (const zb_stage *s = ZB_STEERING.stage; s->run != NULL; s++)
        if (zb_steer_limited(p) || s->unlimited > 0)
            TRY(s->run(p, s));
done:
    return status;
}

static zb_stop why(zb_steer *p, bool exact, bool no_memory)
{
    if (exact)
        return ZB_STOP_EXACT;
    if (zb_run_interrupted(p->ledger.run))
        return ZB_STOP_INTERRUPTED;
    if (no_memory || p->short_of)
        return ZB_STOP_MEMORY;
    bool late = zb_steer_limited(p) && (p->hurried || zb_steer_left(p) <= 0);
    return late ? ZB_STOP_TIME : ZB_STOP_CONVERGED;
}

static void fill(zb_steer *p, zb_result *out, bool no_memory)
{
    zb_claim all = zb_ledger_total(&p->ledger);
    out->has_lower = zb_steer_wanted(p, ZB_SIDE_LOWER);
    out->has_upper = zb_steer_wanted(p, ZB_SIDE_UPPER);
    out->log_lower = out->has_lower ? all.lower : -INFINITY;
    out->log_upper = out->has_upper ? all.upper : INFINITY;
    out->guaranteed = true;
    out->exact = all.exact;
    if (all.exact) /* else that of the mini-buckets, which is known already */
        out->rounding = all.lower > -INFINITY ? (all.upper - all.lower) / 2 : 0;
    out->iterations = p->ledger.iterations[ZB_SIDE_UPPER];
    if (p->ledger.iterations[ZB_SIDE_LOWER] > out->iterations)
        out->iterations = p->ledger.iterations[ZB_SIDE_LOWER];
    out->stop = why(p, all.exact, no_memory);
    out->method = ZB_METHOD_AUTO;
    if (p->job == NULL)
        return;
    out->width = p->job->all.width;
    if (all.exact) {
        out->form = ZB_FORM_ORIGINAL;
        out->ibound = out->width + 1;
        out->upper_by = out->lower_by = (zb_recipe){ .method = ZB_METHOD_BE,
                                                     .form = ZB_FORM_ORIGINAL,
                                                     .ibound = out->ibound };
    }
    zb_draws_fill(p, out);
    zb_exact_job_describe(p->job, out);
    out->exact_seconds = zb_steer_exact_seconds(p, p->job->all.total);
}

/* The bracket stands without its certificate. */
static zb_status prove(zb_steer *p, zb_certificate *certificate, bool no_memory)
{
    zb_status status = no_memory ? ZB_ENOMEM : ZB_ELIMIT;
    if (p->proofs != NULL)
        status = zb_certificate_prove(certificate, p->proofs, p->opt->side);
    if (status == ZB_ELIMIT || status == ZB_ENOMEM)
        zb_run_note(p->ledger.run,
                    status == ZB_ENOMEM
                        ? "no certificate: there was not the memory to write one"
                        : "no certificate: the time was over before the model was "
                          "reduced");
    return status == ZB_ELIMIT || status == ZB_ENOMEM ? ZB_OK : status;
}

static void close_brackets(zb_steer *p)
{
    for (int i = 0; p->bracket != NULL && i < p->job->count; i++)
        zb_bracket_free(p->bracket[i]);
    zb_free(p->bracket);
}

/* A shortage of time or memory ends the work, not the answer: there is a bracket from
   the first moment on. */
zb_status zb_solve_auto(const zb_model *model, const zb_options *opt, zb_run *run,
                        zb_certificate *certificate, zb_result *out, zb_error *err)
{
    zb_steer p = { .opt = opt, .err = err, .out = out };
    zb_status status;
    if (pthread_mutex_init(&p.describe, NULL) != 0)
        return ZB_ENOMEM;
    TRY(zb_ledger_open(&p.ledger, model, run));
    if (zb_run_keep(run) != NULL)
        zb_ledger_restore(&p.ledger, zb_run_keep(run));
    status = work(&p, model, certificate != NULL, err);
    zb_helpers_end(&p);
    bool no_memory = status == ZB_ENOMEM;
    fill(&p, out, no_memory);
    if (status == ZB_ELIMIT || status == ZB_ENOMEM)
        status = zb_fail(err, ZB_OK, "%s", "");
    if (p.ledger.broken)
        status = zb_fail(err, ZB_EBUG, "%s", p.ledger.contradiction.text);
    if (certificate != NULL && status == ZB_OK)
        status = prove(&p, certificate, no_memory);
    zb_ledger_close(&p.ledger);
done:
    zb_counting_close(&p);
    close_brackets(&p);
    zb_draws_close(&p);
    zb_proofs_free(p.proofs);
    zb_exact_job_free(p.job);
    zb_model_free(p.fixed);
    pthread_mutex_destroy(&p.describe);
    return status;
}
