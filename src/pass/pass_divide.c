/* How the nodes of a tree are divided among threads. Nothing here depends on how many
 * there are, so that they change no bit. */
#include "pass/pass_state.h"

#include <omp.h>
#include <string.h>

static const double PARALLEL_ENTRIES = 4e6; /* clique entries: about ten milliseconds */

/* Clique entries from which on a node at the top of the tree is divided: a tenth of a
   millisecond. */
static const size_t DIVIDE_ENTRIES = 32768;

int zb_pass_worker_count(const zb_tree *tree, const zb_pass_spec *spec)
{
    int n = spec->threads > 0 ? spec->threads : omp_get_max_threads();
    if (tree->entries < (spec->divide > 0 ? (double)spec->divide : PARALLEL_ENTRIES))
        return 1; /* waking threads would cost more than it gains */
    return zb_max_int(1, zb_min_int(n, 64));
}

/* Work of every node's subtree. */
static double *subtree_costs(const zb_tree *t)
{
    double *cost = zb_alloc((size_t)t->nnodes, sizeof *cost);
    for (int k = 0; k < t->nnodes && cost != NULL; k++)
        cost[k] = 64 + (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
    for (int k = 0; k < t->nnodes && cost != NULL; k++)
        if (t->node[k].parent >= 0)
            cost[t->node[k].parent] += cost[k];
    return cost;
}

/* Cut the schedule into independent pieces of at most so much work each (whole
   subtrees; a few small ones in a row make one); what is above them is the top. */
static void cut(zb_pass *p, const double *cost, double most)
{
    const zb_tree *t = p->tree;
    double held = INFINITY; /* by the piece at hand */
    for (int i = 0; i < t->nnodes; i++) {
        int k = p->sched->node[i], up = t->node[k].parent;
        if (cost[k] > most) {
            p->top[p->ntop++] = k;
            held = INFINITY; /* a run ends here */
            continue;
        }
        if (held > most) {
            p->piece[p->npiece++] = (zb_stretch){ i, i };
            held = 0;
        }
        p->piece[p->npiece - 1].last = i + 1;
        if (up < 0 || cost[up] > most)
            held += cost[k]; /* a whole subtree has been added */
    }
}

/* What the pieces of a tree hold at most. */
static double piece_most(const zb_tree *t, const double *cost)
{
    double total = 0;
    for (int k = 0; k < t->nnodes; k++)
        total += t->node[k].parent < 0 ? cost[k] : 0;
    return total / 32;
}

zb_status zb_pass_find_top(const zb_tree *t, bool *top)
{
    double *cost = subtree_costs(t);
    if (cost == NULL)
        return ZB_ENOMEM;
    double most = piece_most(t, cost);
    for (int k = 0; k < t->nnodes; k++)
        top[k] = cost[k] > most;
    zb_free(cost);
    return ZB_OK;
}

/* A part has no pieces: its nodes wait for others in their sequence. */
static zb_status take_top(zb_pass *p)
{
    p->top = zb_alloc((size_t)p->tree->nnodes, sizeof *p->top);
    if (p->top == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < p->tree->nnodes; k++)
        if (p->spec.part->top[k])
            p->top[p->ntop++] = k;
    return ZB_OK;
}

zb_status zb_pass_cut_pieces(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t n = (size_t)t->nnodes;
    if (p->spec.part != NULL)
        return take_top(p);
    double *cost = subtree_costs(t);
    p->piece = zb_alloc(p->spec.once != NULL ? 0 : n, sizeof *p->piece);
    p->top = zb_alloc(n, sizeof *p->top);
    bool ok = cost != NULL && p->piece != NULL && p->top != NULL;
    if (ok) /* elimination has no pieces: their messages could not share memory */
        cut(p, cost, p->spec.once != NULL ? 0 : piece_most(t, cost));
    zb_free(cost);
    return ok ? ZB_OK : ZB_ENOMEM;
}

/* Parts of a node of so many blocks, if each needs `shared` entries for the tables it
   shares with others: together no more than the message has. */
static size_t parts_of(const zb_tree *t, int k, size_t nblocks, size_t shared,
                       const zb_pass_spec *spec)
{
    size_t sep = t->node[k].sep_size, most = zb_min_size(ZB_PARTS_MOST, nblocks);
    if (sep * zb_tree_states(t, k) < (spec->divide > 0 ? spec->divide : DIVIDE_ENTRIES))
        return 1;
    if (spec->gradient && shared > 0)
        most = zb_min_size(most, sep / shared);
    return zb_max_size(most, 1);
}

zb_status zb_pass_divide(zb_pass *p)
{
    size_t room = 1, parts;
    p->parts = zb_alloc((size_t)p->tree->nnodes, sizeof *p->parts);
    if (p->parts == NULL)
        return ZB_ENOMEM;
    memset(p->parts, 1, (size_t)p->tree->nnodes);
    for (int i = 0; i < p->ntop; i++) {
        int k = p->top[i];
        bool once = p->spec.once != NULL;
        const zb_job *job = once ? NULL : &p->job[k];
        size_t shared = once ? 0 : zb_job_shared(job);
        parts =
            parts_of(p->tree, k, once ? ZB_PARTS_MOST : job->nblocks, shared, &p->spec);
        p->parts[k] = (unsigned char)parts;
        p->divided = p->divided || parts > 1;
        if (parts > 1 && p->spec.gradient)
            room = zb_max_size(room, parts * shared);
    }
    p->shared = zb_alloc(room, sizeof *p->shared);
    p->bytes += room * sizeof *p->shared;
    return p->shared != NULL ? ZB_OK : ZB_ENOMEM;
}
