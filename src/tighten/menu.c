#include "tighten/menu.h"

#include "form/form.h"
#include "tighten/moves.h"

/* The same order of the same form. */
static bool is_alike(const zb_attempt_spec *a, const zb_attempt_spec *b)
{
    return a->form == b->form && a->variant == b->variant && a->order == b->order &&
           a->ties == b->ties && a->tries == b->tries && a->seed == b->seed &&
           a->less == b->less && a->tighten.gauges == b->tighten.gauges;
}

static void offer(zb_menu *m, zb_attempt_spec spec)
{
    for (int i = 0; i < m->count; i++)
        if (is_alike(&m->spec[i], &spec))
            return;
    if (m->count < ZB_OFFERS) {
        m->group[m->count] = m->groups;
        m->quota[m->count] = m->most;
        m->spec[m->count++] = spec;
    }
}

double zb_menu_degree(const zb_model *model)
{
    double items = 0;
    for (int f = 0; f < model->nfactors; f++)
        items += model->factor[f].arity;
    return items / zb_max_int(1, model->nvars);
}

/* Buckets are small enough for all of them to be packed again and again: pairs of
   factors that share a variable are few. */
static bool is_light(const zb_model *model)
{
    const double most = 5e6;
    double pairs = 0;
    int *degree = zb_calloc((size_t)model->nvars, sizeof *degree);
    for (int f = 0; f < model->nfactors && degree != NULL; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            pairs += 2 * degree[model->factor[f].scope[i]]++ + 1;
    bool light = degree != NULL && pairs <= most;
    zb_free(degree);
    return light;
}

/* As the search before chose. */
static void offer_like(zb_menu *m, zb_attempt_spec spec)
{
    const zb_attempt_spec *like = m->like;
    if (like == NULL || like->form != spec.form)
        return;
    spec.order = like->order;
    spec.ties = like->ties;
    spec.tries = like->tries;
    spec.seed = like->seed;
    offer(m, spec);
}

/* What is made for smaller mini-buckets and then extended, too: on lattices some sizes
   have far better orders than the next larger ones (on a 100x100 grid 8 than 9). */
static void offer_sizes(zb_menu *m, zb_attempt_spec spec, int most)
{
    for (spec.less = 0; spec.less <= most; spec.less++)
        if (spec.less == 0 || (spec.ibound - spec.less >= 4 &&
                               !(spec.max_entries > 0 && spec.max_entries < 64)))
            offer(m, spec);
}

/* As many as there may be time to lay out: zb_menu_sort tells which are worth more. */
static void offer_many(zb_menu *m, zb_attempt_spec spec, bool sparse)
{
    enum { CHANCES = 12 };
    bool packed = sparse || m->light;
    spec.tries = 1;
    spec.order = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL;
    offer_sizes(m, spec, 1);
    for (int ties = ZB_TIES_NUMBER; ties <= ZB_TIES_BACK && packed; ties++) {
        spec.order = ZB_ORDER_MINSPLIT;
        spec.ties = (zb_ties)ties;
        offer_sizes(m, spec, 2);
    }
    spec.ties = ZB_TIES_NUMBER;
    spec.order = ZB_ORDER_MINFILL;
    offer_sizes(m, spec, 1);
    for (int i = 0; i < CHANCES && packed; i++) {
        spec.order = ZB_ORDER_MINSPLIT;
        spec.ties = ZB_TIES_CHANCE;
        spec.seed += 1;
        offer_sizes(m, spec, 1);
    }
}

/* In races by rounds orders with few splits would win before these have shown what they
   are worth. */
static void offer_ties(zb_menu *m, zb_attempt_spec spec, zb_ties ties)
{
    spec.ties = ties;
    if (m->regular)
        offer(m, spec);
}

/* Orders for one form: the one asked for, or several that are good in different ways.
 */
static void offer_orders(zb_menu *m, zb_attempt_spec spec, const zb_options *opt,
                         int most, bool sparse)
{
    bool packed = !sparse && most > 1 && m->light;
    m->groups++;
    m->most = most;
    if (opt->order != ZB_ORDER_AUTO) {
        spec.order = opt->order;
        spec.tries = opt->order == ZB_ORDER_NATURAL ? 1 : 8;
        offer(m, spec);
        return;
    }
    offer_like(m, spec);
    if (m->many) {
        offer_many(m, spec, sparse);
        return;
    }
    spec.order = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL;
    spec.tries = 1;
    offer(m, spec);
    zb_attempt_spec other = spec;
    if (packed) {
        other.order = ZB_ORDER_MINSPLIT;
        offer(m, other);
        offer_ties(m, other, ZB_TIES_BREADTH);
    }
    if (!sparse)
        return;
    if (most > 1)
        offer_ties(m, spec, ZB_TIES_BREADTH);
    other.order = spec.form == ZB_FORM_LATTICE ? ZB_ORDER_NATURAL : ZB_ORDER_MINFILL;
    if (most > 1)
        offer(m, other);
    if (most > 2)
        offer_ties(m, spec, ZB_TIES_BACK);
    if (m->regular)
        return;
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

/* Forms with gauges. */
static void offer_gauged(zb_menu *m, zb_attempt_spec spec, const zb_search *s, int most)
{
    bool grid = is_grid(s->model, s->run);
    for (int variant = 0; variant < 2; variant++) {
        spec.form = grid ? ZB_FORM_LATTICE : ZB_FORM_MERGED;
        spec.variant = variant;
        offer_orders(m, spec, s->opt, most, true);
    }
}

/* The model as it is, which has gauges if it is a Forney form. */
static zb_attempt_spec as_given(zb_attempt_spec spec, const zb_search *s)
{
    spec.form = ZB_FORM_ORIGINAL;
    spec.tighten.gauges = spec.tighten.gauges && zb_form_is_forney(s->model);
    return spec;
}

/* Forms for a gauged method when none was asked for, in one race. */
static void offer_forms(zb_menu *m, zb_attempt_spec spec, const zb_search *s, int most)
{
    bool sparse = zb_menu_is_sparse(s->model);
    zb_attempt_spec plain = as_given(spec, s);
    if (!zb_menu_has_gauged(s)) {
        offer_orders(m, plain, s->opt, most, sparse);
        return;
    }
    /* of large trees only the first few are tried: one of each form */
    offer_orders(m, plain, s->opt, 1, sparse);
    offer_gauged(m, spec, s, zb_max_int(1, most / 4));
    /* a good order of the model as it is may be worth more than gauges */
    offer_orders(m, plain, s->opt, zb_max_int(1, most / 2), sparse);
}

bool zb_menu_has_gauged(const zb_search *s)
{
    return s->opt->form == ZB_FORM_AUTO && zb_method_find(s->opt->method)->gauges &&
           zb_menu_is_sparse(s->model) && !zb_form_is_forney(s->model);
}

/* An empty menu, and what all that is offered has in common. */
static zb_attempt_spec begin(zb_menu *m, const zb_search *s, zb_side side, int most)
{
    const zb_options *opt = s->opt;
    const zb_method_row *method = zb_method_find(opt->method);
    zb_attempt_spec spec = { .form = opt->form,
                             .ibound = opt->ibound,
                             .max_entries = s->max_entries,
                             .most = s->most,
                             .seed = opt->seed,
                             .order_list = opt->order_list,
                             .extreme = method->extreme,
                             .over_ranks = s->over_ranks,
                             .gauged = method->gauges,
                             .tighten = zb_moves(opt, side) };
    if (zb_search_limited(s))
        spec.effort = fmax(1e-3, 0.02 * zb_run_left(s->run));
    *m = (zb_menu){ .light = most > 1 && is_light(s->model),
                    .like = s->like,
                    .regular = s->decide > 0,
                    .many = s->decide > 0 && side == ZB_SIDE_UPPER };
    return spec;
}

void zb_menu_make(zb_menu *m, const zb_search *s, zb_side side, int most)
{
    const zb_options *opt = s->opt;
    zb_attempt_spec spec = begin(m, s, side, most);
    if (opt->form == ZB_FORM_AUTO && zb_method_find(opt->method)->gauges) {
        if (s->decide > 0)
            offer_forms(m, spec, s, most);
        else
            offer_orders(m, as_given(spec, s), opt, most, zb_menu_is_sparse(s->model));
        return;
    }
    spec.form = opt->form == ZB_FORM_AUTO ? ZB_FORM_ORIGINAL : opt->form;
    bool variants = spec.form == ZB_FORM_LATTICE || spec.form == ZB_FORM_MERGED;
    for (int variant = 0; variant < (variants && !zb_moves_as_paper(opt) ? 2 : 1);
         variant++) {
        spec.variant = variant;
        offer_orders(m, spec, opt, variants ? zb_max_int(1, most / 2) : most,
                     zb_menu_is_sparse(s->model));
    }
}

void zb_menu_make_gauged(zb_menu *m, const zb_search *s, zb_side side, int most)
{
    zb_attempt_spec spec = begin(m, s, side, most);
    offer_gauged(m, spec, s, zb_max_int(1, most / 4));
}
