/* Weights and shifts of a split bucket are tables over the variables that all of its
 * mini-buckets contain: the more of these, the tighter the bound can be made.
 *
 * A mini-bucket that lacks a variable u of another one can take it in if some clique on
 * its message's way up contains u anyway: it is added to all cliques up to that one. No
 * message goes elsewhere for it, and nothing is split otherwise. As long as weights and
 * shifts do not depend on u the messages are constant along it, so that the bound
 * starts where it was. Cliques grow up to the ibound, and not beyond the largest that
 * there is, but for what room the spec gives. */
#include "tree/shared.h"

#include "base/explog.h"
#include "tree/scope.h"

#include <string.h>

/* ---- what is shared -------------------------------------------------------------- */

static bool contains(const zb_tree *t, int node, int var)
{
    const int *clique = zb_tree_clique(t, node);
    for (int i = 0; i < t->node[node].nclique; i++)
        if (clique[i] == var)
            return true;
    return false;
}

static void find_in(zb_tree *t, zb_bucket *b, size_t *used)
{
    const int *first = zb_tree_clique(t, b->first);
    for (int i = 1; i < t->node[b->first].nclique; i++) {
        bool all = true;
        for (int m = 1; m < b->count && all; m++)
            all = contains(t, b->first + m, first[i]);
        if (all) {
            t->shared[(*used)++] = first[i];
            b->nshared++;
            b->shared_size *= (size_t)t->card[first[i]];
        }
    }
}

zb_status zb_shared_find(zb_tree *t)
{
    size_t most = 0, used = 0;
    for (int v = 0; v < t->nvars; v++)
        if (t->bucket[v].count > 1)
            most += (size_t)t->node[t->bucket[v].first].nclique;
    t->shared = zb_alloc(most, sizeof *t->shared);
    if (t->shared == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < t->nvars; v++) {
        zb_bucket *b = &t->bucket[v];
        b->shared_at = used;
        b->nshared = 0;
        b->shared_size = 1;
        if (b->count > 1)
            find_in(t, b, &used);
    }
    return ZB_OK;
}

double zb_shared_loss(const zb_tree *t)
{
    double loss = 0;
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        if (b->count > 1)
            loss += (b->count - 1) / (double)b->shared_size;
    }
    return loss;
}

/* ---- cliques that take in more --------------------------------------------------- */

typedef struct guest { /* a variable that a clique takes in */
    int var, next;     /* of the same clique; -1: none */
} guest;

typedef struct host { /* a clique */
    int guest;        /* the first, -1: none */
    int count;        /* variables, guests included */
    double entries;
} host;

typedef struct extender {
    zb_tree *t;
    double most; /* entries of a clique */
    host *host;  /* per node */
    guest *guest;
    size_t guests, room;
    int *seen, mark; /* per variable: in the bucket at hand, */
    int *having;     /* this many of its mini-buckets contain it */
    int *candidate;
    size_t candidate_room;
    double shifts; /* of a mini-bucket of the bucket at hand */
    zb_ticker *tick;
} extender;

static bool has(const extender *e, int node, int var)
{
    for (int i = e->host[node].guest; i >= 0; i = e->guest[i].next)
        if (e->guest[i].var == var)
            return true;
    return contains(e->t, node, var);
}

/* There is room on the whole way to a clique that has it. */
static bool can_take(extender *e, int node, int var)
{
    for (; node >= 0; node = e->t->node[node].parent) {
        const host *h = &e->host[node];
        zb_tick(e->tick, 2.0 * h->count);
        if (has(e, node, var))
            return true;
        if (h->count >= e->t->ibound || h->entries * e->t->card[var] > e->most)
            return false;
    }
    return false;
}

static zb_status take(extender *e, int node, int var)
{
    for (; !has(e, node, var); node = e->t->node[node].parent) {
        host *h = &e->host[node];
        if (e->guests >= INT32_MAX)
            return ZB_ELIMIT;
        if (!ZB_RESERVE(e->guest, &e->room, e->guests, e->guests + 1))
            return ZB_ENOMEM;
        e->guest[e->guests] = (guest){ var, h->guest };
        h->guest = (int)e->guests++;
        h->count++;
        h->entries *= e->t->card[var];
    }
    return ZB_OK;
}

static void note_candidate(extender *e, int var, int *count)
{
    if (e->seen[var] != e->mark) {
        e->seen[var] = e->mark;
        e->having[var] = 0;
        e->candidate[(*count)++] = var;
    }
    e->having[var]++;
}

/* The variables of the bucket's mini-buckets, each once. */
static zb_status find_candidates(extender *e, const zb_bucket *b, int *count)
{
    size_t all = 0;
    *count = 0;
    e->mark++;
    for (int m = b->first; m < b->first + b->count; m++)
        all += (size_t)e->host[m].count;
    if (!ZB_RESERVE(e->candidate, &e->candidate_room, 0, all))
        return ZB_ENOMEM;
    for (int m = b->first; m < b->first + b->count; m++) {
        const int *clique = zb_tree_clique(e->t, m);
        for (int i = 1; i < e->t->node[m].nclique; i++)
            note_candidate(e, clique[i], count);
        for (int i = e->host[m].guest; i >= 0; i = e->guest[i].next)
            note_candidate(e, e->guest[i].var, count);
    }
    return zb_tick(e->tick, 20 + 4.0 * (double)all) ? ZB_OK : ZB_ELIMIT;
}

/* Shifts are dearer to move than entries are to sum, and passes can be stopped on their
   way, which moves cannot. */
static bool is_worth(const extender *e, const zb_bucket *b, int var)
{
    const double share = 1.0 / 8, most = 4096;
    double least = INFINITY, card = e->t->card[var];
    for (int m = b->first; m < b->first + b->count; m++)
        least = fmin(least, e->host[m].entries * (has(e, m, var) ? 1 : card));
    return e->shifts * card <= fmin(most, share * least);
}

static zb_status offer(extender *e, const zb_bucket *b, int var)
{
    bool all = is_worth(e, b, var);
    zb_status status = ZB_OK;
    for (int m = b->first; m < b->first + b->count && all; m++)
        all = can_take(e, m, var);
    for (int m = b->first; m < b->first + b->count && all; m++)
        TRY(take(e, m, var));
    e->shifts *= all ? e->t->card[var] : 1;
done:
    return status;
}

/* What most mini-buckets contain comes first. */
static zb_status extend_bucket(extender *e, const zb_bucket *b)
{
    int count;
    zb_status status;
    TRY(find_candidates(e, b, &count));
    e->shifts = e->t->card[e->t->node[b->first].var];
    for (int i = 0; i < count; i++)
        if (e->having[e->candidate[i]] == b->count)
            e->shifts *= e->t->card[e->candidate[i]];
    for (int having = b->count - 1; having > 0; having--)
        for (int i = 0; i < count; i++)
            if (e->having[e->candidate[i]] == having)
                TRY(offer(e, b, e->candidate[i]));
    TRY(e->tick->over ? ZB_ELIMIT : ZB_OK);
done:
    return status;
}

/* The cliques with their guests, sorted, in a pool of their own. */
static zb_status settle(extender *e)
{
    zb_tree *t = e->t;
    size_t all = 0, at = 0;
    for (int k = 0; k < t->nnodes; k++)
        all += (size_t)e->host[k].count;
    int *pool = zb_alloc(all, sizeof *pool);
    if (pool == NULL)
        return ZB_ENOMEM;
    t->entries = 0;
    for (int k = 0; k < t->nnodes; k++) {
        zb_node *n = &t->node[k];
        const host *h = &e->host[k];
        int *clique = pool + at;
        memcpy(clique, zb_tree_clique(t, k), (size_t)n->nclique * sizeof *clique);
        for (int i = h->guest; i >= 0; i = e->guest[i].next) {
            clique[n->nclique++] = e->guest[i].var;
            n->sep_size *= (size_t)t->card[e->guest[i].var];
        }
        if (h->guest >= 0)
            zb_scope_sort(n->nclique, clique, t->pos);
        n->clique_at = at;
        at += (size_t)n->nclique;
        t->entries += h->entries;
        t->largest = fmax(t->largest, h->entries);
        t->width = zb_max_int(t->width, n->nclique - 1);
    }
    zb_free(t->clique);
    t->clique = pool;
    return ZB_OK;
}

static zb_status open(extender *e)
{
    const zb_tree *t = e->t;
    size_t nodes = (size_t)t->nnodes, n = (size_t)t->nvars;
    e->host = zb_alloc(nodes, sizeof *e->host);
    e->seen = zb_calloc(n, sizeof *e->seen);
    e->having = zb_calloc(n, sizeof *e->having);
    if (!e->host || !e->seen || !e->having)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++)
        e->host[k] = (host){ .guest = -1,
                             .count = t->node[k].nclique,
                             .entries = (double)t->node[k].sep_size *
                                        (double)zb_tree_states(t, k) };
    return zb_tick(e->tick, 10.0 * (double)(nodes + n)) ? ZB_OK : ZB_ELIMIT;
}

/* From the last bucket to the first: what is above is settled when its turn comes. */
zb_status zb_shared_extend(zb_tree *t, const zb_split_spec *spec, zb_ticker *tick,
                           size_t *bytes)
{
    double most = t->largest;
    if (spec->max_entries > 0)
        most = fmin(most, spec->max_entries);
    extender e = { .t = t, .most = most * zb_exp2(spec->room), .tick = tick };
    zb_status status = ZB_OK;
    *bytes = 0;
    if (t->splits == 0)
        return ZB_OK;
    t->ibound += spec->room;
    TRY(open(&e));
    for (int v = t->nvars - 1; v >= 0; v--)
        if (t->bucket[v].count > 1)
            TRY(extend_bucket(&e, &t->bucket[v]));
    TRY(settle(&e));
    *bytes = (size_t)t->nnodes * sizeof *e.host +
             (e.guests + 2 * e.room) * sizeof *e.guest +
             (2 * (size_t)t->nvars + e.candidate_room) * sizeof(int);
done:
    zb_free(e.host);
    zb_free(e.seen);
    zb_free(e.having);
    zb_free(e.guest);
    zb_free(e.candidate);
    return status;
}
