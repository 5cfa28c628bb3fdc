/* Greedy packings of a bucket. A mini-bucket that is full takes an item only if it
 * contains it; so an item is compared with those that are still open, and with those of
 * its variables: a bucket of very many items takes no square time. */
#include "order/partition.h"

#include <stdlib.h>

zb_status zb_packer_init(zb_packer *k, int nvars, const int *card, zb_ticker *tick)
{
    size_t n = (size_t)nvars;
    *k = (zb_packer){ .card = card, .tick = tick };
    k->first = zb_calloc(2 * n, sizeof *k->first);
    k->stamp = k->first + n;
    return k->first != NULL ? ZB_OK : ZB_ENOMEM;
}

void zb_packer_clear(zb_packer *k)
{
    zb_free(k->bin);
    zb_free(k->member);
    zb_free(k->first);
}

static int larger_first(const void *x, const void *y)
{
    const zb_pack_item *a = x, *b = y;
    if (a->arity != b->arity)
        return a->arity > b->arity ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_items(int count, zb_pack_item *item)
{
    if (count > 16) {
        qsort(item, (size_t)count, sizeof *item, larger_first);
        return;
    }
    for (int i = 1; i < count; i++) {
        zb_pack_item x = item[i];
        int j = i;
        for (; j > 0 && larger_first(&item[j - 1], &x) > 0; j--)
            item[j] = item[j - 1];
        item[j] = x;
    }
}

static bool is_member(const zb_packer *k, int v) { return k->stamp[v] == k->packing; }

zb_member *zb_packer_find(const zb_packer *k, int var, int bin)
{
    if (!is_member(k, var))
        return NULL;
    for (int i = k->first[var]; i >= 0; i = k->member[i].next)
        if (k->member[i].bin == bin)
            return &k->member[i];
    return NULL;
}

/* ---- one item -------------------------------------------------------------------- */

/* What each bin has in common with the item. Returns the first one that contains it,
   k->bins if none does; *work grows by what was looked at. */
static int compare_bins(zb_packer *k, const zb_pack_item *item, double *work)
{
    int first = item->arity == 1 ? 0 : k->bins;
    for (int i = 0; i < item->arity; i++) {
        int v = item->scope[i];
        if (!is_member(k, v) || v == k->var)
            continue;
        for (int m = k->first[v]; m >= 0; m = k->member[m].next) {
            int b = k->member[m].bin;
            k->bin[b].product *= k->card[v];
            if (++k->bin[b].shared == item->arity - 1)
                first = zb_min_int(first, b);
            ++*work;
        }
    }
    return first;
}

static void forget_comparison(zb_packer *k, const zb_pack_item *item)
{
    for (int i = 0; i < item->arity; i++)
        for (int m = is_member(k, item->scope[i]) ? k->first[item->scope[i]] : -1;
             m >= 0; m = k->member[m].next) {
            k->bin[k->member[m].bin].shared = 0;
            k->bin[k->member[m].bin].product = 1;
        }
}

/* Take bin b, which comes after `before` (-1: at the front), off the list. */
static void close_bin(zb_packer *k, int before, int b)
{
    *(before < 0 ? &k->first_open : &k->bin[before].next_open) = k->bin[b].next_open;
    if (k->last_open == b)
        k->last_open = before;
}

static bool fits(const zb_packer *k, const zb_bin *b, int arity, double growth)
{
    return b->count + arity - b->shared - 1 <= k->ibound &&
           (k->max_entries <= 0 || b->entries * growth <= k->max_entries);
}

/* The bin that takes the item: the first, or (least) the first of those that grow
   least; k->bins if none does. */
static int choose(zb_packer *k, const zb_pack_item *item, bool least, double *work)
{
    int found = compare_bins(k, item, work), before = -1;
    bool contained = found < k->bins, measured = least || k->max_entries > 0;
    double all = 1, best = contained ? 1 : INFINITY;

    for (int i = 0; i < item->arity && measured; i++)
        all *= item->scope[i] != k->var ? k->card[item->scope[i]] : 1;
    for (int b = k->first_open, next; b >= 0; b = next) {
        const zb_bin *q = &k->bin[b];
        double growth = measured ? all / q->product : 1;
        next = q->next_open;
        if (b >= found && (!least || contained))
            break;
        ++*work;
        if (q->count >= k->ibound)
            close_bin(k, before, b);
        else
            before = b;
        if (q->count >= k->ibound || !fits(k, q, item->arity, growth))
            continue;
        if (least ? growth < best || (growth == best && b < found) : b < found) {
            found = b;
            best = growth;
        }
    }
    forget_comparison(k, item);
    return found;
}

static void open_bin(zb_packer *k)
{
    int b = k->bins++;
    k->bin[b] = (zb_bin){ .entries = 1, .product = 1, .next_open = -1 };
    *(k->first_open < 0 ? &k->first_open : &k->bin[k->last_open].next_open) = b;
    k->last_open = b;
}

static void put(zb_packer *k, int b, const zb_pack_item *item)
{
    zb_bin *q = &k->bin[b];
    bool fresh = q->count == 0;
    for (int i = 0; i < item->arity; i++) {
        int v = item->scope[i];
        if (!is_member(k, v)) {
            k->stamp[v] = k->packing;
            k->first[v] = -1;
        }
        if (!fresh && (v == k->var || zb_packer_find(k, v, b) != NULL))
            continue;
        k->member[k->members] = (zb_member){ b, v, q->count++, k->first[v] };
        q->entries *= k->card[v];
        k->first[v] = k->members++;
    }
}

/* ---- a bucket -------------------------------------------------------------------- */

static zb_status pack(zb_packer *k, bool least, int count, zb_pack_item *item)
{
    k->packing++;
    k->bins = k->members = 0;
    k->first_open = k->last_open = -1;
    for (int i = 0; i < count; i++) {
        double work = 10;
        int b = choose(k, &item[i], least, &work);
        if (!zb_tick(k->tick, 4 * (work + item[i].arity)))
            return ZB_ELIMIT;
        if (b == k->bins)
            open_bin(k);
        put(k, b, &item[i]);
        item[i].bin = b;
    }
    return ZB_OK;
}

static double total_entries(const zb_packer *k)
{
    double sum = 0;
    for (int b = 0; b < k->bins; b++)
        sum += k->bin[b].entries;
    return sum;
}

/* The second packing, unless the first is as good. */
static zb_status pack_better(zb_packer *k, int count, zb_pack_item *item)
{
    int bins = k->bins;
    double entries = total_entries(k);
    for (int i = 0; i < count; i++)
        item[i].other = item[i].bin;
    zb_status status = pack(k, true, count, item);
    if (status == ZB_OK &&
        (k->bins < bins || (k->bins == bins && total_entries(k) < entries)))
        return ZB_OK;
    for (int i = 0; i < count; i++)
        item[i].bin = item[i].other;
    k->bins = bins;
    return status;
}

zb_status zb_packer_divide(zb_packer *k, zb_partition rule, int var, int count,
                           zb_pack_item *item)
{
    size_t members = 0;
    zb_status status;
    for (int i = 0; i < count; i++) {
        ZB_ASSERT(item[i].arity > 0); /* var is among them */
        members += (size_t)item[i].arity;
    }
    if (members >= INT32_MAX)
        return ZB_ELIMIT;
    if (!ZB_RESERVE(k->bin, &k->bin_room, 0, (size_t)count) ||
        !ZB_RESERVE(k->member, &k->member_room, 0, members))
        return ZB_ENOMEM;
    k->var = var;
    sort_items(count, item);
    TRY(pack(k, false, count, item));
    if (rule == ZB_PARTITION_SCOPE && k->bins > 1)
        TRY(pack_better(k, count, item));
done:
    return status;
}
