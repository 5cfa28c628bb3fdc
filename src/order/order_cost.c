/* The cliques of an elimination order, counted without being formed.
 *
 * Eliminating is symbolic Cholesky factorisation. Of each scope only the edges from its
 * first eliminated variable matter, since eliminating that one joins the others. Liu's
 * elimination tree follows from these; then Gilbert, Ng and Peyton's counts: variable i
 * belongs to the cliques of its row subtree, the union of tree paths from i's earlier
 * neighbours up to i, so its weight is added at the subtree's leaves, taken off at the
 * meeting points of consecutive leaves, and summed up the tree. Weights are 1 (clique
 * sizes) and log2 of the cardinality (table entries).
 *
 * Inside, variables are named by their position in the order. */
#include "base/hold.h"
#include "order/order.h"

#include "base/explog.h"

typedef struct symbolic {
    int n;
    size_t *up_at, *down_at; /* edges by earlier end (up) and by later end (down) */
    int *up, *down;
    int *parent, *post;
    int *first, *top_first, *last_leaf, *ancestor; /* counting's state */
    int *size;                                     /* clique sizes */
    double *bits;                                  /* log2 of clique tables */
    zb_ticker tick;
    zb_hold hold; /* of the arrays */
} symbolic;

/* A visit of a variable or a scope, with the cache misses that it takes. Every loop
   over them asks, and once one has been left early, the others do not begin. */
static bool visit(symbolic *f) { return zb_tick(&f->tick, 20); }

static zb_status symbolic_alloc(symbolic *f, int nvars, size_t edges)
{
    size_t n = (size_t)nvars;
    f->n = nvars;
    f->up_at = zb_hold_calloc(&f->hold, n + 2, sizeof *f->up_at);
    f->down_at = zb_hold_calloc(&f->hold, n + 2, sizeof *f->down_at);
    f->up = zb_hold_alloc(&f->hold, edges, sizeof *f->up);
    f->down = zb_hold_alloc(&f->hold, edges, sizeof *f->down);
    f->parent = zb_hold_alloc(&f->hold, 6 * n, sizeof *f->parent);
    f->size = zb_hold_calloc(&f->hold, n, sizeof *f->size);
    f->bits = zb_hold_calloc(&f->hold, n, sizeof *f->bits);
    if (f->hold.failed)
        return ZB_ENOMEM;
    f->post = f->parent + n;
    f->first = f->post + n;
    f->top_first = f->first + n;
    f->last_leaf = f->top_first + n;
    f->ancestor = f->last_leaf + n;
    return ZB_OK;
}

static int earliest(const zb_scopes *s, int scope, const int *position)
{
    const int *var = zb_scopes_of(s, scope);
    int best = position[var[0]];
    for (int i = 1; i < zb_scopes_arity(s, scope); i++)
        best = zb_min_int(best, position[var[i]]);
    return best;
}

static void edges_make(symbolic *f, const zb_scopes *s, const int *position)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < s->count && visit(f); k++) {
            const int *var = zb_scopes_of(s, k);
            int arity = zb_scopes_arity(s, k),
                low = arity > 0 ? earliest(s, k, position) : 0;
            for (int i = 0; i < arity; i++) {
                int high = position[var[i]];
                if (high == low)
                    continue;
                if (pass == 0) {
                    f->up_at[low + 2]++;
                    f->down_at[high + 2]++;
                } else {
                    f->up[f->up_at[low + 1]++] = high;
                    f->down[f->down_at[high + 1]++] = low;
                }
            }
        }
        for (int v = 0; pass == 0 && v < f->n; v++) {
            f->up_at[v + 2] += f->up_at[v + 1];
            f->down_at[v + 2] += f->down_at[v + 1];
        }
    }
}

/* parent[v]: the first variable eliminated after v among v's clique; -1 at a root. */
static void tree_make(symbolic *f)
{
    for (int v = 0; v < f->n && visit(f); v++) {
        f->parent[v] = f->ancestor[v] = -1;
        for (size_t i = f->down_at[v]; i < f->down_at[v + 1]; i++)
            for (int u = f->down[i], next; u != -1 && u != v; u = next) {
                next = f->ancestor[u];
                f->ancestor[u] = v;
                if (next == -1)
                    f->parent[u] = v;
            }
    }
}

/* Children before parents, each subtree contiguous; uses first and top_first. */
static void postorder(symbolic *f)
{
    int *child = f->first, *sibling = f->top_first, *stack = f->last_leaf, count = 0;
    for (int v = 0; v < f->n; v++)
        child[v] = -1;
    for (int v = f->n - 1; v >= 0 && visit(f); v--)
        if (f->parent[v] != -1) {
            sibling[v] = child[f->parent[v]];
            child[f->parent[v]] = v;
        }
    for (int root = 0; root < f->n && !f->tick.over; root++) {
        if (f->parent[root] != -1)
            continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0 && visit(f)) {
            int v = stack[depth - 1];
            if (child[v] == -1) {
                f->post[count++] = v;
                depth--;
            } else {
                stack[depth++] = child[v];
                child[v] = sibling[child[v]];
            }
        }
    }
}

static void add(symbolic *f, int v, int sign, double bits)
{
    f->size[v] += sign;
    f->bits[v] += sign * bits;
}

/* u is an earlier neighbour of v: is it a leaf of v's row subtree? *meet is where it
   joins the previous leaf's path, -1 for the first leaf. */
static bool leaf(symbolic *f, int u, int v, int *meet)
{
    int previous = f->last_leaf[v], root;
    *meet = -1;
    if (f->first[u] <= f->top_first[v])
        return false;
    f->top_first[v] = f->first[u];
    f->last_leaf[v] = u;
    if (previous == -1)
        return true;
    for (root = previous; root != f->ancestor[root]; root = f->ancestor[root])
        ;
    for (int x = previous, next; x != root; x = next) {
        next = f->ancestor[x];
        f->ancestor[x] = root;
    }
    *meet = root;
    return true;
}

static void counts_make(symbolic *f, const double *bits)
{
    for (int v = 0; v < f->n; v++) {
        f->first[v] = f->top_first[v] = f->last_leaf[v] = -1;
        f->ancestor[v] = v;
    }
    for (int k = 0; k < f->n && visit(f); k++) {
        int v = f->post[k];
        if (f->first[v] == -1)
            add(f, v, 1, bits[v]);
        for (; v != -1 && f->first[v] == -1; v = f->parent[v])
            f->first[v] = k;
    }
    for (int k = 0; k < f->n && visit(f); k++) {
        int u = f->post[k], meet;
        for (size_t i = f->up_at[u]; i < f->up_at[u + 1]; i++)
            if (leaf(f, u, f->up[i], &meet)) {
                add(f, u, 1, bits[f->up[i]]);
                if (meet != -1)
                    add(f, meet, -1, bits[f->up[i]]);
            }
        if (f->parent[u] != -1) {
            add(f, f->parent[u], -1, bits[u]);
            f->ancestor[u] = f->parent[u];
        }
    }
    for (int v = 0; v < f->n; v++)
        if (f->parent[v] != -1) {
            f->size[f->parent[v]] += f->size[v];
            f->bits[f->parent[v]] += f->bits[v];
        }
}

/* Entries are whole numbers: remove the rounding of the logarithms where it shows. */
static double entries(double bits)
{
    double value = zb_exp2(bits);
    return value < 0x1p50 ? rint(value) : value;
}

static bool invert(int n, const int *order, int *position)
{
    for (int v = 0; v < n; v++)
        position[v] = -1;
    for (int k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || position[order[k]] != -1)
            return false;
        position[order[k]] = k;
    }
    return true;
}

/* Clique sizes and tables by position in the order; f->hold is the caller's to free. */
static zb_status count_cliques(symbolic *f, const zb_scopes *s, const int *order)
{
    int *position = zb_alloc((size_t)s->nvars, sizeof *position);
    double *bits = zb_alloc((size_t)s->nvars, sizeof *bits);
    zb_status status = ZB_ENOMEM;

    if (position == NULL || bits == NULL)
        goto done;
    TRY(invert(s->nvars, order, position) ? ZB_OK : ZB_EINVAL);
    zb_tick(&f->tick, 10.0 * s->nvars);
    TRY(symbolic_alloc(f, s->nvars, s->at[s->count]));
    zb_tick(&f->tick, 30.0 * s->nvars);
    for (int v = 0; v < s->nvars; v++)
        bits[position[v]] = zb_log2(s->card[v]);
    edges_make(f, s, position); /* each builds on the one before: none is left half */
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    tree_make(f);
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    postorder(f);
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    counts_make(f, bits);
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
done:
    zb_free(position);
    zb_free(bits);
    return status;
}

zb_status zb_order_evaluate(const zb_scopes *s, const int *order, zb_run *run,
                            zb_order_cost *out)
{
    symbolic f = { .tick = { .run = run } };
    zb_status status;

    TRY(count_cliques(&f, s, order));
    *out = (zb_order_cost){ .width = -1 };
    for (int v = 0; v < f.n; v++) {
        double table = entries(f.bits[v]);
        out->width = zb_max_int(out->width, f.size[v] - 1);
        out->largest = fmax(out->largest, table);
        out->total += table;
    }
done:
    zb_hold_free(&f.hold);
    return status;
}

zb_status zb_order_profile(const zb_scopes *s, const int *order, zb_run *run,
                           int columns, int *profile)
{
    symbolic f = { .tick = { .run = run } };
    zb_status status;

    ZB_ASSERT(columns <= s->nvars);
    TRY(count_cliques(&f, s, order));
    for (int c = 0; c < columns; c++)
        profile[c] = 0;
    for (int v = 0; v < f.n; v++) {
        int c = (int)((int64_t)v * columns / f.n);
        profile[c] = zb_max_int(profile[c], f.size[v]);
    }
done:
    zb_hold_free(&f.hold);
    return status;
}
