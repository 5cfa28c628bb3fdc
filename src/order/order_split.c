/* minsplit: an order that knows the ibound.
 *
 * The state is a multiset of items, the scopes of factors and of messages. Eliminating
 * v takes the items that hold v (its bucket), partitions them into mini-buckets by the
 * reference rule, and puts back one message per mini-bucket, the joint scope without v.
 * Next goes the variable whose bucket needs the fewest mini-buckets; ties are settled
 * by another measure of the bucket, then at random. Only variables that share an item
 * with v change their measure. Buckets of more than BIG items are measured again only
 * now and then, and whenever they come up for elimination. */
#include "base/explog.h"
#include "order/order_parts.h"
#include "order/order_queue.h"

#include <stdlib.h>
#include <string.h>

enum { BIG = 256 };

typedef struct list {
    int *id, count;
    size_t room;
} list;

typedef struct node {
    int part, var, next; /* var belongs to mini-bucket part; next node of var */
    int index;           /* of var within part */
    uint64_t row;        /* others of part that share an item with var */
} node;

typedef struct part {
    int size;      /* variables, the eliminated one included */
    int hits;      /* variables shared with the item at hand, that one not counted */
    double bits;   /* log2 of the entries */
    int next_open; /* the next mini-bucket with room for a variable; -1: none */
} part;

typedef struct bucket_item {
    int id, size, part;
} bucket_item;

typedef struct splitter {
    const zb_scopes *s;
    int ibound;
    double max_bits;
    double *bits; /* log2 of the cardinalities */
    /* items: scopes in a pool; those of factors first, then messages as they arise */
    int nitems;
    size_t *item_at;
    bool *dead;
    int *pool;
    size_t at_room, dead_room, pool_room;
    list *of; /* items by variable, oldest first; dead ones are weeded when read */
    /* the bucket at hand */
    bucket_item *item;
    part *part;
    int first_open, last_open; /* a list by index; full ones leave when they are met */
    int var; /* whose bucket it is: all items and mini-buckets have it */
    node *node;
    int item_count, part_count, node_count;
    size_t item_room, part_room, node_room;
    int *head, *head_stamp, stamp; /* nodes of a variable in this bucket */
    double work;
    zb_ticker *tick;
} splitter;

static void splitter_free(splitter *p)
{
    for (int v = 0; p->of != NULL && v < p->s->nvars; v++)
        zb_free(p->of[v].id);
    zb_free(p->of);
    zb_free(p->bits);
    zb_free(p->item_at);
    zb_free(p->dead);
    zb_free(p->pool);
    zb_free(p->item);
    zb_free(p->part);
    zb_free(p->node);
    zb_free(p->head);
}

static zb_status item_add(splitter *p, int size, const int *var)
{
    size_t n = (size_t)p->nitems, at = p->item_at[n], end = at + (size_t)size;

    if (!ZB_RESERVE(p->dead, &p->dead_room, n, n + 1) ||
        !ZB_RESERVE(p->item_at, &p->at_room, n + 1, n + 2) ||
        !ZB_RESERVE(p->pool, &p->pool_room, at, end))
        return ZB_ENOMEM;
    for (int i = 0; i < size; i++) {
        list *of = &p->of[var[i]];
        size_t count = (size_t)of->count;
        if (!ZB_RESERVE(of->id, &of->room, count, count + 1))
            return ZB_ENOMEM;
        of->id[of->count++] = p->nitems;
        p->pool[at + (size_t)i] = var[i];
    }
    p->dead[p->nitems++] = false;
    p->item_at[p->nitems] = end;
    return ZB_OK;
}

static zb_status splitter_reset(splitter *p)
{
    zb_status status = ZB_OK;
    p->nitems = 0;
    p->item_at[0] = 0;
    for (int v = 0; v < p->s->nvars; v++)
        p->of[v].count = 0;
    for (int f = 0; f < p->s->count; f++) {
        TRY(item_add(p, zb_scopes_arity(p->s, f), zb_scopes_of(p->s, f)));
        TRY(zb_tick(p->tick, 20.0 * (2 + zb_scopes_arity(p->s, f))) ? ZB_OK
                                                                    : ZB_ELIMIT);
    }
done:
    return status;
}

static zb_status splitter_init(splitter *p, const zb_scopes *s, int ibound,
                               double max_entries, zb_ticker *tick)
{
    size_t n = (size_t)s->nvars;
    p->s = s;
    p->tick = tick;
    p->ibound = ibound;
    p->max_bits = max_entries > 0 ? zb_log2(max_entries) * (1 + 1e-12) : INFINITY;
    p->of = zb_calloc(n, sizeof *p->of);
    p->bits = zb_alloc(n, sizeof *p->bits);
    p->item_at = zb_calloc(1, sizeof *p->item_at);
    p->at_room = 1;
    p->head = zb_calloc(2 * n, sizeof *p->head);
    if (p->of == NULL || p->bits == NULL || p->item_at == NULL || p->head == NULL)
        return ZB_ENOMEM;
    p->head_stamp = p->head + n;
    for (size_t v = 0; v < n; v++)
        p->bits[v] = zb_log2(s->card[v]);
    return splitter_reset(p);
}

/* ---- the partition of one bucket --------------------------------------------------
 */

static int by_size(const void *x, const void *y)
{
    const bucket_item *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_items(splitter *p)
{
    if (p->item_count > 16) {
        qsort(p->item, (size_t)p->item_count, sizeof *p->item, by_size);
        return;
    }
    for (int i = 1; i < p->item_count; i++) {
        bucket_item x = p->item[i];
        int j = i;
        for (; j > 0 && p->item[j - 1].size < x.size; j--)
            p->item[j] = p->item[j - 1];
        p->item[j] = x;
    }
}

/* v's live items, largest first. */
static zb_status gather(splitter *p, int v)
{
    list *of = &p->of[v];
    int live = 0, total = 0;
    if (!ZB_RESERVE(p->item, &p->item_room, 0, (size_t)of->count))
        return ZB_ENOMEM;
    for (int i = 0; i < of->count; i++) {
        int id = of->id[i];
        if (p->dead[id])
            continue;
        of->id[live] = id;
        p->item[live].id = id;
        p->item[live].size = (int)(p->item_at[id + 1] - p->item_at[id]);
        total += p->item[live].size;
        live++;
    }
    p->work += of->count + total;
    if (!zb_tick(p->tick, 30.0 + 10.0 * of->count))
        return ZB_ELIMIT;
    of->count = p->item_count = live;
    sort_items(p);
    return ZB_RESERVE(p->part, &p->part_room, 0, (size_t)live) &&
                   ZB_RESERVE(p->node, &p->node_room, 0, (size_t)total)
               ? ZB_OK
               : ZB_ENOMEM;
}

static node *node_of(const splitter *p, int var, int r)
{
    if (p->head_stamp[var] != p->stamp)
        return NULL;
    for (int k = p->head[var]; k >= 0; k = p->node[k].next)
        if (p->node[k].part == r)
            return &p->node[k];
    return NULL;
}

/* Bits that the item would add to mini-bucket r. */
static double bits_new(const splitter *p, const int *var, int size, int r)
{
    double bits = 0;
    for (int i = 0; i < size; i++)
        if (var[i] != p->var && node_of(p, var[i], r) == NULL)
            bits += p->bits[var[i]];
    return bits;
}

/* Returns the first mini-bucket that contains the whole item, part_count if none does;
 *work grows by what was looked at. */
static int hits_add(splitter *p, const int *var, int size, int sign, double *work)
{
    int first = size == 1 ? 0 : p->part_count;
    for (int i = 0; i < size; i++) {
        if (p->head_stamp[var[i]] != p->stamp || var[i] == p->var)
            continue;
        for (int k = p->head[var[i]]; k >= 0; k = p->node[k].next) {
            int r = p->node[k].part;
            p->part[r].hits += sign;
            if (p->part[r].hits == size - 1)
                first = zb_min_int(first, r);
            ++*work;
        }
    }
    return first;
}

/* Take r, which comes after `before` (-1: at the front), off the list. */
static void part_close(splitter *p, int before, int r)
{
    *(before < 0 ? &p->first_open : &p->part[before].next_open) = p->part[r].next_open;
    if (p->last_open == r)
        p->last_open = before;
}

/* The first mini-bucket that takes the item; a new one if none does. Those that are
   full can only take what they contain, so that the list of the others is short. */
static int first_fit(splitter *p, const int *var, int size, double *work)
{
    int found = hits_add(p, var, size, 1, work), before = -1;
    for (int r = p->first_open, next; r >= 0 && r < found; r = next) {
        const part *q = &p->part[r];
        int joint = q->size + size - q->hits - 1;
        next = q->next_open;
        ++*work;
        if (q->size >= p->ibound)
            part_close(p, before, r);
        else if (joint <= p->ibound &&
                 (isinf(p->max_bits) ||
                  q->bits + bits_new(p, var, size, r) <= p->max_bits))
            found = r;
        else
            before = r;
    }
    hits_add(p, var, size, -1, work);
    p->work += 4 * size + found;
    return found;
}

static void part_new(splitter *p)
{
    int r = p->part_count++;
    p->part[r] = (part){ .next_open = -1 };
    *(p->first_open < 0 ? &p->first_open : &p->part[p->last_open].next_open) = r;
    p->last_open = r;
}

static void part_join(splitter *p, int r, const int *var, int size)
{
    part *q = &p->part[r];
    bool fresh = q->size == 0;
    for (int i = 0; i < size; i++) {
        int u = var[i];
        if (p->head_stamp[u] != p->stamp) {
            p->head_stamp[u] = p->stamp;
            p->head[u] = -1;
        }
        if (!fresh && (u == p->var || node_of(p, u, r) != NULL))
            continue;
        p->node[p->node_count] = (node){ r, u, p->head[u], q->size++, 0 };
        q->bits += p->bits[u];
        p->head[u] = p->node_count++;
    }
}

static zb_status partition(splitter *p, int v)
{
    zb_status status;
    TRY(gather(p, v));
    p->stamp++;
    p->var = v;
    p->part_count = p->node_count = 0;
    p->first_open = p->last_open = -1;
    for (int i = 0; i < p->item_count; i++) {
        const int *var = p->pool + p->item_at[p->item[i].id];
        double work = 10;
        int size = p->item[i].size, r = first_fit(p, var, size, &work);
        TRY(zb_tick(p->tick, 4 * (work + size)) ? ZB_OK : ZB_ELIMIT);
        if (r == p->part_count)
            part_new(p);
        part_join(p, r, var, size);
        p->item[i].part = r;
    }
done:
    return status;
}

/* ---- elimination ------------------------------------------------------------------
 */

static int by_part(const void *x, const void *y)
{
    const node *a = x, *b = y;
    return a->part != b->part ? a->part - b->part : a->index - b->index;
}

/* Replace v's items by the messages; the bucket must have been partitioned. The nodes
   end up sorted by mini-bucket. */
static zb_status messages(splitter *p, int v, int *scope)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < p->item_count; i++)
        p->dead[p->item[i].id] = true;
    p->of[v].count = 0;
    if (p->part_count > 1)
        qsort(p->node, (size_t)p->node_count, sizeof *p->node, by_part);
    for (int k = 0; k < p->node_count;) {
        int size = 0, r = p->node[k].part;
        for (; k < p->node_count && p->node[k].part == r; k++)
            if (p->node[k].var != v)
                scope[size++] = p->node[k].var;
        if (size > 0)
            TRY(item_add(p, size, scope));
    }
    p->work += 4 * p->node_count;
done:
    return status;
}

static void cost_add(const splitter *p, int v, zb_split_cost *cost)
{
    if (p->part_count == 0) {
        cost->total += p->s->card[v];
        cost->largest = fmax(cost->largest, p->s->card[v]);
        return;
    }
    cost->splits += p->part_count - 1;
    for (int r = 0; r < p->part_count; r++) {
        double table = zb_exp2(p->part[r].bits);
        if (table < 0x1p50)
            table = rint(table);
        cost->total += table;
        cost->largest = fmax(cost->largest, table);
    }
}

zb_status zb_order_splits(const zb_scopes *s, const int *order, int ibound,
                          double max_entries, zb_run *run, zb_split_cost *out)
{
    zb_ticker tick = { .run = run };
    splitter p = { 0 };
    int *scope = zb_calloc((size_t)s->nvars, sizeof *scope);
    zb_split_cost cost = { 0 };
    zb_status status;

    TRY(ibound >= 1 && !isnan(max_entries) ? ZB_OK : ZB_EINVAL);
    TRY(scope != NULL ? ZB_OK : ZB_ENOMEM);
    for (int k = 0; k < s->nvars; k++) {
        TRY(order[k] >= 0 && order[k] < s->nvars && !scope[order[k]] ? ZB_OK
                                                                     : ZB_EINVAL);
        scope[order[k]] = 1;
    }
    TRY(splitter_init(&p, s, ibound, max_entries, &tick));
    for (int k = 0; k < s->nvars; k++) {
        TRY(partition(&p, order[k]));
        cost_add(&p, order[k], &cost);
        TRY(messages(&p, order[k], scope));
    }
    *out = cost;
done:
    if (p.s != NULL)
        splitter_free(&p);
    zb_free(scope);
    return status;
}

/* ---- the greedy choice ------------------------------------------------------------
 */

/* Pairs that a mini-bucket's message joins and no item of it did; parts of more than 64
   variables count none. */
static double fill_of(splitter *p)
{
    double missing = 0;
    for (int i = 0; i < p->item_count; i++) {
        const int *var = p->pool + p->item_at[p->item[i].id];
        int size = p->item[i].size, r = p->item[i].part;
        uint64_t mask = 0;
        if (p->part[r].size > 64)
            continue;
        for (int j = 0; j < size; j++)
            mask |= (uint64_t)1 << node_of(p, var[j], r)->index;
        for (int j = 0; j < size; j++)
            node_of(p, var[j], r)->row |= mask;
        p->work += 2 * size;
    }
    for (int k = 0; k < p->node_count; k++) {
        int size = p->part[p->node[k].part].size;
        if (size <= 64)
            missing += size - __builtin_popcountll(p->node[k].row);
    }
    return missing / 2;
}

typedef enum tie_rule { TIE_FILL, TIE_SIZE, TIE_WEIGHT, TIE_RULES } tie_rule;

typedef struct search {
    splitter p;
    zb_order_queue queue;
    tie_rule rule;
    double stray;
    int *age; /* changes of a big bucket since it was measured */
    int *scope, *changed;
    bool *seen;
    zb_rng rng;
} search;

static zb_status measure_big(search *a, int v)
{
    splitter *p = &a->p;
    int joint = 0;
    zb_status status;
    TRY(gather(p, v));
    p->stamp++;
    for (int i = 0; i < p->item_count; i++)
        for (int j = 0; j < p->item[i].size; j++) {
            int u = p->pool[p->item_at[p->item[i].id] + (size_t)j];
            joint += p->head_stamp[u] != p->stamp;
            p->head_stamp[u] = p->stamp;
        }
    a->queue.key[v] = ceil((joint - 1.0) / zb_max_int(p->ibound - 1, 1));
    a->queue.second[v] = joint;
done:
    return status;
}

static zb_status measure(search *a, int v)
{
    splitter *p = &a->p;
    double size = 0, weight = 0;
    zb_status status;
    if (p->of[v].count > BIG)
        return measure_big(a, v);
    TRY(partition(p, v));
    for (int r = 0; r < p->part_count; r++) {
        size += p->part[r].size;
        weight += zb_exp2(p->part[r].bits);
    }
    a->queue.key[v] = zb_max_int(p->part_count, 1);
    a->queue.second[v] = a->rule == TIE_FILL   ? fill_of(p)
                         : a->rule == TIE_SIZE ? size
                                               : weight;
done:
    return status;
}

/* Big buckets are measured again only after an eighth of them may have changed. */
static zb_status changed(search *a, int v)
{
    zb_status status = ZB_OK;
    if (a->p.of[v].count > BIG && ++a->age[v] < a->p.of[v].count / 8)
        return ZB_OK;
    a->age[v] = 0;
    TRY(measure(a, v));
    zb_order_queue_update(&a->queue, v);
done:
    return status;
}

/* The best variable, or now and then the next one if it needs no more mini-buckets. */
static int choose(search *a)
{
    zb_order_queue *q = &a->queue;
    int v = zb_order_queue_pop(q), passed = v;
    if (a->stray <= 0 || q->heap.size == 0 || q->key[q->heap.item[0]] > q->key[v] ||
        zb_rng_uniform(&a->rng) >= a->stray)
        return v;
    v = zb_order_queue_pop(q);
    zb_order_queue_push(q, passed);
    return v;
}

static zb_status step(search *a, zb_split_cost *cost, int *out)
{
    splitter *p = &a->p;
    int v = choose(a), count = 0;
    zb_status status;
    TRY(partition(p, v));
    cost_add(p, v, cost);
    p->stamp++;
    p->head_stamp[v] = p->stamp;
    for (int k = 0; k < p->node_count; k++) {
        int u = p->node[k].var;
        if (p->head_stamp[u] == p->stamp)
            continue;
        p->head_stamp[u] = p->stamp;
        a->changed[count++] = u;
    }
    TRY(messages(p, v, a->scope));
    for (int i = 0; i < count; i++)
        TRY(changed(a, a->changed[i]));
    *out = v;
done:
    return status;
}

/* *count: how many variables have their place, all unless the time was over first. */
static zb_status search_run(search *a, bool random, int *order, int *count,
                            zb_split_cost *cost)
{
    int n = a->p.s->nvars;
    zb_status status;
    *count = 0;
    *cost = (zb_split_cost){ 0 };
    TRY(splitter_reset(&a->p));
    zb_heap_clear(&a->queue.heap, n);
    for (int v = 0; v < n; v++) {
        a->queue.tie[v] = random ? (uint32_t)zb_rng_next(&a->rng) : 0;
        TRY(measure(a, v));
        zb_order_queue_push(&a->queue, v);
    }
    for (; *count < n; ++*count)
        TRY(step(a, cost, &order[*count]));
done:
    return status;
}

/* Behind the first count variables the others as they come; seen is scratch, all
   false. */
static void append_rest(int n, int count, int *order, bool *seen)
{
    for (int k = 0; k < count; k++)
        seen[order[k]] = true;
    for (int v = 0; v < n; v++)
        if (!seen[v])
            order[count++] = v;
}

static bool better(const zb_split_cost *a, const zb_split_cost *b)
{
    return a->splits < b->splits || (a->splits == b->splits && a->total < b->total);
}

static zb_status tries_run(search *a, const zb_order_request *req, int *trial,
                           int *order)
{
    double end = req->seconds > 0 ? req->seconds * ZB_ORDER_SPEED : INFINITY;
    zb_split_cost best = { INFINITY, INFINITY, INFINITY }, cost;
    zb_status status = ZB_OK;
    int count;
    for (int t = 0; t < zb_max_int(req->tries, 1); t++) {
        if (t > 0 && (a->p.work >= end || best.splits == 0))
            break;
        a->rule = (tie_rule)(t % TIE_RULES);
        a->stray = t < TIE_RULES ? 0 : t % 4 * 0.1;
        status = search_run(a, t > 0, trial, &count, &cost);
        if (status == ZB_ELIMIT && t > 0)
            return ZB_OK;
        if (status == ZB_ELIMIT)
            append_rest(a->p.s->nvars, count, trial, a->seen);
        TRY(status == ZB_ELIMIT ? ZB_OK : status);
        if (t > 0 && !better(&cost, &best))
            continue;
        best = cost;
        memcpy(order, trial, (size_t)a->p.s->nvars * sizeof *order);
    }
done:
    return status;
}

zb_status zb_minsplit_run(const zb_scopes *s, const zb_order_request *req,
                          zb_ticker *tick, int *order)
{
    search a = { .rng = zb_rng_seed(req->seed) };
    int *memory = NULL;
    size_t n = (size_t)s->nvars;
    zb_status status;

    if (req->ibound < 1 || isnan(req->max_entries))
        return ZB_EINVAL;
    memory = zb_calloc(4 * n, sizeof *memory);
    a.seen = zb_calloc(n, sizeof *a.seen);
    TRY(memory != NULL && a.seen != NULL ? ZB_OK : ZB_ENOMEM);
    a.age = memory;
    a.scope = memory + n;
    a.changed = memory + 2 * n;
    TRY(zb_order_queue_init(&a.queue, s->nvars));
    status = splitter_init(&a.p, s, req->ibound, req->max_entries, tick);
    if (status == ZB_ELIMIT) {
        append_rest(s->nvars, 0, order, a.seen);
        status = ZB_OK;
        goto done;
    }
    TRY(status);
    TRY(tries_run(&a, req, memory + 3 * n, order));
done:
    if (a.p.s != NULL)
        splitter_free(&a.p);
    zb_order_queue_free(&a.queue);
    zb_free(a.seen);
    zb_free(memory);
    return status;
}
