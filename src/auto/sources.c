/* Which upper bounds are drawn from. */
#include "auto/draws.h"

#include "base/cost.h"
#include "base/explog.h"
#include "sample/ahead.h"

#include <stdio.h>

/* Shares and batches have an eighth of the memory; what arms have left of a half of it,
   when these are at their end. */
static bool has_room(const zb_steer *p, const zb_attempt *a)
{
    double batch = (double)sizeof(int32_t) * ZB_LANES * a->tree->nvars,
           shares = zb_proposal_forecast(a->tree, zb_tighten_has_gauges(a->tighten));
    return shares + batch * ZB_DRAWS_AT_ONCE <=
           fmax(0.125 * (double)p->memory, p->spare);
}

/* Can it be drawn from at all? */
static bool is_drawable(const zb_steer *p, const zb_attempt *a)
{
    bool gauged = zb_tighten_has_gauges(a->tighten);
    bool original = a->spec.form == ZB_FORM_ORIGINAL && a->made == NULL;
    return (original || gauged) && !a->spec.extreme && a->tree->splits > 0 &&
           has_room(p, a);
}

/* Seconds that draws will have: what is set aside for them, a little where most of the
   run is still to come. */
static double time_for_draws(const zb_steer *p, const zb_draws *d)
{
    double left = zb_steer_left(p);
    return fmin(left, fmax(0.05 * left, d->reserved));
}

/* How wide the bracket will be by a source of this kind after so many seconds of draws,
   beside those that are there. Without a clock, which must not count, draws take the
   same time. */
static double width_after(const zb_steer *p, const zb_trial *t, double above,
                          double seconds, double there)
{
    double n = 64 * ZB_LANES;
    if (isfinite(zb_steer_left(p)))
        n = fmax(1, seconds / fmax(t->seconds, 1e-9));
    return zb_trial_width(t, n + there, above, p->opt->delta);
}

/* ln Z as far as draws or proofs know: of sources whose draws miss what matters, the
   larger estimate is nearer. */
static double best_guess(zb_steer *p, const zb_draws *d)
{
    double proved = zb_ledger_claim(&p->ledger, p->now).lower;
    return fmax(proved, d->source.log_upper + d->trial.log_mean);
}

static const double BETTER = 0.9; /* of the width, for which draws are begun anew */

static double width_now(zb_steer *p, const zb_draws *d, double log_z)
{
    return width_after(p, &d->trial, d->source.log_upper - log_z, time_for_draws(p, d),
                       (double)d->confidence.count);
}

/* How much longer one thread takes: an evaluation comes first, which does not gain by
   more. */
static double gain_by(int threads) { return 1 / (0.2 + 0.8 / threads); }

double zb_draws_making(const zb_draws *d, double entries, int threads)
{
    if (!(d->entries > 0))
        return 0;
    double making = d->making / gain_by(threads) * zb_cost_pass(entries, d->nodes) /
                    zb_cost_pass(d->entries, d->nodes);
    return making + fmin(making, 2 * ZB_TRIAL_DRAWS * d->trial.seconds);
}

/* Before it is made: making it takes time, too, by the entries of its tree. The spread
   of weights is about in proportion to the square of ln U - ln Z, and larger tables are
   slower to read. */
static bool is_worth_making(zb_steer *p, const zb_draws *d, const zb_attempt *a,
                            int threads)
{
    double larger = fmax(1, a->tree->entries / d->entries), log_z = best_guess(p, d),
           above = fmax(a->bound - log_z, 1e-3),
           ratio = above / fmax(d->source.log_upper - log_z, 1e-3);
    zb_trial like = d->trial;
    if (log_z == -INFINITY || like.spread == INFINITY)
        return true; /* draws have said nothing so far */
    like.spread *= ratio * ratio;
    like.seconds *= larger > 2 ? 2 : 1;
    double seconds =
        time_for_draws(p, d) - zb_draws_making(d, a->tree->entries, threads);
    if (a->bound >= d->source.log_upper || (isfinite(seconds) && seconds <= 0))
        return false;
    return width_after(p, &like, above, seconds, 0) < BETTER * width_now(p, d, log_z);
}

static bool is_wanted(zb_steer *p, const zb_draws *d, const zb_attempt *a, int threads)
{
    return is_drawable(p, a) &&
           (d->source.proposal == NULL || is_worth_making(p, d, a, threads));
}

/* Draws from either for as long as there may be time: which bracket will be narrower?
 */
static bool is_better(zb_steer *p, const zb_draws *d, const zb_source *fresh,
                      const zb_trial *trial)
{
    if (d->source.proposal == NULL)
        return true;
    double log_z = fmax(best_guess(p, d), fresh->log_upper + trial->log_mean);
    return width_after(p, trial, fresh->log_upper - log_z, time_for_draws(p, d), 0) <
           BETTER * width_now(p, d, log_z);
}

static void take_source(const zb_steer *p, zb_draws *d, zb_source *fresh,
                        const zb_trial *trial)
{
    zb_source_close(&d->source);
    d->source = *fresh;
    *fresh = (zb_source){ .proposal = NULL };
    d->trial = *trial;
    zb_confidence_close(&d->confidence);
    d->sources += d->watched || d->sources == 0;
    d->watched = false;
    d->taken++;
    double k = d->sources;
    zb_confidence_open(&d->confidence, p->opt->delta / p->job->count / (k * (k + 1)));
}

/* What values are drawn how often, afresh: sources become better. */
static double *clear_seen(const zb_steer *p, zb_draws *d)
{
    const zb_model *m = zb_steer_model(p);
    size_t values = 0;
    for (int v = 0; v < m->nvars; v++)
        values += (size_t)m->card[v];
    if (d->seen == NULL)
        d->seen = zb_alloc(values, sizeof *d->seen);
    for (size_t i = 0; i < values && d->seen != NULL; i++)
        d->seen[i] = 0;
    d->tried = 0;
    return d->seen;
}

/* Where most draws end at zeros: a look ahead, if that promises more in the same time.
 */
static zb_status try_ahead(zb_steer *p, zb_attempt *a, zb_source *fresh,
                           zb_trial *trial)
{
    const double often = 0.5;
    double left = zb_steer_left(p), n = isfinite(left) ? 0.05 * left : 1e5;
    zb_trial ahead;
    zb_status status;
    if (trial->dead < often || zb_proposal_is_signed(fresh->proposal))
        return ZB_OK;
    status = zb_proposal_look_ahead(fresh->proposal, a->model, &p->ledger.work);
    if (status == ZB_OK)
        status = zb_trial_run(&ahead, fresh, p->opt->seed, 0, NULL, &p->ledger.work);
    if (status != ZB_OK) {
        zb_proposal_look_no_further(fresh->proposal);
        return status == ZB_ELIMIT && zb_run_more(&p->ledger.work) ? ZB_OK : status;
    }
    double cost = isfinite(left) ? trial->seconds : 1,
           dear = isfinite(left) ? ahead.seconds : 1,
           above = -fmax(trial->log_mean, ahead.log_mean), delta = p->opt->delta;
    if (zb_trial_width(&ahead, 1 + n / dear, above, delta) <
        zb_trial_width(trial, 1 + n / cost, above, delta))
        *trial = ahead;
    else
        zb_proposal_look_no_further(fresh->proposal);
    return ZB_OK;
}

/* Said once: what zeros do to the draws. */
static void tell_of_zeros(zb_steer *p, zb_draws *d)
{
    const double much = 0.1;
    char text[160];
    if (d->trial.dead < much || d->zeros_told)
        return;
    d->zeros_told = true;
    snprintf(text, sizeof text,
             "%.0f %% of the draws of a component end at zeros and count as 0%s",
             100 * d->trial.dead,
             zb_proposal_looks_ahead(d->source.proposal) ? ", though they look ahead"
                                                         : "");
    zb_run_note(p->ledger.run, text);
}

static zb_status try_source(zb_steer *p, zb_draws *d, zb_attempt *a, zb_run *run)
{
    zb_source fresh = { .proposal = NULL };
    zb_trial trial;
    double start = zb_now();
    zb_status status;
    TRY(zb_source_take(&fresh, a, run));
    if (!isfinite(fresh.log_upper))
        goto done;
    double making = zb_now() - start;
    d->making = making * gain_by(run->threads);
    d->entries = a->tree->entries;
    d->nodes = a->tree->nnodes;
    bool plain = !zb_proposal_is_signed(fresh.proposal); /* of the model's variables */
    if (plain)
        TRY(clear_seen(p, d) != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_trial_run(&trial, &fresh, p->opt->seed,
                     zb_steer_limited(p) ? making : INFINITY, plain ? d->seen : NULL,
                     &p->ledger.work));
    d->tried = plain ? trial.draws : d->tried;
    TRY(try_ahead(p, a, &fresh, &trial));
    if (is_better(p, d, &fresh, &trial)) {
        take_source(p, d, &fresh, &trial);
        tell_of_zeros(p, d);
    }
done:
    zb_source_close(&fresh);
    return status;
}

zb_status zb_draws_offer(zb_steer *p, zb_attempt *a, int threads)
{
    zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    if (d == NULL || !is_wanted(p, d, a, threads))
        return ZB_OK;
    zb_run share = zb_run_share(&p->ledger.work, INFINITY, UINT64_MAX, threads);
    share.relay = zb_run_silent;
    share.context = &p->ledger.work;
    zb_status status = try_source(p, d, a, &share);
    zb_attempt_watch(a, &p->ledger.work); /* it outlives the share */
    return status == ZB_ELIMIT ? ZB_OK : status;
}
