#include "tighten/race.h"

#include "tighten/moves.h"

/* ---- reports --------------------------------------------------------------------- */

/* Also asks the run whether to go on. */
static bool tell(zb_race *r, double best)
{
    if (zb_tighter(r->side, best, r->best))
        r->best = best;
    bool lower = r->side == ZB_SIDE_LOWER;
    if (r->passes > r->told)
        r->told = r->passes;
    zb_progress at = { .iteration = r->told,
                       .log_lower = lower ? r->best : r->s->other,
                       .log_upper = lower ? r->s->other : r->best,
                       .ibound = r->s->opt->ibound,
                       .fraction = -1,
                       .side = r->side };
    r->stopped = r->stopped || !zb_run_report(r->s->run, at);
    return !r->stopped;
}

static bool on_pass(void *context, int64_t iteration, double bound, double best)
{
    zb_race *r = context;
    (void)bound;
    r->passes += iteration > 0; /* the first report is about the start */
    return tell(r, best);
}

zb_descent zb_race_passes(zb_race *r, int64_t iterations)
{
    const zb_options *opt = r->s->opt;
    return (zb_descent){ .optimizer = opt->optimizer,
                         .rates = zb_moves_rates(opt, r->side),
                         .iterations = iterations,
                         .tolerance = -1,
                         .run = r->s->run,
                         .report = on_pass,
                         .context = r };
}

/* ---- candidates ------------------------------------------------------------------ */

/* Large trees are dear to try: fewer candidates. */
static int affordable(const zb_attempt *first)
{
    double entries = first->tree->entries;
    return entries < 1e6 ? ZB_CANDIDATES : entries < 8e6 ? 4 : 2;
}

/* The same structure as one that is in the race already. */
static bool is_known(const zb_race *r, const zb_attempt *a)
{
    for (int i = 0; i < r->count; i++) {
        const zb_attempt *b = r->attempt[i];
        if (a->bound == b->bound && a->spec.form == b->spec.form &&
            a->spec.tighten.gauges == b->spec.tighten.gauges &&
            a->tree->entries == b->tree->entries && a->tree->splits == b->tree->splits)
            return true;
    }
    return false;
}

/* May one more candidate be made? The first one always. */
static bool has_room(const zb_race *r, double end)
{
    uint64_t bytes = 0;
    if (r->count == 0)
        return true;
    if (r->s->decide > 0 && r->count >= r->s->few)
        return false;
    for (int i = 0; i < r->count; i++)
        bytes += zb_tighten_bytes(r->attempt[i]->tighten);
    return !r->stopped && zb_now() <= end && r->count < affordable(r->attempt[0]) &&
           bytes + bytes / (uint64_t)r->count <= r->s->run->memory / 2;
}

/* It is exact: there is nothing to compare. */
static void keep_last_alone(zb_race *r)
{
    zb_attempt *a = r->attempt[--r->count];
    while (r->count > 0)
        zb_attempt_free(r->attempt[--r->count]);
    r->attempt[r->count++] = a;
}

zb_status zb_race_enter(zb_race *r, const zb_menu *m, zb_error *err)
{
    zb_status status = ZB_OK;
    int group = 0, members = 0;
    double end = zb_search_race_end(r->s);
    for (int i = 0; i < m->count && has_room(r, end); i++) {
        members = m->group[i] == group ? members : 0;
        group = m->group[i];
        if (members >= m->quota[i] || r->count == ZB_CANDIDATES)
            continue;
        zb_attempt *a;
        status = zb_attempt_new(&a, r->s->model, &m->spec[i], r->s->run, err);
        if (status == ZB_ENOMEM)
            break;
        if (status == ZB_OK && m->count > 1) /* orders of large models take time */
            tell(r, a->bound);
        if (status == ZB_OK && is_known(r, a)) {
            zb_attempt_free(a);
            continue;
        }
        members++;
        if (status != ZB_OK)
            continue;
        r->attempt[r->count++] = a;
        if (a->tree->splits == 0) {
            keep_last_alone(r);
            break;
        }
    }
    if (r->s->entered != NULL)
        *r->s->entered = r->count;
    return r->count > 0 ? ZB_OK : status;
}

/* ---- rounds ---------------------------------------------------------------------- */

/* Drop the worse half. Stable, so equal bounds keep the earlier candidate. */
static void drop_half(zb_race *r)
{
    for (int i = 1; i < r->count; i++)
        for (int j = i; j > 0 && zb_tighter(r->side, r->attempt[j]->bound,
                                            r->attempt[j - 1]->bound);
             j--) {
            zb_attempt *t = r->attempt[j];
            r->attempt[j] = r->attempt[j - 1];
            r->attempt[j - 1] = t;
        }
    int kept = (r->count + 1) / 2;
    while (r->count > kept)
        zb_attempt_free(r->attempt[--r->count]);
}

/* All of them as many passes, then the best: where they start says little of where they
   end, and after a few passes regular orders lag behind some with fewer splits that
   they overtake. One that time leaves no passes is out. */
static zb_status decide(zb_race *r, int64_t each, double end)
{
    zb_stop stop;
    zb_status status = ZB_OK;
    int ran = 0;
    for (; ran < r->count && !r->stopped && (ran == 0 || zb_now() < end); ran++) {
        zb_descent run = zb_race_passes(r, each);
        TRY(zb_attempt_go_on(r->attempt[ran], run, &stop));
    }
    while (r->count > zb_max_int(1, ran))
        zb_attempt_free(r->attempt[--r->count]);
    while (r->count > 1)
        drop_half(r);
done:
    return status;
}

zb_status zb_race_run(zb_race *r, int64_t each)
{
    const zb_search *s = r->s;
    zb_stop stop;
    zb_status status = ZB_OK;
    double end = zb_search_race_end(s);
    if (s->decide > 0 && r->count > 1)
        return decide(r, each, end);
    if (zb_search_limited(s) && each > 6)
        each = 6;
    if (r->count > ZB_CANDIDATES / 2)
        drop_half(r); /* by where they start */
    while (r->count > 1 && !r->stopped && zb_now() < end) {
        for (int i = 0; i < r->count && each > 0 && !r->stopped && zb_now() < end;
             i++) {
            int64_t left = s->opt->iterations - r->passes;
            if (left <= 0)
                break;
            zb_descent run = zb_race_passes(r, each < left ? each : left);
            run.plain = true; /* flips, which come next, know the first choices */
            TRY(zb_attempt_descend(r->attempt[i], run, &stop));
        }
        drop_half(r);
        each += each / 2;
    }
    while (r->count > 1)
        drop_half(r);
done:
    return status;
}
