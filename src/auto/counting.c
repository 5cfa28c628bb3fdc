#include "auto/counting.h"

#include "auto/bracket.h"
#include "count/count.h"

/* Every component has a search for each of two rules of decision (count.h). They share
 * the time, and are taken up again in the next round, unless what they keep in between
 * is more than KEPT of the memory: tables are made there meanwhile. */
static const double KEPT = 1.0 / 16;

enum { RULES = 2 };

/* First a look at all that a few decisions leave, then at more of them: quick brackets.
   Decisions and conflicts end it, or an eighth of the time. */
enum { LOOK_STEP = 4, LOOK_MOST = 1000 };
static const double LOOK_SHARE = 1.0 / 8;

struct zb_counting {
    zb_counter *counter[RULES];
    bool over[RULES];   /* not for this model, or no memory for it */
    double best[RULES]; /* lower bound by this rule alone */
    bool judged;        /* there was time enough to tell what these are worth */
};

/* The state of the component at work; NULL: no memory. */
static struct zb_counting *counting_of(zb_steer *p)
{
    if (p->counting == NULL)
        p->counting = zb_calloc((size_t)p->job->count, sizeof *p->counting);
    return p->counting != NULL ? &p->counting[p->now] : NULL;
}

void zb_counting_close(zb_steer *p)
{
    for (int i = 0; p->counting != NULL && i < p->job->count; i++)
        for (int k = 0; k < RULES; k++)
            zb_counter_free(p->counting[i].counter[k]);
    zb_free(p->counting);
    p->counting = NULL;
}

static void enter(zb_steer *p, const zb_count_result *r, const char *by)
{
    zb_ball z = { r->log_z, r->radius };
    if (r->complete) /* and the other one stops */
        zb_ledger_settle(&p->ledger, p->now, z, by);
    else
        zb_ledger_bound(&p->ledger, p->now, zb_down(z.mid, z.radius), r->log_most, by);
}

static zb_status look(zb_steer *p, zb_counter *c, zb_run *run, const char *by)
{
    double now = zb_now();
    zb_run share =
        zb_run_share(run, now + LOOK_SHARE * zb_run_left(run), UINT64_MAX, 1);
    zb_count_result r = { .complete = false };
    zb_status status = ZB_OK;
    for (int levels = 0; status == ZB_OK && !r.complete && zb_run_more(&share) &&
                         r.decisions + r.conflicts < LOOK_MOST;
         levels += LOOK_STEP) {
        status = zb_counter_look(c, &share, levels, &r);
        if (status == ZB_OK)
            enter(p, &r, by);
    }
    return status;
}

/* What is summed when time is up is a lower bound, and with what the rest has at most
   an upper one. Where there is no memory for a search nothing is lost. */
static void count_by(zb_steer *p, struct zb_counting *s, int rule, double until)
{
    zb_lower_share lower;
    zb_count_spec spec = { .memory = p->memory / 2,
                           .wide = rule == 1,
                           .run = &lower.share };
    zb_count_result r;
    zb_status status = ZB_OK;
    zb_steer_share_lower(&lower, p, "counting by search",
                         zb_run_share(&p->ledger.work, until, UINT64_MAX, 1));
    if (s->over[rule] || !zb_run_more(spec.run) || !zb_steer_is_open(p, p->now))
        return;
    if (s->counter[rule] == NULL) {
        status = zb_counter_new(&s->counter[rule], zb_steer_model(p), zb_steer_order(p),
                                &spec);
        if (status == ZB_OK)
            status = look(p, s->counter[rule], spec.run, lower.by);
    }
    if (status == ZB_OK && zb_steer_is_open(p, p->now)) {
        status = zb_counter_run(s->counter[rule], spec.run, &r);
        if (status == ZB_OK) {
            s->best[rule] = zb_down(r.log_z, r.radius);
            enter(p, &r, lower.by);
        }
    }
    s->over[rule] = status != ZB_OK && (status != ZB_ELIMIT || zb_run_more(spec.run));
}

bool zb_counting_stays(double bytes, uint64_t memory)
{
    return bytes <= KEPT * (double)memory;
}

/* Both searches as far as they need memory that others do not. */
static void tidy(zb_steer *p, struct zb_counting *s)
{
    double bytes = 0;
    for (int i = 0; i < p->job->count; i++)
        for (int k = 0; k < RULES; k++)
            if (p->counting[i].counter[k] != NULL)
                bytes += (double)zb_counter_bytes(p->counting[i].counter[k]);
    for (int k = 0; k < RULES; k++) {
        bool open = s->counter[k] != NULL && zb_counter_open(s->counter[k]);
        if (open && zb_counting_stays(bytes, p->memory) && zb_steer_is_open(p, p->now))
            continue;
        zb_counter_free(s->counter[k]);
        s->counter[k] = NULL;
    }
}

/* ---- how the time is shared ------------------------------------------------------ */

/* The rule whose sum is the larger one so far is nearly always the one that gets to its
   end. */
static int leader(const struct zb_counting *s)
{
    return s->over[0] || (!s->over[1] && s->best[1] > s->best[0]) ? 1 : 0;
}

/* What it has found is next to nothing, so that an end is not in sight. */
static bool is_hopeless(zb_steer *p, const struct zb_counting *s)
{
    double lower = zb_ledger_claim(&p->ledger, p->now).lower;
    return s->judged && s->best[leader(s)] < lower - ZB_STEERING.count_lag;
}

/* Side by side, or in turns: as long, until it is known which one leads. */
static void count_in_turns(zb_steer *p, struct zb_counting *s, double end, int threads)
{
    int first = s->judged ? leader(s) : 0;
    double now = zb_now(), left = end - now,
           share = s->judged ? ZB_STEERING.count_leader : 0.5;
#pragma omp parallel for num_threads(threads > 1 ? RULES : 1) schedule(static, 1)
    for (int k = 0; k < RULES; k++) {
        bool last = threads > 1 || k == RULES - 1;
        count_by(p, s, k == 0 ? first : RULES - 1 - first,
                 last ? end : now + share * left);
    }
    s->judged =
        zb_steer_limited(p) && (s->judged || left >= 0.9 * ZB_STEERING.count_judged);
    tidy(p, s);
}

static zb_status count_below(zb_sides *f, double end)
{
    zb_steer *p = f->steer;
    zb_arms_trim(&f->below, 0.25 * (double)p->memory);
    count_in_turns(p, counting_of(p), end, f->lower.threads);
    return ZB_OK;
}

/* First what tells which rule leads. Then one thread is enough, and upper bounds have
   the others. Often exact, and finite if there is a way. */
static zb_status count(zb_bracket *b, struct zb_counting *s, double seconds)
{
    zb_steer *p = b->steer;
    double now = zb_now(), end = now + seconds;
    zb_status status = ZB_OK;
    if (!s->judged) {
        double trial = zb_steer_limited(p) ? fmax(ZB_STEERING.count_judged,
                                                  ZB_STEERING.count_trial * seconds)
                                           : seconds;
        count_in_turns(p, s, fmin(end, now + trial), p->ledger.work.threads);
    }
    if (is_hopeless(p, s))
        end = fmin(end, zb_now() + ZB_STEERING.lost_count * seconds);
    if (!s->judged || zb_now() >= end)
        return ZB_OK;
    b->sides.above.later = zb_bracket_later(b, end);
    if (zb_sides_apart(&b->sides))
        TRY(zb_sides_beside(&b->sides, count_below, end));
    else
        count_in_turns(p, s, end, p->ledger.work.threads);
done:
    return status;
}

zb_status zb_step_count(zb_bracket *b, double seconds)
{
    zb_steer *p = b->steer;
    zb_status status = ZB_OK;
    if (!zb_steer_limited(p))
        seconds = fmin(seconds, ZB_STEERING.count_unlimited);
    if (!zb_steer_is_open(p, p->now))
        return ZB_OK;
    if (p->proofs != NULL) {
        if (!p->searchless)
            zb_run_note(p->ledger.run,
                        "sums by search have no certificate: without --certificate "
                        "this model may be solved exactly");
        p->searchless = true;
        return ZB_OK;
    }
    struct zb_counting *s = counting_of(p);
    if (s == NULL)
        return ZB_ENOMEM;
    TRY(count(b, s, seconds));
    if (!zb_steer_is_open(p, p->now))
        zb_run_note(p->ledger.run,
                    "summed by search, with clauses learned from the zeros: no "
                    "table of this width was needed");
done:
    return status;
}
