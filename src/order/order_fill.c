/* The edges that are missing among each variable's neighbours: all pairs, less one for
 * each triangle, which are counted once each along edges that point from lower to
 * higher (degree, number). */
#include "order/order_internal.h"

static const double COUNT_MAX = 1e9; /* operations */

typedef struct counter {
    const zb_primal *g;
    int64_t *fill;
    double *wfill;
    int *to, *later; /* later neighbours of v: later[v] entries from to[g->at[v]] on */
    int *mark;       /* 1 + the last variable that it is a later neighbour of */
    zb_ticker *tick;
} counter;

static bool before(const zb_primal *g, int u, int v)
{
    int du = zb_primal_degree(g, u), dv = zb_primal_degree(g, v);
    return du < dv || (du == dv && u < v);
}

/* Take off the triangles of edge (u, v) with the marked ones of v's later neighbours.
 */
static void triangles(counter *c, int u, int v)
{
    const int *card = c->g->card, *next = c->to + c->g->at[v];
    double pair = (double)card[u] * card[v], sum = 0;
    int found = 0;
    for (int j = 0; j < c->later[v]; j++) {
        int w = next[j];
        if (c->mark[w] != u + 1)
            continue;
        found++;
        sum += card[w];
        c->fill[w]--;
        c->wfill[w] -= pair;
    }
    c->fill[u] -= found;
    c->fill[v] -= found;
    c->wfill[u] -= card[v] * sum;
    c->wfill[v] -= card[u] * sum;
}

/* All pairs of neighbours, and the later ones. */
static void begin(counter *c, int v)
{
    const zb_primal *g = c->g;
    double sum = 0, squares = 0;
    int64_t d = zb_primal_degree(g, v);
    c->later[v] = 0;
    for (size_t i = g->at[v]; i < g->at[v + 1]; i++) {
        double card = g->card[g->to[i]];
        sum += card;
        squares += card * card;
        if (before(g, v, g->to[i]))
            c->to[g->at[v] + (size_t)c->later[v]++] = g->to[i];
    }
    c->fill[v] = d * (d - 1) / 2;
    c->wfill[v] = (sum * sum - squares) / 2;
}

/* False when the graph is too dense to count, or the time is over. */
static bool count(counter *c)
{
    const zb_primal *g = c->g;
    double work = 0;
    for (int v = 0; v < g->n && zb_tick(c->tick, 3.0 * zb_primal_degree(g, v)); v++)
        begin(c, v);
    for (int u = 0; u < g->n && work < COUNT_MAX && !c->tick->over; u++) {
        const int *list = c->to + g->at[u];
        for (int i = 0; i < c->later[u]; i++)
            c->mark[list[i]] = u + 1;
        for (int i = 0; i < c->later[u]; i++) {
            work += c->later[list[i]];
            triangles(c, u, list[i]);
            if (!zb_tick(c->tick, 10.0 + c->later[list[i]]))
                break;
        }
    }
    return work < COUNT_MAX && !c->tick->over;
}

zb_status zb_primal_fill(const zb_primal *g, zb_ticker *tick, int64_t *fill,
                         double *wfill, bool *dense)
{
    size_t n = (size_t)g->n;
    counter c = { .g = g, .fill = fill, .wfill = wfill, .tick = tick };
    c.to = zb_alloc(g->at[n], sizeof *c.to);
    c.later = zb_alloc(n, sizeof *c.later);
    c.mark = zb_calloc(n, sizeof *c.mark);
    zb_status status = c.to && c.later && c.mark ? ZB_OK : ZB_ENOMEM;
    if (status == ZB_OK)
        *dense = !count(&c);
    zb_free(c.to);
    zb_free(c.later);
    zb_free(c.mark);
    return status;
}
