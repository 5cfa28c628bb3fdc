/* What the modules of order/ share; only they include it. */
#ifndef ZB_ORDER_INTERNAL_H
#define ZB_ORDER_INTERNAL_H

#include "order/order.h"
#include "base/rng.h"

/* The interaction (primal) graph. Variables with one value multiply no table, so they
   are left without neighbours here and come last in greedy orders. */
typedef struct zb_primal {
    int n;
    const int *card; /* borrowed from the scopes */
    double *bits;    /* log2 of the cardinality */
    size_t *at;      /* n + 1 offsets into to */
    int *to;
} zb_primal;

/* ZB_ELIMIT when the time is over. */
zb_status zb_primal_new(zb_primal **out, const zb_scopes *s, zb_ticker *tick);
void zb_primal_free(zb_primal *g);
static inline int zb_primal_degree(const zb_primal *g, int v)
{
    return (int)(g->at[v + 1] - g->at[v]);
}

/* fill[v]: pairs of neighbours of v without an edge; wfill[v]: the same, each pair
   counted as the product of their cardinalities. *dense: too many to count, or the time
   is over. (order_fill.c) */
zb_status zb_primal_fill(const zb_primal *g, zb_ticker *tick, int64_t *fill,
                         double *wfill, bool *dense);

/* Greedy elimination with incremental fill counts; one object serves many runs. */
typedef enum zb_greedy_key {
    ZB_KEY_FILL,   /* missing edges among the neighbours */
    ZB_KEY_DEGREE, /* neighbours */
    ZB_KEY_WEIGHT, /* entries of the clique table */
    ZB_KEY_WFILL   /* missing edges, each counted as the product of cardinalities */
} zb_greedy_key;

typedef struct zb_greedy_rule {
    zb_greedy_key first, second; /* ties of the first are settled by the second */
    bool random;                 /* then at random, otherwise by index */
    double stray;                /* chance of passing over the best variable */
    double limit;                /* entries of all cliques from which on to give up */
    double most;                 /* operations likewise */
} zb_greedy_rule;

typedef struct zb_greedy zb_greedy;
zb_status zb_greedy_new(zb_greedy **out, const zb_primal *g, zb_ticker *tick);
void zb_greedy_free(zb_greedy *a);
/* Run a rule; *total is the entries of all cliques, INFINITY if the run was cut short
   because they exceeded the limit (order is then incomplete), or because the graph
   became too dense for its operations or the time is over (order is complete). *work
   grows
   by the operations spent. */
zb_status zb_greedy_run(zb_greedy *a, zb_greedy_rule rule, zb_rng *rng, int *order,
                        double *total, double *work);
/* Did the last run, a complete one, add no edge? Then the graph is chordal, and no
   order has smaller cliques. */
bool zb_greedy_perfect(const zb_greedy *a);

/* The cheapest of a few sweeps. order is left as it is when the time is over before the
   first one is complete. */
zb_status zb_sweep_run(const zb_scopes *s, const zb_primal *g, zb_ticker *tick,
                       int *order, double *work);

/* Breadth first from the end of a long shortest path, part by part. When the time is
   over the order may be incomplete: *count. */
zb_status zb_breadth_run(const zb_primal *g, zb_ticker *tick, int *order, int *count);

/* minsplit: the fewest splits over the tries. */
zb_status zb_minsplit_run(const zb_scopes *s, const zb_order_request *req,
                          zb_ticker *tick, int *order);

/* Improve an order's total by re-eliminating pieces of it, until work reaches end or
   the time is over. */
zb_status zb_improve_run(const zb_primal *g, zb_rng *rng, zb_ticker *tick, int *order,
                         double *work, double end);

#endif
