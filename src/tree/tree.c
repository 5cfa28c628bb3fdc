/* Symbolic mini-bucket elimination. Work is proportional to the sizes of the cliques.
 */
#include "tree/tree.h"

#include "tree/join.h"
#include "tree/scope.h"
#include "tree/shared.h"

#include <stdlib.h>
#include <string.h>

/* An item is a factor (id < nfactors) or a message (nfactors + node). */
typedef struct builder {
    zb_tree *t;
    const zb_split_spec *spec;
    int *head, *tail, *next; /* items by bucket, in order of arrival */
    size_t item_room;        /* length of next */
    size_t node_room, clique_room, input_room, clique_used, input_used;
    size_t extended; /* bytes that were taken to let cliques share more */
    /* scratch for one bucket */
    int *item, *group, *work;
    zb_packer packer;
    zb_pack_item *pack;
    size_t bucket_room;
    /* the same, where small inputs are joined */
    zb_join_item *part;
    int *rank, *stamp, mark;
    bool *chosen;
    zb_ticker tick;
} builder;

static const int *item_scope(const zb_tree *t, int item, int *arity)
{
    if (item < t->nfactors) {
        *arity = (int)(t->scope_at[item + 1] - t->scope_at[item]);
        return t->scope + t->scope_at[item];
    }
    const int *scope;
    *arity = zb_tree_message(t, item - t->nfactors, &scope);
    return scope;
}

static bool append_item(builder *b, int bucket, int item)
{
    if (!ZB_RESERVE(b->next, &b->item_room, b->item_room, (size_t)item + 1))
        return false;
    b->next[item] = -1;
    if (b->head[bucket] < 0)
        b->head[bucket] = item;
    else
        b->next[b->tail[bucket]] = item;
    b->tail[bucket] = item;
    return true;
}

static zb_status place_factors(builder *b, const zb_scopes *s)
{
    zb_tree *t = b->t;
    t->scope_at[0] = 0;
    t->ibound = b->spec->ibound > 1 ? b->spec->ibound : 1;
    for (int f = 0; f < s->count; f++) {
        int arity = 0, *scope = t->scope + t->scope_at[f];
        for (int i = 0; i < zb_scopes_arity(s, f); i++)
            if (!b->spec->drop_single || s->card[zb_scopes_of(s, f)[i]] > 1)
                scope[arity++] = zb_scopes_of(s, f)[i];
        zb_scope_sort(arity, scope, t->pos);
        t->scope_at[f + 1] = t->scope_at[f] + (size_t)arity;
        t->factor_node[f] = -1;
        t->ibound = arity > t->ibound ? arity : t->ibound;
        if (arity > 0 && !append_item(b, t->pos[scope[0]], f))
            return ZB_ENOMEM;
        if (!zb_tick(&b->tick, 50 + 20.0 * arity))
            return ZB_ELIMIT;
    }
    return ZB_OK;
}

static bool join_room(builder *b, size_t room)
{
    zb_free(b->part), b->part = zb_alloc(room, sizeof *b->part);
    zb_free(b->rank), b->rank = zb_alloc(room, sizeof *b->rank);
    zb_free(b->chosen), b->chosen = zb_alloc(room, sizeof *b->chosen);
    if (b->stamp == NULL)
        b->stamp = zb_calloc((size_t)b->t->nvars, sizeof *b->stamp);
    return b->part && b->rank && b->chosen && b->stamp;
}

static zb_status collect_bucket(builder *b, int bucket, int *count)
{
    int n = 0;
    for (int item = b->head[bucket]; item >= 0; item = b->next[item])
        n++;
    *count = n;
    if ((size_t)n > b->bucket_room) {
        size_t room = 2 * (size_t)n;
        zb_free(b->item), b->item = zb_alloc(room, sizeof *b->item);
        zb_free(b->group), b->group = zb_alloc(room, sizeof *b->group);
        zb_free(b->work), b->work = zb_alloc(2 * room + 1, sizeof *b->work);
        zb_free(b->pack), b->pack = zb_alloc(room, sizeof *b->pack);
        b->bucket_room = room;
        if (!b->item || !b->group || !b->work || !b->pack)
            return ZB_ENOMEM;
        if (b->spec->join && !join_room(b, room))
            return ZB_ENOMEM;
    }
    n = 0;
    for (int item = b->head[bucket]; item >= 0; item = b->next[item], n++) {
        b->item[n] = item;
        b->pack[n].id = n;
        b->pack[n].scope = item_scope(b->t, item, &b->pack[n].arity);
    }
    return ZB_OK;
}

static zb_status finish_node(builder *b, zb_node *n, int id)
{
    zb_tree *t = b->t;
    const int *clique = t->clique + n->clique_at;
    bool sums = n->var >= 0; /* else it is a product, and a part of another node */
    double entries = (double)zb_tree_states(t, id);
    size_t size = 1;
    for (int i = sums; i < n->nclique; i++) {
        if (!zb_size_mul(size, (size_t)t->card[clique[i]], &size))
            return ZB_ELIMIT;
        entries *= t->card[clique[i]];
    }
    if (entries > 0x1p58)
        return ZB_ELIMIT;
    n->sep_size = size;
    n->parent = -1;
    if (!sums)
        return ZB_OK;
    t->entries += entries;
    t->largest = entries > t->largest ? entries : t->largest;
    t->width = n->nclique - 1 > t->width ? n->nclique - 1 : t->width;
    if (n->nclique > 1 && !append_item(b, t->pos[clique[1]], t->nfactors + id))
        return ZB_ENOMEM;
    return ZB_OK;
}

/* The items of group g become work[start[g]] .. work[start[g + 1] - 1], in their order;
   returns start. */
static const int *sort_by_group(builder *b, int count, int groups)
{
    int *sequence = b->work, *start = sequence + count;
    for (int g = 0; g <= groups; g++)
        start[g] = 0;
    for (int i = 0; i < count; i++)
        start[b->group[i]]++;
    for (int g = 1; g <= groups; g++)
        start[g] += start[g - 1];
    for (int i = count - 1; i >= 0; i--)
        sequence[--start[b->group[i]]] = i;
    return start;
}

/* Create the node of a mini-bucket from collected items; var is the bucket's variable
   or -1 for a product. */
static zb_status add_node(builder *b, int bucket, int var, int count, const int *list)
{
    zb_tree *t = b->t;
    size_t inputs = (size_t)count, vars = 0;
    for (int i = 0, arity; i < count; i++) {
        item_scope(t, b->item[list[i]], &arity);
        vars += (size_t)arity;
    }
    if (!zb_tick(&b->tick, 100 + 20.0 * (double)vars))
        return ZB_ELIMIT;
    if (!ZB_RESERVE(t->node, &b->node_room, (size_t)t->nnodes, (size_t)t->nnodes + 1) ||
        !ZB_RESERVE(t->clique, &b->clique_room, b->clique_used,
                    b->clique_used + vars) ||
        !ZB_RESERVE(t->input, &b->input_room, b->input_used, b->input_used + inputs))
        return ZB_ENOMEM;
    int id = t->nnodes++;
    zb_node *n = &t->node[id];
    *n = (zb_node){ .var = var,
                    .bucket = bucket,
                    .clique_at = b->clique_used,
                    .input_at = b->input_used };
    for (int i = 0; i < count; i++) {
        int item = b->item[list[i]], arity;
        const int *scope = item_scope(t, item, &arity); /* the pool may have moved */
        zb_scope_merge(t->pos, t->clique + n->clique_at, &n->nclique, scope, arity);
        if (item < t->nfactors)
            t->factor_node[item] = id;
        else
            t->node[item - t->nfactors].parent = id;
        t->input[b->input_used++] =
            item < t->nfactors ? item : -1 - (item - t->nfactors);
        n->ninput++;
    }
    b->clique_used += (size_t)n->nclique;
    return finish_node(b, n, id);
}

/* Describe the items to zb_join_choose; returns the entries of their clique. */
static double measure_items(builder *b, int count)
{
    const zb_tree *t = b->t;
    double clique = 1;
    int mark = ++b->mark;
    for (int i = 0; i < count; i++) {
        zb_join_item *p = &b->part[i];
        *p = (zb_join_item){ b->pack[i].scope, b->pack[i].arity, 1 };
        for (int j = 0; j < p->arity; j++) {
            int v = p->scope[j];
            p->size *= t->card[v];
            clique *= b->stamp[v] == mark ? 1 : t->card[v];
            b->stamp[v] = mark;
        }
    }
    return clique;
}

/* Items of an unsplit bucket that are multiplied first become a node, and its message
   takes their place. */
static zb_status join_small(builder *b, int bucket, int *count)
{
    zb_join join = { .card = b->t->card,
                     .clique = measure_items(b, *count),
                     .count = *count,
                     .item = b->part,
                     .stamp = b->stamp,
                     .mark = ++b->mark,
                     .rank = b->rank,
                     .chosen = b->chosen };
    int rest = 0, joint = 0;
    zb_status status = ZB_OK;
    if (zb_join_choose(&join) == 0)
        return ZB_OK;
    for (int i = 0; i < *count; i++)
        if (b->chosen[i])
            b->work[joint++] = i;
    TRY(add_node(b, bucket, -1, joint, b->work));
    for (int i = 0; i < *count; i++)
        if (!b->chosen[i])
            b->item[rest++] = b->item[i];
    b->item[rest] = b->t->nfactors + b->t->nnodes - 1;
    *count = rest + 1;
    for (int i = 0; i < *count; i++)
        b->work[i] = i;
done:
    return status;
}

/* Mini-buckets of the bucket's items into b->group. */
static zb_status divide_bucket(builder *b, int bucket, int count, int *groups)
{
    const zb_tree *t = b->t;
    zb_packer *packer = &b->packer;
    *groups = 1;
    if (t->ibound >= t->nvars && b->spec->max_entries <= 0) { /* nothing is too large */
        memset(b->group, 0, (size_t)count * sizeof *b->group);
        return ZB_OK;
    }
    zb_status status =
        zb_packer_divide(packer, b->spec->partition, t->order[bucket], count, b->pack);
    for (int i = 0; i < count && status == ZB_OK; i++)
        b->group[b->pack[i].id] = b->pack[i].bin;
    *groups = packer->bins;
    return status;
}

static zb_status eliminate(builder *b, int bucket)
{
    zb_tree *t = b->t;
    zb_bucket *k = &t->bucket[bucket];
    zb_status status;
    int count, groups;

    *k = (zb_bucket){ .first = t->nnodes, .shared_size = 1 };
    TRY(collect_bucket(b, bucket, &count));
    if (count == 0)
        return ZB_OK;
    TRY(divide_bucket(b, bucket, count, &groups));
    const int *start = sort_by_group(b, count, groups);
    if (groups == 1 && b->spec->join) {
        TRY(join_small(b, bucket, &count));
        k->first = t->nnodes;
        TRY(add_node(b, bucket, t->order[bucket], count, b->work));
    } else
        for (int g = 0; g < groups; g++)
            TRY(add_node(b, bucket, t->order[bucket], start[g + 1] - start[g],
                         b->work + start[g]));
    k->count = groups;
    t->splits += groups - 1;
done:
    return status;
}

/* What a tree without splits takes at least, at once. */
static zb_status reserve_first(builder *b, const zb_scopes *s)
{
    zb_tree *t = b->t;
    size_t n = (size_t)s->nvars, items = n + (size_t)s->count;
    b->item_room = b->input_room = items;
    b->node_room = n;
    b->clique_room = 2 * s->at[s->count];
    b->next = zb_alloc(b->item_room, sizeof *b->next);
    t->input = zb_alloc(b->input_room, sizeof *t->input);
    t->node = zb_alloc(b->node_room, sizeof *t->node);
    t->clique = zb_alloc(b->clique_room, sizeof *t->clique);
    if (!b->next || !t->input || !t->node || !t->clique)
        return ZB_ENOMEM;
    zb_status status = zb_packer_init(&b->packer, s->nvars, t->card, &b->tick);
    b->packer.max_entries = b->spec->max_entries;
    return status;
}

static zb_status allocate(builder *b, const zb_scopes *s, const int *order)
{
    zb_tree *t = b->t;
    size_t n = (size_t)s->nvars;
    t->nvars = s->nvars;
    t->nfactors = s->count;
    t->order = zb_alloc(n, sizeof *t->order);
    t->pos = zb_alloc(n, sizeof *t->pos);
    t->card = zb_alloc(n, sizeof *t->card);
    t->bucket = zb_calloc(n, sizeof *t->bucket);
    t->factor_node = zb_alloc((size_t)s->count, sizeof *t->factor_node);
    t->scope_at = zb_alloc((size_t)s->count + 1, sizeof *t->scope_at);
    t->scope = zb_alloc(s->at[s->count], sizeof *t->scope);
    b->head = zb_alloc(n, sizeof *b->head);
    b->tail = zb_alloc(n, sizeof *b->tail);
    if (!t->order || !t->pos || !t->card || !t->bucket || !t->factor_node ||
        !t->scope_at || !t->scope || !b->head || !b->tail)
        return ZB_ENOMEM;
    for (int i = 0; i < s->nvars; i++) {
        t->order[i] = order[i];
        t->pos[order[i]] = i;
        t->card[i] = s->card[i];
        b->head[i] = -1;
    }
    return zb_tick(&b->tick, 50.0 * s->nvars) ? reserve_first(b, s) : ZB_ELIMIT;
}

static zb_status check_order(int n, const int *order)
{
    bool *seen = zb_calloc((size_t)n, sizeof *seen);
    zb_status status = seen != NULL ? ZB_OK : ZB_ENOMEM;
    for (int i = 0; i < n && status == ZB_OK; i++) {
        if (order[i] < 0 || order[i] >= n || seen[order[i]])
            status = ZB_EINVAL;
        else
            seen[order[i]] = true;
    }
    zb_free(seen);
    return status;
}

static size_t bytes_of(const builder *b, const zb_scopes *s)
{
    const zb_tree *t = b->t;
    size_t vars = (size_t)s->nvars, factors = (size_t)s->count;
    return sizeof *t + vars * (3 * sizeof *t->pos + sizeof *t->bucket) +
           vars * 7 * sizeof(int) + /* what is only needed on the way */
           factors * (sizeof *t->factor_node + sizeof *t->scope_at) +
           (s->at[factors] + 2 * b->clique_room + b->input_room + b->item_room +
            16 * b->bucket_room) *
               sizeof(int) +
           b->node_room * sizeof *t->node + b->extended;
}

zb_status zb_tree_new(zb_tree **out, const zb_scopes *scopes, const int *order,
                      const zb_split_spec *spec)
{
    builder b = { .spec = spec, .tick = { .run = spec->run } };
    zb_status status;

    *out = NULL;
    TRY(check_order(scopes->nvars, order));
    b.t = zb_calloc(1, sizeof *b.t);
    TRY(b.t != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(allocate(&b, scopes, order));
    TRY(place_factors(&b, scopes));
    b.packer.ibound = b.t->ibound;
    for (int i = 0; i < scopes->nvars; i++)
        TRY(eliminate(&b, i));
    if (spec->extend)
        TRY(zb_shared_extend(b.t, spec, &b.tick, &b.extended));
    TRY(zb_shared_find(b.t));
    b.t->bytes = bytes_of(&b, scopes);
    *out = b.t, b.t = NULL;
done:
    zb_free(b.head);
    zb_free(b.tail);
    zb_packer_clear(&b.packer);
    zb_free(b.next);
    zb_free(b.item);
    zb_free(b.group);
    zb_free(b.work);
    zb_free(b.pack);
    zb_free(b.part);
    zb_free(b.rank);
    zb_free(b.chosen);
    zb_free(b.stamp);
    zb_tree_free(b.t);
    return status;
}

void zb_tree_free(zb_tree *tree)
{
    if (tree == NULL)
        return;
    zb_free(tree->order);
    zb_free(tree->pos);
    zb_free(tree->card);
    zb_free(tree->node);
    zb_free(tree->clique);
    zb_free(tree->input);
    zb_free(tree->bucket);
    zb_free(tree->shared);
    zb_free(tree->factor_node);
    zb_free(tree->scope_at);
    zb_free(tree->scope);
    zb_free(tree);
}
