/* Reweighted sum-product messages as a reparameterisation.
 *
 * With appearance probability rho of factor a, the belief of a is
 *     b_a(x) ~ exp((table_a - sum_i lambda_i) / rho + sum_i node_i),
 * that of a variable b_v ~ exp(node_v). They agree on slot i when
 *     s_i = ln sum_{x \ x_i} b_a - node_i
 * is constant; adding rho s_i to lambda_i makes it so at once (node_i moves too, but
 * cancels in s_i). For rho = 1 this is sum-product, lambda the usual message. */
#include "baseline/factorgraph.h"

#include <string.h>

zb_status zb_messages_new(zb_messages **out, const zb_graph *g, zb_run *run)
{
    zb_messages *m = zb_calloc(1, sizeof *m);

    *out = NULL;
    if (m == NULL)
        return ZB_ENOMEM;
    m->graph = g;
    m->tick.run = run;
    m->lambda = zb_hold_calloc(&m->hold, g->msg_at[g->nedges], sizeof *m->lambda);
    m->alive = zb_hold_alloc(&m->hold, g->var_at[g->nvars], sizeof *m->alive);
    m->node = zb_hold_alloc(&m->hold, g->var_at[g->nvars], sizeof *m->node);
    m->joint = zb_hold_alloc(&m->hold, g->max_size, sizeof *m->joint);
    m->work = zb_hold_alloc(&m->hold, 2 * g->max_span, sizeof *m->work);
    if (m->hold.failed) {
        zb_messages_free(m);
        return ZB_ENOMEM;
    }
    memcpy(m->alive, g->unary, g->var_at[g->nvars] * sizeof *m->alive);
    m->zero = g->log_scale == -INFINITY;
    for (int v = 0; v < g->nvars; v++)
        m->zero = m->zero || zb_log_sum((size_t)g->card[v], m->alive + g->var_at[v],
                                        &m->tick) == -INFINITY;
    zb_messages_collect(m);
    if (m->tick.over) {
        zb_messages_free(m);
        return ZB_ELIMIT;
    }
    *out = m;
    return ZB_OK;
}

void zb_messages_free(zb_messages *m)
{
    if (m == NULL)
        return;
    zb_hold_free(&m->hold);
    zb_free(m);
}

void zb_messages_collect(zb_messages *m)
{
    const zb_graph *g = m->graph;
    memcpy(m->node, m->alive, g->var_at[g->nvars] * sizeof *m->node);
    zb_tick(&m->tick, (double)(2 * g->msg_at[g->nedges]));
    for (int e = 0; e < g->nedges; e++) {
        double *node = m->node + g->var_at[g->edge_var[e]];
        const double *lambda = m->lambda + g->msg_at[e];
        for (int x = 0; x < g->slot_card[e]; x++)
            node[x] += lambda[x];
    }
}

double zb_messages_belief(zb_messages *m, int a, double rho)
{
    const zb_graph *g = m->graph;
    int first = g->edge_at[a], k = zb_graph_arity(g, a);
    const double *part[ZB_MAX_AXES];
    double *w = m->work;

    for (int i = 0; i < k; i++) {
        const double *node = m->node + g->var_at[g->edge_var[first + i]];
        const double *lambda = m->lambda + g->msg_at[first + i];
        part[i] = w;
        for (int x = 0; x < g->slot_card[first + i]; x++)
            *w++ = node[x] - lambda[x] / rho;
    }
    return zb_joint(zb_graph_slots(g, a), 1 / rho, g->table + g->tab_at[a], part,
                    m->joint, &m->tick);
}

/* Move one slot's message; s holds ln marginal on entry. */
static double move_slot(zb_messages *m, int e, double rho, double step, double *s,
                        double *change)
{
    const zb_graph *g = m->graph;
    size_t at = g->var_at[g->edge_var[e]];
    double *node = m->node + at, *lambda = m->lambda + g->msg_at[e];
    double high = -INFINITY, low = INFINITY, top = -INFINITY, died = 0;
    int n = g->slot_card[e];

    for (int x = 0; x < n; x++) {
        if (node[x] == -INFINITY)
            continue;
        if (s[x] == -INFINITY) { /* no configuration of weight > 0 has this value */
            m->alive[at + (size_t)x] = node[x] = -INFINITY;
            lambda[x] = 0;
            died = 1;
            continue;
        }
        s[x] -= node[x];
        high = s[x] > high ? s[x] : high;
        low = s[x] < low ? s[x] : low;
    }
    if (high == -INFINITY) {
        m->zero = true;
        return 0;
    }
    for (int x = 0; x < n; x++)
        if (node[x] > -INFINITY) {
            s[x] = lambda[x] + step * rho * (s[x] - high);
            top = s[x] > top ? s[x] : top;
        }
    for (int x = 0; x < n; x++)
        if (node[x] > -INFINITY) {
            node[x] += s[x] - top - lambda[x];
            lambda[x] = s[x] - top;
        }
    if (change != NULL)
        *change = step * rho * (high - low) + died;
    return high - low + died;
}

double zb_messages_update(zb_messages *m, int a, double rho, double step,
                          double *change)
{
    const zb_graph *g = m->graph;
    int first = g->edge_at[a], k = zb_graph_arity(g, a);
    double *s[ZB_MAX_AXES], *w = m->work + g->max_span, worst = 0;
    double top = zb_messages_belief(m, a, rho);

    if (!zb_tick(&m->tick, 100))
        return 0;
    if (top == -INFINITY) {
        m->zero = true;
        return 0;
    }
    for (int i = 0; i < k; i++) {
        s[i] = w;
        w += g->slot_card[first + i];
    }
    zb_slot_marginals(zb_graph_slots(g, a), m->joint, top, s, &m->tick);
    for (int i = 0; i < k && !m->tick.over; i++)
        worst = fmax(worst, move_slot(m, first + i, rho, step, s[i],
                                      change != NULL ? &change[i] : NULL));
    return worst;
}
