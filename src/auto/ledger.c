#include "auto/ledger.h"

#include "base/explog.h"
#include "model/table.h"

#include <stdio.h>

/* ---- what needs no work ---------------------------------------------------------- */

/* Errors are relative to the logarithms that are added up on the way, of which there
   are some per table. */
double zb_rounding_slack(const zb_model *model)
{
    double mass = 1 + (isfinite(model->log_scale) ? fabs(model->log_scale) : 0);
    for (int v = 0; v < model->nvars; v++)
        mass += zb_log(model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        zb_extremes e = zb_factor_extremes(&model->factor[f]);
        if (e.most > -INFINITY)
            mass += fmax(fabs(e.most), fabs(e.least));
    }
    return 1e-9 * mass;
}

/* ln Z <= ln of the number of states plus the factors' largest logarithms, and >= the
   same with their means (Jensen's inequality; minus infinity with zeros). Evidence
   makes the second one wrong, since the mean is over states that are excluded. */
static zb_claim first_claim(const zb_model *model)
{
    zb_claim c = { .lower = model->log_scale,
                   .upper = model->log_scale,
                   .lower_by = "the mean of the logarithms",
                   .upper_by = "the largest entries",
                   .slack = zb_rounding_slack(model) };
    for (int v = 0; v < model->nvars; v++) {
        bool seen = model->evidence[v] >= 0;
        c.lower += seen ? -INFINITY : zb_log(model->card[v]);
        c.upper += seen ? 0 : zb_log(model->card[v]);
    }
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double most = -INFINITY, sum = 0;
        for (size_t i = 0; i < a->size; i++) {
            double x = a->value[i];
            most = fmax(most, x);
            sum += a->log ? x : zb_log(x);
        }
        c.upper += a->log ? most : zb_log(most);
        c.lower += sum / (double)a->size;
    }
    c.lower = c.upper == -INFINITY ? -INFINITY : fmin(c.lower, c.upper);
    return c;
}

zb_status zb_ledger_open(zb_ledger *l, const zb_model *model, zb_run *run)
{
    *l = (zb_ledger){ .run = run, .whole = first_claim(model) };
    l->work = zb_run_share(run, INFINITY, UINT64_MAX, run->threads);
    return pthread_mutex_init(&l->lock, NULL) == 0 ? ZB_OK : ZB_ENOMEM;
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

/* Take in a bound. What crosses the other side by rounding is kept as it is: the
   bracket that is reported is the wider reading. */
static void claim_lower(zb_ledger *l, zb_claim *c, double lower, const char *by)
{
    if (isnan(lower) || lower == -INFINITY)
        return;
    if (lower > c->upper + c->slack)
        contradict(l, lower, by, c->upper, c->upper_by);
    if (!c->exact && lower > c->lower)
        c->lower = lower, c->lower_by = by;
}

static void claim_upper(zb_ledger *l, zb_claim *c, double upper, const char *by)
{
    if (isnan(upper) || upper == INFINITY)
        return;
    if (upper < c->lower - c->slack)
        contradict(l, c->lower, c->lower_by, upper, by);
    if (!c->exact && upper < c->upper)
        c->upper = upper, c->upper_by = by;
}

/* With the lock. */
static zb_claim total(const zb_ledger *l)
{
    zb_claim sum = { .exact = true }, all = l->whole;
    if (l->count == 0)
        return all;
    for (int i = 0; i < l->count; i++) {
        sum.lower += l->part[i].lower;
        sum.upper += l->part[i].upper;
        sum.exact = sum.exact && l->part[i].exact;
    }
    for (int i = 0; i < l->count; i++)
        if (l->part[i].upper == -INFINITY) { /* Z = 0, whatever the others are */
            sum.lower = sum.upper = -INFINITY;
            sum.exact = true;
        }
    sum.slack = all.slack;
    if (!sum.exact) {
        sum.lower = fmax(sum.lower, all.lower);
        sum.upper = fmin(sum.upper, all.upper);
    }
    double lower = fmin(sum.lower, sum.upper);
    sum.upper = fmax(sum.lower, sum.upper);
    sum.lower = lower;
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
                       .fraction = -1 };
    return zb_run_report(l->run, at) && !l->broken;
}

bool zb_ledger_tell(zb_ledger *l)
{
    pthread_mutex_lock(&l->lock);
    bool more = tell(l);
    pthread_mutex_unlock(&l->lock);
    return more;
}

static bool bound(zb_ledger *l, int i, double lower, double upper, const char *by)
{
    claim_lower(l, &l->part[i], lower, by);
    claim_upper(l, &l->part[i], upper, by);
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
    pthread_mutex_unlock(&l->lock);
    return more;
}

void zb_ledger_settle(zb_ledger *l, int i, double log_z, const char *by)
{
    pthread_mutex_lock(&l->lock);
    zb_claim *c = &l->part[i];
    if (log_z > c->upper + c->slack)
        contradict(l, log_z, by, c->upper, c->upper_by);
    else if (log_z < c->lower - c->slack)
        contradict(l, c->lower, c->lower_by, log_z, by);
    else if (!c->exact && !isnan(log_z))
        *c = (zb_claim){ .lower = log_z,
                         .upper = log_z,
                         .lower_by = by,
                         .upper_by = by,
                         .exact = true,
                         .slack = c->slack };
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
    if (c.lower > l->whole.upper + c.slack)
        contradict(l, c.lower, "the sum over the components", l->whole.upper,
                   l->whole.upper_by);
    if (c.upper < l->whole.lower - c.slack)
        contradict(l, l->whole.lower, l->whole.lower_by, c.upper,
                   "the sum over the components");
    pthread_mutex_unlock(&l->lock);
    return c;
}
