/* Forests: greedy choice with union-find, orientation by breadth-first search, exact
 * sums by elimination from the leaves. */
#include "baseline/forest.h"

#include "base/rng.h"
#include "base/sort.h"
#include "base/sum.h"

#include <string.h>

/* A factor closes a cycle when two of its variables are joined already. */
static bool joins(const zb_graph *g, int a, int *parent)
{
    int root[ZB_MAX_AXES], k = zb_graph_arity(g, a);
    for (int i = 0; i < k; i++) {
        root[i] = zb_find_root(parent, g->edge_var[g->edge_at[a] + i]);
        for (int j = 0; j < i; j++)
            if (root[j] == root[i])
                return false;
    }
    for (int i = 1; i < k; i++)
        parent[root[i]] = root[0];
    return true;
}

static int choose(const zb_graph *g, const int *order, int *parent, bool *in,
                  zb_ticker *tick)
{
    int count = 0;
    for (int v = 0; v < g->nvars; v++)
        parent[v] = v;
    for (int i = 0; i < g->nfactors && zb_tick(tick, 50); i++)
        count += in[order[i]] = joins(g, order[i], parent);
    return count;
}

/* Breadth-first from the lowest variable of each tree; `in` is emptied on the way. */
static void orient(zb_forest *f, const zb_graph *g, bool *in, int *queue, bool *seen,
                   zb_ticker *tick)
{
    int *end = f->edge + f->count;
    for (int r = 0; r < g->nvars; r++) {
        int head = 0, tail = 0;
        if (seen[r])
            continue;
        seen[r] = true;
        f->root[f->nroots++] = r;
        queue[tail++] = r;
        while (head < tail) {
            int v = queue[head++];
            if (!zb_tick(tick, 20 + 10.0 * (g->inc_at[v + 1] - g->inc_at[v])))
                return;
            for (int j = g->inc_at[v]; j < g->inc_at[v + 1]; j++) {
                int e = g->inc[j], a = g->edge_fac[e];
                if (!in[a])
                    continue;
                in[a] = false;
                *--end = e; /* from the back: children first */
                for (int c = g->edge_at[a]; c < g->edge_at[a + 1]; c++)
                    if (c != e) {
                        seen[g->edge_var[c]] = true;
                        queue[tail++] = g->edge_var[c];
                    }
            }
        }
    }
}

zb_status zb_forest_new(zb_forest **out, const zb_graph *g, const int *order,
                        zb_ticker *tick)
{
    size_t n = (size_t)g->nvars;
    zb_forest *f = zb_calloc(1, sizeof *f);
    int *parent = zb_alloc(n, sizeof *parent);
    bool *in = zb_calloc((size_t)g->nfactors, sizeof *in);
    bool *seen = zb_calloc(n, sizeof *seen);
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (!f || !parent || !in || !seen)
        goto done;
    f->count = choose(g, order, parent, in, tick);
    f->edge = zb_alloc((size_t)f->count, sizeof *f->edge);
    f->root = zb_alloc(n, sizeof *f->root);
    if (!f->edge || !f->root)
        goto done;
    orient(f, g, in, parent, seen, tick);
    TRY(tick->over ? ZB_ELIMIT : ZB_OK);
    *out = f, f = NULL;
done:
    zb_forest_free(f);
    zb_free(parent);
    zb_free(in);
    zb_free(seen);
    return status;
}

void zb_forest_free(zb_forest *f)
{
    if (f == NULL)
        return;
    zb_free(f->edge);
    zb_free(f->root);
    zb_free(f);
}

size_t zb_forest_work(const zb_graph *g)
{
    return g->var_at[g->nvars] + g->max_size + g->max_span;
}

double zb_forest_entries(const zb_forest *f, const zb_graph *g)
{
    double sum = 0;
    for (int i = 0; i < f->count; i++) {
        int a = g->edge_fac[f->edge[i]];
        sum += (double)(g->tab_at[a + 1] - g->tab_at[a]);
    }
    return sum;
}

/* The parts of a factor's joint table: the messages to it, but not along the edge e.
   Returns the sum of their largest magnitudes. */
static double gather(const zb_graph *g, int e, const double *up, const double **part)
{
    int first = g->edge_at[g->edge_fac[e]], k = zb_graph_arity(g, g->edge_fac[e]);
    double most = 0;
    for (int i = 0; i < k; i++) {
        part[i] = NULL;
        if (first + i == e)
            continue;
        part[i] = up + g->var_at[g->edge_var[first + i]];
        most += zb_magnitude((size_t)g->slot_card[first + i], part[i]);
    }
    return most;
}

/* Sum a factor out, into the variable of its edge e. The message is scaled to a largest
   entry of 0, which keeps messages, and rounding, small; *top is the scale.

   Rounding, in units u, m the magnitude of table and parts together, which no partial
   sum exceeds: k + 1 additions, (k + 1) m; the sum over n states, zb_log_sum_units;
   out - top, 2 m + ln n; adding that, the magnitude of what comes out. ln-sum-exp moves
   no more than its inputs do, so that the errors of all steps add up. */
static double send_up(const zb_graph *g, int e, const double *table, double *up,
                      double *top, zb_ticker *tick)
{
    double *joint = up + g->var_at[g->nvars], *out = joint + g->max_size;
    int a = g->edge_fac[e], k = zb_graph_arity(g, a);
    size_t size = g->tab_at[a + 1] - g->tab_at[a], n = (size_t)g->slot_card[e];
    double *to = up + g->var_at[g->edge_var[e]];
    const double *part[ZB_MAX_AXES];
    double most = gather(g, e, up, part) + zb_magnitude(size, table + g->tab_at[a]);

    *top = zb_joint(zb_graph_slots(g, a), 1, table + g->tab_at[a], part, joint, tick);
    if (*top == -INFINITY)
        return 0;
    zb_slot_marginal(zb_graph_slots(g, a), e - g->edge_at[a], joint, out, tick);
    for (size_t x = 0; x < n; x++)
        to[x] += out[x] - *top;
    return (k + 3) * most + zb_log_sum_units(size, most) + (double)size +
           zb_magnitude(n, to);
}

zb_ball zb_forest_log_z(const zb_forest *f, const zb_graph *g, const double *node,
                        const double *table, double *work, zb_ticker *tick)
{
    double *up = work, units = 0, top;
    zb_sum sum = { 0 };

    memcpy(up, node, g->var_at[g->nvars] * sizeof *up);
    for (int t = 0; t < f->count && zb_tick(tick, 100); t++) {
        units += send_up(g, f->edge[t], table, up, &top, tick);
        zb_sum_add(&sum, top);
        if (top == -INFINITY)
            return zb_sum_value(&sum);
    }
    for (int i = 0; i < f->nroots; i++) {
        size_t n = (size_t)g->card[f->root[i]], at = g->var_at[f->root[i]];
        zb_sum_add(&sum, zb_log_sum(n, up + at, tick));
        units += zb_log_sum_units(n, zb_magnitude(n, up + at));
    }
    sum.radius += ZB_MARGIN * ZB_UNIT * units;
    return zb_sum_value(&sum);
}

/* ---- mixtures ---------------------------------------------------------------------
 */

zb_status zb_mixture_new(zb_mixture **out, const zb_graph *g)
{
    zb_mixture *mix = zb_calloc(1, sizeof *mix);

    *out = NULL;
    if (mix == NULL)
        return ZB_ENOMEM;
    mix->graph = g;
    mix->rho = zb_calloc((size_t)g->nfactors, sizeof *mix->rho);
    mix->used = zb_calloc((size_t)g->nfactors, sizeof *mix->used);
    if (!mix->rho || !mix->used) {
        zb_mixture_free(mix);
        return ZB_ENOMEM;
    }
    *out = mix;
    return ZB_OK;
}

void zb_mixture_free(zb_mixture *mix)
{
    if (mix == NULL)
        return;
    for (int t = 0; t < mix->count; t++)
        zb_forest_free(mix->forest[t]);
    zb_free(mix->forest);
    zb_free(mix->weight);
    zb_free(mix->rho);
    zb_free(mix->used);
    zb_free(mix);
}

zb_status zb_mixture_add(zb_mixture *mix, zb_forest *forest, double share)
{
    size_t used = (size_t)mix->count;
    if (!ZB_RESERVE(mix->forest, &mix->forest_room, used, used + 1) ||
        !ZB_RESERVE(mix->weight, &mix->weight_room, used, used + 1)) {
        zb_forest_free(forest);
        return ZB_ENOMEM;
    }
    for (int t = 0; t < mix->count; t++)
        mix->weight[t] *= 1 - share;
    mix->forest[mix->count] = forest;
    mix->weight[mix->count++] = share;
    for (int i = 0; i < forest->count; i++)
        mix->used[mix->graph->edge_fac[forest->edge[i]]]++;
    zb_mixture_refresh(mix);
    return ZB_OK;
}

void zb_mixture_refresh(zb_mixture *mix)
{
    const zb_graph *g = mix->graph;
    double sum = 0;
    for (int t = 0; t < mix->count; t++)
        sum += mix->weight[t];
    for (int a = 0; a < g->nfactors; a++)
        mix->rho[a] = 0;
    for (int t = 0; t < mix->count; t++) {
        mix->weight[t] /= sum;
        for (int i = 0; i < mix->forest[t]->count; i++)
            mix->rho[g->edge_fac[mix->forest[t]->edge[i]]] += mix->weight[t];
    }
}

void zb_mixture_shift(zb_mixture *mix, int t, double share)
{
    for (int i = 0; i < mix->count; i++)
        mix->weight[i] *= 1 - share;
    mix->weight[t] += share;
    zb_mixture_refresh(mix);
}

typedef struct ranked {
    int used, factor;
    uint64_t random;
} ranked;

static int by_use(const void *pa, const void *pb)
{
    const ranked *a = pa, *b = pb;
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    if (a->random != b->random)
        return a->random < b->random ? -1 : 1;
    return a->factor - b->factor;
}

static bool covered(const zb_mixture *mix)
{
    for (int a = 0; a < mix->graph->nfactors; a++)
        if (mix->used[a] == 0)
            return false;
    return true;
}

zb_status zb_mixture_cover(zb_mixture *mix, int least, uint64_t seed, zb_ticker *tick)
{
    int n = mix->graph->nfactors;
    zb_rng rng = zb_rng_seed(seed);
    ranked *list = zb_alloc((size_t)n, sizeof *list);
    int *order = zb_alloc((size_t)n, sizeof *order);
    zb_status status = ZB_ENOMEM;

    if (!list || !order)
        goto done;
    while (mix->count < least || !covered(mix)) {
        zb_forest *forest;
        for (int a = 0; a < n; a++)
            list[a] = (ranked){ mix->used[a], a, zb_rng_next(&rng) };
        TRY(zb_sort(list, (size_t)n, sizeof *list, by_use, tick));
        for (int i = 0; i < n; i++)
            order[i] = list[i].factor;
        TRY(zb_forest_new(&forest, mix->graph, order, tick));
        TRY(zb_mixture_add(mix, forest, 1.0 / (mix->count + 1)));
    }
    status = ZB_OK;
done:
    zb_free(list);
    zb_free(order);
    return status;
}
