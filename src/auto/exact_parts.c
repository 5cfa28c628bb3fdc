/* Components whose exact answer fits the time: by elimination where memory suffices,
 * slice by slice where it does not. */
#include "auto/slice.h"
#include "auto/steer.h"
#include "base/cost.h"
#include "exact/part_farm.h"
#include "ranks/keep.h"

/* Slices repeat work: where elimination in one go is that many times too slow, no
   cutset is looked for. */
static const double HOPELESS = 100;
enum { CUTSET_MOST = 40 };
/* An elimination forecast to take at most NEARLY_DONE seconds is worth more than the
   last moment of the budget: it may end up to GRACE after it, which the promise of the
   limit and 0.2 s allows. */
static const double NEARLY_DONE = 0.02, GRACE = 0.1;

/* Where there is no clock, what is tried must not depend on the number of threads. */
double zb_steer_exact_seconds(const zb_steer *p, double entries)
{
    int threads = zb_steer_limited(p) && entries > 1e6 ? p->ledger.work.threads : 1;
    return zb_cost_elimination(entries, threads);
}

/* Give exact elimination up as soon as it is clear that it would be late, so that there
   is time left for a bracket. */
static bool on_exact(void *context, const zb_progress *at)
{
    zb_steer *p = context;
    return zb_ledger_tell(&p->ledger) &&
           !zb_part_is_late(p->exact_start, p->exact_end, at->fraction);
}

static bool is_due(zb_steer *p, int i, double seconds)
{
    const zb_exact_plan *plan = &p->job->plan[i];
    return zb_steer_is_open(p, i) && plan->bytes <= (double)p->memory &&
           zb_steer_exact_seconds(p, plan->total) <= seconds;
}

static void settle(zb_steer *p, int i, zb_ball log_z)
{
    zb_proofs_order(p->proofs, i);
    zb_ledger_settle(&p->ledger, i, log_z, "elimination");
    p->out->bytes = zb_max_size(p->out->bytes, (size_t)p->job->plan[i].bytes);
}

static zb_status eliminate(zb_steer *p)
{
    zb_run share = zb_steer_share(p, INFINITY, p->memory, p->ledger.work.threads);
    zb_ball log_z;
    double forecast = zb_steer_exact_seconds(p, p->job->plan[p->now].total);
    p->exact_start = zb_now();
    if (p->job->whole && forecast < NEARLY_DONE)
        share.deadline = fmax(share.deadline, p->exact_start + GRACE);
    p->exact_end = share.deadline;
    share.relay = on_exact;
    share.context = p;
    zb_status status =
        zb_exact_run(zb_steer_model(p), zb_steer_order(p), &share, &log_z, NULL);
    if (status == ZB_OK)
        settle(p, p->now, log_z);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* ---- the same over ranks --------------------------------------------------------- */

typedef struct harvest {
    zb_steer *steer;
    bool *skip; /* per component: not due, or given up */
} harvest;

static bool on_solved(void *context, int i, zb_ball log_z)
{
    harvest *h = context;
    h->skip[i] = true;
    if (!isnan(log_z.mid))
        settle(h->steer, i, log_z);
    return zb_steer_goes_on(h->steer);
}

static bool on_there(void *context, const zb_progress *at)
{
    zb_steer *p = context;
    (void)at;
    return zb_ledger_tell(&p->ledger);
}

/* Components that are due, as far as other ranks are of use. */
static zb_status eliminate_there(zb_steer *p, bool *skip)
{
    harvest h = { .steer = p, .skip = skip };
    zb_part_work work = { .job = p->job,
                          .skip = skip,
                          .careful = zb_steer_limited(p),
                          .context = &h,
                          .solved = on_solved };
    zb_run share = zb_steer_share(p, INFINITY, p->memory, p->ledger.work.threads);
    share.relay = on_there;
    share.context = p;
    return zb_part_farm_eliminate(&work, &share);
}

zb_status zb_stage_exact(zb_steer *p, const zb_stage *stage)
{
    double seconds = zb_steer_allow(p, stage).forecast;
    bool *skip = zb_calloc((size_t)p->job->count, sizeof *skip);
    zb_status status;
    TRY(skip != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < p->job->count; i++)
        skip[i] = !is_due(p, i, seconds);
    if (zb_steer_goes_on(p))
        TRY(eliminate_there(p, skip));
    for (int i = 0; i < p->job->count && zb_steer_goes_on(p); i++) {
        p->now = i;
        if (!skip[i])
            TRY(eliminate(p));
    }
done:
    zb_free(skip);
    return status;
}

static zb_status solve_slices(zb_steer *p, const zb_cutset *cutset, const int *order,
                              zb_kept_slices *kept, double seconds)
{
    zb_lower_share lower;
    zb_slices s = { .model = zb_steer_model(p),
                    .cutset = cutset,
                    .order = order,
                    .kept = kept,
                    .run = &lower.share };
    zb_solved solved = { 0 };
    bool complete;
    zb_ball log_z;
    zb_status status;
    s.solved = p->proofs != NULL ? &solved : NULL;
    zb_steer_share_lower(&lower, p, "slices",
                         zb_steer_share(p, seconds, p->memory, p->ledger.work.threads));
    TRY(zb_slices_all(&s, &log_z, &complete));
    zb_slice_set set = { cutset->count, cutset->var, complete ? NULL : solved.value,
                         solved.count };
    double bound = zb_down(log_z.mid, log_z.radius);
    if (complete || solved.count > 0)
        TRY(zb_proofs_slices(p->proofs, p->now, &set, bound));
    if (complete)
        zb_ledger_settle(&p->ledger, p->now, log_z, lower.by);
    else
        zb_ledger_bound(&p->ledger, p->now, bound, INFINITY, lower.by);
done:
    zb_free(solved.value);
    return status;
}

/* Where slices of the component at work are kept from an earlier run, they are gone on
   with: the same cutset, in the same order, whatever this run would have chosen. */
static zb_status slice_on(zb_steer *p, double seconds, bool *found)
{
    zb_kept_slices *kept = NULL;
    const int *var;
    zb_status status;
    TRY(zb_kept_find(&kept, zb_run_keep(p->ledger.run), zb_steer_model(p), p->err));
    *found = kept != NULL;
    if (kept == NULL)
        return ZB_OK;
    zb_cutset cutset = { .count = zb_kept_cutset(kept, &var), .slices = INFINITY };
    cutset.var = (int *)var;
    TRY(solve_slices(p, &cutset, zb_kept_order(kept), kept, seconds));
done:
    zb_kept_close(kept);
    return status;
}

/* Slices at a time, over all ranks; where there is no clock, what is tried must not
   depend on it. */
static int side_by_side(const zb_steer *p)
{
    if (!zb_steer_limited(p))
        return 1;
    return zb_min_int(p->ledger.work.threads, ZB_SLICES_AT_ONCE) *
           zb_ranks_size(zb_run_ranks(p->ledger.run));
}

/* Memory does not suffice but time may: solve the component at work slice by slice. */
static zb_status slice(zb_steer *p, zb_allowance a)
{
    zb_scopes *scopes = NULL;
    zb_cutset *cutset = NULL;
    zb_kept_slices *kept = NULL;
    bool found = false;
    double each = zb_cost_slice_entries((double)p->memory / ZB_SLICES_AT_ONCE);
    int threads = side_by_side(p);
    zb_status status;
    TRY(slice_on(p, a.seconds, &found));
    if (found ||
        zb_steer_exact_seconds(p, p->job->plan[p->now].total) > HOPELESS * a.forecast)
        return ZB_OK;
    TRY(zb_scopes_new(&scopes, zb_steer_model(p)));
    TRY(zb_cutset_find(&cutset, scopes, zb_steer_order(p), each, CUTSET_MOST,
                       &p->ledger.work));
    if (zb_cost_slices(cutset->slices, cutset->total, threads) > a.forecast)
        goto done;
    TRY(zb_kept_begin(&kept, zb_run_keep(p->ledger.run), zb_steer_model(p),
                      (size_t)cutset->count, cutset->var, zb_steer_order(p)));
    TRY(solve_slices(p, cutset, zb_steer_order(p), kept, a.seconds));
done:
    zb_kept_close(kept);
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_stage_slices(zb_steer *p, const zb_stage *stage)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < p->job->count && zb_steer_goes_on(p); i++) {
        p->now = i;
        if (zb_steer_is_open(p, i))
            TRY(slice(p, zb_steer_allow(p, stage)));
    }
done:
    return status;
}
