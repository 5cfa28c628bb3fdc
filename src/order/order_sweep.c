/* Sweeps: eliminate along a front that moves through the graph.
 *
 * Two rules for the next variable. Breadth first: in order of discovery from a start,
 * which on an R x C grid from a corner moves a diagonal front. Frugal: of the variables
 * on the front, the one that brings the fewest new ones onto it, the earliest found
 * first; on grids this keeps the front at min(R, C) variables, so cliques have one
 * more. Starts: both ends of a long shortest path (pseudo-peripheral variables) and a
 * variable of least degree, such as a corner. The cheapest order by total entries is
 * kept; parts that are not connected are swept one after the other. */
#include "order/order_internal.h"

#include <string.h>

enum { FRONT_MAX = 4000, STARTS = 3 }; /* wider fronts are not worth the search */

typedef struct sweep {
    const zb_primal *g;
    int *seen, stamp; /* stamp of the last search that reached the variable */
    int *cost;        /* neighbours not yet reached, in the frugal sweep */
    int *queue;       /* variables in order of discovery */
    int *start;       /* a representative of each connected part */
    int *trial;
    int parts;
    double work;
    zb_ticker *tick; /* once the time is over, searches end early */
} sweep;

/* Search breadth first from v into queue; returns how many were found. */
static int search(sweep *w, int v, int *queue)
{
    const zb_primal *g = w->g;
    int count = 0;
    queue[count++] = v;
    w->seen[v] = w->stamp;
    for (int k = 0; k < count; k++) {
        if (!zb_tick(w->tick, 10 + 4.0 * zb_primal_degree(g, queue[k])))
            break;
        for (size_t i = g->at[queue[k]]; i < g->at[queue[k] + 1]; i++) {
            int u = g->to[i];
            if (w->seen[u] == w->stamp)
                continue;
            w->seen[u] = w->stamp;
            queue[count++] = u;
        }
    }
    w->work += 2.0 * count;
    return count;
}

/* The start of rule k in v's part: far ends of repeated searches, or least degree. */
static int start_of(sweep *w, int v, int k)
{
    int count = 0, rounds = k == 0 ? 2 : 3;
    if (k < 2) {
        for (int r = 0; r < rounds; r++) {
            w->stamp++;
            count = search(w, v, w->queue);
            v = w->queue[count - 1];
        }
        return v;
    }
    w->stamp++;
    count = search(w, v, w->queue);
    for (int i = 0; i < count; i++)
        if (zb_primal_degree(w->g, w->queue[i]) < zb_primal_degree(w->g, v))
            v = w->queue[i];
    return v;
}

/* Remove the frugal choice from the front, which stays in order of discovery. */
static int take(sweep *w, int *front, int *count, const int *cost)
{
    int best = 0;
    for (int i = 1; i < *count && cost[front[best]] > 0; i++)
        if (cost[front[i]] < cost[front[best]])
            best = i;
    int v = front[best];
    memmove(front + best, front + best + 1,
            (size_t)(*count - best - 1) * sizeof *front);
    w->work += *count / 4.0;
    zb_tick(w->tick, *count);
    --*count;
    return v;
}

/* Put u on the front; its neighbours now have one new variable less to bring. */
static void reach(sweep *w, int u, int *front, int *count, int *cost)
{
    w->seen[u] = w->stamp;
    front[(*count)++] = u;
    for (size_t i = w->g->at[u]; i < w->g->at[u + 1]; i++)
        cost[w->g->to[i]]--;
    w->work += (double)(w->g->at[u + 1] - w->g->at[u]);
    zb_tick(w->tick, 10 + 4.0 * zb_primal_degree(w->g, u));
}

/* The frugal sweep from v; false when the front grew too wide, or the time is over.
   cost[u] is the number of u's neighbours not yet reached. */
static bool frugal(sweep *w, int v, int *cost, int *order, int *count)
{
    int *front = w->queue, size = 0;
    reach(w, v, front, &size, cost);
    while (size > 0) {
        if (size > FRONT_MAX || w->tick->over)
            return false;
        int x = take(w, front, &size, cost);
        order[(*count)++] = x;
        for (size_t i = w->g->at[x]; i < w->g->at[x + 1]; i++)
            if (w->seen[w->g->to[i]] != w->stamp)
                reach(w, w->g->to[i], front, &size, cost);
    }
    return true;
}

/* One sweep over all parts into trial; false when it was given up. */
static bool sweep_all(sweep *w, int k, bool is_frugal)
{
    int count = 0, *cost = w->cost;
    for (int v = 0; v < w->g->n; v++)
        cost[v] = zb_primal_degree(w->g, v);
    for (int p = 0; p < w->parts; p++) {
        int v = start_of(w, w->start[p], k);
        w->stamp++;
        if (!is_frugal)
            count += search(w, v, w->trial + count);
        else if (!frugal(w, v, cost, w->trial, &count))
            return false;
        if (w->tick->over)
            return false;
    }
    return true;
}

static void parts_find(sweep *w)
{
    w->stamp++;
    for (int v = 0; v < w->g->n && !w->tick->over; v++)
        if (w->seen[v] != w->stamp) {
            w->start[w->parts++] = v;
            search(w, v, w->queue);
        }
}

static zb_status keep_best(sweep *w, const zb_scopes *s, int *order)
{
    double best = INFINITY;
    bool any = false;
    zb_order_cost cost;
    zb_status status = ZB_OK;
    for (int k = 0; k < 2 * STARTS && !w->tick->over; k++) {
        if (!sweep_all(w, k / 2, k % 2 == 1))
            continue;
        cost.total = INFINITY;
        status = zb_order_evaluate(s, w->trial, w->tick->run, &cost);
        if (status == ZB_ELIMIT && any)
            return ZB_OK;
        TRY(status == ZB_ELIMIT ? ZB_OK : status);
        w->work += 8.0 * (double)(s->at[s->count] + (size_t)s->nvars);
        if (any && cost.total >= best)
            continue;
        any = true;
        best = cost.total;
        memcpy(order, w->trial, (size_t)s->nvars * sizeof *order);
    }
done:
    return status;
}

static zb_status sweep_open(sweep *w, const zb_primal *g, zb_ticker *tick)
{
    size_t n = (size_t)g->n;
    int *memory = zb_calloc(5 * n, sizeof *memory);
    *w = (sweep){ .g = g, .tick = tick, .seen = memory };
    if (memory == NULL)
        return ZB_ENOMEM;
    w->cost = memory + n;
    w->queue = memory + 2 * n;
    w->start = memory + 3 * n;
    w->trial = memory + 4 * n;
    parts_find(w);
    return ZB_OK;
}

zb_status zb_sweep_run(const zb_scopes *s, const zb_primal *g, zb_ticker *tick,
                       int *order, double *work)
{
    sweep w;
    zb_status status;
    TRY(sweep_open(&w, g, tick));
    TRY(keep_best(&w, s, order));
    *work += w.work;
done:
    zb_free(w.seen);
    return status;
}

zb_status zb_breadth_run(const zb_primal *g, zb_ticker *tick, int *order, int *count)
{
    sweep w;
    zb_status status;
    *count = 0;
    TRY(sweep_open(&w, g, tick));
    for (int p = 0; p < w.parts && !tick->over; p++) {
        int v = start_of(&w, w.start[p], 0);
        w.stamp++;
        *count += search(&w, v, order + *count);
    }
done:
    zb_free(w.seen);
    return status;
}
