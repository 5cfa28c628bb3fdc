/* Backtracking with generalised arc consistency. Only factors that contain zeros take
 * part; variables in none of them get their best value at the end. A decision removes
 * all values of a variable but one; a refuted decision removes that one value instead.
 * Removals are kept on a trail so that they can be undone. */
#include "baseline/support.h"

#include <string.h>

typedef struct decision {
    int var, value;
    size_t trail; /* its length before the decision */
} decision;

typedef struct search {
    const zb_graph *graph;
    const double *score;
    bool *on;        /* var_at: values that are still possible */
    int *left;       /* nvars: how many */
    bool *zeros;     /* nfactors: has a zero entry */
    bool *tied;      /* nvars: is in such a factor */
    bool *backed;    /* max_span: supported by an entry */
    int *queue;      /* factors to look at, first in first out, in a ring */
    bool *queued;    /* nfactors */
    int head, count; /* of the ring */
    int *owner;      /* var_at: the variable of a value */
    size_t *trail;   /* removed values */
    size_t trail_len;
    decision *stack;
    int depth;
    double budget;
} search;

static void search_free(search *s)
{
    zb_free(s->on);
    zb_free(s->left);
    zb_free(s->zeros);
    zb_free(s->tied);
    zb_free(s->backed);
    zb_free(s->queue);
    zb_free(s->queued);
    zb_free(s->owner);
    zb_free(s->trail);
    zb_free(s->stack);
}

static zb_status search_alloc(search *s)
{
    const zb_graph *g = s->graph;
    size_t n = (size_t)g->nvars, nf = (size_t)g->nfactors, values = g->var_at[n];
    s->on = zb_alloc(values, sizeof *s->on);
    s->left = zb_calloc(n, sizeof *s->left);
    s->zeros = zb_calloc(nf, sizeof *s->zeros);
    s->tied = zb_calloc(n, sizeof *s->tied);
    s->backed = zb_alloc(g->max_span, sizeof *s->backed);
    s->queue = zb_alloc(nf, sizeof *s->queue);
    s->queued = zb_calloc(nf, sizeof *s->queued);
    s->owner = zb_alloc(values, sizeof *s->owner);
    s->trail = zb_alloc(values, sizeof *s->trail);
    s->stack = zb_alloc(n, sizeof *s->stack);
    return s->on && s->left && s->zeros && s->tied && s->backed && s->queue &&
                   s->queued && s->owner && s->trail && s->stack
               ? ZB_OK
               : ZB_ENOMEM;
}

static void enqueue(search *s, int a)
{
    if (!s->zeros[a] || s->queued[a])
        return;
    s->queued[a] = true;
    s->queue[(s->head + s->count++) % s->graph->nfactors] = a;
}

static void search_init(search *s)
{
    const zb_graph *g = s->graph;
    for (int v = 0; v < g->nvars; v++)
        for (size_t i = g->var_at[v]; i < g->var_at[v + 1]; i++) {
            s->owner[i] = v;
            s->on[i] = s->score[i] > -INFINITY && g->unary[i] > -INFINITY;
            s->left[v] += s->on[i];
        }
    for (int a = 0; a < g->nfactors; a++) {
        for (size_t i = g->tab_at[a]; i < g->tab_at[a + 1] && !s->zeros[a]; i++)
            s->zeros[a] = g->table[i] == -INFINITY;
        for (int e = g->edge_at[a]; e < g->edge_at[a + 1] && s->zeros[a]; e++)
            s->tied[g->edge_var[e]] = true;
        enqueue(s, a);
    }
}

/* False when the variable has no value left. */
static bool drop(search *s, size_t value)
{
    const zb_graph *g = s->graph;
    int v = s->owner[value];
    s->on[value] = false;
    s->trail[s->trail_len++] = value;
    for (int j = g->inc_at[v]; j < g->inc_at[v + 1]; j++)
        enqueue(s, g->edge_fac[g->inc[j]]);
    return --s->left[v] > 0;
}

/* Drop the values of a's variables that no entry of weight > 0 supports. */
static bool revise(search *s, int a)
{
    const zb_graph *g = s->graph;
    int first = g->edge_at[a], k = zb_graph_arity(g, a), x[ZB_MAX_ARITY] = { 0 };
    size_t slot[ZB_MAX_ARITY], at[ZB_MAX_ARITY], span = 0;

    for (int i = 0; i < k; i++) {
        slot[i] = span;
        at[i] = g->var_at[g->edge_var[first + i]];
        span += (size_t)g->slot_card[first + i];
    }
    memset(s->backed, 0, span * sizeof *s->backed);
    for (size_t t = g->tab_at[a]; t < g->tab_at[a + 1]; t++) {
        bool possible = g->table[t] > -INFINITY;
        for (int i = 0; i < k && possible; i++)
            possible = s->on[at[i] + (size_t)x[i]];
        for (int i = 0; i < k && possible; i++)
            s->backed[slot[i] + (size_t)x[i]] = true;
        for (int i = k - 1; i >= 0; i--) {
            if (++x[i] < g->slot_card[first + i])
                break;
            x[i] = 0;
        }
    }
    s->budget -= (double)(g->tab_at[a + 1] - g->tab_at[a]);
    for (int i = 0; i < k; i++)
        for (size_t y = 0; y < (size_t)g->slot_card[first + i]; y++)
            if (s->on[at[i] + y] && !s->backed[slot[i] + y] && !drop(s, at[i] + y))
                return false;
    return true;
}

static bool propagate(search *s)
{
    bool sound = true;
    while (s->count > 0) {
        int a = s->queue[s->head];
        s->head = (s->head + 1) % s->graph->nfactors;
        s->count--;
        s->queued[a] = false;
        sound = sound && revise(s, a);
    }
    return sound;
}

static int best_value(const search *s, int v)
{
    const zb_graph *g = s->graph;
    int best = -1;
    for (int x = 0; x < g->card[v]; x++) {
        size_t i = g->var_at[v] + (size_t)x;
        if (s->on[i] &&
            (best < 0 || s->score[i] > s->score[g->var_at[v] + (size_t)best]))
            best = x;
    }
    return best;
}

/* The tied variable with the fewest values left, more than one; -1: all decided. */
static int next_variable(const search *s)
{
    int best = -1;
    for (int v = 0; v < s->graph->nvars; v++)
        if (s->tied[v] && s->left[v] > 1 && (best < 0 || s->left[v] < s->left[best]))
            best = v;
    return best;
}

static bool decide(search *s, int v)
{
    const zb_graph *g = s->graph;
    int keep = best_value(s, v);
    s->stack[s->depth++] = (decision){ v, keep, s->trail_len };
    for (int x = 0; x < g->card[v]; x++)
        if (x != keep && s->on[g->var_at[v] + (size_t)x])
            drop(s, g->var_at[v] + (size_t)x);
    return propagate(s);
}

/* Take back decisions until the opposite of one is consistent; false: there is none. */
static bool backtrack(search *s)
{
    while (s->depth > 0) {
        decision d = s->stack[--s->depth];
        while (s->trail_len > d.trail) {
            size_t value = s->trail[--s->trail_len];
            s->on[value] = true;
            s->left[s->owner[value]]++;
        }
        if (drop(s, s->graph->var_at[d.var] + (size_t)d.value) && propagate(s))
            return true;
        propagate(s); /* empties the queue */
    }
    return false;
}

static zb_support run(search *s)
{
    for (int v = 0; v < s->graph->nvars; v++)
        if (s->left[v] == 0)
            return ZB_SUPPORT_NONE;
    bool sound = propagate(s);
    for (;;) {
        if (!sound && !backtrack(s))
            return ZB_SUPPORT_NONE;
        if (s->budget < 0)
            return ZB_SUPPORT_GAVE_UP;
        int v = next_variable(s);
        if (v < 0)
            return ZB_SUPPORT_FOUND;
        sound = decide(s, v);
    }
}

zb_status zb_support_find(const zb_graph *g, const double *score, double budget, int *x,
                          zb_support *out)
{
    search s = { .graph = g, .score = score, .budget = budget };
    zb_status status;

    TRY(search_alloc(&s));
    search_init(&s);
    *out = run(&s);
    for (int v = 0; v < g->nvars && *out == ZB_SUPPORT_FOUND; v++)
        x[v] = best_value(&s, v);
done:
    search_free(&s);
    return status;
}
