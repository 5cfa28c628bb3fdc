#include "auto/states.h"

#include "auto/draws.h"
#include "auto/slice.h"
#include "base/cost.h"
#include "base/explog.h"

typedef struct search {
    zb_steer *steer;
    zb_draws *draws;
    const zb_model *model;
    zb_lower_share lower;
    zb_cutset *cutset;
    zb_solved set; /* slices in the sum, where proofs are asked for */
} search;

/* ---- which variables are cut ----------------------------------------------------- */

/* price[v] = -ln of the share of draws in which v has the state's value. */
static zb_status find_prices(const search *s, double *price)
{
    enum { BATCHES = 8 };
    const uint64_t first = (uint64_t)1 << 60; /* no number of other draws */
    const zb_draws *d = s->draws;
    zb_batch *b = NULL;
    zb_ticker tick = { .run = (zb_run *)&s->lower.share };
    zb_status status;
    TRY(zb_batch_new(&b, d->source.proposal, false));
    for (int v = 0; v < s->model->nvars; v++)
        price[v] = 0;
    for (uint64_t k = 0; k < BATCHES; k++) {
        bool ok = zb_proposal_draw(d->source.proposal, s->steer->opt->seed, first + k,
                                   b, &tick);
        TRY(ok ? ZB_OK : ZB_ELIMIT);
        for (int v = 0; v < s->model->nvars; v++)
            for (size_t i = 0; i < ZB_LANES; i++)
                price[v] += b->state[(size_t)v * ZB_LANES + i] == d->best[v];
    }
    for (int v = 0; v < s->model->nvars; v++)
        price[v] = -zb_log((price[v] + 0.5) / (BATCHES * ZB_LANES + 1));
done:
    zb_batch_free(b);
    return status;
}

/* A cutset whose slices are small enough for a few to be solved in that time: larger
   slices leave out less, and gain more than many of them. */
static zb_status choose_cutset(search *s, double seconds)
{
    int n = s->model->nvars;
    double *price = zb_alloc((size_t)n, sizeof *price);
    zb_scopes *scopes = NULL;
    zb_status status;
    zb_cutset_request r = {
        .order = zb_steer_order(s->steer),
        .entries = fmin(zb_cost_entries_within(seconds / ZB_STEERING.state_slices),
                        (double)s->lower.share.memory / ZB_SLICES_AT_ONCE / 64),
        .most = n,
        .price = price,
        .run = &s->lower.share
    };
    TRY(price != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(find_prices(s, price));
    TRY(zb_scopes_new(&scopes, s->model));
    r.scopes = scopes;
    TRY(zb_cutset_choose(&s->cutset, &r));
done:
    zb_scopes_free(scopes);
    zb_free(price);
    return status;
}

/* ---- sums ------------------------------------------------------------------------ */

enum { UNLIMITED = 100 }; /* slices where there is no clock */

static zb_status sum_slices(search *s)
{
    zb_steer *p = s->steer;
    zb_slices slices = { .model = s->model,
                         .cutset = s->cutset,
                         .order = zb_steer_order(p),
                         .run = &s->lower.share,
                         .most = zb_steer_limited(p) ? 0 : UNLIMITED,
                         .solved = p->proofs != NULL ? &s->set : NULL };
    int64_t solved;
    zb_ball sum;
    int *value = zb_alloc((size_t)s->cutset->count, sizeof *value);
    zb_status status;
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < s->cutset->count; i++)
        value[i] = s->draws->best[s->cutset->var[i]];
    TRY(zb_slices_search(&slices, value, &sum, &solved));
    double bound = zb_down(sum.mid, sum.radius);
    zb_slice_set proved = { s->cutset->count, s->cutset->var, s->set.value,
                            s->set.count };
    if (s->set.count > 0)
        TRY(zb_proofs_slices(p->proofs, p->now, &proved, bound));
    zb_ledger_bound(&p->ledger, p->now, bound, INFINITY, s->lower.by);
    s->draws->sliced = fmax(s->draws->sliced, bound);
done:
    zb_free(value);
    return status;
}

double zb_states_promise(zb_steer *p)
{
    const double few = 3; /* nats */
    if (p->draws == NULL)
        return 0;
    double ahead = p->draws[p->now].sliced - zb_ledger_claim(&p->ledger, p->now).lower;
    if (p->draws[p->now].sliced == -INFINITY)
        return 1;
    return ahead >= 0 ? 4 : ahead > -few ? 1 : 0.2;
}

zb_status zb_states_run(zb_steer *p, double end)
{
    zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    double seconds = end - zb_now();
    zb_status status;
    if (d == NULL || d->best_value == -INFINITY || seconds <= 0 ||
        !zb_steer_open(p, ZB_SIDE_LOWER))
        return ZB_OK;
    search s = { .steer = p, .draws = d, .model = zb_steer_model(p) };
    zb_steer_share_lower(
        &s.lower, p, "slices around a state",
        zb_steer_share(p, seconds, p->memory / 2, p->ledger.work.threads));
    TRY(choose_cutset(&s, fmin(seconds, ZB_STEERING.search_unlimited)));
    TRY(sum_slices(&s));
done:
    zb_cutset_free(s.cutset);
    zb_free(s.set.value);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
