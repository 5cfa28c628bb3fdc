#include "auto/cut_slices.h"

#include "auto/slice.h"
#include "auto/start.h"
#include "base/cost.h"

/* A cutset whose slices are small enough for some to be solved in that time. */
static zb_status small_slices(zb_sides *f, zb_run *run, double seconds, zb_cutset **out)
{
    enum { CUTSET_MOST = 400 };
    zb_steer *p = f->steer;
    zb_scopes *scopes = NULL;
    double entries = fmin(zb_cost_entries_within(seconds / ZB_STEERING.support_slices),
                          (double)f->lower.memory / ZB_SLICES_AT_ONCE / 64);
    zb_status status;
    TRY(zb_scopes_new(&scopes, zb_steer_model(p)));
    TRY(zb_cutset_find(out, scopes, zb_steer_order(p), entries, CUTSET_MOST, run));
done:
    zb_scopes_free(scopes);
    return status;
}

zb_status zb_cut_slices_run(zb_sides *f, double end)
{
    zb_steer *p = f->steer;
    double seconds = end - zb_now();
    zb_ball sum;
    zb_lower_share lower;
    zb_slices s = { .model = zb_steer_model(p),
                    .order = zb_steer_order(p),
                    .run = &lower.share };
    zb_cutset *cutset = NULL;
    zb_solved set = { 0 };
    int *value = NULL;
    bool found = false;
    int64_t solved;
    zb_status status;
    s.solved = p->proofs != NULL ? &set : NULL;
    zb_steer_share_lower(&lower, p, "slices",
                         zb_steer_share(p, seconds, f->lower.memory, f->lower.threads));
    TRY(small_slices(f, s.run, fmin(seconds, ZB_STEERING.search_unlimited), &cutset));
    s.cutset = cutset;
    value = zb_alloc((size_t)cutset->count, sizeof *value);
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_start_find(s.model, f->guide, cutset, s.run, value, &found));
    if (found) {
        TRY(zb_slices_search(&s, value, &sum, &solved));
        double bound = zb_down(sum.mid, sum.radius);
        zb_slice_set proved = { cutset->count, cutset->var, set.value, set.count };
        if (set.count > 0)
            TRY(zb_proofs_slices(p->proofs, p->now, &proved, bound));
        zb_ledger_bound(&p->ledger, p->now, bound, INFINITY, lower.by);
    }
done:
    zb_cutset_free(cutset);
    zb_free(value);
    zb_free(set.value);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
