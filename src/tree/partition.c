/* Greedy packings of a bucket. All begin with the items sorted by scope size, largest
 * first (stable); they differ in which of the mini-buckets that can take an item gets
 * it. One that is full takes an item only if it contains it. So an item is compared
 * with those that are still open, and with those of its rarest variable: a bucket of
 * very many items takes no square time. */
#include "tree/partition.h"

#include <stdlib.h>
#include <string.h>

typedef struct bin {
    int *var; /* joint scope, by elimination position */
    int count, room;
    double entries;
} bin;

typedef struct link {
    int bin, next; /* a mini-bucket that holds a variable, and the next one */
} link;

typedef struct packer {
    const zb_packing *p;
    bin *bin;
    int bins, room;
    int *open, nopen; /* mini-buckets that may take a further variable, by index */
    link *link;       /* p->first begins each variable's list */
    int nlinks;
    double least; /* cardinality of any variable */
} packer;

/* Variables and entries that the item adds to the bin. */
static int growth(const packer *k, const bin *b, int item, double *entries)
{
    const int *s = k->p->scope[item], *pos = k->p->pos;
    int i = 0, added = 0;
    *entries = 1;
    for (int j = 0; j < k->p->arity[item]; j++) {
        while (i < b->count && pos[b->var[i]] < pos[s[j]])
            i++;
        if (i < b->count && b->var[i] == s[j])
            continue;
        added++;
        *entries *= k->p->card[s[j]];
    }
    return added;
}

static bool fits(const packer *k, const bin *b, int added, double entries)
{
    const zb_split_spec *spec = k->p->spec;
    return b->count + added <= spec->ibound &&
           (spec->max_entries <= 0 || b->entries * entries <= spec->max_entries ||
            added == 0);
}

static bool bin_room(bin *b, int need)
{
    if (need <= b->room)
        return true;
    int room = need + 8;
    int *var = zb_resize(b->var, (size_t)b->count, (size_t)room, sizeof *var);
    if (var == NULL)
        return false;
    b->var = var;
    b->room = room;
    return true;
}

static void note_member(packer *k, int v, int b)
{
    k->link[k->nlinks] = (link){ b, k->p->first[v] };
    k->p->first[v] = k->nlinks++;
    k->p->length[v]++;
}

/* Merge the item's scope into the bin's, from the back. */
static bool put(packer *k, bin *b, int item, int added, double entries)
{
    const int *s = k->p->scope[item], *pos = k->p->pos;
    if (!bin_room(b, b->count + added))
        return false;
    int i = b->count - 1, j = k->p->arity[item] - 1, at = b->count + added - 1;
    while (j >= 0) {
        if (i >= 0 && b->var[i] == s[j])
            b->var[at--] = b->var[i--], j--;
        else if (i >= 0 && pos[b->var[i]] > pos[s[j]])
            b->var[at--] = b->var[i--];
        else {
            note_member(k, s[j], (int)(b - k->bin));
            b->var[at--] = s[j--];
        }
    }
    b->count += added;
    b->entries *= entries;
    return true;
}

static bool new_bin(packer *k)
{
    if (k->bins == k->room) {
        int room = k->room > 0 ? 2 * k->room : 8;
        bin *more = zb_resize(k->bin, (size_t)k->bins, (size_t)room, sizeof *more);
        if (more == NULL)
            return false;
        memset(more + k->bins, 0, (size_t)(room - k->bins) * sizeof *more);
        k->bin = more;
        k->room = room;
    }
    k->bin[k->bins].count = 0;
    k->bin[k->bins].entries = 1;
    k->open[k->nopen++] = k->bins++;
    return true;
}

static void clear_members(packer *k)
{
    for (int b = 0; b < k->bins; b++)
        for (int i = 0; i < k->bin[b].count; i++) {
            k->p->first[k->bin[b].var[i]] = -1;
            k->p->length[k->bin[b].var[i]] = 0;
        }
    k->bins = k->nopen = k->nlinks = 0;
}

typedef struct choice {
    int bin, added; /* bin -1: none */
    double entries;
} choice;

/* The first bin that contains the item. All contain the first variable. */
static choice find_container(packer *k, int item)
{
    const int *s = k->p->scope[item], *length = k->p->length;
    int rare = s[0], n = k->p->arity[item];
    choice found = { .bin = n == 1 && k->bins > 0 ? 0 : -1, .entries = 1 };
    double entries;
    for (int j = 1; j < n; j++)
        if (length[s[j]] < length[rare])
            rare = s[j];
    for (int i = k->p->first[rare]; i >= 0 && n > 1; i = k->link[i].next) {
        int b = k->link[i].bin;
        zb_tick(k->p->tick, 10 + 2.0 * (n + k->bin[b].count));
        if ((found.bin < 0 || b < found.bin) &&
            growth(k, &k->bin[b], item, &entries) == 0 && fits(k, &k->bin[b], 0, 1))
            found.bin = b;
    }
    return found;
}

static bool is_full(const packer *k, const bin *b)
{
    const zb_split_spec *spec = k->p->spec;
    return b->count >= spec->ibound ||
           (spec->max_entries > 0 && b->entries * k->least > spec->max_entries);
}

/* Of the bins that can take the item the first, or (least) the first of those that grow
   least. */
static choice choose(packer *k, int item, bool least)
{
    choice best = find_container(k, item);
    int kept = 0;
    for (int i = 0; i < k->nopen; i++) {
        int b = k->open[i], added;
        double entries;
        if (is_full(k, &k->bin[b]))
            continue;
        k->open[kept++] = b;
        if (best.bin >= 0 && b > best.bin && (!least || best.entries == 1))
            continue;
        added = growth(k, &k->bin[b], item, &entries);
        zb_tick(k->p->tick, 10 + 2.0 * (k->p->arity[item] + k->bin[b].count));
        bool smaller =
            least && entries != best.entries ? entries < best.entries : b < best.bin;
        if (fits(k, &k->bin[b], added, entries) && (best.bin < 0 || smaller))
            best = (choice){ b, added, entries };
    }
    k->nopen = kept;
    return best;
}

/* Place items in the given sequence; best: into the bin that grows least, not the
 * first. */
static zb_status pack(packer *k, const int *sequence, bool best, int *group)
{
    clear_members(k);
    for (int n = 0; n < k->p->count; n++) {
        int item = sequence[n];
        choice to = choose(k, item, best);
        if (to.bin < 0) {
            to.bin = k->bins;
            if (!new_bin(k))
                return ZB_ENOMEM;
            to.added = growth(k, &k->bin[to.bin], item, &to.entries);
        }
        if (!put(k, &k->bin[to.bin], item, to.added, to.entries))
            return ZB_ENOMEM;
        group[item] = to.bin;
        if (!zb_tick(k->p->tick, 20))
            return ZB_ELIMIT;
    }
    return ZB_OK;
}

static zb_status packer_init(packer *k)
{
    size_t members = 0;
    k->least = INFINITY;
    for (int i = 0; i < k->p->count; i++) {
        members += (size_t)k->p->arity[i];
        for (int j = 0; j < k->p->arity[i]; j++)
            k->least = fmin(k->least, k->p->card[k->p->scope[i][j]]);
    }
    k->open = zb_alloc((size_t)k->p->count, sizeof *k->open);
    k->link = zb_alloc(members, sizeof *k->link);
    return k->open != NULL && k->link != NULL ? ZB_OK : ZB_ENOMEM;
}

static double packing_cost(const packer *k)
{
    double sum = 0;
    for (int b = 0; b < k->bins; b++)
        sum += k->bin[b].entries;
    return sum;
}

/* Counting sort by arity, largest first, equal ones in their given order. */
static void sort_items(const zb_packing *p, int *sequence)
{
    int at = 0, most = 0;
    for (int i = 0; i < p->count; i++)
        most = p->arity[i] > most ? p->arity[i] : most;
    for (int a = most; a >= 0 && at < p->count; a--)
        for (int i = 0; i < p->count; i++)
            if (p->arity[i] == a)
                sequence[at++] = i;
}

static zb_status best_packing(packer *k, const int *sequence, zb_packing *p)
{
    int *trial = p->work + p->count;
    zb_status status;
    TRY(pack(k, sequence, false, p->group));
    p->groups = k->bins;
    double cost = packing_cost(k);
    TRY(pack(k, sequence, true, trial));
    if (k->bins < p->groups || (k->bins == p->groups && packing_cost(k) < cost)) {
        memcpy(p->group, trial, (size_t)p->count * sizeof *trial);
        p->groups = k->bins;
    }
done:
    return status;
}

zb_status zb_partition_bucket(zb_packing *p)
{
    packer k = { .p = p };
    zb_status status;
    TRY(packer_init(&k));
    sort_items(p, p->work);
    if (p->spec->partition == ZB_PARTITION_SCOPE)
        TRY(best_packing(&k, p->work, p));
    else {
        TRY(pack(&k, p->work, false, p->group));
        p->groups = k.bins;
    }
done:
    clear_members(&k);
    for (int b = 0; b < k.room; b++)
        zb_free(k.bin[b].var);
    zb_free(k.bin);
    zb_free(k.open);
    zb_free(k.link);
    return status;
}
