/* The grid is found from the graph. Name the neighbours of one site east, south, west,
 * north in some way, absent ones allowed: then all other names follow, since the
 * southern neighbour of the eastern one is the only common neighbour of east and south
 * besides the site itself. At most 24 ways are tried; each is verified completely, so
 * nothing rests on the reasoning before. A model may fit several: an open grid goes
 * before a ring, the given numbering before any other, then narrow rows, then the
 * lowest variables first. */
#include "form/grid.h"

#include "base/hold.h"

#include <string.h>

enum { EAST, SOUTH, WEST, NORTH, SIDES };

/* The interaction graph of the variables that have factors; absent neighbours are -1.
 */
typedef struct graph {
    int nvars, count; /* all variables; those with factors */
    int start;        /* the first that has a factor, -1: none has */
    int (*next)[SIDES];
    int *degree;
    bool *used;
    zb_ticker *tick;
    zb_hold hold;
} graph;

static bool graph_join(graph *g, int u, int v)
{
    for (int k = 0; k < g->degree[u]; k++)
        if (g->next[u][k] == v)
            return true;
    if (g->degree[u] == SIDES)
        return false;
    g->next[u][g->degree[u]++] = v;
    return true;
}

static zb_status graph_fill(graph *g, const zb_model *model, zb_error *err)
{
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        if (!zb_tick(g->tick, 20))
            return ZB_ELIMIT;
        if (a->arity > 2)
            return zb_fail(err, ZB_EINVAL,
                           "not a grid: factor %d has %d variables, more than two", f,
                           a->arity);
        for (int i = 0; i < a->arity; i++) {
            g->used[a->scope[i]] = true;
            if (a->arity == 2 && !graph_join(g, a->scope[i], a->scope[1 - i]))
                return zb_fail(err, ZB_EINVAL,
                               "not a grid: variable %d has more than four neighbours",
                               a->scope[i]);
        }
    }
    for (int v = model->nvars - 1; v >= 0; v--)
        if (g->used[v]) {
            g->start = v;
            g->count++;
        }
    return ZB_OK;
}

static zb_status graph_new(graph *g, const zb_model *model, zb_ticker *tick,
                           zb_error *err)
{
    size_t n = (size_t)model->nvars;

    *g = (graph){ .nvars = model->nvars, .start = -1, .tick = tick };
    g->next = zb_hold_alloc(&g->hold, n, sizeof *g->next);
    g->degree = zb_hold_calloc(&g->hold, n, sizeof *g->degree);
    g->used = zb_hold_calloc(&g->hold, n, sizeof *g->used);
    if (g->hold.failed)
        return ZB_ENOMEM;
    for (size_t v = 0; v < n; v++)
        for (int k = 0; k < SIDES; k++)
            g->next[v][k] = -1;
    return graph_fill(g, model, err);
}

/* ---- naming directions ----------------------------------------------------------- */

static bool adjacent(const graph *g, int u, int v)
{
    for (int k = 0; k < g->degree[u]; k++)
        if (g->next[u][k] == v)
            return true;
    return false;
}

/* The one common neighbour of a and b besides u; -1 when b is absent, -2 when there is
   none or a choice. */
static int corner(const graph *g, int u, int a, int b)
{
    int found = -2;
    if (b < 0)
        return -1;
    for (int k = 0; k < g->degree[a]; k++) {
        int c = g->next[a][k];
        if (c == u || !adjacent(g, b, c))
            continue;
        if (found >= 0)
            return -2;
        found = c;
    }
    return found;
}

/* Name the neighbours of u's neighbour on side d, given those of u. */
static bool name_next(const graph *g, int (*side)[SIDES], int u, int d)
{
    int a = side[u][d], left = (d + 1) % SIDES, right = (d + 3) % SIDES;
    int *s = side[a], ahead = -1;

    s[(d + 2) % SIDES] = u;
    s[left] = corner(g, u, a, side[u][left]);
    s[right] = corner(g, u, a, side[u][right]);
    if (s[left] == -2 || s[right] == -2)
        return false;
    for (int k = 0; k < g->degree[a]; k++) {
        int c = g->next[a][k];
        if (c == u || c == s[left] || c == s[right])
            continue;
        if (ahead >= 0)
            return false;
        ahead = c;
    }
    s[d] = ahead;
    return true;
}

/* Spread the names from the start; queue and seen are scratch. */
static bool name_all(const graph *g, int (*side)[SIDES], int *queue, bool *seen)
{
    int count = 0;
    memset(seen, 0, (size_t)g->nvars * sizeof *seen);
    queue[count++] = g->start;
    seen[g->start] = true;
    for (int at = 0; at < count; at++)
        for (int d = 0; d < SIDES; d++) {
            int u = queue[at], v = side[u][d];
            if (v < 0 || seen[v])
                continue;
            if (!zb_tick(g->tick, 100) || !name_next(g, side, u, d))
                return false;
            seen[v] = true;
            queue[count++] = v;
        }
    return count == g->count;
}

/* ---- coordinates ----------------------------------------------------------------- */

/* Walk to the side d: the last site before the border, or u itself on a ring. */
static int walk(const graph *g, int (*side)[SIDES], int u, int d, bool *ring)
{
    int v = u;
    *ring = false;
    for (int steps = 0; steps <= g->count && side[v][d] >= 0; steps++) {
        v = side[v][d];
        if (v == u) {
            *ring = true;
            return u;
        }
    }
    return v;
}

static int length(const graph *g, int (*side)[SIDES], int u, int d)
{
    int n = 1;
    for (int v = side[u][d]; v >= 0 && v != u && n <= g->count; v = side[v][d])
        n++;
    return n;
}

/* Every site met once, and every name agrees with the coordinates. seen is scratch. */
static bool verify(const graph *g, int (*side)[SIDES], const zb_grid *at, bool *seen)
{
    const int down[SIDES] = { 0, 1, 0, -1 }, right[SIDES] = { 1, 0, -1, 0 };

    memset(seen, 0, (size_t)g->nvars * sizeof *seen);
    for (int i = 0; i < g->count; i++) {
        int v = at->site[i], named = 0;
        if (v < 0 || seen[v] || !zb_tick(g->tick, 100))
            return false;
        seen[v] = true;
        for (int d = 0; d < SIDES; d++) {
            int r = i / at->cols + down[d], c = i % at->cols + right[d];
            if (at->ring_rows)
                r = (r + at->rows) % at->rows;
            if (at->ring_cols)
                c = (c + at->cols) % at->cols;
            bool inside = r >= 0 && r < at->rows && c >= 0 && c < at->cols;
            int expected = inside ? at->site[r * at->cols + c] : -1;
            if (side[v][d] != expected || (inside && !adjacent(g, v, expected)))
                return false;
            named += inside;
        }
        if (named != g->degree[v])
            return false;
    }
    return true;
}

static bool place(const graph *g, int (*side)[SIDES], zb_grid *at, bool *seen)
{
    int first = walk(g, side, g->start, WEST, &at->ring_cols);
    first = walk(g, side, first, NORTH, &at->ring_rows);
    at->cols = length(g, side, first, EAST);
    at->rows = length(g, side, first, SOUTH);
    if ((int64_t)at->rows * at->cols != g->count)
        return false;
    for (int r = 0, row = first; r < at->rows; r++, row = side[row][SOUTH]) {
        for (int c = 0, v = row; c < at->cols; c++, v = side[v][EAST]) {
            at->site[r * at->cols + c] = v;
            if (side[v][EAST] < 0 && c + 1 < at->cols)
                return false;
        }
        if (side[row][SOUTH] < 0 && r + 1 < at->rows)
            return false;
    }
    return verify(g, side, at, seen);
}

/* ---- choosing among the ways ----------------------------------------------------- */

static bool even_rings(const zb_grid *a)
{
    return !(a->ring_rows && a->rows % 2 == 1) && !(a->ring_cols && a->cols % 2 == 1);
}

static bool increasing(const zb_grid *a, int count)
{
    for (int i = 1; i < count; i++)
        if (a->site[i] < a->site[i - 1])
            return false;
    return true;
}

/* Is a the better way to lay the variables out? */
static bool better(const zb_grid *a, const zb_grid *b, int count)
{
    int rings_a = a->ring_rows + a->ring_cols, rings_b = b->ring_rows + b->ring_cols;
    bool given_a = increasing(a, count), given_b = increasing(b, count);
    bool narrow_a = a->cols <= a->rows, narrow_b = b->cols <= b->rows;

    if (rings_a != rings_b)
        return rings_a < rings_b;
    if (given_a != given_b)
        return given_a;
    if (narrow_a != narrow_b)
        return narrow_a;
    for (int i = 0; i < count; i++)
        if (a->site[i] != b->site[i])
            return a->site[i] < b->site[i];
    return false;
}

/* The k-th of 24 ways to give the four sides to the (absent included) neighbours. */
static void permute(int k, const int *next, int *side)
{
    int left[SIDES] = { 0, 1, 2, 3 };
    for (int i = 0; i < SIDES; i++) {
        int pick = k % (SIDES - i);
        k /= SIDES - i;
        side[i] = next[left[pick]];
        for (int j = pick; j + 1 < SIDES - i; j++)
            left[j] = left[j + 1];
    }
}

static zb_status find_grid(const graph *g, zb_grid *best, bool *odd)
{
    size_t n = (size_t)g->nvars;
    int(*side)[SIDES] = zb_alloc(n, sizeof *side), *queue = zb_alloc(n, sizeof *queue);
    bool *seen = zb_alloc(n, sizeof *seen);
    zb_grid try = { .site = zb_alloc(n, sizeof *try.site) };
    zb_status status = ZB_ENOMEM;

    if (side == NULL || queue == NULL || seen == NULL || try.site == NULL)
        goto done;
    status = ZB_EINVAL;
    for (int k = 0; k < 24 && !g->tick->over; k++) {
        permute(k, g->next[g->start], side[g->start]);
        if (!name_all(g, side, queue, seen) || !place(g, side, &try, seen))
            continue;
        if (!even_rings(&try)) {
            *odd = true;
            continue;
        }
        if (status != ZB_OK || better(&try, best, g->count)) {
            int *site = best->site;
            *best = try;
            try.site = site;
            status = ZB_OK;
        }
    }
    if (g->tick->over)
        status = ZB_ELIMIT;
done:
    zb_free(side);
    zb_free(queue);
    zb_free(seen);
    zb_free(try.site);
    return status;
}

zb_status zb_grid_detect(zb_grid *out, const zb_model *model, zb_ticker *tick,
                         zb_error *err)
{
    graph g;
    bool odd = false;
    zb_status status;

    *out = (zb_grid){ .site = zb_alloc((size_t)model->nvars, sizeof *out->site) };
    TRY(graph_new(&g, model, tick, err));
    TRY(out->site ? ZB_OK : ZB_ENOMEM);
    if (g.count == 0)
        goto done;
    status = find_grid(&g, out, &odd);
    if (status == ZB_EINVAL && odd)
        zb_fail(err, status, "a periodic grid with an odd side has no checkerboard");
    else if (status == ZB_EINVAL)
        zb_fail(err, status,
                "not a grid: the graph of its %d variables is no rectangle, open or "
                "periodic",
                g.count);
done:
    zb_hold_free(&g.hold);
    if (status != ZB_OK)
        zb_grid_clear(out);
    return status;
}

void zb_grid_clear(zb_grid *at)
{
    zb_free(at->site);
    *at = (zb_grid){ 0 };
}
