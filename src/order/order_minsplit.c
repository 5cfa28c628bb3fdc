/* minsplit: an order that knows the ibound.
 *
 * Next goes the variable whose bucket needs the fewest mini-buckets; ties are settled
 * by another measure of the bucket, then at random. Only variables that share an item
 * with v change their measure. Buckets of more than BIG items are measured again only
 * now and then, and whenever they come up for elimination. */
#include "base/explog.h"
#include "order/order_queue.h"
#include "order/order_split.h"

#include <string.h>

enum { BIG = 256 };

typedef enum tie_rule { TIE_FILL, TIE_SIZE, TIE_WEIGHT, TIE_RULES } tie_rule;

typedef struct search {
    zb_splitter p;
    zb_order_queue queue;
    tie_rule rule;
    double stray;
    uint32_t *rank; /* what settles ties of the first run; NULL: the number */
    int *age;       /* changes of a big bucket since it was measured */
    int *scope, *changed;
    bool *seen;
    double *bits;     /* log2 of the cardinalities */
    uint64_t *row;    /* scratch, by member of the bucket at hand */
    double *bin_bits; /* scratch, by mini-bucket */
    size_t row_room, bin_room;
    zb_rng rng;
} search;

/* Pairs that a mini-bucket's message joins and no item of it did; mini-buckets of more
   than 64 variables count none. row[i]: those of its mini-bucket that share an item
   with member i. */
static double missing_pairs(search *a)
{
    zb_splitter *p = &a->p;
    const zb_packer *k = &p->packer;
    double missing = 0;
    for (int i = 0; i < k->members; i++)
        a->row[i] = 0;
    for (int i = 0; i < p->item_count; i++) {
        const zb_pack_item *item = &p->item[i];
        uint64_t mask = 0;
        if (k->bin[item->bin].count > 64)
            continue;
        for (int j = 0; j < item->arity; j++)
            mask |= (uint64_t)1 << zb_packer_find(k, item->scope[j], item->bin)->index;
        for (int j = 0; j < item->arity; j++)
            a->row[zb_packer_find(k, item->scope[j], item->bin) - k->member] |= mask;
        p->work += 2 * item->arity;
    }
    for (int i = 0; i < k->members; i++) {
        int size = k->bin[k->member[i].bin].count;
        if (size <= 64)
            missing += size - __builtin_popcountll(a->row[i]);
    }
    return missing / 2;
}

/* Entries of all mini-buckets. bits[b] is summed up by arrival: near-ties are settled
   by its rounding. */
static double weigh(search *a)
{
    const zb_packer *k = &a->p.packer;
    double weight = 0;
    for (int b = 0; b < k->bins; b++)
        a->bin_bits[b] = 0;
    for (int i = 0; i < k->members; i++)
        a->bin_bits[k->member[i].bin] += a->bits[k->member[i].var];
    for (int b = 0; b < k->bins; b++)
        weight += zb_exp2(a->bin_bits[b]);
    return weight;
}

/* Of a big bucket only the variables are counted, and the fewest mini-buckets that
   could hold them. */
static zb_status measure_big(search *a, int v)
{
    zb_splitter *p = &a->p;
    zb_packer *k = &p->packer;
    int joint = 0;
    zb_status status;
    TRY(zb_splitter_gather(p, v));
    k->packing++;
    for (int i = 0; i < p->item_count; i++)
        for (int j = 0; j < p->item[i].arity; j++) {
            int u = p->item[i].scope[j];
            joint += k->stamp[u] != k->packing;
            k->stamp[u] = k->packing;
        }
    a->queue.key[v] = ceil((joint - 1.0) / zb_max_int(k->ibound - 1, 1));
    a->queue.second[v] = joint;
done:
    return status;
}

static zb_status measure(search *a, int v)
{
    const zb_packer *k = &a->p.packer;
    double *second = &a->queue.second[v];
    zb_status status;
    if (a->p.of[v].count > BIG)
        return measure_big(a, v);
    TRY(zb_splitter_divide(&a->p, v));
    if (!ZB_RESERVE(a->row, &a->row_room, 0, (size_t)k->members) ||
        !ZB_RESERVE(a->bin_bits, &a->bin_room, 0, (size_t)k->bins))
        return ZB_ENOMEM;
    a->queue.key[v] = zb_max_int(k->bins, 1);
    switch (a->rule) {
    case TIE_FILL: *second = missing_pairs(a); break;
    case TIE_SIZE: *second = k->members; break;
    default: *second = weigh(a);
    }
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
    zb_splitter *p = &a->p;
    zb_packer *k = &p->packer;
    int v = choose(a), count = 0;
    zb_status status;
    TRY(zb_splitter_divide(p, v));
    zb_splitter_cost(p, v, cost);
    k->packing++;
    k->stamp[v] = k->packing;
    for (int i = 0; i < k->members; i++) {
        int u = k->member[i].var;
        if (k->stamp[u] == k->packing)
            continue;
        k->stamp[u] = k->packing;
        a->changed[count++] = u;
    }
    TRY(zb_splitter_eliminate(p, v, a->scope));
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
    TRY(zb_splitter_reset(&a->p));
    zb_heap_clear(&a->queue.heap, n);
    for (int v = 0; v < n; v++) {
        a->queue.tie[v] = random            ? (uint32_t)zb_rng_next(&a->rng)
                          : a->rank != NULL ? a->rank[v]
                                            : 0;
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
        status =
            search_run(a, t > 0 || req->ties == ZB_TIES_CHANCE, trial, &count, &cost);
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

/* Places in a search breadth first. */
static zb_status find_ranks(search *a, zb_ties ties)
{
    const zb_scopes *s = a->p.s;
    size_t n = (size_t)s->nvars;
    int *order = NULL, count;
    zb_primal *g = NULL;
    zb_status status;
    if (ties == ZB_TIES_NUMBER || ties == ZB_TIES_CHANCE)
        return ZB_OK;
    TRY(zb_primal_new(&g, s, a->p.tick));
    order = zb_alloc(n, sizeof *order);
    a->rank = zb_calloc(n, sizeof *a->rank);
    TRY(order != NULL && a->rank != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_breadth_run(g, a->p.tick, order, &count));
    for (int k = 0; k < count; k++)
        a->rank[order[k]] = (uint32_t)(ties == ZB_TIES_BREADTH ? k : count - k);
done:
    zb_primal_free(g);
    zb_free(order);
    return status == ZB_ELIMIT ? ZB_OK : status; /* by their numbers, then */
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
    a.bits = zb_alloc(n, sizeof *a.bits);
    TRY(memory && a.seen && a.bits ? ZB_OK : ZB_ENOMEM);
    for (size_t v = 0; v < n; v++)
        a.bits[v] = zb_log2(s->card[v]);
    a.age = memory;
    a.scope = memory + n;
    a.changed = memory + 2 * n;
    TRY(zb_order_queue_init(&a.queue, s->nvars));
    status = zb_splitter_init(&a.p, s, req->ibound, req->max_entries, tick);
    if (status == ZB_ELIMIT) {
        append_rest(s->nvars, 0, order, a.seen);
        status = ZB_OK;
        goto done;
    }
    TRY(status);
    TRY(find_ranks(&a, req->ties));
    TRY(tries_run(&a, req, memory + 3 * n, order));
done:
    if (a.p.s != NULL)
        zb_splitter_free(&a.p);
    zb_order_queue_free(&a.queue);
    zb_free(a.seen);
    zb_free(a.bits);
    zb_free(a.row);
    zb_free(a.bin_bits);
    zb_free(a.rank);
    zb_free(memory);
    return status;
}
