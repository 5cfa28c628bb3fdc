/* The long run of both sides where there is a clock: arms side by side, or in turns,
 * with draws and states beside them. */
#include "auto/draws.h"
#include "auto/promise.h"
#include "auto/sides.h"
#include "auto/states.h"

/* ---- draws ----------------------------------------------------------------------- */

/* The best may be too large to be drawn from. */
static zb_status offer_arms(zb_sides *f, int threads)
{
    zb_status status = ZB_OK;
    for (zb_attempt *a = zb_arms_best(&f->above); a != NULL && status == ZB_OK;
         a = zb_arms_next(&f->above, a))
        status = zb_draws_offer(f->steer, a, threads);
    return status;
}

/* A better source before the round is over, for states: what is drawn from an early one
   may be far from all that count. */
static zb_status draw_beside(zb_sides *f, double end)
{
    const double few = 0.01; /* of the time */
    zb_steer *p = f->steer;
    zb_status status;
    if (p->draws == NULL || pthread_mutex_trylock(&f->drawing) != 0)
        return ZB_OK;
    const zb_draws *d = &p->draws[p->now];
    int before = d->taken;
    status = offer_arms(f, f->upper.threads);
    if (status == ZB_OK && d->taken > before) {
        double now = zb_now();
        status = zb_draws_look(p, now + few * (end - now), f->upper.threads);
        atomic_store(&f->fresh, true);
    }
    pthread_mutex_unlock(&f->drawing);
    return status;
}

/* ---- each side ------------------------------------------------------------------- */

static zb_status upper_arms(zb_sides *f, double end)
{
    double each = ZB_STEERING.draw_every * (end - zb_now()), next = zb_now() + each;
    zb_status status = ZB_OK;
    while (status == ZB_OK && zb_arms_promise(&f->above, end) > 0) {
        status = zb_arms_go(&f->above, end);
        if (status == ZB_OK && zb_now() > next && zb_now() + 0.5 * each < end) {
            next += each;
            status = draw_beside(f, end);
        }
    }
    return status;
}

/* Sums around states lead below. */
static bool is_by_states(zb_steer *p)
{
    zb_claim c = zb_ledger_claim(&p->ledger, p->now);
    return c.lower > c.searched;
}

/* *again: they lead, and gained something. */
static zb_status try_states(zb_sides *f, double end, bool *again)
{
    const double worth = 0.01; /* of the gap: less is no gain */
    zb_steer *p = f->steer;
    double before = zb_sides_bound(&f->lower), now = zb_now();
    zb_arms_trim(&f->below, 0.25 * (double)p->memory);
    zb_status status = zb_states_once(p, now + ZB_STEERING.state_trial * (end - now),
                                      f->lower.threads);
    *again = is_by_states(p) &&
             zb_sides_bound(&f->lower) - before > worth * zb_promise_gap(&f->below);
    return status;
}

/* A better source may bring them ahead: not from far behind. */
static bool may_lead(zb_sides *f)
{
    const double far = 0.5; /* of the gap */
    zb_steer *p = f->steer;
    double behind = zb_ledger_claim(&p->ledger, p->now).searched - zb_states_bound(p);
    return behind < far * zb_promise_gap(&f->below);
}

/* On a thread of its own. Sums around states are tried when part of the time is over,
   and again with a new source, or as long as they lead and gain; else arms go on that
   are going to overtake them, then those that may. What is left is for such sums. */
static zb_status lower_arms(zb_sides *f, double end)
{
    zb_steer *p = f->steer;
    double now = zb_now(), trial = now + ZB_STEERING.state_after * (end - now);
    bool trying = true;
    zb_status status = ZB_OK;
    while (status == ZB_OK && zb_arms_promise(&f->below, end) > 0) {
        trying = trying || (atomic_exchange(&f->fresh, false) && may_lead(f));
        if (trying && zb_now() > trial && pthread_mutex_trylock(&f->drawing) == 0) {
            if (zb_states_promise(p) > 0)
                status = try_states(f, end, &trying);
            else
                trying = false;
            pthread_mutex_unlock(&f->drawing);
        } else
            status = zb_arms_go(&f->below, end);
    }
    TRY(status);
    pthread_mutex_lock(&f->drawing);
    if (zb_now() < end && zb_states_promise(p) >= 1)
        zb_arms_trim(&f->below, 0.25 * (double)p->memory);
    status = zb_states_beside(p, end, f->lower.threads);
    pthread_mutex_unlock(&f->drawing);
done:
    return status;
}

/* ---- both ------------------------------------------------------------------------ */

/* Whichever side promises more. */
static zb_status in_turns(zb_sides *f, double end)
{
    zb_status status = ZB_OK;
    for (double upper = 1, lower = 1; status == ZB_OK;) {
        upper = zb_arms_promise(&f->above, end);
        lower = zb_arms_promise(&f->below, end);
        if (!(upper > 0 || lower > 0))
            break;
        bool above = upper > lower || (upper == lower && zb_arms_passes(&f->above) <=
                                                             zb_arms_passes(&f->below));
        status = zb_arms_go(above ? &f->above : &f->below, end);
    }
    return status;
}

/* Nothing is left for arms to do: their memory is for draws from the best of them. */
static zb_status leave_arms(zb_sides *f)
{
    zb_steer *p = f->steer;
    double most = (double)p->memory;
    zb_arms_trim(&f->below, 0);
    zb_arms_trim(&f->above, 0.5 * most);
    p->spare = fmin(0.5 * most, most - zb_promise_held(&f->above));
    zb_status status = offer_arms(f, p->ledger.work.threads);
    p->spare = 0;
    zb_arms_trim(&f->above, 0);
    return status == ZB_ENOMEM ? ZB_OK : status; /* there is another source, or none */
}

static void renew(zb_sides *f)
{
    f->above.kind = f->upper.gauged ? ZB_STEERING.gauged : ZB_STEERING.plain;
    zb_arms_renew(&f->above);
    zb_arms_renew(&f->below);
}

zb_status zb_sides_beside(zb_sides *f, zb_side_step *lower, double end)
{
    renew(f);
    return zb_sides_both(f, upper_arms, lower, end);
}

zb_status zb_sides_by_arms(zb_sides *f, double end)
{
    zb_steer *p = f->steer;
    zb_status status;
    bool apart = zb_sides_apart(f);
    renew(f);
    TRY(apart ? zb_sides_both(f, upper_arms, lower_arms, end) : in_turns(f, end));
    p->hurried = p->hurried || f->above.hurried || f->below.hurried || zb_now() >= end;
    TRY(p->leaving && p->job->count == 1 ? leave_arms(f)
                                         : offer_arms(f, p->ledger.work.threads));
done:
    return status;
}
