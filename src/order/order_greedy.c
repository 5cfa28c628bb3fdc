/* Greedy elimination: min-fill, min-degree, min-weight and weighted min-fill.
 *
 * The elimination graph is held explicitly, with fill(v), the number of missing edges
 * among v's neighbours, kept exact for all v. Joining a and b, with common neighbours
 * C: fill(w) -= 1 for w in C,   fill(a) += |N(a)| - |C|,   fill(b) likewise; removing
 * v, whose neighbours by then form a clique of d: fill(u) -= |N(u)| - d for u in N(v).
 * Weighted fill is the same with pairs counted as products of cardinalities. Only
 * variables touched by these updates move in the queue. A variable with fill 0 is
 * simplicial: whatever the rule, eliminating it at once loses nothing (leaves and
 * isolated variables among them).
 *
 * Dense graphs: once the smallest degree says that what is left is complete, the rest
 * is appended; when a run has spent its operations or POOL_MAX of memory, exact
 * elimination is out of reach anyway and the rest is appended by degree. When the time
 * is over it is appended as it stands in the queue, which has the better ones in front.
 */
#include "base/explog.h"
#include "order/order_internal.h"
#include "order/order_queue.h"

#include <string.h>

enum { CLASSES = 31, POOL_MAX = 1 << 27 }; /* neighbour entries, beyond the graph's */
static const double WORK_MAX = 1e9;        /* of a run */

struct zb_greedy {
    const zb_primal *g;
    int n, left; /* left: variables in the graph, not yet eliminated */
    /* adjacency: blocks of 2^class entries in one pool, freed blocks listed by class */
    int *pool;
    size_t room, used, most;
    int64_t free_at[CLASSES];
    int64_t *at;
    int *degree, *length; /* lists also hold eliminated variables, weeded at times */
    unsigned char *class;
    bool dense;   /* the pool limit was hit, or the time is over */
    bool perfect; /* no edge was added in this run */
    zb_ticker *tick;
    int64_t *fill, *fill_start;
    double *wfill, *wfill_start, *sum; /* sum of the neighbours' cardinalities */
    double *bits;                      /* log2 of the clique's entries, 2^-20 steps */
    zb_order_queue queue;
    int *mark, stamp; /* neighbours of one variable */
    int *touch, *touched, touch_stamp, ntouched;
    double work;
};

void zb_greedy_free(zb_greedy *a)
{
    if (a == NULL)
        return;
    zb_order_queue_free(&a->queue);
    void *owned[] = { a->pool, a->at, a->class, a->fill, a->wfill, a->degree, a };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
}

zb_status zb_greedy_new(zb_greedy **out, const zb_primal *g, zb_ticker *tick)
{
    zb_greedy *a = zb_calloc(1, sizeof *a);
    size_t n = (size_t)g->n;
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (a == NULL)
        return ZB_ENOMEM;
    a->g = g;
    a->n = g->n;
    a->tick = tick;
    a->room = 2 * g->at[g->n] + 4 * n + 64;
    a->most = a->room + POOL_MAX;
    a->pool = zb_alloc(a->room, sizeof *a->pool);
    a->at = zb_alloc(n, sizeof *a->at);
    a->class = zb_alloc(n, sizeof *a->class);
    a->fill = zb_alloc(2 * n, sizeof *a->fill);
    a->wfill = zb_alloc(4 * n, sizeof *a->wfill);
    a->degree = zb_calloc(5 * n, sizeof *a->degree);
    if (!a->pool || !a->at || !a->class || !a->fill || !a->wfill || !a->degree)
        goto done;
    a->fill_start = a->fill + n;
    a->wfill_start = a->wfill + n;
    a->sum = a->wfill_start + n;
    a->bits = a->sum + n;
    a->length = a->degree + n;
    a->mark = a->length + n;
    a->touch = a->mark + n;
    a->touched = a->touch + n;
    TRY(zb_order_queue_init(&a->queue, a->n));
    TRY(zb_primal_fill(g, tick, a->fill_start, a->wfill_start, &a->dense));
    *out = a, a = NULL;
done:
    zb_greedy_free(a);
    return status;
}

/* ---- adjacency ------------------------------------------------------------------- */

static unsigned char class_for(int count)
{
    unsigned char c = 2;
    while ((1 << c) < count)
        c++;
    return c;
}

/* A block of the class; -1 when there is no room: *status says whether that is a failed
   allocation or the limit. */
static int64_t block_take(zb_greedy *a, unsigned char class, zb_status *status)
{
    size_t size = (size_t)1 << class;
    int64_t at = a->free_at[class];
    *status = ZB_OK;
    if (at >= 0) {
        memcpy(&a->free_at[class], a->pool + at, sizeof at);
        return at;
    }
    if (a->used + size > a->most) {
        a->dense = true;
        return -1;
    }
    if (!zb_reserve(&a->pool, &a->room, a->used, a->used + size, a->most,
                    sizeof *a->pool)) {
        *status = ZB_ENOMEM;
        return -1;
    }
    at = (int64_t)a->used;
    a->used += size;
    return at;
}

static void block_give(zb_greedy *a, int64_t at, unsigned char class)
{
    memcpy(a->pool + at, &a->free_at[class], sizeof at);
    a->free_at[class] = at;
}

static zb_status neighbour_push(zb_greedy *a, int v, int u)
{
    zb_status status;
    if (a->length[v] == 1 << a->class[v]) {
        unsigned char class = (unsigned char)(a->class[v] + 1);
        int64_t at = block_take(a, class, &status);
        if (at < 0)
            return status;
        memcpy(a->pool + at, a->pool + a->at[v],
               (size_t)a->length[v] * sizeof *a->pool);
        block_give(a, a->at[v], a->class[v]);
        a->at[v] = at;
        a->class[v] = class;
    }
    a->pool[a->at[v] + a->length[v]++] = u;
    a->degree[v]++;
    return ZB_OK;
}

static void weed(zb_greedy *a, int v)
{
    int *list = a->pool + a->at[v], kept = 0;
    for (int i = 0; i < a->length[v]; i++)
        if (a->degree[list[i]] >= 0)
            list[kept++] = list[i];
    a->work += a->length[v];
    a->length[v] = kept;
}

static double key_of(const zb_greedy *a, zb_greedy_key kind, int v)
{
    switch (kind) {
    case ZB_KEY_FILL: return (double)a->fill[v];
    case ZB_KEY_DEGREE: return a->degree[v];
    case ZB_KEY_WEIGHT: return a->bits[v];
    case ZB_KEY_WFILL: return a->wfill[v];
    }
    return 0;
}

static void key_set(zb_greedy *a, const zb_greedy_rule *rule, int v)
{
    a->queue.key[v] = a->fill[v] == 0 ? -1 : key_of(a, rule->first, v);
    a->queue.second[v] = key_of(a, rule->second, v);
}

/* ---- elimination ----------------------------------------------------------------- */

static double steps(double bits) { return rint(bits * 0x1p20); }

static zb_status reset(zb_greedy *a, const zb_greedy_rule *rule, zb_rng *rng)
{
    const zb_primal *g = a->g;
    zb_status status = ZB_OK;
    a->used = 0;
    for (int c = 0; c < CLASSES; c++)
        a->free_at[c] = -1;
    memcpy(a->fill, a->fill_start, (size_t)a->n * sizeof *a->fill);
    memcpy(a->wfill, a->wfill_start, (size_t)a->n * sizeof *a->wfill);
    zb_heap_clear(&a->queue.heap, a->n);
    a->left = 0;
    a->perfect = true;
    for (int v = 0; v < a->n; v++) {
        int degree = zb_primal_degree(g, v);
        if (!zb_tick(a->tick, 40 + 3.0 * degree))
            return ZB_OK;
        a->class[v] = class_for(degree);
        a->at[v] = block_take(a, a->class[v], &status);
        if (a->at[v] < 0)
            return status;
        a->degree[v] = a->length[v] = degree;
        a->sum[v] = 0;
        a->bits[v] = steps(g->bits[v]);
        for (int i = 0; i < degree; i++) {
            int u = g->to[g->at[v] + (size_t)i];
            a->pool[a->at[v] + i] = u;
            a->sum[v] += g->card[u];
            a->bits[v] += steps(g->bits[u]);
        }
        a->queue.tie[v] = rule->random ? (uint32_t)zb_rng_next(rng) : 0;
        key_set(a, rule, v);
        if (g->card[v] > 1) {
            zb_order_queue_push(&a->queue, v);
            a->left++;
        }
    }
    a->work += (double)(a->used + (size_t)a->n);
    return ZB_OK;
}

static void touch(zb_greedy *a, int v)
{
    if (a->touch[v] != a->touch_stamp)
        a->touched[a->ntouched++] = v;
    a->touch[v] = a->touch_stamp;
}

static void mark_neighbours(zb_greedy *a, int v)
{
    weed(a, v);
    a->stamp++;
    for (int i = 0; i < a->degree[v]; i++)
        a->mark[a->pool[a->at[v] + i]] = a->stamp;
}

/* Add the edge between x and y; x's neighbours are marked, eliminated ones not. */
static zb_status join(zb_greedy *a, int x, int y)
{
    const int *card = a->g->card, *list = a->pool + a->at[y];
    double common_sum = 0, pair = (double)card[x] * card[y];
    int common = 0;
    zb_status status;

    for (int i = 0; i < a->length[y]; i++) {
        int w = list[i];
        if (a->mark[w] != a->stamp)
            continue;
        common++;
        common_sum += card[w];
        a->fill[w]--;
        a->wfill[w] -= pair;
        touch(a, w);
    }
    a->work += a->length[y] + common;
    a->fill[x] += a->degree[x] - common;
    a->fill[y] += a->degree[y] - common;
    a->wfill[x] += card[y] * (a->sum[x] - common_sum);
    a->wfill[y] += card[x] * (a->sum[y] - common_sum);
    a->sum[x] += card[y];
    a->sum[y] += card[x];
    a->bits[x] += steps(a->g->bits[y]);
    a->bits[y] += steps(a->g->bits[x]);
    TRY(neighbour_push(a, x, y));
    TRY(neighbour_push(a, y, x));
    a->mark[y] = a->stamp;
done:
    return status;
}

/* The time that is over ends a run like a graph that is too dense. */
static void spend(zb_greedy *a, double work)
{
    if (!zb_tick(a->tick, work))
        a->dense = true;
}

static zb_status join_neighbours(zb_greedy *a, int v)
{
    zb_status status = ZB_OK;
    int d = a->degree[v];
    for (int i = 0; i < d && a->fill[v] > 0 && !a->dense; i++) {
        int x = a->pool[a->at[v] + i];
        mark_neighbours(a, x);
        for (int j = i + 1; j < d && !a->dense; j++) {
            int y = a->pool[a->at[v] + j];
            if (a->mark[y] != a->stamp) {
                TRY(join(a, x, y));
                spend(a, 10.0 + 2.0 * a->length[y]);
            }
        }
        a->perfect = false;
        a->work += d - i;
        spend(a, 2.0 * (a->length[x] + d - i));
    }
done:
    return status;
}

static void detach(zb_greedy *a, int v)
{
    const int *card = a->g->card;
    int d = a->degree[v];
    for (int i = 0; i < d; i++) {
        int u = a->pool[a->at[v] + i];
        a->fill[u] -= a->degree[u] - d;
        a->wfill[u] -= card[v] * (a->sum[u] - card[v] - (a->sum[v] - card[u]));
        a->sum[u] -= card[v];
        a->bits[u] -= steps(a->g->bits[v]);
        a->degree[u]--;
        touch(a, u);
    }
    a->degree[v] = -1;
    for (int i = 0; i < d; i++) {
        int u = a->pool[a->at[v] + i];
        if (a->length[u] > 2 * a->degree[u] + 16)
            weed(a, u);
    }
    block_give(a, a->at[v], a->class[v]);
}

static zb_status eliminate(zb_greedy *a, const zb_greedy_rule *rule, int v)
{
    zb_status status;
    a->touch_stamp++;
    a->ntouched = 0;
    a->touch[v] = a->touch_stamp; /* it is no longer queued */
    weed(a, v);
    TRY(join_neighbours(a, v));
    if (a->dense)
        return ZB_OK;
    detach(a, v);
    for (int i = 0; i < a->ntouched; i++) {
        key_set(a, rule, a->touched[i]);
        zb_order_queue_update(&a->queue, a->touched[i]);
    }
    a->work += 4.0 * a->ntouched + 4;
    spend(a, 30.0 * a->ntouched + 100);
    a->left--;
done:
    return status;
}

/* The best variable, or now and then the next ones. */
static int choose(zb_greedy *a, const zb_greedy_rule *rule, zb_rng *rng)
{
    int passed[4], npassed = 0, v = zb_order_queue_pop(&a->queue);
    if (rule->stray <= 0 || a->queue.key[v] < 0)
        return v;
    while (npassed < 4 && a->queue.heap.size > 0 && zb_rng_uniform(rng) < rule->stray) {
        passed[npassed++] = v;
        v = zb_order_queue_pop(&a->queue);
    }
    for (int i = 0; i < npassed; i++)
        zb_order_queue_push(&a->queue, passed[i]);
    return v;
}

/* What is queued, by degree. */
static void queue_by_degree(zb_greedy *a)
{
    for (int i = 0; i < a->queue.heap.size; i++) {
        int v = a->queue.heap.item[i];
        a->queue.key[v] = a->degree[v];
        zb_order_queue_up(&a->queue, v);
        zb_tick(a->tick, 30);
    }
}

/* What is left by increasing key (its degree when the graph was too dense), and then
   the variables with one value. Returns the entries of a final complete graph. */
static double append_rest(zb_greedy *a, bool complete, int *order, int count)
{
    double total = 0, bits = 0;
    if (!complete && !a->tick->over)
        queue_by_degree(a);
    while (a->queue.heap.size > 0 && zb_tick(a->tick, 300))
        order[count++] = zb_order_queue_pop(&a->queue);
    for (int i = 0; i < a->queue.heap.size; i++)
        order[count++] = a->queue.heap.item[i];
    for (int i = count - 1; complete && i >= count - a->left; i--) {
        bits += a->g->bits[order[i]];
        total += zb_exp2(bits);
    }
    for (int v = 0; v < a->n; v++)
        if (a->g->card[v] == 1)
            order[count++] = v, total += 1;
    return total;
}

/* Is what is left a complete graph? */
static bool is_complete(const zb_greedy *a)
{
    int top = a->queue.heap.item[0];
    return a->queue.key[top] < 0 && a->degree[top] == a->left - 1;
}

static zb_status run(zb_greedy *a, const zb_greedy_rule *rule, zb_rng *rng, int *order,
                     double *total)
{
    int count = 0;
    double sum = 0, start = a->work;
    zb_status status = ZB_OK;

    while (a->queue.heap.size > 0 && !a->dense && !is_complete(a)) {
        int v = choose(a, rule, rng);
        order[count++] = v;
        sum += zb_exp2(a->bits[v] * 0x1p-20);
        if (sum > rule->limit)
            return ZB_OK; /* and *total stays infinite */
        TRY(eliminate(a, rule, v));
        a->dense |= a->work - start > rule->most;
    }
    sum += append_rest(a, !a->dense, order, count);
    a->perfect = a->perfect && !a->dense;
    *total = a->dense || a->tick->over ? INFINITY : sum;
done:
    return status;
}

zb_status zb_greedy_run(zb_greedy *a, zb_greedy_rule rule, zb_rng *rng, int *order,
                        double *total, double *work)
{
    bool start_dense = a->dense;
    zb_status status;
    a->work = 0;
    *total = INFINITY;
    rule.most = fmin(rule.most, WORK_MAX);
    if (!a->tick->over)
        TRY(reset(a, &rule, rng));
    if (!a->tick->over)
        TRY(run(a, &rule, rng, order, total));
    else
        for (int v = 0; v < a->n; v++)
            order[v] = v;
    status = ZB_OK;
done:
    *work += a->work;
    a->dense = start_dense;
    return status;
}

bool zb_greedy_perfect(const zb_greedy *a) { return a->perfect; }
