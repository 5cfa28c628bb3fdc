#include "auto/ledger.h"

#include "base/sum.h"
#include "model/table.h"
#include "ranks/keep.h"

#include <stdio.h>

/* ---- what needs no work ---------------------------------------------------------- */

/* The mean of the logarithms, summed one after the other: n - 1 additions and a
   division on top of the errors of the logarithms themselves. */
static zb_ball mean_log(const zb_factor *a)
{
    double sum = 0, mass = 0, n = (double)a->size;
    for (size_t i = 0; i < a->size; i++) {
        double x = zb_factor_log(a, i);
        sum += x;
        mass += fabs(x);
    }
    if (sum == -INFINITY)
        return (zb_ball){ -INFINITY, 0 };
    return (zb_ball){ sum / n, ZB_MARGIN * ZB_UNIT * (n + 2 * ZB_LOG_ULP) * mass / n };
}

static zb_ball largest_log(const zb_factor *a)
{
    double most = a->log ? -INFINITY : 0;
    for (size_t i = 0; i < a->size; i++)
        most = fmax(most, a->value[i]);
    return a->log ? (zb_ball){ most, 0 } : zb_log_ball(most);
}

/* ln Z <= ln of the number of states plus the factors' largest logarithms, and >= the
   same with their means (Jensen's inequality; minus infinity with zeros). Evidence
   makes the second one wrong, since the mean is over states that are excluded. */
static zb_claim first_claim(const zb_model *model)
{
    zb_sum lower = { 0 }, upper = { 0 };
    zb_sum_add_ball(&lower, zb_model_scale(model));
    zb_sum_add_ball(&upper, zb_model_scale(model));
    for (int v = 0; v < model->nvars; v++) {
        bool seen = model->evidence[v] >= 0;
        zb_ball states = zb_log_ball(seen ? 1 : model->card[v]);
        zb_sum_add_ball(&lower, seen ? (zb_ball){ -INFINITY, 0 } : states);
        zb_sum_add_ball(&upper, states);
    }
    for (int f = 0; f < model->nfactors; f++) {
        zb_sum_add_ball(&upper, largest_log(&model->factor[f]));
        zb_sum_add_ball(&lower, mean_log(&model->factor[f]));
    }
    return (zb_claim){ .searched = -INFINITY,
                       .lower = zb_sum_down(&lower),
                       .upper = zb_sum_up(&upper),
                       .lower_by = "the mean of the logarithms",
                       .upper_by = "the largest entries" };
}

zb_status zb_ledger_open(zb_ledger *l, const zb_model *model, zb_run *run)
{
    *l = (zb_ledger){ .run = run, .whole = first_claim(model) };
    l->work = zb_run_share(run, INFINITY, UINT64_MAX, run->threads);
    return pthread_mutex_init(&l->lock, NULL) == 0 ? ZB_OK : ZB_ENOMEM;
}

void zb_ledger_restore(zb_ledger *l, struct zb_keep *keep)
{
    double lower, upper;
    zb_kept_bounds(keep, &lower, &upper);
    if (lower > l->whole.lower)
        l->whole.lower = lower, l->whole.lower_by = "the checkpoint";
    if (upper < l->whole.upper)
        l->whole.upper = upper, l->whole.upper_by = "the checkpoint";
}

zb_status zb_ledger_parts(zb_ledger *l, int count, zb_model *const *part)
{
    l->part = zb_alloc((size_t)count, sizeof *l->part);
    if (l->part == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < count; i++)
        l->part[i] = first_claim(part[i]);
    l->count = count;
    return ZB_OK;
}

void zb_ledger_close(zb_ledger *l)
{
    zb_free(l->part);
    pthread_mutex_destroy(&l->lock);
}

/* ---- claims ---------------------------------------------------------------------- */

/* Both claims say that ln Z is at least lower and at most upper. */
static void contradict(zb_ledger *l, double lower, const char *lower_by, double upper,
                       const char *upper_by)
{
    if (!l->broken)
        snprintf(l->contradiction.text, sizeof l->contradiction.text,
                 "internal error: %s proved ln Z >= %.15g, %s proved ln Z <= %.15g of "
                 "the same part; one of them is wrong, so no answer is given. Please "
                 "report this model",
                 lower_by, lower, upper_by, upper);
    l->broken = true;
    zb_run_stop(&l->work);
}

/* Take in a bound. */
static void claim_lower(zb_ledger *l, zb_claim *c, double lower, const char *by)
{
    if (isnan(lower) || lower == -INFINITY)
        return;
    if (lower > c->upper)
        contradict(l, lower, by, c->upper, c->upper_by);
    if (!c->exact && lower > c->lower)
        c->lower = lower, c->lower_by = by;
}

static void claim_upper(zb_ledger *l, zb_claim *c, double upper, const char *by)
{
    if (isnan(upper) || upper == INFINITY)
        return;
    if (upper < c->lower)
        contradict(l, c->lower, c->lower_by, upper, by);
    if (!c->exact && upper < c->upper)
        c->upper = upper, c->upper_by = by;
}

/* With the lock. */
static zb_claim total(const zb_ledger *l)
{
    zb_claim sum = { .exact = true }, all = l->whole;
    zb_sum lower = { 0 }, upper = { 0 };
    if (l->count == 0)
        return all;
    for (int i = 0; i < l->count; i++) {
        if (l->part[i].upper == -INFINITY) /* Z = 0, whatever the others are */
            return (zb_claim){ .lower = -INFINITY, .upper = -INFINITY, .exact = true };
        zb_sum_add(&lower, l->part[i].lower);
        zb_sum_add(&upper, l->part[i].upper);
        sum.exact = sum.exact && l->part[i].exact;
    }
    sum.lower = l->count == 1 ? l->part[0].lower : zb_sum_down(&lower);
    sum.upper = l->count == 1 ? l->part[0].upper : zb_sum_up(&upper);
    if (!sum.exact) {
        sum.lower = fmax(sum.lower, all.lower);
        sum.upper = fmin(sum.upper, all.upper);
    }
    return sum;
}

static bool tell(zb_ledger *l)
{
    zb_claim all = total(l);
    zb_progress at = { .iteration = l->iterations[l->side],
                       .side = l->side,
                       .log_lower = all.lower,
                       .log_upper = all.upper,
                       .ibound = l->ibound,
                       .fraction = -1,
                       .by = l->by,
                       .has_confidence = l->drawn && !all.exact,
                       .confidence_lower = fmax(l->likely_lower, all.lower),
                       .confidence_upper = fmin(l->likely_upper, all.upper) };
    return zb_run_report(l->run, at) && !l->broken;
}

bool zb_ledger_tell(zb_ledger *l)
{
    pthread_mutex_lock(&l->lock);
    bool more = tell(l);
    pthread_mutex_unlock(&l->lock);
    return more;
}

void zb_ledger_likely(zb_ledger *l, double lower, double upper)
{
    pthread_mutex_lock(&l->lock);
    l->drawn = true;
    l->likely_lower = lower;
    l->likely_upper = upper;
    tell(l);
    pthread_mutex_unlock(&l->lock);
}

static bool bound(zb_ledger *l, int i, double lower, double upper, const char *by)
{
    claim_lower(l, &l->part[i], lower, by);
    claim_upper(l, &l->part[i], upper, by);
    l->by = by;
    return tell(l);
}

bool zb_ledger_bound(zb_ledger *l, int i, double lower, double upper, const char *by)
{
    pthread_mutex_lock(&l->lock);
    l->side = ZB_SIDE_BOTH;
    bool more = bound(l, i, lower, upper, by);
    pthread_mutex_unlock(&l->lock);
    return more;
}

bool zb_ledger_pass(zb_ledger *l, int i, zb_side side, int ibound, int64_t iterations,
                    double value)
{
    bool lower = side == ZB_SIDE_LOWER;
    pthread_mutex_lock(&l->lock);
    l->iterations[side] += iterations;
    l->ibound = ibound;
    l->side = side;
    bool more = bound(l, i, lower ? value : -INFINITY, lower ? INFINITY : value,
                      "mini-buckets");
    if (lower && i < l->count)
        l->part[i].searched = fmax(l->part[i].searched, value);
    pthread_mutex_unlock(&l->lock);
    return more;
}

void zb_ledger_settle(zb_ledger *l, int i, zb_ball log_z, const char *by)
{
    double lower = zb_down(log_z.mid, log_z.radius),
           upper = zb_up(log_z.mid, log_z.radius);
    pthread_mutex_lock(&l->lock);
    zb_claim *c = &l->part[i];
    if (lower > c->upper)
        contradict(l, lower, by, c->upper, c->upper_by);
    else if (upper < c->lower)
        contradict(l, c->lower, c->lower_by, upper, by);
    else if (!c->exact && !isnan(log_z.mid))
        *c = (zb_claim){ .lower = lower,
                         .upper = upper,
                         .lower_by = by,
                         .upper_by = by,
                         .exact = true };
    l->by = by;
    tell(l);
    pthread_mutex_unlock(&l->lock);
}

zb_claim zb_ledger_claim(zb_ledger *l, int i)
{
    pthread_mutex_lock(&l->lock);
    zb_claim c = l->part[i];
    pthread_mutex_unlock(&l->lock);
    return c;
}

zb_claim zb_ledger_total(zb_ledger *l)
{
    pthread_mutex_lock(&l->lock);
    zb_claim c = total(l);
    if (c.lower > l->whole.upper)
        contradict(l, c.lower, "the sum over the components", l->whole.upper,
                   l->whole.upper_by);
    if (c.upper < l->whole.lower)
        contradict(l, l->whole.lower, l->whole.lower_by, c.upper,
                   "the sum over the components");
    pthread_mutex_unlock(&l->lock);
    return c;
}
