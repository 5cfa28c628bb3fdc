/* A node's separator axes are divided into inner ones (the fastest, a block of some
 * BLOCK entries) and outer ones. Inside the block every table has a fixed pattern;
 * patterns that need an offset table share it with all nodes that have the same one. */
#include "pass/plan.h"

#include <string.h>

enum { BLOCK = 128, BLOCK_MOST = 512 };

typedef struct pool {
    void *data;
    size_t used, room, size;
} pool;

typedef struct draft { /* of a node's job, while the arrays still move */
    size_t extent, access;
    int ntable;
} draft;

typedef struct planner {
    const zb_tree *t;
    pool access, extent, stride, offset;
    size_t *bucket; /* hash of offset tables: start + 1, 0 for empty; length in len */
    size_t *len;
    size_t buckets, tables;
    size_t *inner; /* scratch: strides of one table along the inner axes */
    int *scope;    /* scratch: theta's scope */
    int32_t *at;   /* scratch: one offset table */
    size_t at_room;
    draft *draft;
} planner;

static void *grow(pool *p, size_t more)
{
    if (p->data == NULL || p->used + more > p->room) {
        size_t room = p->used + more + p->room + 64;
        void *data = zb_resize(p->data, p->used, room, p->size);
        if (data == NULL)
            return NULL;
        p->data = data;
        p->room = room;
    }
    void *out = (char *)p->data + p->used * p->size;
    p->used += more;
    return out;
}

/* ---- offset tables, each distinct one kept once ---------------------------------- */

static size_t hash_table(size_t n, const int32_t *at)
{
    uint64_t h = 1469598103934665603u ^ n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint32_t)at[i]) * 1099511628211u;
    return (size_t)(h ^ (h >> 32));
}

static bool rehash(planner *p)
{
    size_t buckets = p->buckets > 0 ? 2 * p->buckets : 256;
    size_t *bucket = zb_calloc(buckets, sizeof *bucket),
           *len = zb_calloc(buckets, sizeof *len);
    if (bucket == NULL || len == NULL) {
        zb_free(bucket);
        zb_free(len);
        return false;
    }
    for (size_t i = 0; i < p->buckets; i++) {
        if (p->bucket[i] == 0)
            continue;
        const int32_t *at = (int32_t *)p->offset.data + p->bucket[i] - 1;
        size_t h = hash_table(p->len[i], at) & (buckets - 1);
        while (bucket[h] != 0)
            h = (h + 1) & (buckets - 1);
        bucket[h] = p->bucket[i];
        len[h] = p->len[i];
    }
    zb_free(p->bucket);
    zb_free(p->len);
    p->bucket = bucket;
    p->len = len;
    p->buckets = buckets;
    return true;
}

static zb_status intern_offsets(planner *p, size_t n, const int32_t *at, size_t *where)
{
    if (2 * (p->tables + 1) > p->buckets && !rehash(p))
        return ZB_ENOMEM;
    size_t h = hash_table(n, at) & (p->buckets - 1);
    for (; p->bucket[h] != 0; h = (h + 1) & (p->buckets - 1)) {
        const int32_t *old = (int32_t *)p->offset.data + p->bucket[h] - 1;
        if (p->len[h] == n && memcmp(old, at, n * sizeof *at) == 0) {
            *where = p->bucket[h] - 1;
            return ZB_OK;
        }
    }
    *where = p->offset.used;
    int32_t *fresh = grow(&p->offset, n);
    if (fresh == NULL)
        return ZB_ENOMEM;
    memcpy(fresh, at, n * sizeof *at);
    p->bucket[h] = *where + 1;
    p->len[h] = n;
    p->tables++;
    return ZB_OK;
}

/* ---- one table along one node ---------------------------------------------------- */

/* Is the pattern one missing run of axes: (i m + y) c + j -> i c + j? */
static bool is_span(size_t n, const int32_t *at, zb_access *a)
{
    size_t c = 1, m = 1;
    while (c < n &&
           at[c] == (int32_t)c) /* the longest identical beginning is c, or all */
        c++;
    if (c < n) {
        if (n % c != 0)
            return false;
        while (m * c < n && at[m * c] == 0)
            m++;
    }
    if (n % (m * c) != 0)
        return false;
    for (size_t b = 0, i = 0; b < n; i++)
        for (size_t y = 0; y < m; y++)
            for (size_t j = 0; j < c; j++, b++)
                if (at[b] != (int32_t)(i * c + j))
                    return false;
    a->m = (uint32_t)m;
    a->c = (uint32_t)c;
    return true;
}

/* A pattern that vector loops are good at? In a small block a table of offsets is
   better, since its loops are unrolled. */
static bool is_quick(size_t n, const zb_access *a)
{
    if (a->c == 1)
        return a->m == 2 || a->m == 4;
    return n > 16 && a->c % 4 == 0;
}

/* Behind the n offsets the members of every group; behind these, as scratch, how many
   of each are there yet. */
static void list_members(size_t n, int32_t *at, zb_access *a)
{
    int32_t *found = at + 2 * n;
    size_t groups = 1;
    for (size_t b = 0; b < n; b++)
        groups = zb_max_size(groups, (size_t)at[b] + 1);
    a->m = (uint32_t)(n / groups);
    memset(found, 0, groups * sizeof *found);
    for (size_t b = 0; b < n; b++)
        at[n + (size_t)at[b] * a->m + (size_t)found[at[b]]++] = (int32_t)b;
}

static zb_status inner_offsets(planner *p, size_t n, const int *axis, int ninner)
{
    if (3 * n > p->at_room) {
        zb_free(p->at);
        p->at_room = 3 * n;
        p->at = zb_alloc(p->at_room, sizeof *p->at);
        if (p->at == NULL) {
            p->at_room = 0;
            return ZB_ENOMEM;
        }
    }
    p->at[0] = 0;
    size_t filled = 1;
    for (int i = ninner - 1; i >= 0; i--) { /* fastest axis first */
        size_t card = (size_t)p->t->card[axis[i]];
        for (size_t x = 1; x < card; x++)
            for (size_t b = 0; b < filled; b++)
                p->at[x * filled + b] = p->at[b] + (int32_t)(x * p->inner[i]);
        filled *= card;
    }
    return ZB_OK;
}

static zb_status inner_pattern(planner *p, size_t n, const int *axis, int ninner,
                               zb_access *a)
{
    zb_status status;
    TRY(inner_offsets(p, n, axis, ninner));
    bool span = is_span(n, p->at, a);
    if (span && a->m == 1)
        a->pattern = ZB_PATTERN_FULL;
    else if (span && a->m == n)
        a->pattern = ZB_PATTERN_ONE;
    else if (span && is_quick(n, a))
        a->pattern = ZB_PATTERN_SPAN;
    else {
        a->pattern = ZB_PATTERN_TABLE;
        list_members(n, p->at, a);
        TRY(intern_offsets(p, 2 * n, p->at, &a->offset_at));
    }
done:
    return status;
}

/* scope is a subsequence of the node's clique; with_x: it begins with the node's
 * variable. */
static zb_status add_table(planner *p, const zb_job *l, const zb_node *node, int ninner,
                           const int *scope, int arity, bool with_x, zb_access *a)
{
    const int *axis = p->t->clique + node->clique_at + 1;
    int naxis = node->nclique - 1, at = arity - 1;
    size_t size = 1;
    *a = (zb_access){ .stride_at = p->stride.used, .m = 1, .c = 1 };
    if (grow(&p->stride, (size_t)(naxis - ninner)) == NULL)
        return ZB_ENOMEM;
    size_t *outer = (size_t *)p->stride.data + a->stride_at;
    for (int i = naxis - 1; i >= 0; i--) {
        bool present = at >= (with_x ? 1 : 0) && scope[at] == axis[i];
        size_t stride = present ? size : 0;
        if (i >= naxis - ninner)
            p->inner[i - (naxis - ninner)] = stride;
        else
            outer[i] = stride;
        if (present) {
            size *= (size_t)p->t->card[axis[i]];
            at--;
        }
    }
    a->step = with_x ? size : 0;
    a->size = with_x ? size * (size_t)p->t->card[node->var] : size;
    return inner_pattern(p, l->block, axis + naxis - ninner, ninner, a);
}

/* Outer axes that every table walks alike become one; axes of one value vanish. */
static void merge_outer(planner *p, zb_job *l, const draft *at)
{
    size_t *extent = (size_t *)p->extent.data + at->extent, *stride = p->stride.data;
    const zb_access *a = (zb_access *)p->access.data + at->access;
    int kept = -1;
    for (int o = 0; o < l->nouter; o++) {
        bool same = kept >= 0;
        if (extent[o] == 1)
            continue;
        for (int i = 0; i < at->ntable && same; i++) {
            const size_t *s = stride + a[i].stride_at;
            same = s[kept] == s[o] * extent[o];
        }
        if (!same)
            kept++;
        extent[kept] = same ? extent[kept] * extent[o] : extent[o];
        for (int i = 0; i < at->ntable; i++) {
            size_t *s = stride + a[i].stride_at;
            s[kept] = s[o];
        }
    }
    l->nouter = kept + 1;
}

static void mark_tables(const planner *p, const zb_job *l, const draft *at)
{
    zb_access *a = (zb_access *)p->access.data + at->access;
    for (int i = 0; i < at->ntable; i++) {
        const size_t *s = (size_t *)p->stride.data + a[i].stride_at;
        a[i].own = true;
        for (int o = 0; o < l->nouter; o++)
            a[i].own = a[i].own && s[o] > 0;
        a[i].slow = l->nouter > 0 && s[l->nouter - 1] == 0;
    }
}

size_t zb_plan_block(const zb_tree *t, int node, int *ninner)
{
    const int *axis = zb_tree_clique(t, node) + 1;
    int naxis = t->node[node].nclique - 1, inner = 0;
    size_t block = 1;
    while (inner < naxis) {
        size_t card = (size_t)t->card[axis[naxis - 1 - inner]];
        if (block >= BLOCK || (inner > 0 && block * card > BLOCK_MOST))
            break;
        block *= card;
        inner++;
    }
    *ninner = inner;
    return block;
}

static zb_status plan_shape(planner *p, int k, zb_job *l, draft *at, int *ninner)
{
    const zb_node *node = &p->t->node[k];
    const int *axis = p->t->clique + node->clique_at + 1;
    int naxis = node->nclique - 1, inner;
    l->d = (uint32_t)p->t->card[node->var];
    l->block = (uint32_t)zb_plan_block(p->t, k, &inner);
    l->nouter = naxis - inner;
    l->nblocks = node->sep_size / l->block;
    at->extent = p->extent.used;
    *ninner = inner;
    size_t *extent = grow(&p->extent, (size_t)l->nouter);
    if (extent == NULL)
        return ZB_ENOMEM;
    for (int o = 0; o < l->nouter; o++)
        extent[o] = (size_t)p->t->card[axis[o]];
    return ZB_OK;
}

static zb_status plan_node(planner *p, int k, bool theta, bool shared, zb_job *l,
                           draft *at)
{
    const zb_tree *t = p->t;
    const zb_node *node = &t->node[k];
    const zb_bucket *bucket = &t->bucket[node->bucket];
    bool split = bucket->count > 1, shift = split && theta, table = split && shared;
    int ninner, i = 0, nshared = shared ? bucket->nshared : 0;
    zb_status status;

    TRY(plan_shape(p, k, l, at, &ninner));
    l->nin = node->ninput + shift;
    l->weighted = table;
    at->ntable = l->nin + table;
    at->access = p->access.used;
    TRY(grow(&p->access, (size_t)at->ntable) != NULL ? ZB_OK : ZB_ENOMEM);
    zb_access *a = (zb_access *)p->access.data + at->access;
    for (; i < node->ninput; i++) {
        int in = t->input[node->input_at + (size_t)i];
        const zb_node *child = in < 0 ? &t->node[-1 - in] : NULL;
        const int *scope =
            child ? t->clique + child->clique_at + 1 : t->scope + t->scope_at[in];
        int arity =
            child ? child->nclique - 1 : (int)(t->scope_at[in + 1] - t->scope_at[in]);
        TRY(add_table(p, l, node, ninner, scope, arity, true, &a[i]));
    }
    p->scope[0] = node->var;
    if (nshared > 0)
        memcpy(p->scope + 1, t->shared + bucket->shared_at,
               (size_t)nshared * sizeof(int));
    if (shift)
        TRY(add_table(p, l, node, ninner, p->scope, nshared + 1, true, &a[i++]));
    if (table)
        TRY(add_table(p, l, node, ninner, p->scope + 1, nshared, false, &a[i]));
    merge_outer(p, l, at);
    mark_tables(p, l, at);
done:
    return status;
}

static void measure(zb_plan *plan, int k)
{
    const zb_job *l = &plan->job[k];
    int ntable = l->nin + l->weighted;
    size_t need = zb_job_scratch(l->d, l->block, ntable);
    plan->scratch = zb_max_size(plan->scratch, need);
    plan->max_shared = zb_max_size(plan->max_shared, zb_job_shared(l));
    plan->max_table = zb_max_int(plan->max_table, ntable);
    plan->max_outer = zb_max_int(plan->max_outer, l->nouter);
}

static void take_pools(zb_plan *plan, planner *p)
{
    plan->access = p->access.data;
    plan->extent = p->extent.data;
    plan->stride = p->stride.data;
    plan->offset = p->offset.data;
    plan->bytes = p->access.room * sizeof *plan->access +
                  (p->extent.room + p->stride.room) * sizeof *plan->stride +
                  p->offset.room * sizeof *plan->offset;
    p->access.data = p->extent.data = p->stride.data = p->offset.data = NULL;
    for (int k = 0; k < p->t->nnodes; k++) {
        zb_job *job = &plan->job[k];
        job->access = plan->access + p->draft[k].access;
        job->extent = plan->extent + p->draft[k].extent;
        job->stride = plan->stride;
        job->offset = plan->offset;
    }
}

zb_status zb_plan_new(zb_plan **out, const zb_tree *tree, bool theta, bool shared,
                      zb_run *run)
{
    planner p = { .t = tree,
                  .access = { .size = sizeof(zb_access) },
                  .extent = { .size = sizeof(size_t) },
                  .stride = { .size = sizeof(size_t) },
                  .offset = { .size = sizeof(int32_t) } };
    zb_plan *plan = zb_calloc(1, sizeof *plan);
    zb_ticker ticker = { .run = run };
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (plan == NULL)
        return ZB_ENOMEM;
    plan->job = zb_calloc((size_t)tree->nnodes, sizeof *plan->job);
    p.draft = zb_alloc((size_t)tree->nnodes, sizeof *p.draft);
    p.inner = zb_alloc((size_t)tree->width + 1, sizeof *p.inner);
    p.scope = zb_alloc((size_t)tree->width + 2, sizeof *p.scope);
    if (plan->job == NULL || p.draft == NULL || p.inner == NULL || p.scope == NULL)
        goto done;
    for (int k = 0; k < tree->nnodes; k++) {
        TRY(zb_tick(&ticker, 1000) ? ZB_OK : ZB_ELIMIT);
        TRY(plan_node(&p, k, theta, shared, &plan->job[k], &p.draft[k]));
    }
    take_pools(plan, &p);
    plan->bytes += (size_t)tree->nnodes * sizeof *plan->job;
    for (int k = 0; k < tree->nnodes; k++)
        measure(plan, k);
    *out = plan, plan = NULL;
    status = ZB_OK;
done:
    zb_free(p.access.data);
    zb_free(p.extent.data);
    zb_free(p.stride.data);
    zb_free(p.offset.data);
    zb_free(p.bucket);
    zb_free(p.len);
    zb_free(p.inner);
    zb_free(p.scope);
    zb_free(p.at);
    zb_free(p.draft);
    zb_plan_free(plan);
    return status;
}

void zb_plan_free(zb_plan *plan)
{
    if (plan == NULL)
        return;
    zb_free(plan->job);
    zb_free(plan->access);
    zb_free(plan->extent);
    zb_free(plan->stride);
    zb_free(plan->offset);
    zb_free(plan);
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
