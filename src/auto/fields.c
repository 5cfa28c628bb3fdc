#include "auto/fields.h"

#include "auto/draws.h"
#include "baseline/blockfield.h"

/* What draws say of each variable, if there were any, and the best state, half each. */
static void begin(zb_draws *d, const zb_model *model)
{
    const double *seen = d->seen;
    double *q = d->fields.q;
    for (int v = 0; v < model->nvars; v++) {
        int n = model->card[v];
        for (int x = 0; x < n; x++) {
            double drawn =
                seen != NULL ? (seen[x] + 0.5 / n) / (d->tried + 0.5) : 1.0 / n;
            q[x] = 0.5 * drawn + 0.5 * (x == d->best[v]);
        }
        q += n;
        seen = seen != NULL ? seen + n : NULL;
    }
    d->fields.from = d->best_value;
}

/* It goes on where it stopped, unless a state has been found since that is better than
   all it came to. */
static zb_status get_ready(zb_draws *d, const zb_model *model)
{
    zb_fields *f = &d->fields;
    size_t values = 0;
    if (f->q != NULL && (d->best_value <= f->bound || d->best_value <= f->from))
        return ZB_OK;
    if (f->q == NULL) {
        for (int v = 0; v < model->nvars; v++)
            values += (size_t)model->card[v];
        f->q = zb_alloc(values, sizeof *f->q);
        if (f->q == NULL)
            return ZB_ENOMEM;
    }
    begin(d, model);
    return ZB_OK;
}

static void learn(zb_fields *f, const zb_blockfield_result *r)
{
    f->tried += r->tried;
    f->best = r->best;
    f->bound = fmax(f->bound, r->log_value);
    f->hope = r->zeros && f->bound == -INFINITY ? ZB_FIELDS_OVER
              : r->rounds == 0                  ? ZB_FIELDS_UNFIT
                                                : ZB_FIELDS_OPEN;
}

static double share_of(const zb_draws *d)
{
    const double far = 3; /* nats */
    const zb_fields *f = &d->fields;
    double other = fmax(d->sliced, d->best_value);
    if (f->hope == ZB_FIELDS_UNFIT)
        return 0.05;
    if (f->bound == -INFINITY)
        return 0.3;
    return f->bound > other ? 0.7 : f->bound > other - far ? 0.3 : 0.05;
}

/* Blocks are small enough for some ten sweeps. */
static double entries_for(double seconds, double nvars, uint64_t memory)
{
    const double least = 64, sweep = 0.03e-6; /* seconds an entry and variable */
    return fmin(fmax(least, seconds / nvars / sweep), (double)memory / 64 / nvars);
}

void zb_fields_run(zb_steer *p, zb_run *run, double end)
{
    enum { UNLIMITED_ROUNDS = 8, UNLIMITED_ENTRIES = 1 << 14 };
    zb_draws *d = &p->draws[p->now];
    zb_fields *f = &d->fields;
    const zb_model *model = zb_steer_model(p);
    bool limited = isfinite(end);
    double seconds = share_of(d) * (end - zb_now()), nvars = model->nvars;
    if (seconds <= 0 || p->proofs != NULL || f->hope == ZB_FIELDS_OVER)
        return;
    zb_lower_share lower;
    zb_run share =
        zb_run_share(run, limited ? zb_now() + seconds : INFINITY, run->memory, 1);
    zb_steer_share_lower(&lower, p, "mean field between blocks", share);
    zb_blockfield_spec spec = {
        .known = f->bound,
        .entries = limited ? entries_for(seconds, nvars, share.memory)
                           : fmin(UNLIMITED_ENTRIES, (double)share.memory / 64 / nvars),
        .seed = p->opt->seed + 1,
        .first = f->tried,
        .best = f->best,
        .rounds = limited ? INT32_MAX / 2 : UNLIMITED_ROUNDS,
        .run = &lower.share
    };
    zb_blockfield_result r;
    zb_status status = get_ready(d, model);
    spec.q = f->q;
    if (status == ZB_OK)
        status = zb_blockfield_run(model, &spec, &r);
    if (status != ZB_OK) {
        f->hope = ZB_FIELDS_OVER;
        return;
    }
    zb_ledger_bound(&p->ledger, p->now, r.log_value, INFINITY, lower.by);
    learn(f, &r);
}
