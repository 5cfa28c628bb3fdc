/* A node's separator axes are divided into inner ones (the fastest, a block of entries)
 * and outer ones. Inside the block every table has a fixed pattern; patterns that need
 * an offset table share it with all nodes that have the same one. */
#include "pass/plan.h"

#include "pass/offsets.h"
#include "pass/pattern.h"

#include <string.h>

/* Logarithms, and the way back, need several rows of a block for every value of x at
   once, which should stay in the nearest cache; plain sums prefer longer rows. */
enum { BLOCK = 128, BLOCK_MOST = 512, BLOCK_FORWARD = 1024 };

typedef struct draft { /* of a node's job, while the arrays still move */
    size_t extent, access;
} draft;

struct zb_plan {
    const zb_tree *t;
    zb_plan_spec spec;
    zb_plan_size size;
    zb_job *job;  /* one per node, or one */
    draft *draft; /* the same */
    zb_access *access;
    size_t *extent, *stride;
    size_t access_used, access_room, extent_used, extent_room, stride_used, stride_room;
    zb_offsets offsets;
    size_t max_shared;
    /* scratch for one node */
    zb_block_shape *shape; /* by table */
    size_t *inner;         /* strides of one table along the inner axes */
    int *scope;            /* theta's scope */
    int32_t *at;           /* one offset table */
};

/* ---- sizes ----------------------------------------------------------------------- */

/* Entries of a block of a node's separator, and the axes it runs over (the last ones).
 */
static size_t block_of(const zb_tree *t, int node, bool gradient, int *ninner)
{
    const int *axis;
    int naxis = zb_tree_message(t, node, &axis), inner = 0;
    bool brief = gradient || zb_tree_is_split(t, node);
    size_t block = 1, most = brief ? BLOCK_MOST : BLOCK_FORWARD;
    while (inner < naxis) {
        size_t card = (size_t)t->card[axis[naxis - 1 - inner]];
        if ((brief && block >= BLOCK) || (inner > 0 && block * card > most))
            break;
        block *= card;
        inner++;
    }
    *ninner = inner;
    return block;
}

static int table_count(const zb_tree *t, int k, const zb_plan_spec *spec)
{
    return t->node[k].ninput +
           (zb_tree_is_split(t, k) ? spec->theta + spec->shared : 0);
}

zb_plan_size zb_plan_measure(const zb_tree *t, const zb_plan_spec *spec)
{
    zb_plan_size s = { 0 };
    double all = 0;
    s.block = 1;
    for (int k = 0; k < t->nnodes; k++) {
        int ninner, ntable = table_count(t, k, spec);
        size_t block = block_of(t, k, spec->gradient, &ninner), tables = (size_t)ntable;
        int nouter = t->node[k].nclique - (t->node[k].var >= 0) - ninner;
        size_t offsets = tables * block * (spec->gradient ? 2 : 1);
        s.scratch = zb_max_size(s.scratch, zb_job_scratch(zb_tree_states(t, k), block,
                                                          spec->gradient ? ntable : 0));
        s.max_table = zb_max_int(s.max_table, ntable);
        s.max_outer = zb_max_int(s.max_outer, nouter);
        s.access = zb_max_size(s.access, tables);
        s.extent = zb_max_size(s.extent, (size_t)nouter);
        s.stride = zb_max_size(s.stride, tables * (size_t)nouter);
        s.offset = zb_max_size(s.offset, offsets);
        s.block = zb_max_size(s.block, block);
        all += (double)(sizeof(zb_job) + sizeof(draft) + 8 * (size_t)nouter +
                        tables * (sizeof(zb_access) + 8 * (size_t)nouter)) +
               4 * (double)offsets;
    }
    double one = (double)(s.access * sizeof(zb_access) + 8 * (s.extent + s.stride) +
                          4 * s.offset);
    s.bytes = (spec->once ? one : 3 * all) + /* arrays grow by doubling, and move */
              12.0 * (double)s.block + 16.0 * s.max_table + 16.0 * (t->width + 2) +
              (double)sizeof(zb_plan);
    return s;
}

/* ---- one table along one node ---------------------------------------------------- */

static zb_status keep_offsets(zb_plan *p, size_t n, zb_access *a)
{
    if (p->spec.gradient) {
        zb_pattern_members(n, p->at, a);
        n *= 2;
    }
    if (!p->spec.once)
        return zb_offsets_find(&p->offsets, n, p->at, &a->offset_at);
    a->offset_at = p->offsets.used;
    memcpy(p->offsets.data + a->offset_at, p->at, n * sizeof *p->at);
    p->offsets.used += n;
    return ZB_OK;
}

/* ---- one node -------------------------------------------------------------------- */

typedef struct node_plan { /* a node while it is planned */
    zb_job *job;
    draft *at;
    const int *axis;
    int naxis, ninner, ntable;
    int states; /* of the eliminated variable */
} node_plan;

/* scope is a subsequence of the node's clique; with_x: it begins with the node's
 * variable. */
static zb_status add_table(zb_plan *p, const node_plan *n, int i, const int *scope,
                           int arity, bool with_x)
{
    int at = arity - 1, nouter = n->naxis - n->ninner;
    size_t size = 1, *outer = p->stride + p->stride_used;
    zb_access *a = &p->access[n->at->access + (size_t)i];
    *a = (zb_access){ .stride_at = p->stride_used, .m = 1, .c = 1 };
    p->stride_used += (size_t)nouter;
    for (int x = n->naxis - 1; x >= 0; x--) {
        bool present = at >= (with_x ? 1 : 0) && scope[at] == n->axis[x];
        size_t stride = present ? size : 0;
        if (x >= nouter)
            p->inner[x - nouter] = stride;
        else
            outer[x] = stride;
        if (present) {
            size *= (size_t)p->t->card[n->axis[x]];
            at--;
        }
    }
    a->step = with_x ? size : 0;
    a->size = with_x ? size * (size_t)n->states : size;
    zb_inner inner = { .n = n->job->block,
                       .axes = n->ninner,
                       .axis = n->axis + nouter,
                       .card = p->t->card,
                       .stride = p->inner };
    p->shape[i] = zb_pattern_find(&inner, p->at, a);
    return a->pattern == ZB_PATTERN_TABLE ? keep_offsets(p, inner.n, a) : ZB_OK;
}

/* Outer axes that every table walks alike become one; axes of one value vanish. */
static void merge_outer(zb_plan *p, const node_plan *n)
{
    size_t *extent = p->extent + n->at->extent, *stride = p->stride;
    const zb_access *a = p->access + n->at->access;
    int kept = -1;
    for (int o = 0; o < n->job->nouter; o++) {
        bool same = kept >= 0;
        if (extent[o] == 1)
            continue;
        for (int i = 0; i < n->ntable && same; i++) {
            const size_t *s = stride + a[i].stride_at;
            same = s[kept] == s[o] * extent[o];
        }
        if (!same)
            kept++;
        extent[kept] = same ? extent[kept] * extent[o] : extent[o];
        for (int i = 0; i < n->ntable; i++) {
            size_t *s = stride + a[i].stride_at;
            s[kept] = s[o];
        }
    }
    n->job->nouter = kept + 1;
}

static void mark_tables(zb_plan *p, const node_plan *n)
{
    const zb_job *l = n->job;
    zb_access *a = p->access + n->at->access;
    for (int i = 0; i < n->ntable; i++) {
        const size_t *s = p->stride + a[i].stride_at;
        a[i].own = true;
        for (int o = 0; o < l->nouter; o++)
            a[i].own = a[i].own && s[o] > 0;
        a[i].slow = l->nouter > 0 && s[l->nouter - 1] == 0;
    }
}

/* Are there two varying inputs, one over the slow, one over the fast part of a block?
 */
static void find_pair(zb_plan *p, const node_plan *n)
{
    zb_job *l = n->job;
    int varying = 0, slowly = -1, quickly = -1;
    for (int i = 0; i < l->nin; i++) {
        const zb_block_shape *s = &p->shape[i];
        varying += !(s->span && s->m == l->block);
        if (s->span && s->c == 1 && s->m > 1 && s->m < l->block)
            slowly = i;
        if (s->span && s->c > 1 && s->m > 1 && s->m * s->c == l->block)
            quickly = i;
    }
    bool found = l->d > 1 && varying == 2 && slowly >= 0 && quickly >= 0 &&
                 p->shape[slowly].m == p->shape[quickly].c;
    l->slowly = found ? slowly : -1;
    l->quickly = found ? quickly : -1;
    l->run = found ? p->shape[quickly].c : 1;
}

static zb_status plan_shape(zb_plan *p, int k, node_plan *n)
{
    const zb_tree *t = p->t;
    zb_job *l = n->job;
    bool split = zb_tree_is_split(t, k);
    n->naxis = zb_tree_message(t, k, &n->axis);
    n->states = (int)zb_tree_states(t, k);
    n->ntable = table_count(t, k, &p->spec);
    *l = (zb_job){ .d = (uint32_t)n->states,
                   .weighted = split && p->spec.shared,
                   .nin = t->node[k].ninput + (split && p->spec.theta) };
    l->block = (uint32_t)block_of(t, k, p->spec.gradient, &n->ninner);
    l->nouter = n->naxis - n->ninner;
    l->nblocks = t->node[k].sep_size / l->block;
    n->at->extent = p->extent_used;
    n->at->access = p->access_used;
    size_t outer = (size_t)l->nouter, tables = (size_t)n->ntable;
    if (!ZB_RESERVE(p->extent, &p->extent_room, p->extent_used,
                    p->extent_used + outer) ||
        !ZB_RESERVE(p->stride, &p->stride_room, p->stride_used,
                    p->stride_used + outer * tables) ||
        !ZB_RESERVE(p->access, &p->access_room, p->access_used,
                    p->access_used + tables))
        return ZB_ENOMEM;
    p->extent_used += outer;
    p->access_used += tables;
    for (size_t o = 0; o < outer; o++)
        p->extent[n->at->extent + o] = (size_t)t->card[n->axis[o]];
    return ZB_OK;
}

/* Tables of parameters come last. */
static zb_status plan_parameters(zb_plan *p, int k, const node_plan *n)
{
    const zb_tree *t = p->t;
    const zb_bucket *bucket = zb_tree_bucket_of(t, k);
    int i = t->node[k].ninput, nshared = p->spec.shared ? bucket->nshared : 0;
    zb_status status = ZB_OK;
    if (i == n->ntable)
        return ZB_OK;
    p->scope[0] = t->node[k].var;
    if (nshared > 0)
        memcpy(p->scope + 1, t->shared + bucket->shared_at,
               (size_t)nshared * sizeof(int));
    if (n->job->nin > i)
        TRY(add_table(p, n, i++, p->scope, nshared + 1, true));
    if (n->job->weighted)
        TRY(add_table(p, n, i, p->scope + 1, nshared, false));
done:
    return status;
}

static zb_status plan_node(zb_plan *p, int k, zb_job *job, draft *at)
{
    const zb_tree *t = p->t;
    node_plan n = { .job = job, .at = at };
    zb_status status;

    TRY(plan_shape(p, k, &n));
    for (int i = 0; i < t->node[k].ninput; i++) {
        const int *scope;
        int arity = zb_tree_scope(t, zb_tree_input(t, k)[i], &scope);
        TRY(add_table(p, &n, i, scope, arity, t->node[k].var >= 0));
    }
    TRY(plan_parameters(p, k, &n));
    merge_outer(p, &n);
    mark_tables(p, &n);
    find_pair(p, &n);
done:
    return status;
}

/* ---- all nodes ------------------------------------------------------------------- */

static void point(zb_plan *p, zb_job *job, const draft *at)
{
    job->access = p->access + at->access;
    job->extent = p->extent + at->extent;
    job->stride = p->stride;
    job->offset = p->offsets.data;
}

zb_job *zb_plan_jobs(zb_plan *p) { return p->job; }

/* Within what was reserved, so that it cannot fail. */
zb_job *zb_plan_once(zb_plan *p, int k)
{
    ZB_ASSERT(p->spec.once);
    p->access_used = p->extent_used = p->stride_used = p->offsets.used = 0;
    zb_status status = plan_node(p, k, p->job, p->draft);
    ZB_ASSERT(status == ZB_OK);
    (void)status;
    point(p, p->job, p->draft);
    return p->job;
}

static zb_status reserve(zb_plan *p)
{
    const zb_plan_size *s = &p->size;
    size_t nodes = p->spec.once ? 1 : (size_t)p->t->nnodes;
    bool ok = (p->job = zb_calloc(nodes, sizeof *p->job)) &&
              (p->draft = zb_alloc(nodes, sizeof *p->draft)) &&
              (p->inner = zb_alloc((size_t)p->t->width + 1, sizeof *p->inner)) &&
              (p->scope = zb_alloc((size_t)p->t->width + 2, sizeof *p->scope)) &&
              (p->shape = zb_alloc((size_t)s->max_table, sizeof *p->shape)) &&
              (p->at = zb_alloc(3 * s->block, sizeof *p->at));
    bool once = p->spec.once;
    /* at least one: nodes without outer axes point there, too */
    ok = ok && ZB_RESERVE(p->extent, &p->extent_room, 0, once ? s->extent + 1 : 1) &&
         ZB_RESERVE(p->stride, &p->stride_room, 0, once ? s->stride + 1 : 1);
    if (ok && once)
        ok = ZB_RESERVE(p->access, &p->access_room, 0, s->access) &&
             ZB_RESERVE(p->offsets.data, &p->offsets.room, 0, s->offset);
    return ok ? ZB_OK : ZB_ENOMEM;
}

zb_status zb_plan_new(zb_plan **out, const zb_tree *tree, const zb_plan_spec *spec,
                      zb_run *run)
{
    zb_plan *p = zb_calloc(1, sizeof *p);
    zb_ticker ticker = { .run = run };
    zb_status status;

    *out = NULL;
    TRY(p != NULL ? ZB_OK : ZB_ENOMEM);
    p->t = tree;
    p->spec = *spec;
    p->size = zb_plan_measure(tree, spec);
    TRY(reserve(p));
    for (int k = 0; k < tree->nnodes && !spec->once; k++) {
        TRY(zb_tick(&ticker, 1000) ? ZB_OK : ZB_ELIMIT);
        TRY(plan_node(p, k, &p->job[k], &p->draft[k]));
    }
    for (int k = 0; k < tree->nnodes && !spec->once; k++) {
        point(p, &p->job[k], &p->draft[k]);
        p->max_shared = zb_max_size(p->max_shared, zb_job_shared(&p->job[k]));
    }
    *out = p, p = NULL;
done:
    zb_plan_free(p);
    return status;
}

void zb_plan_free(zb_plan *p)
{
    if (p == NULL)
        return;
    void *owned[] = { p->job,   p->draft, p->access, p->extent, p->stride,
                      p->shape, p->inner, p->scope,  p->at };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_offsets_free(&p->offsets);
    zb_free(p);
}

size_t zb_plan_max_shared(const zb_plan *p) { return p->max_shared; }

size_t zb_plan_bytes(const zb_plan *p)
{
    size_t nodes = p->spec.once ? 1 : (size_t)p->t->nnodes;
    return nodes * (sizeof *p->job + sizeof *p->draft) +
           p->access_room * sizeof *p->access +
           (p->extent_room + p->stride_room) * sizeof *p->stride +
           p->offsets.room * sizeof *p->offsets.data;
}

size_t zb_plan_weight_size(const zb_tree *tree, int node, bool shared)
{
    return shared ? zb_tree_bucket_of(tree, node)->shared_size : 1;
}

size_t zb_plan_theta_size(const zb_tree *tree, int node, bool shared)
{
    return zb_plan_weight_size(tree, node, shared) *
           (size_t)tree->card[tree->node[node].var];
}
