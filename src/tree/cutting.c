/* Where a tree is cut.
 *
 * Buckets form a forest: the one above a bucket is where the message of its first
 * mini-bucket goes. Stretches of equal weight in a postorder of it are whole subtrees
 * but for a path at each end, so that few messages cross, and most nodes of a part wait
 * for no other. */
#include "tree/part.h"

#include <string.h>

static double weight_of(const zb_tree *t, int bucket)
{
    const zb_bucket *b = &t->bucket[bucket];
    double sum = 0;
    for (int k = b->first; k < b->first + b->count; k++)
        sum += 64 + (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
    return sum;
}

typedef struct forest {
    int *up, *child, *sibling; /* per bucket; -1: none */
    int *stack;
    int *sequence;
} forest;

static void plant(const zb_tree *t, forest *f)
{
    for (int v = 0; v < t->nvars; v++)
        f->up[v] = f->child[v] = f->sibling[v] = -1;
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        int above = b->count > 0 ? t->node[b->first].parent : -1;
        if (above < 0)
            continue;
        f->up[v] = t->node[above].bucket;
        f->sibling[v] = f->child[f->up[v]];
        f->child[f->up[v]] = v;
    }
}

/* From the last root downwards, backwards: children come before their parents. */
static void make_sequence(const zb_tree *t, forest *f)
{
    int at = t->nvars;
    plant(t, f);
    for (int root = t->nvars - 1; root >= 0; root--) {
        int depth = 0;
        if (f->up[root] >= 0)
            continue;
        f->stack[depth++] = root;
        while (depth > 0) {
            int v = f->stack[--depth];
            f->sequence[--at] = v;
            for (int c = f->child[v]; c >= 0; c = f->sibling[c])
                f->stack[depth++] = c;
        }
    }
}

static void choose_owners(zb_cutting *c, const int *sequence)
{
    double total = 0, sum = 0;
    for (int v = 0; v < c->tree->nvars; v++)
        total += weight_of(c->tree, v);
    for (int i = 0; i < c->tree->nvars; i++) {
        double half = weight_of(c->tree, sequence[i]) / 2; /* its middle decides */
        int part = total > 0 ? (int)((sum + half) / total * c->parts) : 0;
        c->owner[sequence[i]] = zb_min_int(part, c->parts - 1);
        sum += 2 * half;
    }
}

void zb_tree_find_exact(const zb_tree *t, bool *exact)
{
    for (int k = 0; k < t->nnodes; k++) {
        exact[k] = !zb_tree_is_split(t, k);
        for (int i = 0; i < t->node[k].ninput && exact[k]; i++) {
            int in = zb_tree_input(t, k)[i];
            exact[k] = in >= 0 || exact[-1 - in];
        }
    }
}

static void choose_slots(zb_cutting *c)
{
    const zb_tree *t = c->tree;
    for (int k = 0; k < t->nnodes; k++) {
        int up = t->node[k].parent;
        if (up < 0 || zb_cutting_owner(c, k) == zb_cutting_owner(c, up))
            continue;
        c->in_slot[k] = c->nin[zb_cutting_owner(c, up)]++;
        c->out_at[k] = c->nout[zb_cutting_owner(c, k)]++;
        c->crossing += (double)t->node[k].sep_size;
    }
}

zb_status zb_cutting_new(zb_cutting **out, const zb_tree *tree, int parts,
                         const bool *top)
{
    size_t nv = (size_t)tree->nvars, nn = (size_t)tree->nnodes, np = (size_t)parts;
    zb_cutting *c = zb_calloc(1, sizeof *c);
    int *room = zb_alloc(5 * nv, sizeof *room);
    zb_status status;
    *out = NULL;
    TRY(c != NULL && room != NULL ? ZB_OK : ZB_ENOMEM);
    forest f = { room, room + nv, room + 2 * nv, room + 3 * nv, room + 4 * nv };
    *c = (zb_cutting){ .tree = tree,
                       .top = top,
                       .parts = parts,
                       .owner = zb_calloc(nv, sizeof *c->owner),
                       .in_slot = zb_calloc(nn, sizeof *c->in_slot),
                       .out_at = zb_calloc(nn, sizeof *c->out_at),
                       .nin = zb_calloc(np, sizeof *c->nin),
                       .nout = zb_calloc(np, sizeof *c->nout),
                       .exact = zb_alloc(nn, sizeof *c->exact) };
    TRY(c->owner && c->in_slot && c->out_at && c->nin && c->nout && c->exact
            ? ZB_OK
            : ZB_ENOMEM);
    zb_tree_find_exact(tree, c->exact);
    make_sequence(tree, &f);
    choose_owners(c, f.sequence);
    choose_slots(c);
    *out = c, c = NULL;
done:
    zb_free(room);
    zb_cutting_free(c);
    return status;
}

void zb_cutting_free(zb_cutting *c)
{
    if (c == NULL)
        return;
    zb_free(c->owner);
    zb_free(c->in_slot);
    zb_free(c->out_at);
    zb_free(c->nin);
    zb_free(c->nout);
    zb_free(c->exact);
    zb_free(c);
}
