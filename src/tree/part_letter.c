/* A part in a letter: its arrays as they are. */
#include "tree/part.h"

#include <string.h>

typedef struct array {
    void **at;
    size_t size, count; /* bytes of one; how many */
} array;

enum { ARRAYS = 16 };

/* All arrays of a part, whose counts are known. */
static void list_arrays(zb_part *p, const uint64_t *count, array *a)
{
    zb_tree *t = p->tree;
    size_t nv = (size_t)t->nvars, nn = (size_t)t->nnodes, nf = (size_t)t->nfactors,
           in = (size_t)p->nin, out = (size_t)p->nout;
    array all[ARRAYS] = {
        { (void **)&t->order, sizeof *t->order, nv },
        { (void **)&t->pos, sizeof *t->pos, nv },
        { (void **)&t->card, sizeof *t->card, nv },
        { (void **)&t->bucket, sizeof *t->bucket, nv },
        { (void **)&t->node, sizeof *t->node, nn + out },
        { (void **)&t->clique, sizeof *t->clique, count[0] },
        { (void **)&t->input, sizeof *t->input, count[1] },
        { (void **)&t->shared, sizeof *t->shared, count[2] },
        { (void **)&t->factor_node, sizeof *t->factor_node, nf },
        { (void **)&t->scope_at, sizeof *t->scope_at, nf + 1 },
        { (void **)&t->scope, sizeof *t->scope, count[3] },
        { (void **)&p->in, sizeof *p->in, in },
        { (void **)&p->out, sizeof *p->out, out },
        { (void **)&p->node_id, sizeof *p->node_id, nn },
        { (void **)&p->factor_id, sizeof *p->factor_id, (size_t)p->nfactors },
        { (void **)&p->top, sizeof *p->top, nn },
    };
    memcpy(a, all, sizeof all);
}

static void count_arrays(const zb_tree *t, uint64_t *count)
{
    memset(count, 0, 4 * sizeof *count);
    for (int k = 0; k < t->nnodes; k++) {
        count[0] += (uint64_t)t->node[k].nclique;
        count[1] += (uint64_t)t->node[k].ninput;
    }
    for (int v = 0; v < t->nvars; v++)
        count[2] += (uint64_t)t->bucket[v].nshared;
    count[3] = t->scope_at[t->nfactors];
}

void zb_letter_put_part(zb_letter *l, const zb_part *p)
{
    zb_part copy = *p;
    uint64_t count[4];
    array a[ARRAYS];
    count_arrays(p->tree, count);
    list_arrays(&copy, count, a);
    zb_letter_put(l, p->tree, sizeof *p->tree);
    zb_letter_put(l, p, sizeof *p);
    zb_letter_put(l, count, sizeof count);
    for (int i = 0; i < ARRAYS; i++)
        zb_letter_put(l, *a[i].at, a[i].count * a[i].size);
}

/* What the letter says of sizes, without where the sender had it. */
static zb_status take_sizes(zb_letter *l, zb_part *p, uint64_t *count)
{
    zb_tree tree;
    zb_part part;
    zb_letter_take(l, &tree, sizeof tree);
    zb_letter_take(l, &part, sizeof part);
    zb_letter_take(l, count, 4 * sizeof *count);
    if (l->bad || tree.nvars < 0 || tree.nnodes < 0 || tree.nfactors < 0 ||
        part.nfactors < 0 || part.nin < 0 || part.nout < 0 ||
        tree.nfactors != part.nfactors + part.nin)
        return ZB_EINVAL;
    *p->tree = (zb_tree){ .nvars = tree.nvars,
                          .nfactors = tree.nfactors,
                          .nnodes = tree.nnodes,
                          .ibound = tree.ibound,
                          .splits = tree.splits,
                          .entries = tree.entries,
                          .largest = tree.largest,
                          .width = tree.width };
    p->nfactors = part.nfactors;
    p->nin = part.nin;
    p->nout = part.nout;
    return ZB_OK;
}

zb_status zb_letter_take_part(zb_letter *l, zb_part **out)
{
    zb_part *p = zb_calloc(1, sizeof *p);
    uint64_t count[4];
    array a[ARRAYS];
    zb_status status;
    *out = NULL;
    TRY(p != NULL && (p->tree = zb_calloc(1, sizeof *p->tree)) ? ZB_OK : ZB_ENOMEM);
    TRY(take_sizes(l, p, count));
    list_arrays(p, count, a);
    for (int i = 0; i < ARRAYS; i++) {
        TRY(a[i].count <= (l->size - l->at) / a[i].size ? ZB_OK : ZB_EINVAL);
        *a[i].at = zb_alloc(a[i].count, a[i].size);
        TRY(*a[i].at != NULL ? ZB_OK : ZB_ENOMEM);
        zb_letter_take(l, *a[i].at, a[i].count * a[i].size);
    }
    TRY(!l->bad ? ZB_OK : ZB_EINVAL);
    *out = p, p = NULL;
done:
    zb_part_free(p);
    return status;
}
