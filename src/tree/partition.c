/* Greedy packings of a bucket. All begin with the items sorted by scope size, largest
 * first (stable); they differ in which of the mini-buckets that can take an item gets
 * it. */
#include "tree/partition.h"

#include <stdlib.h>
#include <string.h>

typedef struct bin {
    int *var; /* joint scope, by elimination position */
    int count, room;
    double entries;
} bin;

typedef struct packer {
    const zb_packing *p;
    bin *bin;
    int bins, room;
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

/* Merge the item's scope into the bin's, from the back. */
static bool put(const packer *k, bin *b, int item, int added, double entries)
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
        else
            b->var[at--] = s[j--];
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
    k->bins++;
    return true;
}

/* Place items in the given sequence; best: into the bin that grows least, not the
 * first. */
static zb_status pack(packer *k, const int *sequence, bool best, int *group)
{
    k->bins = 0;
    for (int n = 0; n < k->p->count; n++) {
        int item = sequence[n], choice = -1, choice_added = 0;
        double entries, choice_entries = 1;
        for (int b = 0; b < k->bins && (choice < 0 || best); b++) {
            int added = growth(k, &k->bin[b], item, &entries);
            if (fits(k, &k->bin[b], added, entries) &&
                (choice < 0 || entries < choice_entries)) {
                choice = b;
                choice_added = added;
                choice_entries = entries;
            }
        }
        if (choice < 0) {
            choice = k->bins;
            if (!new_bin(k))
                return ZB_ENOMEM;
            choice_added = growth(k, &k->bin[choice], item, &choice_entries);
        }
        if (!put(k, &k->bin[choice], item, choice_added, choice_entries))
            return ZB_ENOMEM;
        group[item] = choice;
    }
    return ZB_OK;
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
    zb_status status = ZB_OK;
    sort_items(p, p->work);
    if (p->spec->partition == ZB_PARTITION_SCOPE)
        TRY(best_packing(&k, p->work, p));
    else {
        TRY(pack(&k, p->work, false, p->group));
        p->groups = k.bins;
    }
done:
    for (int b = 0; b < k.room; b++)
        zb_free(k.bin[b].var);
    zb_free(k.bin);
    return status;
}
