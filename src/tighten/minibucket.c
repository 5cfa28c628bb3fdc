#include "tighten/minibucket.h"

#include "simplify/simplify.h"
#include "tighten/budget.h"

#include <stdio.h>

static void record(zb_result *out, const zb_attempt *a, zb_side side, zb_stop stop,
                   const zb_options *opt, zb_run *run)
{
    bool lower = side == ZB_SIDE_LOWER, exact = a->tree->splits == 0;
    zb_recipe by = { opt->method, a->spec.form, a->spec.order, a->tree->ibound };
    if (lower || exact)
        out->log_lower = lower ? a->bound : zb_down(a->value.mid, a->value.radius),
        out->has_lower = true, out->lower_by = by;
    if (!lower || exact)
        out->log_upper = lower ? zb_up(a->value.mid, a->value.radius) : a->bound,
        out->has_upper = true, out->upper_by = by;
    out->rounding = fmax(out->rounding, a->value.radius);
    out->exact = exact;
    out->guaranteed = true;
    out->form = a->spec.form;
    out->order = a->spec.order;
    if (a->tree->ibound > opt->ibound && out->ibound == 0) {
        char text[160];
        snprintf(
            text, sizeof text,
            "the ibound is raised from %d to %d, the variables of the largest factor",
            opt->ibound, a->tree->ibound);
        zb_run_note(run, text);
    }
    out->ibound = a->tree->ibound;
    out->width = zb_max_int(out->width, a->tree->width);
    out->iterations = out->iterations > a->passes ? out->iterations : a->passes;
    out->stop = stop;
    out->bytes = zb_max_size(out->bytes, zb_tighten_bytes(a->tighten));
}

static zb_status solve_side(zb_search *s, zb_side side, double until, zb_state *to,
                            zb_result *out, zb_error *err)
{
    zb_stop stop = ZB_STOP_ITERATIONS;
    zb_run *whole = s->run;
    zb_run share = zb_run_share(whole, until, UINT64_MAX, whole->threads);
    zb_attempt *a = NULL;
    zb_status status;
    s->run = &share;
    TRY(zb_search_run(&a, s, side, &stop, err));
    record(out, a, side, stop, s->opt, whole);
    if (to != NULL)
        TRY(zb_state_keep(to, a));
    s->other = a->bound;
done:
    s->run = whole;
    zb_attempt_free(a);
    return status;
}

static zb_status solve_sides(zb_search s, zb_state *to, zb_result *out, zb_error *err)
{
    zb_run *run = s.run;
    zb_side side = s.opt->side;
    zb_status status = ZB_OK;
    bool both = side == ZB_SIDE_BOTH;
    double lower = -INFINITY, upper = INFINITY, until = run->deadline;
    if (both && s.certified == NULL) /* these numbers leave no proof */
        TRY(zb_search_first(&s, &lower, &upper));
    s.other = lower;
    if (side != ZB_SIDE_LOWER) {
        until = run->start + (both ? 0.55 : 1) * (run->deadline - run->start);
        TRY(solve_side(&s, ZB_SIDE_UPPER, until, to, out, err));
    } else
        s.other = INFINITY;
    until = run->deadline;
    if (side != ZB_SIDE_UPPER && !out->exact) /* even late: to say why there is none */
        TRY(solve_side(&s, ZB_SIDE_LOWER, run->deadline, to, out, err));
done:
    if (both && !out->has_lower && lower > -INFINITY)
        out->has_lower = true, out->log_lower = lower, out->guaranteed = true;
    if (both && !out->has_upper && upper < INFINITY)
        out->has_upper = true, out->log_upper = upper, out->guaranteed = true;
    if (status == ZB_ELIMIT && (out->has_lower || out->has_upper)) {
        out->stop = zb_run_interrupted(run) ? ZB_STOP_INTERRUPTED
                    : zb_now() >= until     ? ZB_STOP_TIME /* of the side at work */
                                            : ZB_STOP_MEMORY;
        status = ZB_OK;
    }
    return status;
}

static zb_status choose_ibound(const zb_model *model, zb_options *opt, zb_run *run)
{
    zb_ibound_request r = { .model = model,
                            .memory = run->memory,
                            .seconds = opt->time,
                            .slowness = 1,
                            .passes = 100,
                            .run = run };
    zb_ibound_choice choice;
    zb_status status = zb_budget_ibound(&r, &choice);
    opt->ibound = choice.ibound;
    return status;
}

/* What is asked for by name is bounded as it is; otherwise on the smallest equal model.
 */
static bool wants_simple(const zb_options *opt, const zb_state *from)
{
    if (from != NULL && opt->form == ZB_FORM_AUTO && opt->order == ZB_ORDER_AUTO)
        return from->simplified;
    return opt->form == ZB_FORM_AUTO && opt->order != ZB_ORDER_FILE;
}

static int state_ibound(const zb_state *from)
{
    const zb_side_state *upper = &from->side[ZB_STATE_UPPER];
    return upper->present ? upper->ibound : from->side[ZB_STATE_LOWER].ibound;
}

static zb_status begin_state(zb_state **state, const zb_search *s)
{
    zb_status status = zb_state_new(state);
    if (status != ZB_OK)
        return status;
    (*state)->method = s->opt->method;
    (*state)->simplified = wants_simple(s->opt, s->from);
    (*state)->nvars = s->model->nvars;
    return ZB_OK;
}

zb_status zb_minibucket_solve(const zb_search *asked, zb_state **to, zb_result *out,
                              zb_error *err)
{
    zb_options opt = *asked->opt;
    zb_search s = *asked;
    zb_reduction *reduced = NULL;
    zb_state *state = NULL;
    zb_status status = ZB_OK;
    s.opt = &opt;
    s.other = -INFINITY;
    s.asked = opt.ibound;
    s.over_ranks = s.from == NULL && to == NULL && s.certified == NULL;
    if (to != NULL)
        TRY(begin_state(&state, &s));
    if (wants_simple(&opt, s.from)) {
        TRY((s.certified != NULL ? zb_simplify_traced : zb_simplify)(&reduced, s.model,
                                                                     s.run));
        s.model = reduced->model;
    }
    if (opt.ibound == 0 && s.from != NULL)
        opt.ibound = state_ibound(s.from);
    if (opt.ibound == 0)
        TRY(choose_ibound(s.model, &opt, s.run));
    TRY(solve_sides(s, state, out, err));
    out->method = opt.method;
    if (to != NULL)
        *to = state, state = NULL;
    if (s.certified != NULL)
        *s.certified = reduced, reduced = NULL;
done:
    zb_state_free(state);
    zb_reduction_free(reduced);
    return status;
}
