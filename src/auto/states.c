#include "auto/states.h"

#include "auto/draws.h"
#include "auto/fields.h"
#include "auto/slice.h"
#include "auto/start.h"
#include "base/cost.h"
#include "base/explog.h"
#include "map/redraw.h"
#include "sample/anneal.h"
#include "sample/ascent.h"

typedef struct search {
    zb_steer *steer;
    zb_draws *draws;
    const zb_model *model;
    zb_lower_share lower;
    zb_cutset *cutset;
    zb_solved set; /* slices in the sum, where proofs are asked for */
} search;

/* ---- single states --------------------------------------------------------------- */

/* A state is a slice in which every variable is cut. */
zb_status zb_states_claim(zb_steer *p, const int *state, double bound)
{
    int n = zb_steer_model(p)->nvars;
    int *all = p->proofs != NULL ? zb_alloc((size_t)n, sizeof *all) : NULL;
    zb_status status = ZB_OK;
    if (p->proofs != NULL) {
        TRY(all != NULL ? ZB_OK : ZB_ENOMEM);
        for (int v = 0; v < n; v++)
            all[v] = v;
        zb_slice_set one = { n, all, state, 1 };
        TRY(zb_proofs_slices(p->proofs, p->now, &one, bound));
    }
    zb_ledger_bound(&p->ledger, p->now, bound, INFINITY, "a state");
done:
    zb_free(all);
    return status;
}

void zb_states_take(zb_steer *p, const double *q)
{
    zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    const zb_model *model = zb_steer_model(p);
    size_t n = (size_t)model->nvars;
    int *state = d != NULL ? zb_alloc(n, sizeof *state) : NULL;
    if (state == NULL) /* for want of memory there are other states */
        return;
    for (int v = 0; v < model->nvars; q += model->card[v++]) {
        state[v] = 0;
        for (int x = 1; x < model->card[v]; x++)
            state[v] = q[x] > q[state[v]] ? x : state[v];
    }
    double value = zb_state_value(model, state).mid;
    if (value > d->best_value) {
        zb_free(d->best);
        d->best = state, state = NULL;
        d->best_value = value;
    }
    zb_free(state);
}

/* Where zeros let no draw end well: any state of positive weight, which annealing makes
   a good one. It is sought again, with more time, as long as there is none. */
static zb_status seek(search *s, double seconds)
{
    zb_draws *d = s->draws;
    int n = s->model->nvars;
    zb_run share = zb_run_share(&s->lower.share, zb_now() + seconds, UINT64_MAX, 1);
    int *all = zb_alloc((size_t)n, sizeof *all);
    bool found = false;
    zb_status status;
    d->sought = fmax(d->sought, seconds);
    if (d->best == NULL)
        d->best = zb_alloc((size_t)n, sizeof *d->best);
    TRY(all != NULL && d->best != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < n; v++)
        all[v] = v;
    zb_cutset whole = { .count = n, .var = all };
    share.relay = zb_run_silent;
    share.context = &s->lower.share;
    TRY(zb_start_find(s->model, NULL, &whole, &share, d->best, &found));
    if (found)
        d->best_value = zb_state_value(s->model, d->best).mid;
done:
    zb_free(all);
    return status;
}

/* What annealing from the best state finds; less time where it found nothing better
   some times. Descents grow from call to call. */
static zb_status anneal(search *s, double seconds)
{
    enum { SWEEPS = 64, UNLIMITED_DESCENTS = 4, PATIENCE = 4 };
    const double fruitless = 0.2;
    zb_steer *p = s->steer;
    zb_draws *d = s->draws;
    bool limited = zb_steer_limited(p);
    double part = d->cold < PATIENCE ? 1 : fruitless;
    int sweeps = limited ? zb_max_int(SWEEPS, d->sweeps) : SWEEPS;
    zb_run share = zb_run_share(
        &s->lower.share, limited ? zb_now() + part * seconds : INFINITY, UINT64_MAX, 1);
    zb_anneal_spec spec = { .seed = p->opt->seed + 0x616e6e * ++d->redraws,
                            .sweeps = sweeps,
                            .most = limited ? INT32_MAX : UNLIMITED_DESCENTS };
    zb_status status = ZB_OK;
    if (seconds <= 0)
        return ZB_OK;
    share.relay = zb_run_silent;
    share.context = &s->lower.share;
    status = zb_anneal(s->model, &spec, &share, d->best);
    TRY(status == ZB_ENOMEM ? ZB_OK : status); /* it is one search of several */
    bool whole = spec.sweeps > sweeps;
    d->sweeps = spec.sweeps;
    zb_ball value = zb_state_value(s->model, d->best);
    bool better = value.mid > d->best_value;
    d->cold = better ? 0 : d->cold + whole;
    d->best_value = value.mid;
    if (better)
        TRY(zb_states_claim(p, d->best, zb_down(value.mid, value.radius)));
done:
    return status;
}

/* Groups of variables are small enough for a good number of them in that time; those
   that gain nothing are no longer tried until a better state is drawn. */
static zb_status improve(search *s, double seconds)
{
    enum { GROUPS = 20, PATIENCE = 30, UNLIMITED_GROUPS = 10 };
    zb_steer *p = s->steer;
    zb_draws *d = s->draws;
    bool limited = zb_steer_limited(p);
    zb_run share =
        zb_run_share(&s->lower.share, limited ? zb_now() + seconds : INFINITY,
                     UINT64_MAX, s->lower.share.threads);
    zb_redraw_spec spec = { .order = zb_steer_order(p),
                            .entries =
                                fmin(zb_cost_entries_within(seconds / GROUPS) /
                                         (1 + s->model->nvars),
                                     (double)share.memory / 64 / (1 + s->model->nvars)),
                            .seed = p->opt->seed + ++d->redraws,
                            .most = limited ? INT32_MAX : UNLIMITED_GROUPS,
                            .patience = PATIENCE };
    zb_status status = ZB_OK;
    if (seconds <= 0 || d->best_value <= d->redrawn)
        return ZB_OK;
    share.relay = zb_run_silent;
    share.context = &s->lower.share;
    spec.entries = fmax(spec.entries, 64);
    TRY(zb_redraw(s->model, &spec, &share, d->best));
    zb_ball value = zb_state_value(s->model, d->best);
    d->best_value = value.mid;
    if (zb_run_more(&share)) /* patience was over, not time */
        d->redrawn = value.mid;
    TRY(zb_states_claim(p, d->best, zb_down(value.mid, value.radius)));
done:
    return status;
}

/* ---- which variables are cut ----------------------------------------------------- */

/* price[v] = -ln of the share of draws in which v has the state's value; of all values
   alike where there were none. */
static void find_prices(const search *s, double *price)
{
    const zb_draws *d = s->draws;
    const double *seen = d->tried > 0 ? d->seen : NULL;
    for (int v = 0; v < s->model->nvars; v++) {
        price[v] = zb_log(s->model->card[v]);
        if (seen != NULL) {
            price[v] = -zb_log((seen[d->best[v]] + 0.5) / (d->tried + 1));
            seen += s->model->card[v];
        }
    }
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
    find_prices(s, price);
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

/* ---- both ------------------------------------------------------------------------ */

/* What a bound will be after a round more: it gains as much again. */
static double next_round(double now, double past)
{
    return past > -INFINITY ? now + fmax(0, now - past) : now;
}

/* There is no lower bound at all. */
static bool is_unknown(zb_steer *p)
{
    return zb_ledger_claim(&p->ledger, p->now).lower == -INFINITY;
}

double zb_states_bound(const zb_steer *p)
{
    const zb_draws *d = &p->draws[p->now];
    return fmax(d->sliced, d->fields.bound);
}

double zb_states_promise(zb_steer *p)
{
    const double few = 3;         /* nats */
    const double fruitless = 0.3; /* of a share in which no slice was solved before */
    const double needed = 4;      /* where nothing is known below */
    const zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    if (d == NULL)
        return 0;
    if (is_unknown(p))
        return needed;
    double bound = zb_states_bound(p);
    if (bound == -INFINITY)
        return d->redraws == 0 ? 1 : fruitless;
    double searched = zb_ledger_claim(&p->ledger, p->now).searched;
    double ahead =
        next_round(bound, d->sliced_past) - next_round(searched, d->searched_past);
    return ahead >= 0 ? 4 : ahead > -few ? 1 : 0.2;
}

static zb_status run(zb_steer *p, double end, int threads, uint64_t memory)
{
    zb_draws *d = p->draws != NULL ? &p->draws[p->now] : NULL;
    double seconds = end - zb_now();
    zb_status status;
    if (d == NULL || seconds <= 0 || zb_steer_model(p)->nvars == 0 ||
        !zb_steer_open(p, ZB_SIDE_LOWER))
        return ZB_OK;
    search s = { .steer = p, .draws = d, .model = zb_steer_model(p) };
    d->sliced_past = zb_states_bound(p);
    d->searched_past = zb_ledger_claim(&p->ledger, p->now).searched;
    zb_steer_share_lower(&s.lower, p, "slices around a state",
                         zb_steer_share(p, seconds, memory, threads));
    double most = (is_unknown(p) ? 0.8 : 0.3) * seconds;
    if (d->best_value == -INFINITY && (is_unknown(p) || most > 2 * d->sought))
        TRY(seek(&s, most));
    if (d->best_value == -INFINITY)
        goto done;
    TRY(anneal(&s, fmin(0.15 * seconds, 2)));
    TRY(improve(&s, fmin(0.15 * seconds, 2)));
    zb_fields_run(p, &s.lower.share, end);
    seconds = isfinite(end) ? end - zb_now() : INFINITY;
    TRY(choose_cutset(&s, fmin(seconds, ZB_STEERING.search_unlimited)));
    TRY(sum_slices(&s));
done:
    zb_cutset_free(s.cutset);
    zb_free(s.set.value);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_states_run(zb_steer *p, double end)
{
    return run(p, end, p->ledger.work.threads, p->memory / 2);
}

zb_status zb_states_once(zb_steer *p, double end, int threads)
{
    return run(p, end, threads, p->memory / 4);
}

zb_status zb_states_beside(zb_steer *p, double end, int threads)
{
    double left = end - zb_now(), round = left, used = round;
    zb_status status = ZB_OK;
    while (status == ZB_OK && left > ZB_STEERING.rest * round &&
           used > 0.01 * round && /* else there was nothing to be done */
           zb_steer_open(p, ZB_SIDE_LOWER) && zb_states_promise(p) >= 1) {
        double seconds = fmin(left, fmax(0.3 * left, 0.1 * round));
        status = zb_states_once(p, zb_now() + seconds, threads);
        used = left - (end - zb_now());
        left -= used;
    }
    return status;
}
