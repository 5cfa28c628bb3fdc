#include "auto/bracket.h"

#include "auto/draws.h"
#include "auto/states.h"
#include "baseline/meanfield.h"
#include "baseline/trbp.h"
#include "model/table.h"
#include "tighten/menu.h"

/* ---- facts ----------------------------------------------------------------------- */

/* Most tables have zeros, and all that is not zero is equal. */
static bool is_counting(const zb_model *model)
{
    int plain = 0;
    for (int f = 0; f < model->nfactors; f++) {
        zb_extremes e = zb_factor_extremes(&model->factor[f]);
        plain += e.zero && e.most == e.least;
    }
    return plain > 0.8 * model->nfactors;
}

static unsigned known_facts(const zb_steer *p)
{
    const zb_model *model = zb_steer_model(p);
    bool dense = zb_menu_degree(model) > ZB_STEERING.dense;
    unsigned facts = dense ? ZB_FACT_DENSE : 0;
    if (zb_steer_has_zeros(p))
        facts |= ZB_FACT_ZEROS | (is_counting(model) ? ZB_FACT_COUNTING : 0);
    return facts;
}

/* The smallest mini-buckets that are worth tightening: many passes take no time. */
static zb_status look(zb_bracket *b, double seconds)
{
    zb_steer *p = b->steer;
    double before = zb_now();
    zb_ibound_request least = { .model = zb_steer_model(p),
                                .memory = p->memory,
                                .seconds = seconds,
                                .slowness = 1,
                                .passes = ZB_STEERING.first_passes,
                                .slack = 1.5,
                                .entries = true,
                                .run = &p->ledger.work };
    zb_status status;
    TRY(zb_budget_ibound(&least, &b->choice));
    b->looked = true;
    b->setup = zb_now() - before;
    zb_sides_open(&b->sides, p, b->setup, b->choice.ibound);
done:
    return status;
}

zb_status zb_step_look(zb_bracket *b, double seconds)
{
    zb_status status = ZB_OK;
    if (!b->looked)
        TRY(look(b, seconds));
    if (b->setup > ZB_STEERING.large * seconds)
        b->facts |= ZB_FACT_LARGE;
    if (!(ZB_STEERING.misfit_passes * b->choice.pass <= seconds))
        b->facts |= ZB_FACT_MISFIT;
    if (b->choice.single)
        b->facts |= ZB_FACT_SINGLE;
done:
    return status;
}

/* ---- steps ----------------------------------------------------------------------- */

static const char FIELD[] = "mean field", FORESTS[] = "a mixture of forests";

static zb_status by_field(zb_steer *p, zb_baseline_options *base)
{
    const zb_model *model = zb_steer_model(p);
    size_t values = 0;
    zb_baseline_result r;
    zb_status status;
    for (int v = 0; v < model->nvars; v++)
        values += (size_t)model->card[v];
    base->q = zb_alloc(values, sizeof *base->q);
    TRY(base->q != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_meanfield_run(model, base, &r));
    TRY(zb_proofs_field(p->proofs, p->now, base->q, r.log_value));
    zb_ledger_bound(&p->ledger, p->now, r.log_value, INFINITY, FIELD);
    if (r.log_value > -INFINITY)
        zb_states_take(p, base->q);
done:
    zb_free(base->q);
    return status;
}

/* Bounds that take no more memory than the model: mean field and mixtures of forests.
   Those have no certificate. */
static zb_status by_baseline(zb_steer *p, zb_side side, double seconds)
{
    zb_run share = zb_steer_share(p, seconds, UINT64_MAX, 1);
    zb_baseline_options base = zb_baseline_default();
    zb_baseline_result r;
    zb_status status = ZB_OK;
    if (seconds <= 0 || !zb_steer_open(p, side))
        return ZB_OK;
    share.relay = zb_run_silent;
    share.context = &p->ledger.work;
    base.run = &share;
    base.seed = p->opt->seed;
    if (side == ZB_SIDE_LOWER) {
        TRY(by_field(p, &base));
    } else if (p->proofs == NULL) {
        TRY(zb_trbp_run(zb_steer_model(p), &base, &r));
        if (r.guaranteed && r.found)
            zb_ledger_bound(&p->ledger, p->now, -INFINITY, r.log_value, FORESTS);
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Is the bound in force on this side one of these? */
static bool is_by_baseline(zb_steer *p, zb_side side)
{
    zb_claim c = zb_ledger_claim(&p->ledger, p->now);
    const char *by = side == ZB_SIDE_LOWER ? c.lower_by : c.upper_by;
    return by == FIELD || by == FORESTS;
}

/* So that there is a lower bound; again where it is still the best. */
zb_status zb_step_lower(zb_bracket *b, double seconds)
{
    zb_steer *p = b->steer;
    bool again = b->looked && !is_by_baseline(p, ZB_SIDE_LOWER);
    return again ? ZB_OK : by_baseline(p, ZB_SIDE_LOWER, seconds);
}

/* One side's share of a step: what did not lead when it was tried hardly will. */
static zb_status baseline_side(zb_bracket *b, zb_side side, bool *lost, double seconds)
{
    zb_steer *p = b->steer;
    zb_status status;
    if (*lost && !is_by_baseline(p, side))
        seconds *=
            side == ZB_SIDE_LOWER ? ZB_STEERING.lost_field : ZB_STEERING.lost_forests;
    TRY(by_baseline(p, side, fmin(seconds, zb_steer_left(p) - 0.3 * seconds)));
    *lost = !is_by_baseline(p, side);
done:
    return status;
}

zb_status zb_step_baseline(zb_bracket *b, double seconds)
{
    zb_status status;
    TRY(baseline_side(b, ZB_SIDE_UPPER, &b->lost[0], seconds));
    TRY(baseline_side(b, ZB_SIDE_LOWER, &b->lost[1], seconds));
done:
    return status;
}

zb_status zb_step_first(zb_bracket *b, double seconds)
{
    return b->first ? ZB_OK : zb_sides_first(&b->sides, zb_now() + seconds);
}

zb_status zb_step_second(zb_bracket *b, double seconds)
{
    if (b->first) /* slices begin anew, with more time; the kind of form is known */
        return zb_sides_support(&b->sides, zb_now() + 0.5 * seconds);
    b->first = true;
    return zb_sides_second(&b->sides, zb_now() + seconds);
}

/* What is begun may go on in the long run at the end of the round. */
double zb_bracket_later(const zb_bracket *b, double end)
{
    const double arms = 0.5; /* of the time until then, others have the rest */
    return isfinite(b->seconds) ? fmax(0, arms * (b->start + 0.9 * b->seconds - end))
                                : 0;
}

/* The end of the round is for draws. */
static zb_status search_on(zb_bracket *b, double seconds)
{
    b->steer->hurried = false;
    if (zb_steer_limited(b->steer))
        seconds -= zb_draws_reserve(b->steer, seconds,
                                    zb_arms_reach(&b->sides.above, seconds));
    double end = zb_now() + seconds;
    b->sides.above.later = b->sides.below.later = zb_bracket_later(b, end);
    return zb_sides_long(&b->sides, end);
}

zb_status zb_step_long(zb_bracket *b, double seconds)
{
    b->steer->leaving = b->steer->last;
    zb_status status = search_on(b, seconds);
    b->steer->leaving = false;
    return status;
}

/* Without a clock there is one round, and nothing is in a hurry: counting may be exact.
 */
zb_status zb_step_early(zb_bracket *b, double seconds)
{
    return zb_steer_limited(b->steer) ? search_on(b, seconds) : ZB_OK;
}

/* For states: brackets are taken at the end. */
zb_status zb_step_meet(zb_bracket *b, double seconds)
{
    seconds *= fmin(1, zb_states_promise(b->steer));
    return zb_draws_look(b->steer, zb_now() + seconds, b->steer->ledger.work.threads);
}

zb_status zb_step_draw(zb_bracket *b, double seconds)
{
    return zb_draws_run(b->steer, zb_now() + seconds, b->steer->ledger.work.threads);
}

zb_status zb_step_state(zb_bracket *b, double seconds)
{
    seconds *= zb_states_promise(b->steer);
    return zb_states_run(b->steer, zb_now() + seconds);
}

/* Time that no arm had a use for: half of it for sums around states where these lead
   below, half for draws; all of what draws leave. */
zb_status zb_step_rest(zb_bracket *b, double seconds)
{
    zb_steer *p = b->steer;
    double part = zb_draws_are_enough(p) ? 1 : 0.5;
    if (!zb_steer_limited(p) || seconds < ZB_STEERING.rest * b->seconds ||
        zb_states_promise(p) < 1)
        return ZB_OK;
    return zb_states_run(p, zb_now() + part * seconds);
}

/* ---- the table ------------------------------------------------------------------- */

static bool applies(const zb_step *s, unsigned facts)
{
    return (facts & s->when) == s->when && (facts & s->unless) == 0;
}

static zb_status bracket_of(zb_steer *p, zb_bracket **out)
{
    zb_bracket **b = &p->bracket[p->now];
    if (*b == NULL)
        *b = zb_calloc(1, sizeof **b);
    *out = *b;
    return *b != NULL ? ZB_OK : ZB_ENOMEM;
}

void zb_bracket_free(zb_bracket *b)
{
    if (b == NULL)
        return;
    zb_sides_close(&b->sides);
    zb_free(b);
}

zb_status zb_bracket_run(zb_steer *p, double seconds)
{
    zb_bracket *b;
    zb_status status;
    TRY(bracket_of(p, &b));
    b->steer = p;
    b->start = zb_now();
    b->seconds = seconds;
    b->facts = known_facts(p);
    for (const zb_step *s = ZB_STEERING.step; s->run != NULL; s++) {
        double share = s->share * seconds;
        if (applies(s, b->facts))
            TRY(s->run(b, s->until ? b->start + share - zb_now() : share));
    }
    zb_sides_leave(&b->sides);
done:
    return status;
}
