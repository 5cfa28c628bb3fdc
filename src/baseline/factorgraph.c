/* From a model to its factor graph. Every factor's table is added, in logs, straight
 * into the table it ends in: a unary table, the factor that stands for its scope, or
 * (absorb) a factor that contains its scope. */
#include "baseline/factorgraph.h"

#include "base/explog.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    int arity; /* free variables in the scope */
    int *scope;
    int factor; /* of the model */
    int into;   /* item whose table takes this one; itself if it is kept */
} item;

typedef struct builder {
    const zb_model *model;
    zb_graph *graph;
    int *index; /* model variable -> graph variable, -1 when fixed */
    int *flat;  /* scopes one after the other */
    item *list; /* one per model factor, sorted by arity and scope */
    int *where; /* item -> factor of the graph */
    zb_hold hold;
    zb_ticker tick;
} builder;

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int by_scope(const void *pa, const void *pb)
{
    const item *a = pa, *b = pb;
    if (a->arity != b->arity)
        return a->arity - b->arity;
    for (int i = 0; i < a->arity; i++)
        if (a->scope[i] != b->scope[i])
            return a->scope[i] - b->scope[i];
    return a->factor - b->factor;
}

static zb_status map_variables(builder *b)
{
    const zb_model *m = b->model;
    zb_graph *g = b->graph;
    size_t n = (size_t)m->nvars, values = 0;

    b->index = zb_hold_alloc(&b->hold, n, sizeof *b->index);
    g->card = zb_hold_alloc(&g->hold, n, sizeof *g->card);
    g->model_var = zb_hold_alloc(&g->hold, n, sizeof *g->model_var);
    g->var_at = zb_hold_alloc(&g->hold, n + 1, sizeof *g->var_at);
    if (b->hold.failed || g->hold.failed)
        return ZB_ENOMEM;
    for (int v = 0; v < m->nvars; v++) {
        b->index[v] = -1;
        ZB_ASSERT(m->evidence[v] < 0);
        if (m->card[v] == 1)
            continue;
        b->index[v] = g->nvars;
        g->card[g->nvars] = m->card[v];
        g->model_var[g->nvars] = v;
        g->var_at[g->nvars++] = values;
        values += (size_t)m->card[v];
    }
    g->var_at[g->nvars] = values;
    g->unary = zb_hold_calloc(&g->hold, values, sizeof *g->unary);
    return zb_hold_status(&g->hold);
}

static zb_status list_scopes(builder *b)
{
    const zb_model *m = b->model;
    size_t total = 0;

    for (int f = 0; f < m->nfactors; f++)
        total += (size_t)m->factor[f].arity;
    b->flat = zb_hold_alloc(&b->hold, total, sizeof *b->flat);
    b->list = zb_hold_alloc(&b->hold, (size_t)m->nfactors, sizeof *b->list);
    b->where = zb_hold_alloc(&b->hold, (size_t)m->nfactors, sizeof *b->where);
    if (b->hold.failed)
        return ZB_ENOMEM;
    int *at = b->flat;
    for (int f = 0; f < m->nfactors; f++) {
        item *it = &b->list[f];
        *it = (item){ .scope = at, .factor = f };
        for (int i = 0; i < m->factor[f].arity; i++)
            if (b->index[m->factor[f].scope[i]] >= 0)
                at[it->arity++] = b->index[m->factor[f].scope[i]];
        qsort(it->scope, (size_t)it->arity, sizeof *it->scope, by_value);
        at += it->arity;
        if (!zb_tick(&b->tick, 30 + 30.0 * it->arity))
            return ZB_ELIMIT;
    }
    return zb_sort(b->list, (size_t)m->nfactors, sizeof *b->list, by_scope, &b->tick);
}

static void merge_equal(builder *b)
{
    for (int i = 0; i < b->model->nfactors; i++) {
        item *it = &b->list[i], *old = i > 0 ? &b->list[b->list[i - 1].into] : NULL;
        bool same = old != NULL && old->arity == it->arity;
        for (int j = 0; same && j < it->arity; j++)
            same = old->scope[j] == it->scope[j];
        it->into = same ? b->list[i - 1].into : i;
    }
}

static bool contains(const item *big, const item *small)
{
    int j = 0;
    for (int i = 0; i < big->arity && j < small->arity; i++)
        j += big->scope[i] == small->scope[j];
    return j == small->arity;
}

/* Into the next larger factor that contains it, found among those of its variable with
   the fewest. Items are sorted by arity, so the lists are, too. */
static zb_status absorb_subsets(builder *b)
{
    int n = b->graph->nvars, count = b->model->nfactors;
    int *at = zb_calloc((size_t)n + 2, sizeof *at);
    int *inc = NULL;
    size_t total = 0;
    zb_status status = ZB_ENOMEM;

    if (at == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < b->list[i].arity && b->list[i].into == i; j++, total++)
            at[b->list[i].scope[j] + 2]++;
    if ((inc = zb_alloc(total, sizeof *inc)) == NULL)
        goto done;
    for (int v = 0; v < n; v++)
        at[v + 2] += at[v + 1];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < b->list[i].arity && b->list[i].into == i; j++)
            inc[at[b->list[i].scope[j] + 1]++] = i;
    for (int i = 0; i < count; i++) {
        item *it = &b->list[i];
        if (it->arity < 2 || it->into != i)
            continue;
        int v = it->scope[0];
        for (int j = 1; j < it->arity; j++)
            if (at[it->scope[j] + 1] - at[it->scope[j]] < at[v + 1] - at[v])
                v = it->scope[j];
        for (int e = at[v];
             e < at[v + 1] && it->into == i && zb_tick(&b->tick, 5.0 * it->arity); e++)
            if (b->list[inc[e]].arity > it->arity && contains(&b->list[inc[e]], it))
                it->into = inc[e];
    }
    status = b->tick.over ? ZB_ELIMIT : ZB_OK;
done:
    zb_free(at);
    zb_free(inc);
    return status;
}

static int keeper(const builder *b, int i)
{
    while (b->list[i].into != i)
        i = b->list[i].into;
    return i;
}

static zb_status count_factors(builder *b, size_t *edges)
{
    zb_graph *g = b->graph;
    *edges = 0;
    for (int i = 0; i < b->model->nfactors; i++)
        if (b->list[i].into == i && b->list[i].arity >= 2) {
            if (b->list[i].arity > ZB_MAX_AXES)
                return ZB_EINVAL;
            b->where[i] = g->nfactors++;
            *edges += (size_t)b->list[i].arity;
        }
    return *edges < INT32_MAX / 2 ? ZB_OK : ZB_ELIMIT;
}

static zb_status lay_out(builder *b)
{
    zb_graph *g = b->graph;
    size_t edges, nf;
    zb_status status = count_factors(b, &edges);

    if (status != ZB_OK)
        return status;
    nf = (size_t)g->nfactors;
    g->edge_at = zb_hold_alloc(&g->hold, nf + 1, sizeof *g->edge_at);
    g->tab_at = zb_hold_alloc(&g->hold, nf + 1, sizeof *g->tab_at);
    g->edge_var = zb_hold_alloc(&g->hold, edges, sizeof *g->edge_var);
    g->edge_fac = zb_hold_alloc(&g->hold, edges, sizeof *g->edge_fac);
    g->slot_card = zb_hold_alloc(&g->hold, edges, sizeof *g->slot_card);
    g->msg_at = zb_hold_alloc(&g->hold, edges + 1, sizeof *g->msg_at);
    if (g->hold.failed)
        return ZB_ENOMEM;
    g->edge_at[0] = 0, g->tab_at[0] = 0, g->msg_at[0] = 0;
    for (int i = 0; i < b->model->nfactors; i++) {
        const item *it = &b->list[i];
        if (it->into != i || it->arity < 2)
            continue;
        int a = b->where[i];
        size_t size = 1, span = 0;
        for (int j = 0; j < it->arity; j++) {
            int e = g->nedges++, v = it->scope[j];
            g->edge_var[e] = v;
            g->edge_fac[e] = a;
            g->slot_card[e] = g->card[v];
            g->msg_at[e + 1] = g->msg_at[e] + (size_t)g->card[v];
            size *= (size_t)g->card[v]; /* fits: no larger than the model's table */
            span += (size_t)g->card[v];
        }
        g->edge_at[a + 1] = g->nedges;
        g->tab_at[a + 1] = g->tab_at[a] + size;
        g->max_size = zb_max_size(g->max_size, size);
        g->max_span = zb_max_size(g->max_span, span);
    }
    g->table = zb_hold_calloc(&g->hold, g->tab_at[nf], sizeof *g->table);
    return zb_hold_status(&g->hold);
}

static zb_status list_incidences(zb_graph *g)
{
    g->inc_at = zb_hold_calloc(&g->hold, (size_t)g->nvars + 2, sizeof *g->inc_at);
    g->inc = zb_hold_alloc(&g->hold, (size_t)g->nedges, sizeof *g->inc);
    if (g->hold.failed)
        return ZB_ENOMEM;
    for (int e = 0; e < g->nedges; e++)
        g->inc_at[g->edge_var[e] + 2]++;
    for (int v = 0; v < g->nvars; v++)
        g->inc_at[v + 2] += g->inc_at[v + 1];
    for (int e = 0; e < g->nedges; e++)
        g->inc[g->inc_at[g->edge_var[e] + 1]++] = e;
    return ZB_OK;
}

/* Add the factor into a table over the sorted variables var[0 .. k-1] of the graph. */
static void add_factor(builder *b, const zb_factor *f, int k, const int *var,
                       double *out)
{
    int scope[ZB_MAX_AXES];
    for (int i = 0; i < k; i++)
        scope[i] = b->graph->model_var[var[i]];
    zb_factor_absorb(f, k, scope, b->model->card, out, &b->tick);
}

/* Rounding of one factor's logarithms, 2 u |ln| each, and of adding them to a table of
   n entries. ln high - ln low is at least the magnitude of both. */
static double added_radius(const zb_factor *f, size_t n, const double *table)
{
    double low = 1, high = 1; /* of the positive values */
    for (size_t i = 0; i < f->size && !f->log; i++) {
        low = f->value[i] > 0 ? fmin(low, f->value[i]) : low;
        high = fmax(high, f->value[i]);
    }
    return ZB_MARGIN * ZB_UNIT *
           (2 * ZB_LOG_ULP * (zb_log(high) - zb_log(low)) + zb_magnitude(n, table));
}

static zb_status fill_tables(builder *b)
{
    zb_graph *g = b->graph;
    for (int i = 0; i < b->model->nfactors; i++) {
        const item *it = &b->list[i];
        const zb_factor *f = &b->model->factor[it->factor];
        int k = it->arity;
        const int *var = it->scope;
        double *table = &g->log_scale;
        size_t n = 1;
        if (k == 1) {
            table = g->unary + g->var_at[var[0]];
            n = (size_t)g->card[var[0]];
        } else if (k > 1) {
            int a = b->where[keeper(b, i)];
            k = zb_graph_arity(g, a);
            var = g->edge_var + g->edge_at[a];
            table = g->table + g->tab_at[a];
            n = g->tab_at[a + 1] - g->tab_at[a];
        }
        add_factor(b, f, k, var, table);
        g->radius += added_radius(f, n, table);
        if (!zb_tick(&b->tick, 100 + 5.0 * (double)(f->size + n)))
            return ZB_ELIMIT;
    }
    return ZB_OK;
}

static zb_status test_cycles(zb_graph *g)
{
    int *parent = zb_alloc((size_t)g->nvars, sizeof *parent);
    if (parent == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < g->nvars; v++)
        parent[v] = v;
    g->acyclic = true;
    for (int e = 0; e < g->nedges; e++) {
        int first = g->edge_at[g->edge_fac[e]];
        if (e == first)
            continue;
        int a = zb_find_root(parent, g->edge_var[first]);
        int c = zb_find_root(parent, g->edge_var[e]);
        g->acyclic = g->acyclic && a != c;
        parent[c] = a;
    }
    zb_free(parent);
    return ZB_OK;
}

zb_status zb_graph_new(zb_graph **out, const zb_model *model, bool absorb, zb_run *run)
{
    builder b = { .model = model, .tick = { .run = run } };
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if ((b.graph = zb_calloc(1, sizeof *b.graph)) == NULL)
        return ZB_ENOMEM;
    b.graph->log_scale = model->log_scale;
    b.graph->radius = model->radius;
    TRY(map_variables(&b));
    TRY(list_scopes(&b));
    merge_equal(&b);
    if (absorb)
        TRY(absorb_subsets(&b));
    TRY(lay_out(&b));
    TRY(list_incidences(b.graph));
    TRY(fill_tables(&b));
    TRY(test_cycles(b.graph));
    *out = b.graph, b.graph = NULL;
done:
    zb_graph_free(b.graph);
    zb_hold_free(&b.hold);
    return status;
}

uint64_t zb_graph_bytes(const zb_graph *g)
{
    return sizeof(double) * (g->tab_at[g->nfactors] + g->max_size +
                             3 * g->var_at[g->nvars] + g->msg_at[g->nedges]);
}

void zb_graph_free(zb_graph *g)
{
    if (g == NULL)
        return;
    zb_hold_free(&g->hold);
    zb_free(g);
}
