/* Of many orders those that are worth tables: trees are laid out and judged by their
 * structure alone, which takes a small part of what a pass does. */
#include "form/form.h"
#include "tighten/menu.h"
#include "tree/shared.h"

/* What an offer's splits cost; INFINITY where it is too large. */
static zb_status judge(const zb_attempt_spec *spec, const zb_search *s,
                       const zb_scopes *scopes, int *order, double *loss)
{
    zb_tree *tree = NULL;
    zb_status status;
    *loss = INFINITY;
    TRY(zb_attempt_order(spec, scopes, s->run, order));
    TRY(zb_attempt_tree(&tree, spec, scopes, s->run, order));
    if (spec->most <= 0 || tree->entries <= spec->most)
        *loss = zb_shared_loss(tree);
done:
    zb_tree_free(tree);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

static bool is_of_rule(const zb_attempt_spec *a, const zb_attempt_spec *b)
{
    return a->order == b->order && a->ties == b->ties;
}

/* Offer i goes to place `to`, those between one further. */
static void advance(zb_menu *m, int i, int to)
{
    zb_attempt_spec spec = m->spec[i];
    int *order = m->order[i];
    for (; i > to; i--) {
        m->spec[i] = m->spec[i - 1];
        m->order[i] = m->order[i - 1];
    }
    m->spec[to] = spec;
    m->order[to] = order;
}

/* The best of each rule before the second of any; first that of the rule that won the
   last time, unless it is far from the best: what a rule is worth on a model, its
   structure alone does not tell. */
static void mix_rules(zb_menu *m, const double *loss)
{
    const double far = 1.7;
    int to = 0;
    for (int i = 0; i < m->count && m->like != NULL && to == 0; i++)
        if (is_of_rule(&m->spec[i], m->like) && loss[i] <= far * loss[0])
            advance(m, i, to++);
    for (int i = to; i < m->count; i++) {
        bool first = true;
        for (int k = 0; k < to && first; k++)
            first = !is_of_rule(&m->spec[i], &m->spec[k]);
        if (first)
            advance(m, i, to++);
    }
}

/* Numbers come from how a model was made, and what an order gains that keeps to them,
   structure does not tell either: on causal models 10 to 30 nats. So the plain offer
   that does comes first as long as no rule has won yet, since there may be no time for
   another one, and later has a part in the race. */
static void keep_numbers(zb_menu *m)
{
    int i = 0, to = m->like != NULL ? 2 : 0;
    while (i < m->count && !(m->spec[i].order == ZB_ORDER_MINSPLIT &&
                             m->spec[i].less == 0 && m->spec[i].ties == ZB_TIES_NUMBER))
        i++;
    if (i < m->count && i > to)
        advance(m, i, to);
}

/* Offer i goes before those that cost more. */
static void insert(zb_menu *m, double *loss, int i)
{
    double own = loss[i];
    int to = i;
    for (; to > 0 && loss[to - 1] > own; to--)
        loss[to] = loss[to - 1];
    loss[to] = own;
    advance(m, i, to);
}

static bool is_plain(const zb_menu *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->spec[i].form != ZB_FORM_ORIGINAL || m->spec[i].order == ZB_ORDER_FILE)
            return false;
    return m->count > 1;
}

zb_status zb_menu_sort(zb_menu *m, const zb_search *s, double end)
{
    double loss[ZB_OFFERS];
    zb_scopes *scopes = NULL;
    int done = 0;
    zb_status status = ZB_OK;
    if (!is_plain(m) || !zb_form_is_clean(s->model))
        return ZB_OK;
    TRY(zb_scopes_new(&scopes, s->model));
    while (done < m->count && (done == 0 || (zb_now() < end && loss[0] > 0))) {
        m->order[done] = zb_alloc((size_t)scopes->nvars, sizeof **m->order);
        TRY(m->order[done] != NULL ? ZB_OK : ZB_ENOMEM);
        TRY(judge(&m->spec[done], s, scopes, m->order[done], &loss[done]));
        m->spec[done].formed_order = m->order[done];
        m->spec[done].formed_nvars = scopes->nvars;
        insert(m, loss, done++);
    }
    m->count = done;
    mix_rules(m, loss);
    keep_numbers(m);
done:
    zb_scopes_free(scopes);
    return status;
}

void zb_menu_clear(zb_menu *m)
{
    for (int i = 0; i < ZB_OFFERS; i++)
        zb_free(m->order[i]);
}
