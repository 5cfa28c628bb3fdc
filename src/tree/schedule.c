/* For a node whose children c need peak_c doubles while they are made and leave room_c
 * behind, the peak over a sequence of the children is
 *
 *     max_i (room_1 + .. + room_(i-1) + peak_i),
 *
 * least when peak_c - room_c descends (Liu 1986, as Sethi and Ullman for registers). */
#include "tree/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double key; /* peak - room */
    int node;
} ranked;

typedef struct work {
    const zb_tree *t;
    bool factors;
    double *peak;
    int *child, *sibling; /* first child, next sibling; then in the chosen sequence */
    ranked *list;
    int *stack;
} work;

static double message_room(const zb_tree *t, int k)
{
    return (double)zb_whole_lines(t->node[k].sep_size);
}

/* Arena for the factors that a node reads. */
static double factor_room(const zb_tree *t, int k)
{
    double room = 0;
    for (int i = 0; i < t->node[k].ninput; i++)
        if (zb_tree_input(t, k)[i] >= 0)
            room += (double)zb_whole_lines(zb_tree_size(t, zb_tree_input(t, k)[i]));
    return room;
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_children(work *w, int k)
{
    int n = 0;
    for (int c = w->child[k]; c >= 0; c = w->sibling[c])
        w->list[n++] = (ranked){ w->peak[c] - message_room(w->t, c), c };
    if (n > 1)
        qsort(w->list, (size_t)n, sizeof *w->list, compare_ranked);
    for (int i = n - 1, next = -1; i >= 0; next = w->list[i--].node) {
        w->sibling[w->list[i].node] = next;
        w->child[k] = w->list[i].node;
    }
}

/* Children are known and have peaks: they have smaller numbers. */
static void visit(work *w, int k)
{
    double live = 0, peak = 0;
    int up = w->t->node[k].parent;
    sort_children(w, k);
    for (int c = w->child[k]; c >= 0; c = w->sibling[c]) {
        peak = fmax(peak, live + w->peak[c]);
        live += message_room(w->t, c);
    }
    live += message_room(w->t, k) + (w->factors ? factor_room(w->t, k) : 0);
    w->peak[k] = fmax(peak, live);
    if (up >= 0) {
        w->sibling[k] = w->child[up];
        w->child[up] = k;
    }
}

/* A postorder that visits children in their sequence: the reverse of a preorder that
   visits them backwards. */
static void make_postorder(const work *w, int *node)
{
    int at = w->t->nnodes;
    for (int root = w->t->nnodes - 1; root >= 0; root--) {
        int depth = 0;
        if (w->t->node[root].parent >= 0)
            continue;
        w->stack[depth++] = root;
        while (depth > 0) {
            int k = w->stack[--depth];
            node[--at] = k;
            for (int c = w->child[k]; c >= 0; c = w->sibling[c])
                w->stack[depth++] = c;
        }
    }
}

zb_status zb_schedule_new(zb_schedule **out, const zb_tree *t, bool factors)
{
    size_t n = (size_t)t->nnodes;
    zb_schedule *s = zb_calloc(1, sizeof *s);
    work w = { .t = t, .factors = factors };
    bool ok = s != NULL && (s->node = zb_alloc(n, sizeof *s->node)) &&
              (w.peak = zb_alloc(n, sizeof *w.peak)) &&
              (w.child = zb_alloc(n, sizeof *w.child)) &&
              (w.sibling = zb_alloc(n, sizeof *w.sibling)) &&
              (w.list = zb_alloc(n, sizeof *w.list)) &&
              (w.stack = zb_alloc(n, sizeof *w.stack));
    for (int k = 0; k < t->nnodes && ok; k++)
        w.child[k] = w.sibling[k] = -1;
    for (int k = 0; k < t->nnodes && ok; k++) {
        visit(&w, k);
        s->room = fmax(s->room, w.peak[k]);
    }
    if (ok)
        make_postorder(&w, s->node);
    zb_free(w.peak);
    zb_free(w.child);
    zb_free(w.sibling);
    zb_free(w.list);
    zb_free(w.stack);
    *out = ok ? s : NULL;
    if (!ok)
        zb_schedule_free(s);
    return ok ? ZB_OK : ZB_ENOMEM;
}

void zb_schedule_free(zb_schedule *s)
{
    if (s != NULL)
        zb_free(s->node);
    zb_free(s);
}

/* ---- places ---------------------------------------------------------------------- */

typedef struct arena {
    size_t room, top[2]; /* side 0 grows upwards, side 1 downwards */
} arena;

static size_t push(arena *a, bool side, size_t size)
{
    size = zb_whole_lines(size);
    ZB_ASSERT(a->top[0] + a->top[1] + size <= a->room);
    a->top[side] += size;
    return side ? a->room - a->top[1] : a->top[0] - size;
}

/* side[k]: a message lies on the other side than those it is made of. */
static void choose_sides(const zb_schedule *s, const zb_tree *t, bool *side)
{
    for (int i = t->nnodes - 1; i >= 0; i--) {
        int up = t->node[s->node[i]].parent;
        side[s->node[i]] = up >= 0 && !side[up];
    }
}

/* base[k]: how full the side of node k's inputs was before the first of them came. */
static void place_node(arena *a, const zb_tree *t, int k, bool factors,
                       const bool *side, size_t *base, size_t *at)
{
    bool mine = side[k];
    int up = t->node[k].parent;
    if (base[k] == SIZE_MAX)
        base[k] = a->top[!mine];
    for (int i = 0; i < t->node[k].ninput && factors; i++) {
        int in = zb_tree_input(t, k)[i];
        if (in >= 0)
            at[in] = push(a, !mine, zb_tree_size(t, in));
    }
    size_t before = a->top[mine];
    at[t->nfactors + k] = push(a, mine, t->node[k].sep_size);
    if (up >= 0 && base[up] == SIZE_MAX)
        base[up] = before;
    if (up < 0)
        a->top[mine] = before;
    a->top[!mine] = base[k];
}

zb_status zb_schedule_place(const zb_schedule *s, const zb_tree *t, bool factors,
                            size_t *at)
{
    size_t n = (size_t)t->nnodes;
    arena a = { .room = (size_t)s->room };
    bool *side = zb_alloc(n, sizeof *side);
    size_t *base = zb_alloc(n, sizeof *base);
    bool ok = side != NULL && base != NULL;
    if (ok) {
        memset(base, 0xff, n * sizeof *base);
        choose_sides(s, t, side);
    }
    for (int i = 0; i < t->nnodes && ok; i++)
        place_node(&a, t, s->node[i], factors, side, base, at);
    zb_free(side);
    zb_free(base);
    return ok ? ZB_OK : ZB_ENOMEM;
}
