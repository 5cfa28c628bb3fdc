/* The front door: one model, one set of options, one method. */
#include "auto/auto.h"
#include "auto/confirm.h"
#include "base/account.h"
#include "base/method.h"
#include "tighten/minibucket.h"
#include "baseline/solve_baselines.h"
#include "count/solve_count.h"
#include "exact/solve_exact.h"
#include "ranks/keep.h"
#include "ranks/ranks.h"

static zb_status check_state(const zb_model *model, zb_method method,
                             const zb_state *from, zb_error *err)
{
    if (!zb_method_has_state(method))
        return zb_fail(err, ZB_EINVAL,
                       "method '%s' has no state to keep or to start from: name one of "
                       "mbe, wmbe, .. wmbe-wg",
                       zb_method_name(method));
    if (from != NULL && from->nvars != model->nvars)
        return zb_fail(err, ZB_EINVAL,
                       "the state is of a model with %d variables, this one has %d",
                       from->nvars, model->nvars);
    return ZB_OK;
}

/* An order from outside names every variable once. */
static zb_status check_order(const zb_model *model, const int *order, zb_error *err)
{
    bool *seen = zb_calloc((size_t)model->nvars, sizeof *seen);
    zb_status status = seen != NULL ? ZB_OK : ZB_ENOMEM;
    for (int i = 0; i < model->nvars && status == ZB_OK; i++) {
        int v = order[i];
        if (v < 0 || v >= model->nvars || seen[v])
            status = zb_fail(err, ZB_EINVAL,
                             "option 'order': expected each of %d variables once, "
                             "found %d at position %d",
                             model->nvars, v, i);
        else
            seen[v] = true;
    }
    zb_free(seen);
    return status;
}

/* Everything that can be wrong with what the caller gave, before any work is done. */
static zb_status check(const zb_model *model, const zb_options *opt,
                       const zb_state *from, bool keep, zb_error *err)
{
    zb_status status;
    TRY(zb_options_check(opt, err));
    if (opt->order == ZB_ORDER_FILE)
        TRY(check_order(model, opt->order_list, err));
    if (from != NULL || keep)
        TRY(check_state(model, opt->method, from, err));
done:
    return status;
}

typedef struct call { /* what zb_solve_with was given */
    const zb_model *model;
    const zb_state *from;
    zb_state **to;
    zb_certificate *proof; /* NULL: not asked for */
    const zb_observer *observer;
    zb_result *out;
    zb_error *err;
} call;

static zb_status dispatch(const call *c, const zb_options *opt, zb_run *run)
{
    switch (zb_method_find(opt->method)->solver) {
    case ZB_SOLVER_AUTO:
        return zb_solve_auto(c->model, opt, run, c->proof, c->out, c->err);
    case ZB_SOLVER_EXACT:
        return zb_solve_exact(c->model, opt, run, NULL, c->out, c->err);
    case ZB_SOLVER_BASELINE:
        return zb_solve_baseline(c->model, opt, run, NULL, c->out, c->err);
    case ZB_SOLVER_COUNT: return zb_solve_count(c->model, opt, run, c->out, c->err);
    case ZB_SOLVER_BUCKETS: break;
    }
    zb_search s = { .model = c->model, .opt = opt, .run = run, .from = c->from };
    return zb_minibucket_solve(&s, c->to, c->out, c->err);
}

/* ---- with a certificate ---------------------------------------------------------- */

static zb_side sides_of(const zb_result *r)
{
    if (r->has_lower && r->has_upper)
        return ZB_SIDE_BOTH;
    return r->has_lower ? ZB_SIDE_LOWER : ZB_SIDE_UPPER;
}

static zb_status prove_exact(const call *c, const zb_options *opt, zb_run *run)
{
    zb_exact_job *job = NULL;
    zb_proofs *proofs = NULL;
    zb_status status;
    TRY(zb_solve_exact(c->model, opt, run, &job, c->out, c->err));
    zb_parts parts = { .given = c->model,
                       .reduction = job->reduction,
                       .count = job->count,
                       .part = job->part,
                       .part_of = job->part_of,
                       .order = job->order };
    TRY(zb_proofs_new(&proofs, &parts));
    for (int i = 0; i < job->count; i++)
        zb_proofs_order(proofs, i);
    TRY(zb_certificate_prove(c->proof, proofs, sides_of(c->out)));
done:
    zb_proofs_free(proofs);
    zb_exact_job_free(job);
    return status;
}

static zb_status prove_field(const call *c, const zb_options *opt, zb_run *run)
{
    zb_field field = { 0 };
    zb_proofs *proofs = NULL;
    zb_status status;
    TRY(zb_solve_baseline(c->model, opt, run, &field, c->out, c->err));
    zb_parts parts = { .given = c->model,
                       .reduction = field.reduction,
                       .count = 1,
                       .part = &field.reduction->model };
    TRY(zb_proofs_new(&proofs, &parts));
    TRY(zb_proofs_field(proofs, 0, field.q, c->out->log_lower));
    TRY(zb_certificate_prove(c->proof, proofs, ZB_SIDE_LOWER));
done:
    zb_proofs_free(proofs);
    zb_field_clear(&field);
    return status;
}

static zb_status prove_buckets(const call *c, const zb_options *opt, zb_run *run)
{
    zb_reduction *reduction = NULL;
    zb_state *state = NULL;
    zb_proofs *proofs = NULL;
    zb_model *given = NULL;
    zb_search s = {
        .model = c->model, .opt = opt, .run = run, .certified = &reduction
    };
    zb_status status;
    TRY(zb_minibucket_solve(&s, &state, c->out, c->err));
    TRY(reduction == NULL ? zb_model_copy(&given, c->model) : ZB_OK);
    zb_parts parts = { .given = c->model,
                       .reduction = reduction,
                       .count = 1,
                       .part = reduction != NULL ? &reduction->model : &given };
    TRY(zb_proofs_new(&proofs, &parts));
    TRY(zb_proofs_state(proofs, state, c->out->exact));
    TRY(zb_certificate_prove(c->proof, proofs, sides_of(c->out)));
done:
    zb_proofs_free(proofs);
    zb_state_free(state);
    zb_reduction_free(reduction);
    zb_model_free(given);
    return status;
}

static zb_status dispatch_certified(const call *c, const zb_options *opt, zb_run *run)
{
    zb_run share = zb_certificate_share(c->proof, run);
    switch (zb_method_find(opt->method)->solver) {
    case ZB_SOLVER_AUTO: return dispatch(c, opt, &share);
    case ZB_SOLVER_EXACT: return prove_exact(c, opt, &share);
    case ZB_SOLVER_BASELINE: return prove_field(c, opt, &share);
    case ZB_SOLVER_BUCKETS: return prove_buckets(c, opt, &share);
    case ZB_SOLVER_COUNT: break;
    }
    return zb_fail(c->err, ZB_EINVAL, "method 'count' has no certificate");
}

/* The evidence is conditioned on here and looked at nowhere behind, but in the claims
   that auto begins with: they are what is left where there is no memory for this. */
static zb_status solve_free(call c, const zb_options *opt, zb_run *run)
{
    zb_model *made = NULL;
    zb_status status = ZB_OK;
    if (zb_model_observed(c.model))
        status = zb_model_condition(&made, c.model, c.model->evidence);
    bool conditioned = status == ZB_OK;
    if (opt->method != ZB_METHOD_AUTO)
        TRY(status);
    c.model = made != NULL ? made : c.model;
    TRY((c.proof != NULL ? dispatch_certified : dispatch)(&c, opt, run));
    if (c.out->exact && conditioned) /* another model would be no witness */
        TRY(zb_confirm(c.model, c.out, run, c.err));
done:
    zb_model_free(made);
    return status;
}

/* Sides that the result does not have say nothing: the whole line. */
static zb_result without_sides(zb_result r)
{
    if (!r.has_lower)
        r.log_lower = -INFINITY;
    if (!r.has_upper)
        r.log_upper = INFINITY;
    return r;
}

/* From here on "no limit" is INFINITY seconds and UINT64_MAX bytes, threads are at
   least one: see base/run.h. */
static zb_options resolve(zb_options opt)
{
    if (opt.time < 0 && opt.method == ZB_METHOD_AUTO)
        opt.time = ZB_AUTO_SECONDS;
    opt.time = opt.time > 0 ? opt.time : INFINITY;
    opt.memory = opt.memory > 0 ? opt.memory : zb_memory_default();
    return opt;
}

/* The promise is the limit and 0.2 s; where that is most of it, half of it is used, so
   that what takes next to nothing is finished. */
static double patience(double seconds) { return fmax(seconds, 0.1 + 0.5 * seconds); }

/* ---- with a checkpoint ----------------------------------------------------------- */

typedef struct scribe { /* an observer that keeps what auto has proved of the whole */
    const zb_observer *observer;
    zb_keep *keep;
} scribe;

static bool keep_progress(void *context, const zb_progress *at)
{
    const scribe *s = context;
    const zb_observer *o = s->observer;
    zb_keep_bounds(s->keep, at->log_lower, at->log_upper);
    return o == NULL || o->progress == NULL || o->progress(o->context, at);
}

static void pass_note(void *context, const char *sentence)
{
    const scribe *s = context;
    const zb_observer *o = s->observer;
    if (o != NULL && o->note != NULL)
        o->note(o->context, sentence);
}

static zb_status solve_kept(const call *c, const zb_options *opt, zb_run *run)
{
    scribe s = { .observer = run->observer };
    zb_observer observer = { .context = &s,
                             .progress = keep_progress,
                             .note = pass_note };
    zb_status status;
    if (opt->method != ZB_METHOD_AUTO || c->proof != NULL)
        return zb_fail(c->err, ZB_EINVAL,
                       "a checkpoint is for method auto, and without a certificate");
    TRY(zb_keep_open(&run->keep, opt->checkpoint, c->model, opt, c->err));
    s.keep = run->keep;
    run->observer = &observer;
    status = solve_free(*c, opt, run);
    run->observer = s.observer;
    run->keep = NULL;
    if (zb_keep_close(s.keep, NULL) != ZB_OK) /* the answer stands without it */
        zb_run_note(run, "the checkpoint could not be written: is its directory there, "
                         "and has it room?");
done:
    return status;
}

static zb_status run_within_limits(const call *c, zb_options opt)
{
    double start = zb_now();
    uint64_t left = zb_account_enter(opt.memory);
    zb_run run;
    zb_status status =
        zb_run_open(&run, c->observer, start + patience(opt.time), left, opt.threads);
    if (status == ZB_OK) {
        opt.threads = run.threads;
        run.ranks = zb_ranks_enter(opt.ranks, opt.memory);
        status = opt.checkpoint != NULL ? solve_kept(c, &opt, &run)
                                        : solve_free(*c, &opt, &run);
        zb_run_close(&run);
    }
    if (status == ZB_ENOMEM && c->err != NULL && c->err->text[0] == '\0')
        zb_fail(c->err, status,
                "%s: out of memory: the limit is %.4g MiB, for everything "
                "that the process takes",
                zb_method_name(opt.method), (double)opt.memory / 0x1p20);
    zb_account_leave(opt.memory);
    c->out->seconds = zb_now() - start;
    c->out->time_limit = opt.time;
    c->out->memory_limit = opt.memory < UINT64_MAX ? opt.memory : 0;
    return status;
}

/* Of the call's own, everything but the options has been checked. */
static zb_status solve(call c, zb_options opt)
{
    zb_result *out = c.out;
    zb_status status;
    zb_fail(c.err, ZB_OK, "%s", "");
    if (c.from != NULL && opt.method == ZB_METHOD_AUTO)
        opt.method = c.from->method;
    out->method = opt.method;
    TRY(check(c.model, &opt, c.from, c.to != NULL, c.err));
    status = run_within_limits(&c, resolve(opt));
    if (status != ZB_OK)
        out->has_lower = out->has_upper = out->has_estimate = out->guaranteed =
            out->exact = false;
    *out = without_sides(*out);
done:
    if (status != ZB_OK && c.err != NULL && c.err->text[0] == '\0')
        zb_fail(c.err, status, "%s", zb_status_text(status));
    return status;
}

/* Is there all that a call needs? Sets the result to nothing. */
static zb_status check_places(const zb_model *model, const zb_options *opt,
                              zb_result *out, zb_error *err)
{
    if (out != NULL)
        *out = without_sides((zb_result){ .method = ZB_METHOD_AUTO });
    if (model == NULL || opt == NULL || out == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, no options or no place for a result");
    return ZB_OK;
}

zb_status zb_solve_with(const zb_model *model, const zb_options *opt,
                        const zb_state *from, zb_state **to,
                        const zb_observer *observer, zb_result *out, zb_error *err)
{
    if (to != NULL)
        *to = NULL;
    zb_status status = check_places(model, opt, out, err);
    call c = { model, from, to, NULL, observer, out, err };
    return status == ZB_OK ? solve(c, *opt) : status;
}

zb_status zb_solve(const zb_model *model, const zb_options *opt,
                   const zb_observer *observer, zb_result *out, zb_error *err)
{
    return zb_solve_with(model, opt, NULL, NULL, observer, out, err);
}

zb_status zb_solve_certified(const zb_model *model, const zb_options *opt,
                             const zb_observer *observer, zb_certificate **proof,
                             zb_result *out, zb_error *err)
{
    zb_certificate *made = NULL;
    zb_status status;
    if (proof == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for a certificate");
    *proof = NULL;
    TRY(check_places(model, opt, out, err));
    TRY(zb_certificate_new(&made, model));
    call c = { model, NULL, NULL, made, observer, out, err };
    TRY(solve(c, *opt));
    zb_certificate_claim(made, out);
    if (!zb_certificate_is_empty(made))
        *proof = made, made = NULL;
done:
    zb_certificate_free(made);
    return status;
}
