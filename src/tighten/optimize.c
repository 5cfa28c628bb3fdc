/* Two schedules. The paper's: fixed steps along the negative gradient, all blocks at
 * once. The default: Adam with a rate that decays geometrically, back to the best point
 * and with a smaller rate when the value runs away; before that, as long as it gains,
 * shifts go where the beliefs of mini-buckets agree, which brings them near their best
 * within some ten passes. Now and then weights are fitted by a formula, on trial. Every
 * point visited is a valid bound, so the best one is the answer. */
#include "tighten/optimize.h"

#include "base/explog.h"

#include <string.h>

typedef struct zb_descender {
    const zb_objective *o;
    const zb_descent *spec;
    double *grad, *step, *mean, *square;
    double *history; /* the best values of the last iterations */
    double damp;     /* multiplies the rate after a runaway */
    int64_t age;     /* of the moments */
    int64_t calm;    /* iterations since the rate was last cut */
    int64_t done;    /* iterations in all */
    double match;    /* share of their way that shifts go by matching; 0: no more */
    double other;    /* what it was, if it may come back; */
    int64_t stint;   /* iterations since it was last changed, */
    double entry;    /* and the best when they began */
    int worse;       /* the last so many were worse than the best */
    double best;     /* of all values; the point is what the objective keeps */
    struct {
        int64_t next, end; /* iterations: of the next fit; of the trial of the last, */
        bool fresh;        /* whose value is not known yet */
        double best;       /* the best when it began */
        double most;       /* its first value may be */
        double ratio;
    } fit;
} zb_descender;

enum { WINDOW = 10 };
static const double RATE_LEAST = 0.02; /* of the first rate */

enum { MATCH_PASSES = 20, MATCH_SOON = 5, MATCH_LAST = 4 };

static const double MATCH_FIRST = 0.25, MATCH_LEAST = 0.05, MATCH_SLOW = 0.05;
static const double AFTER_MATCH = 0.25, GROWTH = 1.15; /* of rates */

enum { FIT_FIRST = 10, FIT_TRIAL = 8, FIT_GAIN = 5 };
static const double FIT_PART = 0.3, FIT_NEXT = 1.5, FIT_LATER = 3;
static const double FIT_RATIO = 1.2, FIT_FEWER = 4, FIT_RATIO_MOST = 4;

/* Adam's: kinks, so that old curvature misleads. */
static const double KEEP1 = 0.9, KEEP2 = 0.9;

static void plain_step(zb_descender *d, const zb_stride *s)
{
    for (int b = 0; b < ZB_BLOCKS; b++)
        for (size_t i = d->o->block_at[b]; i < d->o->block_at[b + 1]; i++)
            d->step[i] = -s->rate[b] * d->grad[i];
}

static void adam_block(zb_descender *d, const zb_stride *s, int b)
{
    for (size_t i = d->o->block_at[b]; i < d->o->block_at[b + 1]; i++) {
        double g = d->grad[i];
        d->mean[i] = KEEP1 * d->mean[i] + (1 - KEEP1) * g;
        d->square[i] = KEEP2 * d->square[i] + (1 - KEEP2) * g * g;
        d->step[i] =
            -s->rate[b] * s->fix1 * d->mean[i] / (sqrt(s->fix2 * d->square[i]) + 1e-8);
    }
}

static void adam_step(zb_descender *d, const zb_stride *s)
{
    for (int b = 0; b < ZB_BLOCKS; b++)
        adam_block(d, s, b);
}

/* Damped, for all buckets move at once, with a little momentum. */
static void match_step(zb_descender *d, const zb_stride *s)
{
    const double keep = 0.3;
    size_t from = d->o->block_at[ZB_BLOCK_THETA],
           to = d->o->block_at[ZB_BLOCK_THETA + 1];
    if (from < to)
        d->o->match(d->o->context, d->grad + from);
    for (size_t i = from; i < to; i++) {
        d->mean[i] = keep * d->mean[i] + d->grad[i];
        d->step[i] = -s->rate[ZB_BLOCK_THETA] * d->mean[i];
    }
    adam_block(d, s, ZB_BLOCK_WEIGHTS);
    adam_block(d, s, ZB_BLOCK_GAUGES);
}

static void forget_moments(zb_descender *d)
{
    memset(d->mean, 0, d->o->n * sizeof *d->mean);
    memset(d->square, 0, d->o->n * sizeof *d->square);
}

void zb_descender_look(zb_descender *d) { d->o->value(d->o->context, d->grad); }

void zb_descender_follow(zb_descender *d, const zb_stride *s)
{
    switch (s->what) {
    case ZB_STRIDE_KEEP: d->o->keep(d->o->context); break;
    case ZB_STRIDE_BACK: d->o->back(d->o->context); break;
    case ZB_STRIDE_FORGET: forget_moments(d); break;
    case ZB_STRIDE_PLAIN: plain_step(d, s); break;
    case ZB_STRIDE_ADAM: adam_step(d, s); break;
    case ZB_STRIDE_MATCH: match_step(d, s); break;
    case ZB_STRIDE_FIT: d->o->fit(d->o->context, s->part, s->ratio); return;
    }
    if (s->what >= ZB_STRIDE_PLAIN)
        d->o->move(d->o->context, d->step);
}

/* Here and, where there are others, there. */
static void stride(zb_descender *d, zb_stride s)
{
    if (d->o->tell != NULL)
        d->o->tell(d->o->context, &s);
    zb_descender_follow(d, &s);
}

static void descend_plainly(zb_descender *d)
{
    zb_stride s = { .what = ZB_STRIDE_PLAIN };
    memcpy(s.rate, d->spec->rates.of, sizeof s.rate);
    stride(d, s);
}

static void descend_by_adam(zb_descender *d, double decay)
{
    d->age++;
    zb_stride s = { .what = ZB_STRIDE_ADAM,
                    .fix1 = 1 / (1 - zb_pow(KEEP1, (double)d->age)),
                    .fix2 = 1 / (1 - zb_pow(KEEP2, (double)d->age)) };
    for (int b = 0; b < ZB_BLOCKS; b++)
        s.rate[b] = d->spec->rates.of[b] * decay * d->damp;
    if (d->match > 0) {
        s.what = ZB_STRIDE_MATCH;
        s.rate[ZB_BLOCK_THETA] = d->match;
    }
    stride(d, s);
}

static void forget(zb_descender *d)
{
    d->age = 0;
    stride(d, (zb_stride){ .what = ZB_STRIDE_FORGET });
}

static void go_back(zb_descender *d)
{
    stride(d, (zb_stride){ .what = ZB_STRIDE_BACK });
    forget(d);
    d->worse = 0;
    d->stint = 0;
}

static double best_before(const zb_descender *d, int64_t iterations)
{
    return d->history[(d->done + WINDOW - iterations) % WINDOW];
}

/* The last few iterations gained little of what all of the stint did. */
static bool is_slow(const zb_descender *d)
{
    return d->stint > MATCH_LAST + 2 &&
           best_before(d, MATCH_LAST) - d->best < MATCH_SLOW * (d->entry - d->best);
}

/* Matching ends after some passes, or when it gains little or no more. If that is soon,
   its steps were too large, or those of the weights beside it: buckets depend on each
   other. If Adam then gains nothing, it goes on. True: the point is the best one again.
 */
static bool change_over(zb_descender *d, double value)
{
    d->worse = value > d->best ? d->worse + 1 : 0;
    if (d->stint++ == 0)
        d->entry = d->best;
    if (d->match > 0 && d->worse < 2 && d->stint <= MATCH_PASSES && !is_slow(d))
        return false;
    if (d->match == 0 && (d->other == 0 || d->best < d->entry || d->stint <= WINDOW))
        return false;
    if (d->match == 0) {
        d->match = d->other;
    } else if (d->worse > 1 && d->stint <= MATCH_SOON && d->match > MATCH_LEAST) {
        d->match /= 2;
        d->damp /= 2;
    } else {
        d->other = d->worse > 1 ? 0 : d->match;
        d->match = 0;
        d->damp = AFTER_MATCH;
    }
    go_back(d);
    return true;
}

/* ---- fits ------------------------------------------------------------------------ */

/* A fit that chooses anew may begin somewhat worse than what it left, by what the last
   iterations gained; it goes on from there. A piece of a descent ends at its best
   point: what has not led by then would be lost. */
static bool begin_fit(zb_descender *d, int64_t i, double value)
{
    if (d->spec->open && i + FIT_TRIAL >= d->spec->iterations)
        return false;
    if (d->o->fit == NULL || d->spec->plain || d->done < d->fit.next ||
        d->fit.end > 0 || d->match > 0 || !isfinite(value))
        return false;
    bool jumps = d->o->jumps && d->fit.ratio < INFINITY;
    d->fit.fresh = true;
    d->fit.best = d->best;
    d->fit.most = value + (jumps ? best_before(d, FIT_GAIN) - d->best : 0);
    d->fit.end = d->done + (jumps ? FIT_TRIAL : 1);
    stride(d, (zb_stride){ .what = ZB_STRIDE_FIT,
                           .part = FIT_PART,
                           .ratio = jumps ? d->fit.ratio : INFINITY });
    return true;
}

/* Next time fewer are chosen anew, at once if there are fewer to choose. */
static void end_fit(zb_descender *d, bool good)
{
    bool again = !good && d->o->jumps && d->fit.ratio < INFINITY;
    if (again) {
        d->fit.ratio =
            d->fit.ratio < FIT_RATIO_MOST ? FIT_FEWER * d->fit.ratio : INFINITY;
    }
    d->fit.end = 0;
    d->fit.next = again ? d->done + 2
                        : (int64_t)((good ? FIT_NEXT : FIT_LATER) * (double)d->done);
}

/* True: the fit is taken back, and the point is the best one again. */
static bool judge_fit(zb_descender *d, double value)
{
    if (d->fit.end == 0)
        return false;
    bool bad = d->fit.fresh ? !(value <= d->fit.most)
                            : d->done >= d->fit.end && !(d->best < d->fit.best);
    if (bad && d->fit.fresh)
        stride(d, (zb_stride){ .what = ZB_STRIDE_BACK }); /* moments are as they were */
    else if (bad)
        go_back(d);
    else if (d->fit.fresh &&
             d->done < d->fit.end) /* near its best, as after matching */
        d->damp = fmin(d->damp, AFTER_MATCH);
    d->fit.fresh = false;
    if (bad || d->done >= d->fit.end)
        end_fit(d, !bad);
    return bad;
}

/* A better point: steps may be longer again, if it is worth speaking of. */
static void take_best(zb_descender *d, double value)
{
    double least = fmax(0, d->spec->tolerance) * fmax(1, fabs(value)) / (4 * WINDOW);
    if (d->match == 0 && d->best - value > least)
        d->damp = fmin(1, GROWTH * d->damp);
    d->best = value;
    stride(d, (zb_stride){ .what = ZB_STRIDE_KEEP });
}

/* From 1 down to RATE_LEAST over the iterations that are planned, late rather than
   soon; over the time, which may be longer or shorter than thought, later still. */
static double decay_at(const zb_descent *spec, int64_t i)
{
    if (spec->open)
        return zb_pow(RATE_LEAST, zb_pow(spec->behind, 4));
    double share = spec->iterations > 1 ? (double)i / (double)spec->iterations : 0;
    return zb_pow(RATE_LEAST, share * share);
}

/* No progress for a while. The paper's schedule is run to its end whatever happens; the
   default one takes smaller steps, and is done when these are small. */
static bool settled(zb_descender *d, int64_t i, double old)
{
    double best = d->best;
    d->calm++;
    if (d->fit.end > 0 || d->spec->optimizer == ZB_OPTIMIZER_PAPER ||
        d->calm <= WINDOW || old - best > d->spec->tolerance * fmax(1, fabs(best)))
        return false;
    d->damp /= 2;
    d->calm = 0;
    return d->damp * (d->spec->open ? 1 : decay_at(d->spec, i)) < RATE_LEAST;
}

/* The bound that is reported is evaluated once more at the end: leave time for it. */
static bool out_of_time(const zb_descent *spec, double begun)
{
    double now = zb_now(), left = zb_run_left(spec->run);
    return left < 0.7 * (now - begun);
}

static bool tell(const zb_descent *spec, int64_t i, double value, double best)
{
    return spec->report == NULL || spec->report(spec->context, i, value, best);
}

static zb_stop run(zb_descender *d, zb_descent_result *out)
{
    const zb_descent *spec = d->spec;
    for (int64_t i = 0;; i++, d->done++) {
        double begun = zb_now(), value = d->o->value(d->o->context, d->grad);
        out->iterations = i + 1;
        if (value < d->best) {
            take_best(d, value);
        }
        if (!tell(spec, i, value, d->best))
            return zb_run_left(spec->run) > 0 ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
        if (i >= spec->iterations)
            return ZB_STOP_ITERATIONS;
        if (out_of_time(spec, begun) || !zb_run_more(spec->run))
            return zb_run_interrupted(spec->run) ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
        double old = d->history[d->done % WINDOW];
        d->history[d->done % WINDOW] = d->best;
        if (settled(d, i, old) || (d->o->n == 0 && d->o->tell == NULL))
            return ZB_STOP_CONVERGED;
        if (spec->optimizer == ZB_OPTIMIZER_PAPER)
            descend_plainly(d);
        else if (judge_fit(d, value) || begin_fit(d, i, value))
            continue;
        else if (!(value <= d->best + 0.2 * fmax(1, fabs(d->best)))) {
            *(d->match > 0 ? &d->match : &d->damp) /= 2;
            go_back(d);
        } else if (d->fit.end > 0 || !change_over(d, value))
            descend_by_adam(d, decay_at(spec, i));
    }
}

zb_status zb_descender_new(zb_descender **out, const zb_objective *objective)
{
    zb_descender *d = zb_calloc(1, sizeof *d);
    size_t n = objective->n;
    *out = NULL;
    if (d == NULL)
        return ZB_ENOMEM;
    *d = (zb_descender){ .o = objective,
                         .damp = 1,
                         .match = objective->match != NULL ? MATCH_FIRST : 0,
                         .best = INFINITY,
                         .fit = { .next = FIT_FIRST, .ratio = FIT_RATIO } };
    d->grad = zb_calloc(n, sizeof *d->grad);
    d->step = zb_calloc(n, sizeof *d->step);
    d->mean = zb_calloc(n, sizeof *d->mean);
    d->square = zb_calloc(n, sizeof *d->square);
    d->history = zb_calloc(WINDOW, sizeof *d->history);
    if (d->grad && d->step && d->mean && d->square && d->history) {
        if (objective->tell != NULL) /* elsewhere, there was one before */
            stride(d, (zb_stride){ .what = ZB_STRIDE_FORGET });
        *out = d;
        return ZB_OK;
    }
    zb_descender_free(d);
    return ZB_ENOMEM;
}

void zb_descender_free(zb_descender *d)
{
    if (d == NULL)
        return;
    zb_free(d->grad);
    zb_free(d->step);
    zb_free(d->mean);
    zb_free(d->square);
    zb_free(d->history);
    zb_free(d);
}

size_t zb_descender_bytes(const zb_descender *d)
{
    return d != NULL ? 4 * d->o->n * sizeof(double) : 0;
}

void zb_descender_run(zb_descender *d, const zb_descent *spec, zb_descent_result *out)
{
    d->spec = spec;
    d->fit.end = 0; /* the clock ended the last piece, and with it the trial */
    d->fit.fresh = false;
    *out = (zb_descent_result){ .best = INFINITY };
    out->stop = run(d, out);
    out->best = d->best;
    stride(d, (zb_stride){ .what = ZB_STRIDE_BACK });
}

zb_status zb_descend(const zb_objective *objective, const zb_descent *spec,
                     zb_descent_result *out)
{
    zb_descender *d;
    zb_status status = zb_descender_new(&d, objective);
    if (status == ZB_OK)
        zb_descender_run(d, spec, out);
    zb_descender_free(d);
    return status;
}
