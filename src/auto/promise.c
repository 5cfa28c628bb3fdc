/* What the curves of arms promise, and what the next larger one would take. */
#include "auto/promise.h"

#include "auto/states.h"
#include "base/cost.h"
#include "base/explog.h"

/* How much tighter a is than b; 0 or more where it is. */
double zb_promise_ahead(const zb_arms *s, double a, double b)
{
    if (a == b)
        return 0;
    return s->side == ZB_SIDE_LOWER ? a - b : b - a;
}

static double claim_of(const zb_arms *s)
{
    zb_claim c = zb_ledger_claim(&s->steer->ledger, s->steer->now);
    return s->side == ZB_SIDE_LOWER ? c.lower : c.upper;
}

double zb_promise_gap(const zb_arms *s)
{
    zb_claim c = zb_ledger_claim(&s->steer->ledger, s->steer->now);
    double gap = c.upper - c.lower;
    return isfinite(gap) ? gap : fmax(1, fabs(c.upper));
}

/* By its own curve: its rate falls geometrically as it did over the last two slices,
   and not slower than that of a power of time. */
static double by_rate(const zb_arm *a, double seconds)
{
    if (!(a->rate > 0) || !(a->slice > 0))
        return 0;
    double fall = a->older > a->rate ? zb_log(a->older / a->rate) / a->slice : 0;
    fall = fmin(5 / a->slice, fmax(fall, 1 / a->spent));
    return a->rate / fall * (1 - zb_exp(-fall * fmax(seconds, 0)));
}

/* ---- curves by passes ------------------------------------------------------------ */

double zb_promise_point(int i) { return 8 * zb_exp2(0.5 * i); }

void zb_promise_note(zb_arm *a, double passes, double bound)
{
    while (a->points < ZB_CURVE && passes >= zb_promise_point(a->points))
        a->curve[a->points++] = bound;
}

/* Where it stood after so many passes: between two points by their logarithm. */
static double curve_at(const zb_arm *a, double passes)
{
    if (passes >= (double)a->passes || a->points == 0)
        return a->bound;
    double x = fmax(0, 2 * zb_log2(fmax(passes, 1) / 8));
    int i = (int)x;
    if (i >= a->points)
        return a->bound;
    double here = a->curve[i], next = i + 1 < a->points ? a->curve[i + 1] : a->bound;
    return isfinite(here) ? here + (x - i) * (next - here) : here;
}

/* The largest other arm that is well past the passes of this one; NULL: none. */
static const zb_arm *example(const zb_arms *s, const zb_arm *a)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (&s->arm[i] != a && !s->arm[i].poor && s->arm[i].points > 0 &&
            (double)s->arm[i].passes >= 1.5 * (double)a->passes)
            return &s->arm[i];
    return NULL;
}

/* As the example gained from as many passes on, in proportion to what either gained
   over the second half of them. Curves of several sizes are much alike, by passes. */
static double by_example(const zb_arms *s, const zb_arm *a, double seconds)
{
    const zb_arm *b = example(s, a);
    if (b == NULL || a->points == 0)
        return 0;
    double p = (double)a->passes, here = curve_at(b, p),
           own = zb_promise_ahead(s, a->bound, curve_at(a, p / 2)),
           theirs = zb_promise_ahead(s, here, curve_at(b, p / 2)),
           scale = theirs > 0 ? fmin(2, fmax(0.2, own / theirs)) : 1,
           gain = zb_promise_ahead(s, curve_at(b, p + seconds / a->pass), here);
    return isfinite(scale * gain) ? scale * gain : 0;
}

/* Nats that so many more seconds of an arm gain. */
double zb_promise_outlook(const zb_arms *s, const zb_arm *a, double seconds)
{
    if (a->converged || a->attempt == NULL)
        return 0;
    return fmax(by_rate(a, seconds), by_example(s, a, seconds));
}

/* The best of the arms at their ends, by their curves. */
static double foreseen(const zb_arms *s)
{
    double best = s->side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    for (int i = 0; i < s->count; i++) {
        double more = zb_promise_outlook(s, &s->arm[i], INFINITY);
        double at = s->arm[i].bound + (s->side == ZB_SIDE_LOWER ? more : -more);
        best = zb_tighter(s->side, at, best) ? at : best;
    }
    return best;
}

const zb_arm *zb_promise_before(const zb_arms *s, const zb_arm *a)
{
    for (const zb_arm *b = a - 1; b >= s->arm; b--)
        if (!b->poor)
            return b;
    return NULL;
}

bool zb_promise_is_poor(const zb_arms *s, const zb_arm *a)
{
    const zb_arm *b = zb_promise_before(s, a);
    double passes = (double)a->passes;
    if (b == NULL || b->points == 0 || passes < ZB_STEERING.poor_passes ||
        (double)b->passes < passes || a->passes < b->since || !zb_promise_on_trial(a) ||
        zb_promise_ahead(s, claim_of(s), a->bound) <= 0)
        return false;
    /* what is behind by less than it gained last may be slow, not poor */
    double lag = zb_promise_ahead(s, curve_at(b, passes), a->bound),
           gain = zb_promise_ahead(s, a->bound, curve_at(a, passes / 2));
    return lag > ZB_STEERING.poor * zb_promise_gap(s) && !(gain >= lag);
}

bool zb_promise_on_trial(const zb_arm *a)
{
    return a->attempt != NULL && !a->converged && a->passes < ZB_STEERING.trial_passes;
}

/* What the largest is worth is not known, and takes next to nothing to be. */
static bool is_cheap(const zb_arms *s, const zb_arm *a, double seconds)
{
    double passes = ZB_STEERING.known_passes - (double)a->passes;
    return a == &s->arm[s->count - 1] && passes > 0 &&
           passes * a->pass < ZB_STEERING.known_share * seconds;
}

/* How far beyond what is claimed an arm is after so many seconds. */
static double end_of(const zb_arms *s, const zb_arm *a, double seconds)
{
    return zb_promise_outlook(s, a, seconds) -
           zb_promise_ahead(s, claim_of(s), a->bound);
}

/* The share of the time that is worth finding out what an arm does which nothing speaks
   for: below, states may have a use for it. */
static double explored(const zb_arms *s)
{
    bool states = s->side == ZB_SIDE_LOWER && zb_states_promise(s->steer) >= 1;
    return ZB_STEERING.explored[states];
}

/* Others were ahead at its trial, but it has hardly begun: sizes differ in when they
   show what they are worth. */
static bool is_unexplored(const zb_arms *s, const zb_arm *a, double seconds)
{
    double passes = ZB_STEERING.known_passes - (double)a->passes;
    return passes > 0 && passes * a->pass < explored(s) * seconds;
}

/* Of an arm, over a slice, four, a part of the seconds or all: whatever is most a
 * second.
 */
static double promise_of(const zb_arms *s, const zb_arm *a, double seconds)
{
    double lag = zb_promise_ahead(s, claim_of(s), a->bound), most = 0;
    if (a->attempt == NULL || a->converged)
        return 0;
    if (zb_promise_on_trial(a) || is_cheap(s, a, seconds))
        return INFINITY;
    if (lag <= 0)
        most = 1e-9; /* the one that leads goes on while nothing else promises more; */
    else if (lag < ZB_STEERING.lag_most * zb_promise_outlook(s, a, INFINITY))
        most = 1e-12 / (1 + lag); /* then the one that is next, if it may ever lead */
    else if (is_unexplored(s, a, seconds))
        most = 1e-14;
    double horizon[] = { a->slice, 4 * a->slice, 0.3 * seconds, seconds };
    for (int i = 0; i < 4; i++) {
        double h = fmin(horizon[i], seconds), gain = end_of(s, a, h);
        if (h > 0 && gain > 0)
            most = fmax(most, gain / h);
    }
    return most;
}

/* As from the arm before to the last one, or nearly as much as cliques may. */
double zb_promise_growth(const zb_arms *s, int size)
{
    const zb_arm *last = &s->arm[s->count - 1], *before = last - 1;
    double leap = size - last->size;
    if (s->count < 2)
        return zb_exp2(0.75 * leap);
    double each =
        zb_log2(last->entries / before->entries) / (last->size - before->size);
    return fmin(zb_exp2(leap), fmax(1.2, zb_exp2(each * leap)));
}

/* How much more a pass of an arm of that size takes than one of the last. */
static double growth_of(const zb_arms *s, int size)
{
    const zb_arm *last = &s->arm[s->count - 1];
    double growth = zb_promise_growth(s, size);
    return zb_cost_pass(growth * last->entries, last->nodes) /
           zb_cost_pass(last->entries, last->nodes);
}

double zb_promise_pass(const zb_arms *s, int size)
{
    return s->arm[s->count - 1].pass * growth_of(s, size);
}

/* The arm that is tightest. */
static const zb_arm *first_of(const zb_arms *s)
{
    const zb_arm *best = &s->arm[0];
    for (int i = 1; i < s->count; i++)
        if (zb_tighter(s->side, s->arm[i].bound, best->bound))
            best = &s->arm[i];
    return best;
}

/* Passes until a larger arm leads, with some more: those after which the best one was
   as near to where it is now as a larger one is expected to be ahead of it. */
double zb_promise_passes(const zb_arms *s)
{
    const zb_arm *best = first_of(s);
    if (best->points == 0 || s->step < 0)
        return ZB_STEERING.rung_passes;
    int i = 0;
    while (i < best->points &&
           zb_promise_ahead(s, best->bound, best->curve[i]) > 0.6 * s->step)
        i++;
    double passes = fmin((double)best->passes, zb_promise_point(i));
    double least = ZB_STEERING.rung_least[s->side == ZB_SIDE_LOWER];
    return fmin(ZB_STEERING.rung_most, fmax(least, 1.3 * passes));
}

/* Seconds that a larger arm takes until it shows what it is worth: by the last one. */
static double price_of(const zb_arms *s, int size)
{
    const zb_arm *last = &s->arm[s->count - 1];
    return 1.5 * last->making + zb_promise_passes(s) * zb_promise_pass(s, size);
}

bool zb_promise_is_step(const zb_arms *s, int size, double seconds)
{
    return s->count > 0 &&
           price_of(s, size + ZB_STEERING.leap) <= ZB_STEERING.leap_share * seconds;
}

/* The share of the seconds that a larger arm may take until it leads: nearly all where
   the others are at their ends, or gain little next to what the last step did. */
static double share_of_next(const zb_arms *s, double seconds)
{
    const double little = 0.1;
    for (int i = 0; i < s->count; i++) {
        const zb_arm *a = &s->arm[i];
        if (a->attempt != NULL && !a->converged &&
            zb_promise_ahead(s, claim_of(s), a->bound) <= 0 &&
            zb_promise_outlook(s, a, seconds) >= little * s->step)
            return ZB_STEERING.rung_share;
    }
    return ZB_STEERING.rung_last;
}

double zb_promise_held(const zb_arms *s)
{
    double bytes = 0;
    for (int i = 0; i < s->count; i++)
        bytes += s->arm[i].attempt != NULL ? s->arm[i].bytes : 0;
    return bytes;
}

/* What a new arm may take: others are given up for it but for a part of the memory. */
double zb_promise_room(const zb_arms *s)
{
    return (double)s->memory -
           fmin(zb_promise_held(s), ZB_STEERING.kept_share * (double)s->memory);
}

static bool has_room(const zb_arms *s, int size)
{
    return s->arm[s->count - 1].bytes * growth_of(s, size) <= zb_promise_room(s);
}

static bool is_refused(const zb_arms *s, int size)
{
    return s->refused > 0 && size >= s->refused;
}

/* The largest up to so much more than the last that leads within a share of the time,
   and has room. In steps of two: on square lattices odd sizes have poor orders. */
static int size_within(const zb_arms *s, int leap, double seconds)
{
    int size = s->top + leap;
    while (size > s->top + 2 &&
           (price_of(s, size) > seconds || is_refused(s, size) || !has_room(s, size)))
        size -= 2;
    return zb_min_int(size, ZB_STEERING.size_most);
}

/* Each size takes as long as all smaller ones together. So where there is time for far
   larger ones, those between are left out. */
int zb_promise_size(const zb_arms *s, double seconds)
{
    if (s->count == 0)
        return s->first;
    int size = size_within(s, ZB_STEERING.leap, share_of_next(s, seconds) * seconds);
    if (s->step <= 0)
        return size;
    return zb_max_int(
        size, size_within(s, ZB_STEERING.leap_most, ZB_STEERING.leap_share * seconds));
}

/* A larger arm that could be made. */
static bool has_next(const zb_arms *s)
{
    return !s->closed && s->next > s->top && s->count < ZB_ARMS &&
           !is_refused(s, s->next);
}

bool zb_promise_unfinished(const zb_arms *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->arm[i].attempt != NULL && !s->arm[i].converged)
            return true;
    return has_next(s);
}

/* By what the last one gained: each further step gains less. */
static double gain_of_leap(const zb_arms *s)
{
    const double less = 0.6;
    double steps = fmax(1, (double)(s->next - s->top) / ZB_STEERING.leap);
    return s->step * less * (1 - zb_pow(less, steps)) / (1 - less);
}

/* Of a larger arm: the gain that larger ones had so far, less than that of the last
   one; a share of the gap as long as none is known. */
static double promise_of_next(const zb_arms *s, double seconds)
{
    if (!has_next(s))
        return 0;
    if (s->count == 0)
        return INFINITY;
    double price = price_of(s, s->next),
           least = ZB_STEERING.gain_least * zb_promise_gap(s);
    if (price > share_of_next(s, seconds) * seconds)
        return 0; /* maybe in a longer round */
    if (!has_room(s, s->next)) {
        s->steer->short_of = true;
        return 0;
    }
    double gain =
        s->step >= 0 ? gain_of_leap(s) : ZB_STEERING.gain_first * zb_promise_gap(s);
    double lag = zb_promise_ahead(s, claim_of(s), foreseen(s));
    gain = fmax(gain, least) - fmax(lag, 0);
    if (gain > 0)
        return gain / price;
    /* something else leads by far: what arms of other sizes do is not known from these
     */
    return price < explored(s) * seconds ? 1e-13 : 0;
}

/* An arm that would end ahead of others with all of the seconds makes what these gain
   now worthless: far less than its end is not worth their time. */
static bool is_idle(const zb_arms *s, const zb_arm *a, double seconds, double best)
{
    const double far = 0.8;
    return best > 0 && !zb_promise_on_trial(a) && !is_cheap(s, a, seconds) &&
           end_of(s, a, seconds) < far * best;
}

/* The arm of largest promise; -1: a new one; *most: the promise, 0 if there is none. */
int zb_promise_choose(const zb_arms *s, double seconds, double *most)
{
    int best = -1;
    double end = 0;
    *most = promise_of_next(s, seconds);
    for (int i = 0; i < s->count; i++)
        end = fmax(end, end_of(s, &s->arm[i], seconds));
    for (int i = s->count - 1; i >= 0; i--) {
        if (is_idle(s, &s->arm[i], seconds, end))
            continue;
        double p = promise_of(s, &s->arm[i], seconds);
        if (p > *most || (p == *most && p > 0 && s->count > 0))
            *most = p, best = i;
    }
    return best;
}
