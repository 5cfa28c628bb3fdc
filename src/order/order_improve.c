/* Local search on the elimination tree.
 *
 * Take a connected piece R of the tree with top t. Eliminating R's variables in any
 * order, after everything below and before everything above, leaves all other cliques
 * as they are: below nothing changed, and above the set eliminated so far is the same.
 * So R is re-eliminated by itself, on the graph of R and t's later neighbours B, with
 * the edges of the model and a clique for each message that enters R from below. If the
 * cliques of R become cheaper, the order is replaced. Pieces grow around dear cliques.
 *
 * The order is kept as a postorder of the tree: the children of the node at position p
 * are at p - 1, p - 1 - size(p - 1), and so on. */
#include "base/explog.h"
#include "order/order_local.h"
#include "order/order_internal.h"

#include <string.h>

enum { CLIQUES_MAX = 1 << 26, TRIES = 2 };
/* Pieces of 6 to 40 variables, all magnitudes alike: larger ones gain less for their
   work, smaller ones get stuck. */
static const double PIECE_LEAST = 6, PIECE_RATIO = 7;
static const double PATIENCE = 4000; /* operations per variable without a gain */

typedef struct tree {
    const zb_primal *g;
    int n;
    int *order, *pos; /* postorder and its inverse */
    int *parent;      /* by variable; -1 at a root */
    int *size;        /* of the subtree, by variable */
    /* later neighbours by variable, in a pool */
    int *pool;
    size_t used, room;
    size_t *at;
    int *count;
    double *cost;   /* entries of the clique, by variable */
    double *chance; /* running sums by position, for drawing dear cliques */
    /* scratch */
    int *child, *sibling, *stack;
    int *mark, stamp; /* in the piece or its border */
    int *name;        /* local index */
    int *piece, *frontier;
    int top, inside; /* of the piece; its border follows in the list */
    double total;
    zb_local local;
    zb_rng *rng;
    double work, told; /* operations; those that the ticker knows of */
    zb_ticker *tick;   /* once the time is over, the tree is of no use any more */
} tree;

/* Operations here take some two nanoseconds. */
static bool more_time(tree *t)
{
    double since = t->work - t->told;
    t->told = t->work;
    return zb_tick(t->tick, 2 * since + 2);
}

static void tree_free(tree *t)
{
    zb_free(t->order);
    zb_free(t->pool);
    zb_free(t->at);
    zb_free(t->cost);
    zb_local_free(&t->local);
}

static zb_status tree_alloc(tree *t)
{
    size_t n = (size_t)t->n;
    t->order = zb_calloc(12 * n, sizeof *t->order);
    t->at = zb_calloc(n, sizeof *t->at);
    t->cost = zb_calloc(2 * n, sizeof *t->cost);
    t->room = 4 * t->g->at[n] + 1024;
    t->pool = zb_alloc(t->room, sizeof *t->pool);
    if (t->order == NULL || t->at == NULL || t->cost == NULL || t->pool == NULL)
        return ZB_ENOMEM;
    int **part[] = { &t->pos,   &t->parent,  &t->size,    &t->count,
                     &t->child, &t->sibling, &t->stack,   &t->mark,
                     &t->name,  &t->piece,   &t->frontier };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = t->order + (i + 1) * n;
    t->chance = t->cost + n;
    return zb_local_init(&t->local);
}

/* Room for count more entries; squeezes out replaced lists before it grows. */
static zb_status pool_room(tree *t, size_t count)
{
    size_t live = 0;
    if (t->used + count <= t->room)
        return ZB_OK;
    for (int v = 0; v < t->n; v++)
        live += (size_t)t->count[v];
    size_t room = zb_max_size(t->room, 2 * (live + count));
    int *fresh = zb_alloc(room, sizeof *fresh);
    if (fresh == NULL)
        return ZB_ENOMEM;
    t->used = 0;
    for (int v = 0; v < t->n; v++) {
        memcpy(fresh + t->used, t->pool + t->at[v],
               (size_t)t->count[v] * sizeof *fresh);
        t->at[v] = t->used;
        t->used += (size_t)t->count[v];
    }
    zb_free(t->pool);
    t->pool = fresh;
    t->room = room;
    return ZB_OK;
}

static int first_of(const tree *t, int v)
{
    int best = -1;
    for (int i = 0; i < t->count[v]; i++) {
        int u = t->pool[t->at[v] + (size_t)i];
        if (best < 0 || t->pos[u] < t->pos[best])
            best = u;
    }
    return best;
}

/* Add u to the list being made for v. */
static void list_add(tree *t, int v, int u)
{
    if (t->mark[u] == t->stamp || t->pos[u] <= t->pos[v])
        return;
    t->mark[u] = t->stamp;
    t->pool[t->used++] = u;
    t->cost[v] *= t->g->card[u];
}

/* Form all cliques of the order; false in *fits when they are too many. */
static zb_status cliques_make(tree *t, bool *fits)
{
    const zb_primal *g = t->g;
    zb_status status = ZB_OK;
    for (int v = 0; v < t->n; v++)
        t->child[v] = -1;
    for (int k = 0; k < t->n && (*fits = t->used < CLIQUES_MAX && more_time(t)); k++) {
        int v = t->order[k];
        TRY(pool_room(t, (size_t)t->n));
        t->stamp++;
        t->at[v] = t->used;
        t->cost[v] = g->card[v];
        for (size_t i = g->at[v]; i < g->at[v + 1]; i++)
            list_add(t, v, g->to[i]);
        for (int c = t->child[v]; c != -1; c = t->sibling[c])
            for (int i = 0; i < t->count[c]; i++)
                list_add(t, v, t->pool[t->at[c] + (size_t)i]);
        t->count[v] = (int)(t->used - t->at[v]);
        if ((t->parent[v] = first_of(t, v)) != -1) {
            t->sibling[v] = t->child[t->parent[v]];
            t->child[t->parent[v]] = v;
        }
        t->work += 4.0 * t->count[v];
        zb_tick(t->tick, 50);
    }
done:
    return status;
}

/* Arrange order as a postorder of parent; set positions, sizes and chances. */
static void arrange(tree *t)
{
    int count = 0, depth = 0;
    double top = 0, sum = 0;
    t->total = 0;
    for (int v = 0; v < t->n; v++)
        t->child[v] = -1;
    for (int k = t->n - 1; k >= 0; k--) {
        int v = t->order[k], p = t->parent[v];
        t->size[v] = 1;
        if (p != -1) {
            t->sibling[v] = t->child[p];
            t->child[p] = v;
        } else
            t->frontier[depth++] = v; /* roots, the last one first */
        zb_tick(t->tick, 20);
        top = fmax(top, t->cost[v]);
        t->total += t->cost[v];
    }
    for (int roots = depth; roots > 0 && !t->tick->over;) {
        t->stack[0] = t->frontier[--roots];
        for (depth = 1; depth > 0 && zb_tick(t->tick, 20);) {
            int v = t->stack[depth - 1];
            if (t->child[v] != -1) {
                t->stack[depth++] = t->child[v];
                t->child[v] = t->sibling[t->child[v]];
                continue;
            }
            depth--;
            t->pos[v] = count;
            t->order[count++] = v;
            if (depth > 0)
                t->size[t->stack[depth - 1]] += t->size[v];
            t->chance[t->pos[v]] = sum += sqrt(sqrt(t->cost[v] / top));
        }
    }
    t->work += 4.0 * t->n;
}

/* ---- pieces -----------------------------------------------------------------------
 */

static int draw(tree *t)
{
    double x = zb_rng_uniform(t->rng) * t->chance[t->n - 1];
    int low = 0, high = t->n - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (t->chance[mid] > x)
            high = mid;
        else
            low = mid + 1;
    }
    return t->order[low];
}

static void frontier_children(tree *t, int v, int *count)
{
    for (int p = t->pos[v] - 1; p > t->pos[v] - t->size[v]; p -= t->size[t->order[p]])
        if (t->mark[t->order[p]] != t->stamp)
            t->frontier[(*count)++] = t->order[p];
}

/* Draw twice from the frontier and prefer the dearer clique. */
static int frontier_take(tree *t, int *count)
{
    int i = zb_rng_below(t->rng, *count), j = zb_rng_below(t->rng, *count);
    if (t->cost[t->frontier[j]] > t->cost[t->frontier[i]])
        i = j;
    int v = t->frontier[i];
    t->frontier[i] = t->frontier[--*count];
    return v;
}

/* Grow a connected piece of about want variables and name it and its border locally;
   false if that is too much for bit sets. */
static bool piece_grow(tree *t, int want)
{
    int size = 0, count = 0, top = draw(t), v = top;
    t->stamp++;
    for (;;) {
        t->mark[v] = t->stamp;
        t->piece[size++] = v;
        frontier_children(t, v, &count);
        int up = t->parent[top];
        if (size == want || (up == -1 && count == 0))
            break;
        if (up != -1 && (count == 0 || zb_rng_below(t->rng, 2) == 0))
            v = top = up;
        else
            v = frontier_take(t, &count);
    }
    t->top = top;
    t->inside = size;
    if (size + t->count[top] > ZB_LOCAL_MAX)
        return false;
    for (int i = 0; i < t->count[top]; i++)
        t->piece[size++] = t->pool[t->at[top] + (size_t)i];
    for (int i = 0; i < size; i++) {
        t->name[t->piece[i]] = i;
        t->mark[t->piece[i]] = t->stamp;
    }
    t->work += 4.0 * size;
    return true;
}

static void join_list(tree *t, const int *var, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            zb_local_join(&t->local, t->name[var[i]], t->name[var[j]]);
    t->work += count * count / 2.0;
}

static void piece_graph(tree *t)
{
    zb_local *a = &t->local;
    int border = t->count[t->top];
    zb_local_clear(a, t->inside, t->inside + border);
    for (int i = 0; i < a->m; i++)
        a->card[i] = t->g->card[t->piece[i]];
    join_list(t, t->piece + t->inside, border);
    for (int i = 0; i < t->inside; i++) {
        int v = t->piece[i];
        for (size_t k = t->g->at[v]; k < t->g->at[v + 1]; k++)
            if (t->mark[t->g->to[k]] == t->stamp)
                zb_local_join(a, i, t->name[t->g->to[k]]);
        for (int p = t->pos[v] - 1, c; p > t->pos[v] - t->size[v]; p -= t->size[c]) {
            c = t->order[p];
            if (t->mark[c] != t->stamp)
                join_list(t, t->pool + t->at[c], t->count[c]);
        }
    }
}

static void piece_cliques(tree *t)
{
    zb_local *a = &t->local;
    for (int i = 0; i < t->inside; i++) {
        int v = t->piece[i];
        t->at[v] = t->used;
        for (int u = 0; u < a->m; u++)
            if (a->clique[i].w[u / 64] >> (u % 64) & 1)
                t->pool[t->used++] = t->piece[u];
        t->count[v] = (int)(t->used - t->at[v]);
        t->cost[v] = a->cost[i];
    }
    t->work += (double)t->inside * a->m;
}

/* Put the piece's new order and cliques into the tree: of the top's subtree, first what
   is not in the piece, then the piece. */
static zb_status piece_replace(tree *t)
{
    int last = t->pos[t->top], first = last - t->size[t->top] + 1, kept = first;
    zb_status status;
    TRY(pool_room(t, (size_t)t->inside * (size_t)t->local.m));
    for (int p = first; p <= last; p++)
        if (t->mark[t->order[p]] != t->stamp)
            t->order[kept++] = t->order[p];
    for (int i = 0; i < t->inside; i++)
        t->order[kept++] = t->piece[t->local.sequence[i]];
    for (int p = first; p <= last; p++)
        t->pos[t->order[p]] = p;
    piece_cliques(t);
    for (int p = first; p <= last; p++) {
        int v = t->order[p], up = t->parent[v];
        if (t->mark[v] == t->stamp || (up != -1 && t->mark[up] == t->stamp))
            t->parent[v] = first_of(t, v);
    }
    arrange(t);
done:
    return status;
}

static double piece_cost(const tree *t)
{
    double sum = 0;
    for (int i = 0; i < t->inside; i++)
        sum += t->cost[t->piece[i]];
    return sum;
}

static bool same(const tree *t)
{
    for (int i = 0; i < t->inside; i++)
        if (t->cost[t->piece[i]] != t->local.cost[i])
            return false;
    return true;
}

/* Re-eliminate one piece; take what is cheaper, or as cheap but new. */
static zb_status piece_improve(tree *t)
{
    int want = (int)(PIECE_LEAST * zb_pow(PIECE_RATIO, zb_rng_uniform(t->rng)));
    zb_status status = ZB_OK;
    t->work += 16;
    if (!piece_grow(t, zb_min_int(want, t->n)))
        return ZB_OK;
    double limit = piece_cost(t) * (1 + 1e-12);
    piece_graph(t);
    for (int k = 0; k < TRIES; k++) {
        double cost = zb_local_run(&t->local, t->rng, limit);
        t->work += t->local.work;
        t->local.work = 0;
        if (isinf(cost) || same(t))
            continue;
        TRY(piece_replace(t));
        break;
    }
done:
    return status;
}

/* Improve pieces until *work reaches end, or until as much has been spent since the
   last gain as before it. */
static zb_status descend(tree *t, int *order, double end)
{
    double best = t->total, start = t->work, gain = t->work;
    zb_status status = ZB_OK;
    while (t->work < end && t->work - gain < PATIENCE * t->n + gain - start) {
        TRY(piece_improve(t));
        if (!more_time(t))
            break;
        if (t->total >= best)
            continue;
        if (t->total < best * (1 - 1e-4))
            gain = t->work;
        best = t->total;
        memcpy(order, t->order, (size_t)t->n * sizeof *order);
    }
done:
    return status;
}

zb_status zb_improve_run(const zb_primal *g, zb_rng *rng, zb_ticker *tick, int *order,
                         double *work, double end)
{
    tree t = { .g = g, .n = g->n, .rng = rng, .tick = tick };
    bool fits = false;
    zb_status status;

    if (g->n < 3)
        return ZB_OK;
    TRY(tree_alloc(&t));
    memcpy(t.order, order, (size_t)t.n * sizeof *order);
    for (int k = 0; k < t.n; k++)
        t.pos[order[k]] = k;
    TRY(cliques_make(&t, &fits));
    if (!fits)
        goto done;
    arrange(&t);
    if (!isinf(t.total) && !tick->over)
        TRY(descend(&t, order, end - *work));
done:
    *work += t.work;
    tree_free(&t);
    return status;
}
