#include "tighten/minibucket.h"

#include "base/cost.h"
#include "form/form.h"
#include "tighten/lower.h"
#include "simplify/simplify.h"

#include <stdio.h>
#include <string.h>

static const double PASS_WITHOUT_LIMIT = 0.2; /* seconds */

enum { CANDIDATES = 24, OFFERS = 64 };

typedef struct round_of { /* candidates that are still in the race */
    zb_attempt *attempt[CANDIDATES];
    int count;
} round_of;

/* ---- what a method moves --------------------------------------------------------- */

static zb_tighten_spec tighten_spec(const zb_options *opt, zb_side side)
{
    zb_method m = opt->method;
    bool paper = opt->optimizer == ZB_OPTIMIZER_PAPER;
    bool gauges = m == ZB_METHOD_WMBE_G || m == ZB_METHOD_WMBE_WG;
    bool theta = m == ZB_METHOD_WMBE_THETA || m == ZB_METHOD_WMBE_WTHETA;
    bool weights =
        m == ZB_METHOD_WMBE_W || m == ZB_METHOD_WMBE_WTHETA || m == ZB_METHOD_WMBE_WG;
    bool fixed = m == ZB_METHOD_MBE || m == ZB_METHOD_WMBE;
    return (zb_tighten_spec){
        .side = side,
        .weights = weights,
        .theta =
            theta || (gauges && !paper), /* the paper's theta is a gauge's diagonal */
        .gauges = gauges && side == ZB_SIDE_UPPER,
        .gradient = !fixed,
        .shared = !paper && !fixed,
        .absolute = paper,
        .threads = opt->threads,
    };
}

/* Is there a clock to be beaten? */
static bool is_limited(const zb_search *s) { return isfinite(s->run->deadline); }

static bool is_gauged(zb_method m)
{
    return m == ZB_METHOD_WMBE_G || m == ZB_METHOD_WMBE_WG;
}

/* ---- candidates ------------------------------------------------------------------ */

typedef struct menu {
    zb_attempt_spec spec[OFFERS];
    int group[OFFERS]; /* offers of one form and variant, and how many may take part: */
    int quota[OFFERS]; /* those that turn out alike are left out */
    int count, groups, most;
} menu;

static void offer(menu *m, zb_attempt_spec spec)
{
    if (m->count < OFFERS) {
        m->group[m->count] = m->groups;
        m->quota[m->count] = m->most;
        m->spec[m->count++] = spec;
    }
}

/* minsplit packs every bucket again and again: not for dense models. */
static bool is_sparse(const zb_model *model)
{
    double items = 0;
    for (int f = 0; f < model->nfactors; f++)
        items += model->factor[f].arity;
    return items <= 12.0 * model->nvars;
}

/* Orders for one form: the one asked for, or several that are good in different ways.
 */
static void offer_orders(menu *m, zb_attempt_spec spec, const zb_options *opt, int most,
                         bool sparse)
{
    m->groups++;
    m->most = most;
    if (opt->order != ZB_ORDER_AUTO) {
        spec.order = opt->order;
        spec.tries = opt->order == ZB_ORDER_NATURAL ? 1 : 8;
        offer(m, spec);
        return;
    }
    spec.order = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL;
    spec.tries = 1;
    offer(m, spec);
    if (!sparse)
        return;
    zb_attempt_spec other = spec;
    other.order = spec.form == ZB_FORM_LATTICE ? ZB_ORDER_NATURAL : ZB_ORDER_MINFILL;
    if (most > 1)
        offer(m, other);
    for (int i = 2; i < most + 8 && most > 2; i++) {
        spec.tries = i % 2 ? 20 : 8; /* fewer tries, more different orders */
        spec.seed = opt->seed + (uint64_t)i - 2;
        offer(m, spec);
    }
}

static bool is_grid(const zb_model *model, zb_run *run)
{
    zb_form_request lattice = { .form = ZB_FORM_LATTICE, .ibound = 4, .run = run };
    zb_model *probe = NULL;
    bool grid = zb_form_build(&probe, model, &lattice, NULL, NULL) == ZB_OK;
    zb_model_free(probe);
    return grid;
}

/* Forms for a gauged method when none was asked for. */
static void offer_forms(menu *m, zb_attempt_spec spec, const zb_search *s, int most)
{
    bool sparse = is_sparse(s->model), forney = zb_form_is_forney(s->model);
    zb_attempt_spec plain = spec;
    plain.form = ZB_FORM_ORIGINAL;
    plain.tighten.gauges = spec.tighten.gauges && forney;
    if (forney || !sparse) {
        offer_orders(m, plain, s->opt, most, sparse);
        return;
    }
    /* of large trees only the first few are tried: one of each form */
    offer_orders(m, plain, s->opt, 1, sparse);
    bool grid = sparse && is_grid(s->model, s->run);
    for (int variant = 0; variant < 2; variant++) {
        spec.form = grid ? ZB_FORM_LATTICE : ZB_FORM_MERGED;
        spec.variant = variant;
        offer_orders(m, spec, s->opt, zb_max_int(1, most / 4), sparse);
    }
    /* a good order of the model as it is may be worth more than gauges */
    offer_orders(m, plain, s->opt, zb_max_int(1, most / 2), sparse);
}

static void make_menu(menu *m, const zb_search *s, zb_side side, int most)
{
    const zb_options *opt = s->opt;
    bool paper = opt->optimizer == ZB_OPTIMIZER_PAPER;
    zb_attempt_spec spec = { .form = opt->form,
                             .ibound = opt->ibound,
                             .seed = opt->seed,
                             .order_list = opt->order_list,
                             .extreme = opt->method == ZB_METHOD_MBE,
                             .tighten = tighten_spec(opt, side) };
    if (is_limited(s))
        spec.effort = fmax(1e-3, 0.02 * zb_run_left(s->run));
    *m = (menu){ .count = 0 };
    if (opt->form == ZB_FORM_AUTO && is_gauged(opt->method)) {
        offer_forms(m, spec, s, most);
        return;
    }
    spec.form = opt->form == ZB_FORM_AUTO ? ZB_FORM_ORIGINAL : opt->form;
    bool variants = spec.form == ZB_FORM_LATTICE || spec.form == ZB_FORM_MERGED;
    for (int variant = 0; variant < (variants && !paper ? 2 : 1); variant++) {
        spec.variant = variant;
        offer_orders(m, spec, opt, variants ? zb_max_int(1, most / 2) : most,
                     is_sparse(s->model));
    }
}

/* ---- the race -------------------------------------------------------------------- */

typedef struct watch { /* relays an attempt's progress to the caller's observer */
    const zb_search *s;
    zb_side side;
    double best;
    int64_t passes;
    int ibound;
    bool stopped;
} watch;

/* Also asks the run whether to go on. */
static bool watch_tell(watch *w, double best)
{
    if (zb_tighter(w->side, best, w->best))
        w->best = best;
    bool lower = w->side == ZB_SIDE_LOWER;
    zb_progress at = { .iteration = w->passes,
                       .log_lower = lower ? w->best : w->s->other,
                       .log_upper = lower ? w->s->other : w->best,
                       .ibound = w->ibound,
                       .fraction = -1,
                       .side = w->side };
    w->stopped = w->stopped || !zb_run_report(w->s->run, at);
    return !w->stopped;
}

static bool watch_report(void *context, int64_t iteration, double bound, double best)
{
    watch *w = context;
    (void)bound;
    w->passes += iteration > 0; /* the first report is about the start */
    return watch_tell(w, best);
}

/* The run ends w's search before its time: by the clock or by the caller? */
static zb_stop why_stopped(const watch *w)
{
    return zb_run_left(w->s->run) > 0 ? ZB_STOP_INTERRUPTED : ZB_STOP_TIME;
}

/* Large trees are dear to try: fewer candidates. */
static int affordable(const zb_attempt *first)
{
    double entries = first->tree->entries;
    return entries < 1e6 ? CANDIDATES : entries < 8e6 ? 4 : 2;
}

/* The same structure as one that is in the race already. */
static bool is_known(const round_of *r, const zb_attempt *a)
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

static zb_status enter(round_of *r, const menu *m, const zb_search *s, watch *w,
                       zb_error *err)
{
    zb_status status = ZB_OK;
    uint64_t bytes = 0;
    int group = 0, members = 0;
    double end = zb_now() + zb_run_left(s->run) / 3;
    for (int i = 0; i < m->count; i++) {
        if (r->count > 0 &&
            (w->stopped || zb_now() > end || r->count >= affordable(r->attempt[0]) ||
             bytes + bytes / (uint64_t)r->count > s->run->memory / 2))
            break;
        members = m->group[i] == group ? members : 0;
        group = m->group[i];
        if (members >= m->quota[i] || r->count == CANDIDATES)
            continue;
        zb_attempt *a;
        status = zb_attempt_new(&a, s->model, &m->spec[i], s->run, err);
        if (status == ZB_OK && m->count > 1) /* orders of large models take time */
            watch_tell(w, a->bound);
        if (status == ZB_OK && is_known(r, a)) {
            zb_attempt_free(a);
            continue;
        }
        members++;
        if (status == ZB_OK)
            r->attempt[r->count++] = a;
        else if (status == ZB_ENOMEM || i + 1 == m->count)
            break;
        if (status != ZB_OK)
            continue;
        bytes += a->tighten->pass->bytes;
        if (a->tree->splits == 0) { /* exact: nothing to compare */
            r->attempt[r->count - 1] = r->attempt[0];
            r->attempt[0] = a;
            while (r->count > 1)
                zb_attempt_free(r->attempt[--r->count]);
            break;
        }
    }
    return r->count > 0 ? ZB_OK : status;
}

static zb_attempt_run run_spec(const zb_search *s, int64_t iterations, watch *w)
{
    const zb_options *opt = s->opt;
    bool paper = opt->optimizer == ZB_OPTIMIZER_PAPER;
    /* the paper's theta step acts on the difference of two marginals, twice the
     * gradient */
    return (zb_attempt_run){
        .optimizer = opt->optimizer,
        .rate = { paper ? opt->step_weight : 0.2, paper ? 2 * opt->step_theta : 0.1,
                  paper ? opt->step_gauge : 0.2 },
        .iterations = iterations,
        .tolerance = -1,
        .run = s->run,
        .report = watch_report,
        .context = w,
    };
}

/* Drop the worse half. Stable, so equal bounds keep the earlier candidate. */
static void drop_half(round_of *r, zb_side side)
{
    for (int i = 1; i < r->count; i++)
        for (int j = i;
             j > 0 && zb_tighter(side, r->attempt[j]->bound, r->attempt[j - 1]->bound);
             j--) {
            zb_attempt *t = r->attempt[j];
            r->attempt[j] = r->attempt[j - 1];
            r->attempt[j - 1] = t;
        }
    int kept = (r->count + 1) / 2;
    while (r->count > kept)
        zb_attempt_free(r->attempt[--r->count]);
}

/* With a time limit the race is over after a third of it: whoever leads then goes on.
 */
static zb_status race(round_of *r, const zb_search *s, watch *w, int64_t each)
{
    zb_stop stop;
    zb_status status = ZB_OK;
    double end = zb_now() + zb_run_left(s->run) / 3;
    if (is_limited(s) && each > 6)
        each = 6;
    if (r->count > CANDIDATES / 2)
        drop_half(r, w->side); /* by where they start */
    while (r->count > 1 && !w->stopped && zb_now() < end) {
        for (int i = 0; i < r->count && each > 0 && !w->stopped && zb_now() < end;
             i++) {
            int64_t left = s->opt->iterations - w->passes;
            if (left <= 0)
                break;
            zb_attempt_run run = run_spec(s, each < left ? each : left, w);
            TRY(zb_attempt_descend(r->attempt[i], &run, &stop));
        }
        drop_half(r, w->side);
        each += each / 2;
    }
    while (r->count > 1)
        drop_half(r, w->side);
done:
    return status;
}

/* Passes that the time left can pay for, at the pace so far. */
static zb_status passes_left(zb_attempt *a, const zb_search *s, watch *w, int64_t *left)
{
    zb_status status = ZB_OK;
    zb_stop stop;
    if (!is_limited(s))
        return ZB_OK;
    double start = zb_now();
    zb_attempt_run run = run_spec(s, *left < 3 ? *left : 3, w);
    TRY(zb_attempt_descend(a, &run, &stop));
    *left -= run.iterations;
    double each = (zb_now() - start) / 4, room = zb_run_left(s->run) / fmax(each, 1e-7);
    if (*left > 1 && (double)*left > room)
        *left = room > 1 ? (int64_t)room : 1;
done:
    return status;
}

/* Passes were quicker than foreseen: go on, with smaller steps, while there is time. */
static zb_status use_up(zb_attempt *a, const zb_search *s, watch *w, zb_stop *stop)
{
    double share = 0.04 * (s->run->deadline - s->run->start);
    int64_t most = s->opt->iterations - w->passes;
    zb_status status = ZB_OK;
    while (is_limited(s) && *stop == ZB_STOP_ITERATIONS && !w->stopped && most > 0 &&
           s->opt->optimizer != ZB_OPTIMIZER_PAPER && zb_run_left(s->run) > share) {
        int64_t left = most, before = w->passes;
        TRY(passes_left(a, s, w, &left));
        zb_attempt_run run = run_spec(s, left, w);
        for (int i = 0; i < 3; i++)
            run.rate[i] *= 0.3;
        run.tolerance = s->opt->tolerance;
        TRY(zb_attempt_descend(a, &run, stop));
        most -= zb_max_int(1, (int)(w->passes - before));
    }
done:
    return status;
}

static bool is_fixed(zb_method m) { return m == ZB_METHOD_MBE || m == ZB_METHOD_WMBE; }

static zb_status finish(zb_attempt *a, const zb_search *s, watch *w, zb_stop *stop)
{
    const zb_options *opt = s->opt;
    zb_status status = ZB_OK;
    int64_t left = opt->iterations - w->passes;
    *stop = a->tree->splits == 0 ? ZB_STOP_EXACT : ZB_STOP_ITERATIONS;
    if (a->tree->splits == 0 || is_fixed(opt->method) || w->stopped || left <= 0) {
        *stop = w->stopped ? why_stopped(w) : *stop;
        return ZB_OK;
    }
    if (w->side == ZB_SIDE_LOWER && opt->optimizer != ZB_OPTIMIZER_PAPER) {
        zb_run quarter = zb_run_share(s->run, zb_now() + zb_run_left(s->run) / 4,
                                      UINT64_MAX, s->run->threads);
        /* a state's choices were tried before */
        a->passes +=
            zb_lower_flip(a->tighten, left / (s->from != NULL ? 8 : 2), &quarter);
        a->bound = fmax(a->bound, a->tighten->bound + a->model->log_scale);
    }
    TRY(passes_left(a, s, w, &left));
    zb_attempt_run run = run_spec(s, left, w);
    run.tolerance = opt->tolerance;
    bool gauges = is_gauged(opt->method) && w->side == ZB_SIDE_LOWER &&
                  zb_form_is_forney(a->model);
    if (gauges)
        run.iterations = left * 2 / 3;
    TRY(zb_attempt_descend(a, &run, stop));
    if (!gauges)
        TRY(use_up(a, s, w, stop));
    if (gauges && *stop != ZB_STOP_INTERRUPTED && *stop != ZB_STOP_TIME) {
        TRY(zb_tighten_add_gauges(a->tighten));
        run = run_spec(s, left - run.iterations, w);
        run.tolerance = opt->tolerance;
        run.rate[2] = opt->optimizer == ZB_OPTIMIZER_PAPER ? run.rate[2] : 0.02;
        TRY(zb_attempt_descend(a, &run, stop));
    }
done:
    return status;
}

/* Go on from the state, without a race; nothing is entered when it does not fit. */
static zb_status enter_state(round_of *r, const zb_search *s, zb_side side,
                             zb_error *err)
{
    const zb_options *opt = s->opt;
    zb_warm w = { .from = &s->from->side[zb_state_index(side)],
                  .side = side,
                  .same_method = opt->method == s->from->method,
                  .moves = tighten_spec(opt, side),
                  .extreme = opt->method == ZB_METHOD_MBE,
                  .gauges = is_gauged(opt->method),
                  .form = opt->form,
                  .order = opt->order,
                  .order_list = opt->order_list,
                  .seed = opt->seed,
                  .ibound = s->asked };
    bool same;
    zb_status status = ZB_OK;
    if (!w.from->present)
        return ZB_OK;
    TRY(zb_state_resume(&r->attempt[0], s->model, &w, s->run, &same, err));
    r->count = r->attempt[0] != NULL;
    if (r->count == 0)
        zb_run_note(s->run, "nothing of the state fits the model: a fresh start");
    else if (!same)
        zb_run_note(s->run, "the state is of another structure: what fits of it is "
                            "taken over");
done:
    return status;
}

zb_status zb_search_run(zb_attempt **out, const zb_search *s, zb_side side,
                        zb_stop *stop, zb_error *err)
{
    const zb_options *opt = s->opt;
    round_of r = { .count = 0 };
    menu m;
    watch w = { .s = s,
                .side = side,
                .ibound = opt->ibound,
                .best = side == ZB_SIDE_LOWER ? -INFINITY : INFINITY };
    /* a third of the passes may go into choosing among candidates */
    int most =
        is_fixed(opt->method) ? 8 : (int)fmin(CANDIDATES, opt->iterations / 12.0 + 1);
    int64_t each = is_fixed(opt->method) ? 0 : zb_max_int(3, opt->iterations / 75);
    zb_status status;

    *out = NULL;
    if (s->from != NULL)
        TRY(enter_state(&r, s, side, err));
    if (r.count == 0) {
        make_menu(&m, s, side, most);
        TRY(enter(&r, &m, s, &w, err));
    }
    TRY(race(&r, s, &w, opt->iterations > 0 ? each : 0));
    TRY(finish(r.attempt[0], s, &w, stop));
    zb_attempt_settle(r.attempt[0]);
    bool fewer = is_limited(s) && !is_fixed(opt->method) && w.passes < opt->iterations;
    if (*stop == ZB_STOP_ITERATIONS && (fewer || zb_run_left(s->run) <= 0))
        *stop = ZB_STOP_TIME;        /* it decided how many there were */
    r.attempt[0]->passes = w.passes; /* the losers' belong to the search too */
    *out = r.attempt[0], r.count = 0;
done:
    while (r.count > 0)
        zb_attempt_free(r.attempt[--r.count]);
    return status;
}

/* ---- ibound from the budget ------------------------------------------------------ */

typedef struct trial_of { /* one ibound */
    zb_scopes *scopes;
    int *order;
    bool fits, whole; /* whole: nothing is split */
    bool memory;      /* it would fit the time, but not the memory */
} trial_of;

/* The number of threads must not decide what is computed: reckon with a few. */
static zb_status try_ibound(trial_of *t, const zb_ibound_request *r, int ibound)
{
    double most = isfinite(r->seconds) ? r->seconds / r->passes : PASS_WITHOUT_LIMIT;
    zb_split_spec ss = { .ibound = ibound, .run = r->run };
    zb_pass_spec ps = { .gradient = true, .theta = true, .shared = true, .threads = 4 };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, t->scopes, t->order, &ss);
    t->fits = t->whole = t->memory = false;
    if (status != ZB_OK)
        return status == ZB_ELIMIT ? ZB_OK : status;
    bool soon = zb_cost_pass(tree->entries, tree->nnodes) * r->slowness <= most;
    bool small = zb_pass_forecast(tree, &ps) < (double)r->memory / 3;
    t->fits = soon && small;
    t->memory = soon && !small;
    t->whole = tree->splits == 0;
    zb_tree_free(tree);
    return ZB_OK;
}

zb_status zb_search_ibound(const zb_ibound_request *r, zb_ibound_choice *out)
{
    trial_of t = { .fits = true };
    bool sparse = is_sparse(r->model), limited = isfinite(r->seconds);
    double begin = zb_now();
    zb_order_request req = { .kind = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL,
                             .seed = 1,
                             .tries = 1,
                             .seconds = limited ? 0.02 * r->seconds : 0,
                             .run = r->run };
    zb_status status;
    int arity = 2;
    TRY(zb_scopes_new(&t.scopes, r->model));
    t.order = zb_alloc((size_t)t.scopes->nvars, sizeof *t.order);
    TRY(t.order != NULL ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < t.scopes->count; f++)
        arity = zb_max_int(arity, zb_scopes_arity(t.scopes, f));
    *out = (zb_ibound_choice){ .ibound = arity };
    for (int i = arity; i <= 64 && t.fits && !t.whole; i += 2) {
        double spent = limited ? (zb_now() - begin) / r->seconds : 0;
        req.ibound = i;
        if (i > arity && (spent > 0.15 || !zb_run_more(r->run)))
            break;
        /* min-fill knows no ibound; where orders take long, the last one will do */
        if (i == arity || (sparse && spent < 0.03))
            TRY(zb_order_make(t.scopes, &req, t.order, NULL));
        TRY(try_ibound(&t, r, i));
        out->ibound = t.fits ? i : out->ibound;
        out->fits = out->fits || t.fits;
        out->memory = t.memory;
    }
done:
    zb_scopes_free(t.scopes);
    zb_free(t.order);
    return status;
}

static zb_status choose_ibound(const zb_model *model, zb_options *opt, zb_run *run)
{
    zb_ibound_request r = { .model = model,
                            .memory = run->memory,
                            .seconds = opt->time > 0 ? opt->time : INFINITY,
                            .slowness = 1,
                            .passes = 100,
                            .run = run };
    zb_ibound_choice choice;
    zb_status status = zb_search_ibound(&r, &choice);
    opt->ibound = choice.ibound;
    return status;
}

/* ---- the method ------------------------------------------------------------------ */

static void record(zb_result *out, const zb_attempt *a, zb_side side, zb_stop stop,
                   const zb_options *opt, zb_run *run)
{
    bool lower = side == ZB_SIDE_LOWER, exact = a->tree->splits == 0;
    zb_recipe by = { opt->method, a->spec.form, a->spec.order, a->tree->ibound };
    if (lower || exact)
        out->log_lower = a->bound, out->has_lower = true, out->lower_by = by;
    if (!lower || exact)
        out->log_upper = a->bound, out->has_upper = true, out->upper_by = by;
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
    out->bytes = zb_max_size(out->bytes, a->tighten->pass->bytes);
}

/* First bounds of both sides, in one order, so that there are some whenever the run is
   ended; nothing but the numbers is kept. */
static zb_status first_look(const zb_search *s, double *lower, double *upper)
{
    zb_attempt *below = NULL, *above = NULL;
    zb_status status;
    menu m;
    make_menu(&m, s, ZB_SIDE_LOWER, 1);
    TRY(zb_attempt_new(&below, s->model, &m.spec[0], s->run, NULL));
    *lower = below->bound;
    make_menu(&m, s, ZB_SIDE_UPPER, 1);
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

static zb_status solve_side(zb_search *s, zb_side side, double until, zb_state *to,
                            zb_result *out, zb_stop *stop, zb_error *err)
{
    zb_run *whole = s->run;
    zb_run share = zb_run_share(whole, until, UINT64_MAX, whole->threads);
    zb_attempt *a = NULL;
    zb_status status;
    s->run = &share;
    TRY(zb_search_run(&a, s, side, stop, err));
    record(out, a, side, *stop, s->opt, whole);
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
    zb_stop stop = ZB_STOP_ITERATIONS;
    zb_status status = ZB_OK;
    bool both = side == ZB_SIDE_BOTH;
    double lower = -INFINITY, upper = INFINITY;
    if (both)
        TRY(first_look(&s, &lower, &upper));
    s.other = lower;
    if (side != ZB_SIDE_LOWER) {
        double until = run->start + (both ? 0.55 : 1) * (run->deadline - run->start);
        TRY(solve_side(&s, ZB_SIDE_UPPER, until, to, out, &stop, err));
    } else
        s.other = INFINITY;
    if (side != ZB_SIDE_UPPER && !out->exact) /* even late: to say why there is none */
        TRY(solve_side(&s, ZB_SIDE_LOWER, run->deadline, to, out, &stop, err));
done:
    if (both && !out->has_lower && lower > -INFINITY)
        out->has_lower = true, out->log_lower = lower, out->guaranteed = true;
    if (both && !out->has_upper && upper < INFINITY)
        out->has_upper = true, out->log_upper = upper, out->guaranteed = true;
    if (status == ZB_ELIMIT && (out->has_lower || out->has_upper)) {
        out->stop = zb_run_interrupted(run) ? ZB_STOP_INTERRUPTED
                    : zb_run_left(run) <= 0 ? ZB_STOP_TIME
                                            : ZB_STOP_MEMORY;
        status = ZB_OK;
    }
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

zb_status zb_minibucket_solve(const zb_model *model, const zb_options *given,
                              const zb_state *from, zb_state **to, zb_run *run,
                              zb_result *out, zb_error *err)
{
    zb_options opt = *given;
    zb_reduction *reduced = NULL;
    zb_state *state = NULL;
    zb_search s = { .opt = &opt,
                    .run = run,
                    .other = -INFINITY,
                    .from = from,
                    .asked = given->ibound };
    zb_status status = ZB_OK;
    opt.threads = run->threads;
    if (to != NULL) {
        TRY(zb_state_new(&state));
        state->method = opt.method;
        state->simplified = wants_simple(&opt, from);
        state->nvars = model->nvars;
    }
    if (wants_simple(&opt, from)) {
        TRY(zb_simplify(&reduced, model, run));
        model = reduced->model;
    }
    s.model = model;
    if (opt.ibound == 0 && from != NULL)
        opt.ibound = state_ibound(from);
    if (opt.ibound == 0)
        TRY(choose_ibound(model, &opt, run));
    TRY(solve_sides(s, state, out, err));
    out->method = opt.method;
    if (to != NULL)
        *to = state, state = NULL;
done:
    zb_state_free(state);
    zb_reduction_free(reduced);
    return status;
}
