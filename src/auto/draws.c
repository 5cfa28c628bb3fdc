#include "auto/draws.h"

#include "auto/draw_farm.h"
#include "auto/states.h"
#include "base/explog.h"
#include "base/sum.h"
#include "sample/ascent.h"

zb_status zb_draws_open(zb_steer *p)
{
    if (!(p->opt->delta > 0) || p->opt->side != ZB_SIDE_BOTH)
        return ZB_OK;
    p->draws = zb_calloc((size_t)p->job->count, sizeof *p->draws);
    if (p->draws == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < p->job->count; i++)
        p->draws[i] = (zb_draws){ .lower = -INFINITY,
                                  .upper = INFINITY,
                                  .best_value = -INFINITY,
                                  .redrawn = -INFINITY,
                                  .sliced = -INFINITY,
                                  .fields = { .bound = -INFINITY },
                                  .sliced_past = -INFINITY,
                                  .searched_past = -INFINITY };
    return ZB_OK;
}

void zb_draws_close(zb_steer *p)
{
    for (int i = 0; p->draws != NULL && i < p->job->count; i++) {
        zb_source_close(&p->draws[i].source);
        zb_confidence_close(&p->draws[i].confidence);
        zb_free(p->draws[i].best);
        zb_free(p->draws[i].seen);
        zb_free(p->draws[i].fields.q);
    }
    zb_free(p->draws);
    p->draws = NULL;
}

/* ---- all components -------------------------------------------------------------- */

typedef struct tally {
    zb_sum lower, upper;
    double estimate, variance, effective;
    size_t samples;
    bool any, all; /* components were drawn from; all that are not known */
} tally;

/* What draws and proofs say together. Where they contradict each other, which has a
   chance of delta, proofs count. */
static zb_claim with_draws(const zb_draws *d, zb_claim c)
{
    double lower = fmax(c.lower, d->lower), upper = fmin(c.upper, d->upper);
    if (!c.exact && d->last.samples > 0 && lower <= upper)
        c.lower = lower, c.upper = upper;
    return c;
}

static void add_component(tally *a, const zb_draws *d, zb_claim proved)
{
    const zb_estimate *e = &d->last;
    zb_claim c = with_draws(d, proved);
    zb_sum_add(&a->lower, c.lower);
    zb_sum_add(&a->upper, c.upper);
    if (c.exact) {
        a->estimate += c.lower + (c.upper - c.lower) / 2;
        return;
    }
    a->all = a->all && e->samples > 0;
    if (e->samples == 0)
        return;
    a->estimate += fmin(fmax(e->log_z, c.lower), c.upper);
    a->variance += e->error * e->error;
    a->samples = a->any ? zb_min_size(a->samples, e->samples) : e->samples;
    a->effective = a->any ? fmin(a->effective, e->effective) : e->effective;
    a->any = true;
}

static tally add_up(zb_steer *p)
{
    tally a = { .all = true };
    for (int i = 0; i < p->job->count; i++)
        add_component(&a, &p->draws[i], zb_ledger_claim(&p->ledger, i));
    return a;
}

/* ---- drawing --------------------------------------------------------------------- */

typedef struct desk { /* batches side by side, in a share of the run */
    zb_steer *steer;
    zb_draws *draws;
    zb_run *run;
    zb_batch **batch;
    int count;
    bool better;  /* than the best state so far was one that was drawn since */
    bool watched; /* brackets are taken */
    zb_draw_farm farm;
    int portion; /* batches that are given to the ranks at once */
} desk;

/* Draws of a source whose values are looked at, for the best state. */
enum { VALUED = 4096 };

static void desk_close(desk *k)
{
    for (int i = 0; i < k->count && k->batch != NULL; i++)
        zb_batch_free(k->batch[i]);
    zb_free(k->batch);
    k->batch = NULL;
    zb_draw_farm_close(&k->farm);
}

static uint64_t seed_of(const zb_steer *p)
{
    return p->opt->seed + 0x6472617773u * (uint64_t)(p->now + 1);
}

static zb_status desk_open(desk *k)
{
    bool valued = k->draws->confidence.count < VALUED &&
                  !zb_proposal_is_signed(k->draws->source.proposal);
    k->count = zb_min_int(k->run->threads, ZB_DRAWS_AT_ONCE);
    k->batch = zb_calloc((size_t)k->count, sizeof *k->batch);
    zb_status status = k->batch != NULL ? ZB_OK : ZB_ENOMEM;
    for (int i = 0; i < k->count && status == ZB_OK; i++)
        status = zb_batch_new(&k->batch[i], k->draws->source.proposal, valued);
    if (status == ZB_OK)
        status = zb_draw_farm_open(&k->farm, k->draws->source.proposal,
                                   seed_of(k->steer), valued, k->run);
    k->portion = k->farm.farm != NULL ? 64 : k->count;
    return status;
}

/* The lane of largest value, if it is better than what is known. */
static void keep_best(desk *k, const zb_batch *b)
{
    zb_draws *d = k->draws;
    int nvars = zb_steer_model(k->steer)->nvars, lane = 0;
    for (int i = 0; i < ZB_LANES; i++)
        lane = b->log_share[i] > b->log_share[lane] ? i : lane;
    double value = b->log_share[lane] + d->source.log_upper;
    if (!(value > d->best_value) || b->log_ratio[lane] == -INFINITY)
        return;
    d->best_value = value;
    for (int v = 0; v < nvars; v++)
        d->best[v] = b->state[(size_t)v * ZB_LANES + (size_t)lane];
    k->better = true;
}

/* The same of a batch that another rank has drawn. */
static void keep_drawn(desk *k, const zb_drawn *b)
{
    zb_draws *d = k->draws;
    double value = b->log_share + d->source.log_upper;
    if (b->state == NULL || !(value > d->best_value))
        return;
    d->best_value = value;
    for (int v = 0; v < zb_steer_model(k->steer)->nvars; v++)
        d->best[v] = b->state[v];
    k->better = true;
}

/* On all ranks; as many more the next time as take about a tenth of a second. */
static zb_status draw_there(desk *k, int many)
{
    zb_draws *d = k->draws;
    double before = zb_now();
    zb_status status;
    TRY(zb_draw_farm_run(&k->farm, d->next, (size_t)many, k->run));
    d->next += (uint64_t)many;
    for (int i = 0; i < many; i++) {
        zb_drawn b;
        status = zb_draw_farm_take(&k->farm, (size_t)i, &b);
        if (status == ZB_OK)
            status = zb_confidence_add(&d->confidence, ZB_LANES, b.log_ratio, NULL);
        if (status == ZB_OK)
            keep_drawn(k, &b);
        zb_free(b.state);
        TRY(status);
    }
    if (zb_now() - before < 0.1)
        k->portion = zb_min_int(2 * many, 4096);
done:
    return status;
}

/* `many` batches, which count together or not at all. */
static zb_status draw_some(desk *k, int many)
{
    zb_draws *d = k->draws;
    zb_steer *p = k->steer;
    uint64_t seed = seed_of(p);
    bool ok = true;
    zb_status status = ZB_OK;
    if (k->farm.farm != NULL)
        return draw_there(k, many);
#pragma omp parallel for num_threads(many) schedule(static, 1) reduction(&& : ok)
    for (int i = 0; i < many; i++) {
        zb_ticker tick = { .run = k->run };
        ok = zb_proposal_draw(d->source.proposal, seed, d->next + (uint64_t)i,
                              k->batch[i], &tick) &&
             ok;
    }
    for (int i = 0; i < many; i++)
        TRY(k->batch[i]->failed ? ZB_ENOMEM : ZB_OK);
    TRY(ok ? ZB_OK : ZB_ELIMIT);
    d->next += (uint64_t)many;
    for (int i = 0; i < many; i++) {
        const zb_batch *b = k->batch[i];
        TRY(zb_confidence_add(&d->confidence, ZB_LANES, b->log_ratio, b->sign));
        if (k->batch[i]->log_share != NULL)
            keep_best(k, k->batch[i]);
    }
done:
    return status;
}

/* ln(e^x - noise), from below: what exp rounds may be much of a small difference. */
static double less(double x, double noise)
{
    return noise > 0 ? zb_log(fmax(0, zb_exp(x) * (1 - 1e-14) - noise)) : x;
}

/* Outward by rounding, the last addition included. States whose chance is too small for
   a double are never drawn: all of them together have less than e^-690 of U, and the
   upper side never comes near that. */
static void take_bracket(const desk *k)
{
    zb_draws *d = k->draws;
    const zb_confidence *c = &d->confidence;
    const zb_source *s = &d->source;
    if (!k->watched)
        return;
    d->watched = true;
    zb_confidence_update(&d->confidence, k->run);
    if (c->count > 0)
        d->last = (zb_estimate){ .samples = c->count,
                                 .log_z = s->log_upper + c->log_mean,
                                 .error = c->error,
                                 .effective = c->effective };
    double lower = s->log_upper + less(c->lower, s->noise),
           upper = s->log_upper + zb_log_add(c->upper, zb_log(s->noise));
    d->lower =
        fmax(d->lower, zb_down(lower, s->radius + 1e-12 + ZB_UNIT * fabs(lower)));
    d->upper = fmin(d->upper, zb_up(upper, s->radius + 1e-12 + ZB_UNIT * fabs(upper)));
    tally all = add_up(k->steer);
    zb_ledger_likely(&k->steer->ledger, zb_sum_down(&all.lower), zb_sum_up(&all.upper));
}

/* The best state near the best that was drawn, and what it proves. */
static zb_status improve_best(desk *k)
{
    zb_draws *d = k->draws;
    const zb_model *model = zb_steer_model(k->steer);
    zb_status status;
    k->better = false;
    TRY(zb_state_ascend(model, d->best, k->run));
    zb_ball value = zb_state_value(model, d->best);
    d->best_value = value.mid;
    TRY(zb_states_claim(k->steer, d->best, zb_down(value.mid, value.radius)));
done:
    return status;
}

/* Draws that are kept have an eighth of the memory, three times as much as they take:
   their array grows by doubling. */
static size_t most_draws(const zb_steer *p)
{
    double most = (double)p->memory / 8 / (3 * sizeof(double));
    return (size_t)fmin(most, ZB_DRAWS_MOST);
}

/* So close that further draws would change nothing that is shown. */
static bool is_enough(const zb_steer *p, const zb_draws *d)
{
    return d->confidence.count >= most_draws(p) || d->upper - d->lower < 1e-4;
}

/* Without a clock: a number of batches, and one bracket, whatever the threads. */
static zb_status draw_number(desk *k)
{
    int left = 64;
    zb_status status = ZB_OK;
    while (left > 0 && !is_enough(k->steer, k->draws) && zb_run_more(k->run)) {
        int many = zb_min_int(k->portion, left);
        TRY(draw_some(k, many));
        left -= many;
    }
    take_bracket(k);
    if (k->better)
        TRY(improve_best(k));
done:
    return status;
}

/* The bracket is made whenever there are twice as many draws, and at the end, for which
   time is left by what it took before. */
static zb_status draw_until(desk *k, double end)
{
    const double least = 1e-6; /* seconds a draw that a bracket may take, at first */
    zb_draws *d = k->draws;
    double each = least;
    size_t seen = d->confidence.count;
    zb_status status = ZB_OK;
    while (zb_run_more(k->run) && !is_enough(k->steer, d) &&
           zb_now() + 1.5 * each * (double)d->confidence.count < end) {
        TRY(draw_some(k, k->portion));
        if (d->confidence.count < 2 * seen + VALUED / 4)
            continue;
        seen = d->confidence.count;
        double before = zb_now();
        take_bracket(k);
        each = fmax(least, (zb_now() - before) / (double)seen);
        if (k->better)
            TRY(improve_best(k));
        if (seen >= VALUED && k->batch[0]->log_share != NULL) {
            desk_close(k);
            TRY(desk_open(k));
        }
    }
    take_bracket(k);
    if (k->better)
        TRY(improve_best(k));
done:
    return status;
}

static zb_status draw(zb_steer *p, double end, int threads, bool watched)
{
    double start = zb_now();
    if (p->draws == NULL || p->draws[p->now].source.proposal == NULL || start >= end ||
        !zb_steer_is_open(p, p->now))
        return ZB_OK;
    zb_draws *d = &p->draws[p->now];
    zb_run share = zb_steer_share(p, end - start, UINT64_MAX, threads);
    desk k = { .steer = p, .draws = d, .run = &share, .watched = watched };
    zb_status status = ZB_OK;
    if (d->best == NULL)
        d->best = zb_alloc((size_t)zb_steer_model(p)->nvars, sizeof *d->best);
    TRY(d->best != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(desk_open(&k));
    TRY(isfinite(end) ? draw_until(&k, end) : draw_number(&k));
done:
    desk_close(&k);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_draws_run(zb_steer *p, double end, int threads)
{
    return draw(p, end, threads, true);
}

zb_status zb_draws_look(zb_steer *p, double end, int threads)
{
    return draw(p, end, threads, false);
}

/* ---- shares ---------------------------------------------------------------------- */

/* Of a round. Where the spread of the weights decides, a further dt of draws after t
   narrows their bracket by dt / 2t of itself. Where U is far above Z the upper side
   falls by dt / t nats, whatever its width: that gains little. What they take the
   proved bracket goes without, a few percent of its width for the share it is. */
static double share_of_draws(const zb_draws *d)
{
    const double far = 2, close = 0.01; /* nats */
    if (d->confidence.count == 0)
        return 0.04;
    if (d->upper - d->lower < close)
        return 0.01;
    bool slow = d->upper - (d->source.log_upper + d->confidence.log_mean) > far;
    return slow ? 0.03 : 0.04;
}

/* Where draws say little so far, a larger bound than the last will be made a source
   before: that takes as much longer as its tree is larger, and as much as some passes
   of an arm that makes sixty or so. */
static double reserve(const zb_steer *p, const zb_draws *d, double seconds,
                      double entries)
{
    if (zb_steer_left(p) > 2 * seconds) /* other rounds follow, and better sources */
        return 0.02 * seconds;
    double making =
        d->upper - d->lower > 1
            ? fmax(0.06 * seconds, zb_draws_making(d, fmax(entries, 4 * d->entries),
                                                   p->ledger.work.threads))
            : 0;
    return share_of_draws(d) * seconds + fmin(0.1 * seconds, making);
}

bool zb_draws_are_enough(const zb_steer *p)
{
    const zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    return d == NULL || d->source.proposal == NULL || is_enough(p, d);
}

double zb_draws_reserve(const zb_steer *p, double seconds, double entries)
{
    if (zb_draws_are_enough(p))
        return 0;
    zb_draws *d = &p->draws[p->now];
    d->reserved = reserve(p, d, seconds, entries);
    return d->reserved;
}

/* ---- the result ------------------------------------------------------------------ */

/* An estimate is only as good as its bracket: there is one where that is narrower than
   the proved one and than a few nats. */
void zb_draws_fill(zb_steer *p, zb_result *out)
{
    const double few = 3;
    if (p->draws == NULL || out->exact)
        return;
    tally a = add_up(p);
    if (!a.any)
        return;
    out->has_confidence = true;
    out->confidence =
        (zb_sampled){ .delta = p->opt->delta,
                      .log_lower = fmax(zb_sum_down(&a.lower), out->log_lower),
                      .log_upper = fmin(zb_sum_up(&a.upper), out->log_upper),
                      .samples = (int64_t)a.samples,
                      .effective = a.effective };
    double width = out->confidence.log_upper - out->confidence.log_lower;
    out->has_estimate =
        a.all && width <= few && width < out->log_upper - out->log_lower;
    out->log_estimate = out->has_estimate ? a.estimate : 0;
    out->log_estimate_error = out->has_estimate ? sqrt(a.variance) : 0;
}
