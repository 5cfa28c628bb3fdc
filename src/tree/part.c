/* One part of a tree that is cut, and its way to another rank. */
#include "tree/part.h"

#include "model/table.h"

#include <string.h>

typedef struct maker {
    const zb_cutting *c;
    const zb_tree *t;
    int part;
    int *node, *factor, *var; /* numbers in the part, of those that are in it */
    zb_part *p;
    size_t nclique, ninput, nshared, nscope;
} maker;

static bool is_mine(const maker *m, int node)
{
    return zb_cutting_owner(m->c, node) == m->part;
}

static bool has_factor(const maker *m, int f)
{
    int k = m->t->factor_node[f];
    return k < 0 ? m->part == 0 : is_mine(m, k);
}

/* ---- numbers --------------------------------------------------------------------- */

static void number_nodes(maker *m)
{
    const zb_tree *t = m->t;
    zb_tree *to = m->p->tree;
    for (int k = 0; k < t->nnodes; k++) {
        if (!is_mine(m, k))
            continue;
        m->node[k] = to->nnodes++;
        m->nclique += (size_t)t->node[k].nclique;
        m->ninput += (size_t)t->node[k].ninput;
        for (int i = 0; i < t->node[k].nclique; i++)
            m->var[zb_tree_clique(t, k)[i]] = 1;
    }
    for (int v = 0; v < t->nvars; v++)
        if (m->c->owner[v] == m->part)
            m->nshared += (size_t)t->bucket[v].nshared;
}

/* In the sequence of elimination, which is then 0, 1, .. in the part. */
static void number_variables(maker *m)
{
    const zb_tree *t = m->t;
    for (int i = 0; i < t->nvars; i++)
        if (m->var[t->order[i]] != 0)
            m->var[t->order[i]] = m->p->tree->nvars++;
        else
            m->var[t->order[i]] = -1;
}

static void number_factors(maker *m)
{
    const zb_tree *t = m->t;
    for (int f = 0; f < t->nfactors; f++)
        if (has_factor(m, f)) {
            m->factor[f] = m->p->nfactors++;
            m->nscope += t->scope_at[f + 1] - t->scope_at[f];
        }
    for (int k = 0; k < t->nnodes; k++) {
        const int *axis;
        int up = t->node[k].parent;
        if (up >= 0 && is_mine(m, up) && !is_mine(m, k))
            m->nscope += (size_t)zb_tree_message(t, k, &axis);
    }
    m->p->nin = m->c->nin[m->part];
    m->p->nout = m->c->nout[m->part];
    m->p->tree->nfactors = m->p->nfactors + m->p->nin;
}

static zb_status allocate(maker *m)
{
    zb_part *p = m->p;
    zb_tree *t = p->tree;
    size_t nv = (size_t)t->nvars, nn = (size_t)t->nnodes, nf = (size_t)t->nfactors;
    t->order = zb_alloc(nv, sizeof *t->order);
    t->pos = zb_alloc(nv, sizeof *t->pos);
    t->card = zb_alloc(nv, sizeof *t->card);
    t->bucket = zb_calloc(nv, sizeof *t->bucket);
    t->node = zb_calloc(nn + (size_t)p->nout, sizeof *t->node);
    t->clique = zb_alloc(m->nclique, sizeof *t->clique);
    t->input = zb_alloc(m->ninput, sizeof *t->input);
    t->shared = zb_alloc(m->nshared, sizeof *t->shared);
    t->factor_node = zb_alloc(nf, sizeof *t->factor_node);
    t->scope_at = zb_calloc(nf + 1, sizeof *t->scope_at);
    t->scope = zb_alloc(m->nscope, sizeof *t->scope);
    p->in = zb_calloc((size_t)p->nin, sizeof *p->in);
    p->out = zb_calloc((size_t)p->nout, sizeof *p->out);
    p->node_id = zb_alloc(nn, sizeof *p->node_id);
    p->factor_id = zb_alloc((size_t)p->nfactors, sizeof *p->factor_id);
    p->top = zb_alloc(nn, sizeof *p->top);
    return t->order && t->pos && t->card && t->bucket && t->node && t->clique &&
                   t->input && t->shared && t->factor_node && t->scope_at && t->scope &&
                   p->in && p->out && p->node_id && p->factor_id && p->top
               ? ZB_OK
               : ZB_ENOMEM;
}

/* ---- contents -------------------------------------------------------------------- */

static void copy_variables(maker *m)
{
    const zb_tree *t = m->t;
    zb_tree *to = m->p->tree;
    for (int v = 0; v < t->nvars; v++)
        if (m->var[v] >= 0) {
            int x = m->var[v];
            to->order[x] = to->pos[x] = x;
            to->card[x] = t->card[v];
        }
}

static void copy_buckets(maker *m)
{
    const zb_tree *t = m->t;
    zb_tree *to = m->p->tree;
    size_t used = 0;
    for (int i = 0; i < t->nvars; i++) {
        const zb_bucket *b = &t->bucket[i];
        if (m->c->owner[i] != m->part || b->count == 0)
            continue;
        zb_bucket *x = &to->bucket[m->var[t->order[i]]];
        *x = *b;
        x->first = m->node[b->first];
        x->shared_at = used;
        for (int j = 0; j < b->nshared; j++)
            to->shared[used++] = m->var[t->shared[b->shared_at + (size_t)j]];
    }
}

/* Factor f of the part has the scope of an input of the tree. */
static void copy_scope(maker *m, int f, int input)
{
    const int *scope;
    int arity = zb_tree_scope(m->t, input, &scope);
    zb_tree *to = m->p->tree;
    size_t at = to->scope_at[f];
    for (int i = 0; i < arity; i++)
        to->scope[at++] = m->var[scope[i]];
    to->scope_at[f + 1] = at;
}

static void copy_factors(maker *m)
{
    const zb_tree *t = m->t;
    zb_part *p = m->p;
    for (int f = 0; f < t->nfactors; f++) {
        if (!has_factor(m, f))
            continue;
        int x = m->factor[f], k = t->factor_node[f];
        p->factor_id[x] = f;
        p->tree->factor_node[x] = k < 0 ? -1 : m->node[k];
        copy_scope(m, x, f);
    }
}

/* In ascending order of nodes, which is that of the slots. */
static void copy_incoming(maker *m)
{
    const zb_tree *t = m->t;
    zb_part *p = m->p;
    for (int k = 0; k < t->nnodes; k++) {
        int up = t->node[k].parent;
        if (up < 0 || !is_mine(m, up) || is_mine(m, k))
            continue;
        int slot = m->c->in_slot[k], f = p->nfactors + slot,
            below = zb_cutting_owner(m->c, k);
        p->in[slot] = (zb_crossing){ below, m->c->nin[below] + m->c->out_at[k], k,
                                     false, m->c->exact[k] };
        p->tree->factor_node[f] = m->node[up];
        copy_scope(m, f, -1 - k);
    }
}

static int copy_parent(maker *m, int k)
{
    int up = m->t->node[k].parent;
    if (up < 0 || is_mine(m, up))
        return up < 0 ? -1 : m->node[up];
    int at = m->c->out_at[k];
    m->p->out[at] = (zb_crossing){ zb_cutting_owner(m->c, up), m->c->in_slot[k], up,
                                   zb_tree_is_split(m->t, up), m->c->exact[up] };
    return m->p->tree->nnodes + at;
}

static int copy_input(const maker *m, int in)
{
    if (in >= 0)
        return m->factor[in];
    int k = -1 - in;
    return is_mine(m, k) ? -1 - m->node[k] : m->p->nfactors + m->c->in_slot[k];
}

static void copy_node(maker *m, int k, size_t *clique, size_t *input)
{
    const zb_tree *t = m->t;
    zb_part *p = m->p;
    zb_tree *to = p->tree;
    int x = m->node[k];
    zb_node *n = &to->node[x];
    double entries = (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
    *n = t->node[k];
    n->var = n->var < 0 ? -1 : m->var[n->var];
    n->bucket = m->var[t->order[t->node[k].bucket]];
    n->parent = copy_parent(m, k);
    n->clique_at = *clique;
    n->input_at = *input;
    for (int i = 0; i < n->nclique; i++)
        to->clique[(*clique)++] = m->var[zb_tree_clique(t, k)[i]];
    for (int i = 0; i < n->ninput; i++)
        to->input[(*input)++] = copy_input(m, zb_tree_input(t, k)[i]);
    p->node_id[x] = k;
    p->top[x] = m->c->top[k];
    to->entries += entries;
    to->largest = fmax(to->largest, entries);
    to->width = zb_max_int(to->width, n->nclique - 1);
}

static void copy_nodes(maker *m)
{
    size_t clique = 0, input = 0;
    for (int k = 0; k < m->t->nnodes; k++)
        if (is_mine(m, k))
            copy_node(m, k, &clique, &input);
    for (int x = 0; x < m->p->tree->nvars; x++)
        if (m->p->tree->bucket[x].count > 1)
            m->p->tree->splits += m->p->tree->bucket[x].count - 1;
    m->p->tree->ibound = m->t->ibound;
}

static zb_status copy_tables(const maker *m, const zb_model *model, zb_model **out)
{
    const zb_part *p = m->p;
    zb_status status;
    int scope[ZB_MAX_AXES];
    TRY(zb_model_new(out, p->tree->nvars, p->tree->card));
    TRY(zb_model_reserve(*out, p->nfactors));
    for (int x = 0; x < p->nfactors; x++) {
        const zb_factor *f = &model->factor[p->factor_id[x]];
        for (int i = 0; i < f->arity; i++)
            scope[i] = m->var[f->scope[i]];
        TRY(zb_model_put(*out, f->arity, scope, f));
    }
done:
    return status;
}

static zb_status make(maker *m, const zb_model *model, zb_model **factors)
{
    zb_status status;
    number_nodes(m);
    number_variables(m);
    number_factors(m);
    TRY(allocate(m));
    copy_variables(m);
    copy_buckets(m);
    copy_factors(m);
    copy_incoming(m);
    copy_nodes(m);
    TRY(copy_tables(m, model, factors));
done:
    return status;
}

zb_status zb_part_new(zb_part **out, zb_model **factors, const zb_cutting *c, int part,
                      const zb_model *model)
{
    const zb_tree *t = c->tree;
    maker m = { .c = c,
                .t = t,
                .part = part,
                .node = zb_calloc((size_t)t->nnodes, sizeof *m.node),
                .factor = zb_calloc((size_t)t->nfactors, sizeof *m.factor),
                .var = zb_calloc((size_t)t->nvars, sizeof *m.var),
                .p = zb_calloc(1, sizeof *m.p) };
    zb_status status;
    *out = NULL;
    *factors = NULL;
    TRY(m.node && m.factor && m.var && m.p ? ZB_OK : ZB_ENOMEM);
    m.p->tree = zb_calloc(1, sizeof *m.p->tree);
    TRY(m.p->tree != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(make(&m, model, factors));
    *out = m.p, m.p = NULL;
done:
    if (status != ZB_OK) {
        zb_model_free(*factors);
        *factors = NULL;
    }
    zb_part_free(m.p);
    zb_free(m.node);
    zb_free(m.factor);
    zb_free(m.var);
    return status;
}

void zb_part_free(zb_part *p)
{
    if (p == NULL)
        return;
    zb_tree_free(p->tree);
    zb_free(p->in);
    zb_free(p->out);
    zb_free(p->node_id);
    zb_free(p->factor_id);
    zb_free(p->top);
    zb_free(p);
}
