#include "baseline/blocks.h"

#include "base/rng.h"
#include "order/order_queue.h"

#include <string.h>

/* ---- sequences ------------------------------------------------------------------- */

typedef struct cutter {
    const zb_blocks_request *r;
    zb_blocks *b;
    zb_rng rng;
    zb_ticker tick;
} cutter;

/* Breadth first from v; what it does not reach follows from another one. */
static void search(cutter *c, int v, bool *seen)
{
    const zb_incidence *g = c->r->graph;
    int *var = c->b->var;
    const zb_scopes *s = g->scopes;
    int n = s->nvars, count = 0;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int k = 0; k < n && zb_tick(&c->tick, 200); k++) {
        for (; k == count; v = (v + 1) % n)
            if (!seen[v])
                seen[v] = true, var[count++] = v;
        for (size_t i = g->at[var[k]]; i < g->at[var[k] + 1]; i++) {
            int f = g->scope[i];
            for (size_t j = s->at[f]; j < s->at[f + 1]; j++)
                if (!seen[s->var[j]])
                    seen[s->var[j]] = true, var[count++] = s->var[j];
        }
    }
}

/* A tree that spans what hangs together, grown from a root by the strongest scope that
   leaves it (Prim). */
typedef struct growth {
    zb_order_queue queue; /* key: less the strongest scope from the tree; 1: none */
    int *up;              /* from where each came; -1: from nowhere */
    int *child, *next;    /* the last that came from it; the one before; -1: none */
    bool *in;
} growth;

static void join(growth *w, int v)
{
    w->in[v] = true;
    w->child[v] = -1;
    w->next[v] = -1;
    if (w->up[v] < 0)
        return;
    w->next[v] = w->child[w->up[v]];
    w->child[w->up[v]] = v;
}

static void grow(cutter *c, growth *w, int root)
{
    const zb_blocks_request *r = c->r;
    const zb_scopes *s = r->graph->scopes;
    zb_order_queue *q = &w->queue;
    for (int v = 0; v < s->nvars; v++) {
        q->key[v] = v == root ? -INFINITY : 1;
        w->up[v] = -1;
        zb_order_queue_push(q, v);
    }
    while (q->heap.size > 0 && zb_tick(&c->tick, 1000)) {
        int v = zb_order_queue_pop(q);
        join(w, v);
        for (size_t i = r->graph->at[v]; i < r->graph->at[v + 1]; i++) {
            int f = r->graph->scope[i];
            double key = r->strength != NULL ? -r->strength[f] : 0;
            for (size_t j = s->at[f]; j < s->at[f + 1]; j++) {
                int u = s->var[j];
                if (w->in[u] || key >= q->key[u])
                    continue;
                q->key[u] = key;
                w->up[u] = v;
                zb_order_queue_update(q, u);
            }
        }
    }
}

/* Depth first over the trees, the root's before the others. */
static void descend(const growth *w, int n, int root, int *var)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int top = (root + i) % n, v = top;
        if (w->up[top] >= 0)
            continue;
        for (;;) {
            var[count++] = v;
            if (w->child[v] >= 0) {
                v = w->child[v];
                continue;
            }
            while (v != top && w->next[v] < 0)
                v = w->up[v];
            if (v == top)
                break;
            v = w->next[v];
        }
    }
}

static zb_status by_tree(cutter *c, int root)
{
    const zb_incidence *g = c->r->graph;
    size_t n = (size_t)g->scopes->nvars;
    growth w = { .up = NULL };
    int *memory = zb_alloc(3 * n, sizeof *memory);
    zb_status status;
    w.in = zb_calloc(n, sizeof *w.in);
    TRY(zb_order_queue_init(&w.queue, (int)n));
    TRY(memory != NULL && w.in != NULL ? ZB_OK : ZB_ENOMEM);
    w.up = memory;
    w.child = memory + n;
    w.next = memory + 2 * n;
    grow(c, &w, root);
    TRY(c->tick.over ? ZB_ELIMIT : ZB_OK);
    descend(&w, (int)n, root, c->b->var);
done:
    zb_order_queue_free(&w.queue);
    zb_free(w.in);
    zb_free(memory);
    return status;
}

static zb_status sequence(cutter *c)
{
    int n = c->r->graph->scopes->nvars, root = n > 0 ? zb_rng_below(&c->rng, n) : 0;
    zb_sequence kind = n > 0 ? c->r->sequence : ZB_SEQUENCE_NUMBERS;
    if (kind == ZB_SEQUENCE_TREE)
        return by_tree(c, root);
    for (int v = 0; v < n; v++)
        c->b->var[v] = v;
    if (kind == ZB_SEQUENCE_NUMBERS)
        return ZB_OK;
    bool *seen = zb_alloc((size_t)n, sizeof *seen);
    if (seen == NULL)
        return ZB_ENOMEM;
    search(c, root, seen);
    if (kind == ZB_SEQUENCE_LINES && !c->tick.over)
        search(c, c->b->var[n - 1], seen);
    zb_free(seen);
    return c->tick.over ? ZB_ELIMIT : ZB_OK;
}

/* ---- pieces ---------------------------------------------------------------------- */

/* The parts of scopes inside of var[from .. to - 1], whose places are known. */
static zb_status inside(zb_scopes **out, int **factor, int *count, cutter *c, int from,
                        int to)
{
    const zb_incidence *g = c->r->graph;
    zb_blocks *b = c->b;
    const zb_scopes *all = g->scopes;
    size_t n = (size_t)(to - from), items = n, most = n;
    zb_scopes *s = zb_calloc(1, sizeof *s);
    zb_status status = ZB_OK;
    *factor = NULL;
    *out = s;
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = from; i < to; i++)
        most += g->at[b->var[i] + 1] - g->at[b->var[i]];
    s->nvars = (int)n;
    s->card = zb_alloc(n, sizeof *s->card);
    s->at = zb_alloc(most + 1, sizeof *s->at);
    s->var = zb_alloc(most, sizeof *s->var);
    *factor = zb_alloc(zb_max_size(most - n, 1), sizeof **factor);
    TRY(s->card && s->at && s->var && *factor ? ZB_OK : ZB_ENOMEM);
    for (size_t v = 0; v < n; v++) {
        s->card[v] = all->card[b->var[from + (int)v]];
        s->at[v] = v;
        s->var[v] = (int)v;
    }
    b->stamp++;
    *count = 0;
    for (int i = from; i < to; i++)
        for (size_t k = g->at[b->var[i]]; k < g->at[b->var[i] + 1]; k++) {
            int f = g->scope[k];
            size_t begin = items;
            if (b->mark[f] == b->stamp)
                continue;
            b->mark[f] = b->stamp;
            for (size_t j = all->at[f]; j < all->at[f + 1]; j++) {
                int place = b->place[all->var[j]] - from;
                if (place >= 0 && place < to - from)
                    s->var[items++] = place;
            }
            if (items - begin < 2) {
                items = begin;
                continue;
            }
            s->at[n + (size_t)*count] = begin;
            (*factor)[(*count)++] = f;
        }
    s->count = (int)n + *count;
    s->at[s->count] = items;
done:
    if (status != ZB_OK) {
        zb_scopes_free(s);
        zb_free(*factor);
        *out = NULL, *factor = NULL;
    }
    return status;
}

/* *fits: is the piece within the limits? Its elimination order goes into b->order. */
static zb_status try_piece(cutter *c, int from, int to, bool *fits)
{
    zb_scopes *s = NULL;
    int *factor = NULL, count;
    zb_order_cost cost;
    zb_order_request how = {
        .kind = ZB_ORDER_MINFILL, .seed = c->r->seed, .tries = 1, .run = c->r->run
    };
    zb_status status;
    TRY(inside(&s, &factor, &count, c, from, to));
    int *order = c->b->order + from;
    TRY(zb_order_make(s, &how, order, &cost));
    TRY(zb_run_more(c->r->run) ? ZB_OK : ZB_ELIMIT);
    *fits = cost.largest <= c->r->entries && cost.total <= c->r->total;
done:
    zb_scopes_free(s);
    zb_free(factor);
    return status;
}

/* The longest piece that fits, within a tenth; one of a single variable always does.
   guess: the length of the one before it. */
static zb_status cut(cutter *c, int from, int guess, int *length)
{
    int n = c->r->graph->scopes->nvars - from, good = 1, bad = n + 1, last = 0;
    int next = zb_min_int(n, zb_max_int(2, guess));
    bool fits;
    zb_status status = ZB_OK;
    while (good < n && bad - good > 1 + good / 10) {
        TRY(try_piece(c, from, from + next, &fits));
        last = next;
        if (fits)
            good = next;
        else
            bad = next;
        next = bad <= n ? good + (bad - good) / 2
                        : zb_min_int(n, good + 1 + (guess > 1 ? good / 4 : good));
    }
    if (last != good)
        TRY(try_piece(c, from, from + good, &fits)); /* its order */
    *length = good;
done:
    return status;
}

static zb_status cut_all(cutter *c)
{
    zb_blocks *b = c->b;
    int n = c->r->graph->scopes->nvars, at = 0, length = 1;
    zb_status status = ZB_OK;
    for (int i = 0; i < n; i++)
        b->place[b->var[i]] = i;
    while (at < n) {
        TRY(cut(c, at, length, &length));
        if (at == 0 && c->r->seed > 0 && length < n) {
            int first = 1 + (int)(zb_rng_uniform(&c->rng) * length);
            bool fits;
            TRY(try_piece(c, 0, first, &fits));
            b->start[b->count++] = 0;
            at = first;
            continue;
        }
        b->start[b->count++] = at;
        at += length;
    }
    b->start[b->count] = n;
    for (int k = 0; k < b->count; k++)
        for (int i = b->start[k]; i < b->start[k + 1]; i++)
            b->block[b->var[i]] = k;
done:
    return status;
}

zb_status zb_blocks_new(zb_blocks **out, const zb_blocks_request *r)
{
    size_t n = (size_t)r->graph->scopes->nvars;
    cutter c = { .r = r, .rng = zb_rng_seed(r->seed), .tick = { .run = r->run } };
    zb_blocks *b = zb_calloc(1, sizeof *b);
    zb_status status;
    *out = NULL;
    TRY(b != NULL ? ZB_OK : ZB_ENOMEM);
    c.b = b;
    b->var = zb_alloc(n, sizeof *b->var);
    b->order = zb_alloc(n, sizeof *b->order);
    b->start = zb_alloc(n + 1, sizeof *b->start);
    b->block = zb_alloc(n, sizeof *b->block);
    b->place = zb_alloc(n, sizeof *b->place);
    b->mark =
        zb_calloc(zb_max_size((size_t)r->graph->scopes->count, 1), sizeof *b->mark);
    TRY(b->var && b->order && b->start && b->block && b->place && b->mark ? ZB_OK
                                                                          : ZB_ENOMEM);
    TRY(sequence(&c));
    TRY(cut_all(&c));
    *out = b;
done:
    if (status != ZB_OK)
        zb_blocks_free(b);
    return status;
}

void zb_blocks_free(zb_blocks *b)
{
    if (b == NULL)
        return;
    zb_free(b->var);
    zb_free(b->order);
    zb_free(b->start);
    zb_free(b->block);
    zb_free(b->place);
    zb_free(b->mark);
    zb_free(b);
}

zb_status zb_blocks_inside(zb_scopes **out, int **factor, int *count,
                           const zb_incidence *g, zb_blocks *b, int block)
{
    zb_blocks_request r = { .graph = g };
    cutter c = { .r = &r, .b = b };
    return inside(out, factor, count, &c, b->start[block], b->start[block + 1]);
}
