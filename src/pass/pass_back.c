/* The way back: derivatives of the bound by every table, roots first. */
#include "pass/pass_part.h"

/* Is the derivative that the node gets by its linear message? Two nodes in a row must
   want it so. */
static bool is_by_value(const zb_pass *p, int k)
{
    int up = p->tree->node[k].parent;
    return p->by_value[k] && up >= 0 && p->by_value[up];
}

/* A linear message stands for 2^exp2 times its values: the derivative by the sum that
   was delivered is 2^-exp2 times the one by them. */
static void undo_delivery(const zb_pass *p, int k)
{
    zb_table *msg = zb_pass_message(p, k);
    double factor = ldexp(1, -msg->exp2);
    for (size_t i = 0; factor != 1 && i < msg->size; i++)
        msg->value[i] *= factor;
}

/* Messages whose nodes do not want it by value. */
static bool is_by_logarithm(const zb_pass *p, int in)
{
    if (in < 0)
        return !p->by_value[-1 - in];
    return zb_pass_comes_in(p, in) && !p->in_by_value[in - p->spec.part->nfactors];
}

static void derive_node(zb_pass *p, int k, zb_pass_call *c, const zb_worker *w)
{
    const int *input = zb_tree_input(p->tree, k);
    for (int i = 0; i < p->tree->node[k].ninput; i++)
        w->belief[i] = is_by_logarithm(p, input[i]);
    c->kind = ZB_LIN_DERIVE;
    c->belief = w->belief;
    c->flag = is_by_value(p, k);
    if (c->flag)
        undo_delivery(p, k);
    zb_pass_run_node(p, k, c, w);
}

static void backward_node(zb_pass *p, int k, const zb_worker *w)
{
    const zb_tree *t = p->tree;
    zb_table *msg = zb_pass_message(p, k);
    zb_pass_call c = { .message = msg->value };
    if (!zb_pass_go_on(p, k, w) || (p->spec.part && !zb_pass_take(p, k, true)))
        return;
    if (t->node[k].parent < 0)
        *msg->value = msg->shift == -INFINITY ? 0 : 1;
    if (p->mode[k] == ZB_LOG) {
        c.kind = ZB_LOG_DOWN;
        c.flag = zb_tree_is_split(t, k);
        zb_pass_weigh(p, k, &c);
        zb_pass_reply r = zb_pass_run_node(p, k, &c, w);
        if (c.flag && !p->spec.shared)
            p->param.entropy[p->weight_at[k]] = r.entropy;
    } else if (p->by_value[k])
        derive_node(p, k, &c, w);
    else {
        c.kind = ZB_LIN_DOWN;
        zb_pass_run_node(p, k, &c, w);
    }
    if (p->spec.part != NULL)
        zb_pass_hand_back(p, k);
}

void zb_pass_backward(zb_pass *p) { zb_pass_visit(p, backward_node, true); }

void zb_pass_belief(const zb_pass *p, int f, double *out)
{
    int k = p->tree->factor_node[f];
    const zb_table *x = &p->table[f];
    if (k < 0) {
        *out = 1;
        return;
    }
    const double *g = p->fgrad + p->fgrad_at[f];
    for (size_t i = 0; i < x->size; i++)
        out[i] = p->by_value[k] ? g[i] * x->value[i] : g[i];
}

void zb_pass_derivative(const zb_pass *p, int f, const double *value, double *out)
{
    int k = p->tree->factor_node[f];
    const zb_table *x = &p->table[f];
    const double *g = p->fgrad + p->fgrad_at[f];
    double factor = 1;
    if (k < 0) {
        *out = *value != 0 ? 1 / *value : 0;
        return;
    }
    for (size_t i = 0; i < x->size && p->by_value[k]; i++)
        if (value[i] != 0 &&
            x->value[i] != 0) { /* settle may have rescaled the table */
            factor = fabs(x->value[i] / value[i]);
            break;
        }
    for (size_t i = 0; i < x->size; i++)
        if (p->by_value[k])
            out[i] = g[i] * factor;
        else
            out[i] = value[i] != 0 ? g[i] / value[i] : 0;
}
