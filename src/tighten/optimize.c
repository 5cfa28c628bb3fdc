/* Two schedules. The paper's: fixed steps along the negative gradient, all blocks at
 * once. The default: Adam with a rate that decays geometrically, back to the best point
 * and with a smaller rate when the value runs away. Every point visited is a valid
 * bound, so the best one is the answer. */
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
    double best;     /* of all values; the point is what the objective keeps */
} zb_descender;

enum { WINDOW = 10 };
static const double RATE_LEAST = 0.02; /* of the first rate */

static void paper_step(zb_descender *d)
{
    for (int b = 0; b < ZB_BLOCKS; b++)
        for (size_t i = d->o->block_at[b]; i < d->o->block_at[b + 1]; i++)
            d->step[i] = -d->spec->rates.of[b] * d->grad[i];
}

static void adam_step(zb_descender *d, double decay)
{
    const double keep1 = 0.9, keep2 = 0.9; /* kinks: old curvature misleads */
    d->age++;
    double fix1 = 1 / (1 - zb_pow(keep1, (double)d->age));
    double fix2 = 1 / (1 - zb_pow(keep2, (double)d->age));
    for (int b = 0; b < ZB_BLOCKS; b++) {
        double rate = d->spec->rates.of[b] * decay * d->damp;
        for (size_t i = d->o->block_at[b]; i < d->o->block_at[b + 1]; i++) {
            double g = d->grad[i];
            d->mean[i] = keep1 * d->mean[i] + (1 - keep1) * g;
            d->square[i] = keep2 * d->square[i] + (1 - keep2) * g * g;
            d->step[i] = -rate * fix1 * d->mean[i] / (sqrt(fix2 * d->square[i]) + 1e-8);
        }
    }
}

static void forget_moments(zb_descender *d)
{
    memset(d->mean, 0, d->o->n * sizeof *d->mean);
    memset(d->square, 0, d->o->n * sizeof *d->square);
    d->age = 0;
}

/* From 1 down to RATE_LEAST over the iterations that are planned, late rather than
 * soon.
 */
static double decay_at(const zb_descent *spec, int64_t i)
{
    if (spec->open)
        return 1;
    double share = spec->iterations > 1 ? (double)i / (double)spec->iterations : 0;
    return zb_pow(RATE_LEAST, share * share);
}

/* No progress for a while. The paper's schedule is run to its end whatever happens; the
   default one takes smaller steps, and is done when these are small. */
static bool settled(zb_descender *d, int64_t i)
{
    double best = d->best, old = d->history[d->done % WINDOW];
    d->history[d->done % WINDOW] = best;
    d->calm++;
    if (d->spec->optimizer == ZB_OPTIMIZER_PAPER || d->calm <= WINDOW ||
        old - best > d->spec->tolerance * fmax(1, fabs(best)))
        return false;
    d->damp /= 2;
    d->calm = 0;
    return d->damp * decay_at(d->spec, i) < RATE_LEAST;
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
            d->best = value;
            d->o->keep(d->o->context);
        }
        if (!tell(spec, i, value, d->best))
            return zb_run_left(spec->run) > 0 ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
        if (i >= spec->iterations)
            return ZB_STOP_ITERATIONS;
        if (out_of_time(spec, begun) || !zb_run_more(spec->run))
            return zb_run_interrupted(spec->run) ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
        if (settled(d, i) || d->o->n == 0)
            return ZB_STOP_CONVERGED;
        if (spec->optimizer == ZB_OPTIMIZER_PAPER)
            paper_step(d);
        else if (!(value <= d->best + 0.2 * fmax(1, fabs(d->best)))) {
            d->o->back(d->o->context);
            d->damp /= 2;
            forget_moments(d);
            continue;
        } else
            adam_step(d, decay_at(spec, i));
        d->o->move(d->o->context, d->step);
    }
}

zb_status zb_descender_new(zb_descender **out, const zb_objective *objective)
{
    zb_descender *d = zb_calloc(1, sizeof *d);
    size_t n = objective->n;
    *out = NULL;
    if (d == NULL)
        return ZB_ENOMEM;
    *d = (zb_descender){ .o = objective, .damp = 1, .best = INFINITY };
    d->grad = zb_calloc(n, sizeof *d->grad);
    d->step = zb_calloc(n, sizeof *d->step);
    d->mean = zb_calloc(n, sizeof *d->mean);
    d->square = zb_calloc(n, sizeof *d->square);
    d->history = zb_calloc(WINDOW, sizeof *d->history);
    if (d->grad && d->step && d->mean && d->square && d->history) {
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
    *out = (zb_descent_result){ .best = INFINITY };
    out->stop = run(d, out);
    out->best = d->best;
    d->o->back(d->o->context);
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
