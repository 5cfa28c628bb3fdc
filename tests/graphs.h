/* Scopes made by hand, for tests and benchmarks of orders. */
#ifndef ZB_TEST_GRAPHS_H
#define ZB_TEST_GRAPHS_H

#include "model/model.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
    zb_scopes s;
    size_t room, count_room;
} graph;

static inline graph graph_new(int nvars, int card)
{
    graph g = { .room = 16, .count_room = 16 };
    g.s.nvars = nvars;
    g.s.card = malloc(((size_t)nvars + 1) * sizeof *g.s.card);
    g.s.at = calloc(g.count_room + 1, sizeof *g.s.at);
    g.s.var = malloc(g.room * sizeof *g.s.var);
    for (int v = 0; v < nvars; v++)
        g.s.card[v] = card;
    return g;
}

static inline void graph_add(graph *g, int arity, const int *scope)
{
    size_t at = g->s.at[g->s.count];
    while (at + (size_t)arity > g->room)
        g->s.var = realloc(g->s.var, (g->room *= 2) * sizeof *g->s.var);
    if ((size_t)g->s.count == g->count_room)
        g->s.at = realloc(g->s.at, ((g->count_room *= 2) + 1) * sizeof *g->s.at);
    for (int i = 0; i < arity; i++)
        g->s.var[at + (size_t)i] = scope[i];
    g->s.at[++g->s.count] = at + (size_t)arity;
}

static inline void graph_edge(graph *g, int u, int v)
{
    int scope[] = { u, v };
    graph_add(g, 2, scope);
}

static inline void graph_free(graph *g)
{
    free(g->s.card);
    free(g->s.at);
    free(g->s.var);
}

static inline graph graph_grid(int rows, int cols)
{
    graph g = graph_new(rows * cols, 2);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            if (c + 1 < cols)
                graph_edge(&g, r * cols + c, r * cols + c + 1);
            if (r + 1 < rows)
                graph_edge(&g, r * cols + c, r * cols + c + cols);
        }
    return g;
}

static inline graph graph_complete(int n)
{
    graph g = graph_new(n, 2);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++)
            graph_edge(&g, u, v);
    return g;
}

/* Scopes of 1 to arity variables drawn at random, cardinalities 1 to card. */
static inline graph graph_random(uint64_t seed, int nvars, int count, int arity,
                                 int card)
{
    zb_rng rng = zb_rng_seed(seed);
    graph g = graph_new(nvars, 1);
    for (int v = 0; v < nvars; v++)
        g.s.card[v] = 1 + zb_rng_below(&rng, card);
    for (int k = 0; k < count; k++) {
        int scope[16], size = 0, want = 1 + zb_rng_below(&rng, arity);
        while (size < want && size < nvars) {
            int v = zb_rng_below(&rng, nvars), i = 0;
            while (i < size && scope[i] != v)
                i++;
            if (i == size)
                scope[size++] = v;
        }
        graph_add(&g, size, scope);
    }
    return g;
}

#endif
