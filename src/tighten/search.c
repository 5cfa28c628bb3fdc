#include "tighten/search.h"

#include "form/form.h"
#include "tighten/lower.h"
#include "tighten/moves.h"
#include "tighten/race.h"

/* Passes that the time left can pay for, at the pace so far. */
static zb_status passes_left(zb_race *r, int64_t *left)
{
    zb_run *run = r->s->run;
    zb_status status = ZB_OK;
    zb_stop stop;
    if (!zb_search_limited(r->s))
        return ZB_OK;
    double start = zb_now();
    zb_descent some = zb_race_passes(r, *left < 3 ? *left : 3);
    TRY(zb_attempt_descend(r->attempt[0], some, &stop));
    *left -= some.iterations;
    double each = (zb_now() - start) / 4, room = zb_run_left(run) / fmax(each, 1e-7);
    if (*left > 1 && (double)*left > room)
        *left = room > 1 ? (int64_t)room : 1;
done:
    return status;
}

/* Passes were quicker than foreseen: go on, with smaller steps, while there is time. */
static zb_status use_up(zb_race *r, zb_stop *stop)
{
    const zb_search *s = r->s;
    double share = 0.04 * (s->run->deadline - s->run->start);
    int64_t most = s->opt->iterations - r->passes;
    zb_status status = ZB_OK;
    while (zb_search_limited(s) && *stop == ZB_STOP_ITERATIONS && !r->stopped &&
           most > 0 && !zb_moves_as_paper(s->opt) && zb_run_left(s->run) > share) {
        int64_t left = most, before = r->passes;
        TRY(passes_left(r, &left));
        zb_descent run = zb_race_passes(r, left);
        for (int i = 0; i < ZB_BLOCKS; i++)
            run.rates.of[i] *= 0.3;
        run.tolerance = s->opt->tolerance;
        TRY(zb_attempt_descend(r->attempt[0], run, stop));
        most -= zb_max_int(1, (int)(r->passes - before));
    }
done:
    return status;
}

/* Which mini-buckets get the positive weights, by trying: fits choose most of them
   (fit.c). A state's choices were tried before. Of very many splits a few flips change
   nothing: then only some of the passes go there. */
static void choose_positive(zb_race *r, int64_t left)
{
    const int64_t many = 8;
    zb_run *run = r->s->run;
    zb_attempt *a = r->attempt[0];
    zb_run quarter =
        zb_run_share(run, zb_now() + zb_run_left(run) / 4, UINT64_MAX, run->threads);
    int64_t most = left / 8;
    if (a->tree->splits > (double)(many * most))
        most /= 10;
    (void)zb_lower_flip(a->tighten, most, &quarter); /* passes that go up only */
    a->bound = fmax(a->bound, zb_attempt_note(a));
}

/* Lower bounds get their gauges late: two thirds of the passes without, the rest with
   them, in small steps that keep every table non-negative. */
static zb_status descend_to_gauges(zb_race *r, int64_t left, zb_stop *stop)
{
    const zb_options *opt = r->s->opt;
    zb_attempt *a = r->attempt[0];
    zb_descent run = zb_race_passes(r, left * 2 / 3);
    zb_status status;
    run.tolerance = opt->tolerance;
    TRY(zb_attempt_descend(a, run, stop));
    if (*stop == ZB_STOP_INTERRUPTED || *stop == ZB_STOP_TIME)
        return ZB_OK;
    TRY(zb_tighten_add_gauges(a->tighten));
    run.iterations = left - run.iterations;
    if (!zb_moves_as_paper(opt))
        run.rates.of[ZB_BLOCK_GAUGES] = 0.02;
    TRY(zb_attempt_descend(a, run, stop));
done:
    return status;
}

/* Tighten the one that is left. */
static zb_status finish(zb_race *r, zb_stop *stop)
{
    const zb_options *opt = r->s->opt;
    const zb_method_row *method = zb_method_find(opt->method);
    zb_attempt *a = r->attempt[0];
    zb_status status = ZB_OK;
    int64_t left = opt->iterations - r->passes;
    bool exact = a->tree->splits == 0, lower = r->side == ZB_SIDE_LOWER;
    *stop = exact ? ZB_STOP_EXACT : ZB_STOP_ITERATIONS;
    if (r->stopped)
        *stop = zb_run_left(r->s->run) > 0 ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
    if (exact || zb_method_is_fixed(method) || r->stopped || left <= 0)
        return ZB_OK;
    if (lower && !zb_moves_as_paper(opt))
        choose_positive(r, left);
    TRY(passes_left(r, &left));
    if (method->gauges && lower && r->s->certified == NULL &&
        zb_form_is_forney(a->model))
        return descend_to_gauges(r, left, stop);
    zb_descent run = zb_race_passes(r, left);
    run.tolerance = opt->tolerance;
    TRY(zb_attempt_descend(a, run, stop));
    TRY(use_up(r, stop));
done:
    return status;
}

/* Go on from the state, without a race; nothing is entered when it does not fit. */
static zb_status enter_state(zb_race *r, zb_error *err)
{
    const zb_search *s = r->s;
    const zb_options *opt = s->opt;
    const zb_method_row *method = zb_method_find(opt->method);
    zb_resume_spec spec = { .from = &s->from->side[zb_state_index(r->side)],
                            .side = r->side,
                            .same_method = opt->method == s->from->method,
                            .moves = zb_moves(opt, r->side),
                            .extreme = method->extreme,
                            .gauges = method->gauges,
                            .form = opt->form,
                            .order = opt->order,
                            .order_list = opt->order_list,
                            .seed = opt->seed,
                            .ibound = s->asked };
    bool same;
    zb_status status = ZB_OK;
    if (!spec.from->present)
        return ZB_OK;
    TRY(zb_state_resume(&r->attempt[0], s->model, &spec, s->run, &same, err));
    r->count = r->attempt[0] != NULL;
    if (r->count == 0)
        zb_run_note(s->run, "nothing of the state fits the model: a fresh start");
    else if (!same)
        zb_run_note(s->run, "the state is of another structure: what fits of it is "
                            "taken over");
done:
    return status;
}

enum { MAKINGS = 3 }; /* candidates that a race should have time to make */
static const double GAUGED_SHARE = 0.15; /* of the time left, for forms with gauges */

/* Gauges have more to move and begin slowly: one that is behind `bound` goes on, as
   many passes at a time, while each time it gains more than what it then is behind, up
   to a third of all passes and until `end`. */
static zb_status catch_up(zb_race *gauged, int64_t passes, double bound, double end)
{
    zb_run *run = gauged->s->run;
    zb_run part = zb_run_share(run, end, UINT64_MAX, run->threads);
    zb_attempt *a = gauged->attempt[0];
    int64_t most = gauged->s->opt->iterations / 3;
    zb_status status = ZB_OK;
    zb_stop stop = ZB_STOP_ITERATIONS;
    double gained = INFINITY;
    while (!gauged->stopped && stop == ZB_STOP_ITERATIONS && a->passes < most &&
           !zb_tighter(gauged->side, a->bound, bound) &&
           (gained == INFINITY || gained > fabs(a->bound - bound))) {
        double before = a->bound;
        int64_t more = a->passes < passes ? passes - a->passes : passes;
        if (more > most - a->passes)
            more = most - a->passes;
        zb_descent some = zb_race_passes(gauged, more);
        some.run = &part;
        TRY(zb_attempt_descend(a, some, &stop));
        gained = fabs(before - a->bound);
    }
done:
    return status;
}

/* The best of the forms with gauges, given as many passes as the leader of the race
   without had, and more where that pays; NULL where there is none. */
static zb_status race_gauged(zb_attempt **out, zb_race *r, int most, int each)
{
    zb_search s = *r->s;
    zb_race gauged = { .s = &s, .side = r->side, .best = r->best, .told = r->told };
    zb_error unheard; /* that no form fits leaves the model as it is */
    zb_status status;
    zb_menu m;
    *out = NULL;
    s.race = GAUGED_SHARE * zb_run_left(s.run);
    s.entered = NULL;
    double end = zb_search_race_end(&s);
    zb_menu_make_gauged(&m, &s, r->side, most);
    status = zb_race_enter(&gauged, &m, &unheard);
    if (status == ZB_ENOMEM)
        goto done;
    status = ZB_OK;
    if (gauged.count > 0) {
        TRY(zb_race_run(&gauged, each));
        TRY(catch_up(&gauged, r->attempt[0]->passes, r->attempt[0]->bound, end));
        *out = gauged.attempt[0], gauged.count = 0;
    }
    r->best = gauged.best;
    r->told = gauged.told;
    r->stopped = gauged.stopped;
done:
    while (gauged.count > 0)
        zb_attempt_free(gauged.attempt[--gauged.count]);
    return status;
}

/* Gauges are worth another form where that comes to lead. The race that is lost takes
   nothing from the other's passes: what has no gauges in the end is what the method
   without them finds. */
static zb_status try_gauged(zb_race *r, int most, int each)
{
    zb_attempt *other;
    zb_status status = race_gauged(&other, r, most, each);
    if (status != ZB_OK || other == NULL)
        return status;
    zb_attempt **plain = &r->attempt[0];
    if (zb_tighter(r->side, other->bound, (*plain)->bound)) {
        r->passes = other->steps;
        zb_attempt *t = *plain;
        *plain = other, other = t;
    }
    zb_attempt_free(other);
    return ZB_OK;
}

/* A third of the passes may go into choosing among candidates. */
static zb_status choose(zb_race *r, zb_error *err)
{
    const zb_options *opt = r->s->opt;
    bool fixed = zb_method_is_fixed(zb_method_find(opt->method));
    int most = fixed ? 8 : (int)fmin(ZB_CANDIDATES, opt->iterations / 12.0 + 1);
    int each = fixed || opt->iterations == 0 ? 0 : zb_max_int(3, opt->iterations / 75);
    bool gauged = r->s->from == NULL && r->s->decide == 0 && zb_menu_has_gauged(r->s);
    double making = 0; /* seconds, a candidate */
    zb_status status;
    zb_menu m = { .count = 0 };
    if (r->s->decide > 0) {
        most = r->s->few;
        each = r->s->decide;
    }
    if (r->s->from != NULL)
        TRY(enter_state(r, err));
    if (r->count == 0) {
        zb_menu_make(&m, r->s, r->side, most);
        if (m.many)
            TRY(zb_menu_sort(&m, r->s, zb_now() + 0.3 * r->s->race));
        double start = gauged ? zb_now() : 0;
        TRY(zb_race_enter(r, &m, err));
        making = gauged ? (zb_now() - start) / r->count : 0;
    }
    TRY(zb_race_run(r, each));
    bool room = gauged && MAKINGS * making <= GAUGED_SHARE * zb_run_left(r->s->run);
    if (room && !r->stopped && r->attempt[0]->tree->splits > 0)
        TRY(try_gauged(r, most, each));
done:
    zb_menu_clear(&m);
    return status;
}

zb_status zb_search_run(zb_attempt **out, const zb_search *s, zb_side side,
                        zb_stop *stop, zb_error *err)
{
    const zb_options *opt = s->opt;
    zb_race r = { .s = s,
                  .side = side,
                  .best = side == ZB_SIDE_LOWER ? -INFINITY : INFINITY };
    zb_status status;

    *out = NULL;
    TRY(choose(&r, err));
    TRY(finish(&r, stop));
    zb_attempt_settle(r.attempt[0]);
    TRY(zb_fleet_status(r.attempt[0]->fleet));
    bool fewer = zb_search_limited(s) && r.passes < opt->iterations &&
                 !zb_method_is_fixed(zb_method_find(opt->method));
    if (*stop == ZB_STOP_ITERATIONS && (fewer || zb_run_left(s->run) <= 0))
        *stop = ZB_STOP_TIME; /* it decided how many there were */
    /* the losers' belong to the search too */
    r.attempt[0]->passes = r.told > r.passes ? r.told : r.passes;
    *out = r.attempt[0], r.count = 0;
done:
    while (r.count > 0)
        zb_attempt_free(r.attempt[--r.count]);
    return status;
}

zb_status zb_search_begin(zb_attempt **out, const zb_search *s, zb_side side,
                          zb_error *err)
{
    zb_race r = { .s = s,
                  .side = side,
                  .best = side == ZB_SIDE_LOWER ? -INFINITY : INFINITY };
    zb_status status;
    *out = NULL;
    TRY(choose(&r, err));
    if (side == ZB_SIDE_LOWER && r.attempt[0]->tree->splits > 0 && !r.stopped)
        choose_positive(&r, s->opt->iterations);
    *out = r.attempt[0], r.count = 0;
done:
    while (r.count > 0)
        zb_attempt_free(r.attempt[--r.count]);
    return status;
}

zb_status zb_search_first(const zb_search *s, double *lower, double *upper)
{
    zb_attempt *below = NULL, *above = NULL;
    zb_status status;
    zb_menu m;
    *lower = -INFINITY;
    *upper = INFINITY;
    zb_menu_make(&m, s, ZB_SIDE_LOWER, 1);
    TRY(zb_attempt_new(&below, s->model, &m.spec[0], s->run, NULL));
    *lower = below->bound;
    zb_menu_make(&m, s, ZB_SIDE_UPPER, 1);
    if (m.spec[0].form == below->spec.form &&
        m.spec[0].variant == below->spec.variant) {
        m.spec[0].formed_order = below->order;
        m.spec[0].formed_nvars = below->tree->nvars;
    }
    TRY(zb_attempt_new(&above, s->model, &m.spec[0], s->run, NULL));
    *upper = above->bound;
done:
    zb_attempt_free(below);
    zb_attempt_free(above);
    return status == ZB_ENOMEM ? status : ZB_OK;
}
