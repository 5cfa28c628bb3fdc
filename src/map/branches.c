#include "map/branches.h"

#include <stdlib.h>

typedef struct job {
    zb_branches *b;
    const zb_tree *t;
    int *mark; /* per position: the last one whose context it was put into */
    size_t used, room, most;
    int *factor_next, *factor_first; /* factors by their first variable: lists */
    int *child_next, *child_first;   /* children found so far: lists */
} job;

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static zb_status enter(job *j, int i, int position)
{
    zb_status status = ZB_OK;
    if (position <= i || j->mark[position] == i)
        return ZB_OK;
    j->mark[position] = i;
    TRY(j->used < j->most ? ZB_OK : ZB_ELIMIT);
    ZB_GROW(j->b->context, j->room, j->used, j->most);
    j->b->context[j->used++] = position;
done:
    return status;
}

/* The context of i: its factors, and its children's contexts, but for itself. */
static zb_status find_context(job *j, int i)
{
    const zb_tree *t = j->t;
    zb_branches *b = j->b;
    zb_status status = ZB_OK;
    b->at[i] = j->used;
    for (int f = j->factor_first[i]; f >= 0; f = j->factor_next[f])
        for (size_t a = t->scope_at[f]; a < t->scope_at[f + 1]; a++)
            TRY(enter(j, i, t->pos[t->scope[a]]));
    for (int c = j->child_first[i]; c >= 0; c = j->child_next[c])
        for (size_t a = b->at[c]; a < b->at[c + 1]; a++)
            TRY(enter(j, i, b->context[a]));
    b->at[i + 1] = j->used;
    if (j->used > b->at[i])
        qsort(b->context + b->at[i], j->used - b->at[i], sizeof *b->context, compare);
done:
    return status;
}

/* A part that nothing joins to the rest hangs on the root: its context is empty. */
static void hang(job *j, int i)
{
    zb_branches *b = j->b;
    int up = b->at[i + 1] > b->at[i] ? b->context[b->at[i]] : b->count - 1;
    bool settled = j->t->bucket[i].count <= 1;
    for (int c = j->child_first[i]; c >= 0; c = j->child_next[c])
        settled = settled && b->is_settled[c];
    b->is_settled[i] = settled;
    b->parent[i] = i < b->count - 1 ? up : -1;
    if (i < b->count - 1) {
        j->child_next[i] = j->child_first[up];
        j->child_first[up] = i;
    }
}

static void list_children(job *j)
{
    int used = 0;
    for (int i = 0; i < j->b->count; i++) {
        j->b->first[i] = used;
        for (int c = j->child_first[i]; c >= 0; c = j->child_next[c])
            j->b->child[used++] = c;
    }
    j->b->first[j->b->count] = used;
}

static zb_status open_job(job *j)
{
    zb_branches *b = j->b;
    size_t n = (size_t)j->t->nvars;
    b->parent = zb_alloc(n, sizeof *b->parent);
    b->child = zb_alloc(n, sizeof *b->child);
    b->first = zb_alloc(n + 1, sizeof *b->first);
    b->at = zb_calloc(n + 1, sizeof *b->at);
    b->is_settled = zb_alloc(n, sizeof *b->is_settled);
    j->mark = zb_alloc(n, sizeof *j->mark);
    j->child_next = zb_alloc(n, sizeof *j->child_next);
    j->child_first = zb_alloc(n, sizeof *j->child_first);
    j->factor_first = zb_alloc(n, sizeof *j->factor_first);
    j->factor_next = zb_alloc((size_t)j->t->nfactors, sizeof *j->factor_next);
    if (!b->parent || !b->child || !b->first || !b->at || !b->is_settled || !j->mark ||
        !j->child_next || !j->child_first || !j->factor_first || !j->factor_next)
        return ZB_ENOMEM;
    for (size_t i = 0; i < n; i++)
        j->mark[i] = j->child_first[i] = j->factor_first[i] = -1;
    for (int f = 0; f < j->t->nfactors; f++) {
        if (j->t->scope_at[f] == j->t->scope_at[f + 1])
            continue;
        int i = j->t->pos[j->t->scope[j->t->scope_at[f]]];
        j->factor_next[f] = j->factor_first[i];
        j->factor_first[i] = f;
    }
    return ZB_OK;
}

zb_status zb_branches_new(zb_branches **out, const zb_tree *tree, size_t most,
                          zb_run *run)
{
    job j = { .t = tree, .most = most };
    zb_ticker tick = { .run = run };
    zb_status status;
    *out = NULL;
    j.b = zb_calloc(1, sizeof *j.b);
    TRY(j.b != NULL ? ZB_OK : ZB_ENOMEM);
    j.b->count = tree->nvars;
    TRY(open_job(&j));
    for (int i = 0; i < tree->nvars; i++) {
        TRY(find_context(&j, i));
        hang(&j, i);
        TRY(zb_tick(&tick, 100.0 * (double)(j.used - j.b->at[i] + 1)) ? ZB_OK
                                                                      : ZB_ELIMIT);
    }
    list_children(&j);
    *out = j.b;
    j.b = NULL;
done:
    zb_branches_free(j.b);
    zb_free(j.mark);
    zb_free(j.child_next);
    zb_free(j.child_first);
    zb_free(j.factor_first);
    zb_free(j.factor_next);
    return status;
}

void zb_branches_free(zb_branches *b)
{
    if (b == NULL)
        return;
    zb_free(b->parent);
    zb_free(b->child);
    zb_free(b->first);
    zb_free(b->at);
    zb_free(b->context);
    zb_free(b->is_settled);
    zb_free(b);
}
