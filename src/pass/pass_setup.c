/* Memory, modes and schedule of a pass: everything that happens once per tree. */
#include "pass/pass.h"

#include "base/explog.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const double PARALLEL_ENTRIES = 4e6; /* clique entries: about ten milliseconds */

/* Clique entries from which on a node at the top of the tree is divided: a tenth of a
   millisecond. */
static const size_t DIVIDE_ENTRIES = 32768;

static size_t table_size(const zb_tree *t, int table)
{
    if (table >= t->nfactors)
        return t->node[table - t->nfactors].sep_size;
    size_t size = 1;
    for (size_t i = t->scope_at[table]; i < t->scope_at[table + 1]; i++)
        size *= (size_t)t->card[t->scope[i]];
    return size;
}

static size_t whole_lines(size_t n) { return (n + 7) & ~(size_t)7; }

/* ---- schedule -------------------------------------------------------------------- */

/* Subtrees are runs of sched that end with their root. Parents have larger numbers than
   children, so one sweep down the numbers places every node behind its descendants. */
static zb_status make_schedule(zb_pass *p, double **cost)
{
    const zb_tree *t = p->tree;
    size_t n = (size_t)t->nnodes;
    int *size = zb_alloc(n, sizeof *size), *end = zb_alloc(n, sizeof *end);
    int roots = t->nnodes;
    zb_status status = ZB_ENOMEM;

    p->sched = zb_alloc(n, sizeof *p->sched);
    *cost = zb_alloc(n, sizeof **cost);
    if (size == NULL || end == NULL || p->sched == NULL || *cost == NULL)
        goto done;
    for (int k = 0; k < t->nnodes; k++) {
        size[k] = 1;
        (*cost)[k] = 64 + (double)t->node[k].sep_size * t->card[t->node[k].var];
    }
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent >= 0) {
            size[t->node[k].parent] += size[k];
            (*cost)[t->node[k].parent] += (*cost)[k];
        }
    for (int k = t->nnodes - 1; k >= 0; k--) {
        int *room = t->node[k].parent < 0 ? &roots : &end[t->node[k].parent];
        end[k] = *room - 1; /* where this node stands; its subtree ends there */
        *room -= size[k];
        p->sched[end[k]] = k;
    }
    status = ZB_OK;
done:
    zb_free(size);
    zb_free(end);
    return status;
}

/* Cut into independent pieces of about a 32nd of the work; what is above them is the
   top. The cut does not depend on the number of threads (nor do the numbers). */
static zb_status cut_pieces(zb_pass *p, const double *cost)
{
    const zb_tree *t = p->tree;
    double total = 0, held = 0;
    bool *small = zb_alloc((size_t)t->nnodes, sizeof *small);
    p->piece = zb_alloc((size_t)t->nnodes, sizeof *p->piece);
    p->top = zb_alloc((size_t)t->nnodes, sizeof *p->top);
    if (small == NULL || p->piece == NULL || p->top == NULL) {
        zb_free(small);
        return ZB_ENOMEM;
    }
    for (int k = 0; k < t->nnodes; k++)
        total += t->node[k].parent < 0 ? cost[k] : 0;
    for (int k = 0; k < t->nnodes; k++)
        small[k] = cost[k] <= total / 32;
    for (int i = 0; i < t->nnodes; i++) {
        int k = p->sched[i], up = t->node[k].parent;
        if (!small[k]) {
            p->top[p->ntop++] = k;
            held = total; /* a run ends here */
            continue;
        }
        if (p->npiece == 0 || held > total / 32) {
            p->piece[p->npiece++] = (zb_range_of){ i, i };
            held = 0;
        }
        p->piece[p->npiece - 1].last = i + 1;
        if (up < 0 || !small[up])
            held += cost[k]; /* a whole subtree has been added */
    }
    zb_free(small);
    return ZB_OK;
}

/* ---- tables ---------------------------------------------------------------------- */

/* Without a backward pass a message's memory is used again once its parent has run.
   Sizes repeat, so freed places are kept in one list per size, found by a search in the
   sorted array of sizes. */
typedef struct recycler {
    size_t *size; /* distinct sizes, sorted */
    int count;
    int *head; /* per size: last freed table, -1 */
    int *next; /* per table */
} recycler;

static int size_rank(const recycler *r, size_t size)
{
    int lo = 0, hi = r->count - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (r->size[mid] < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static zb_status recycler_init(recycler *r, const zb_tree *t)
{
    size_t n = (size_t)t->nnodes;
    r->size = zb_alloc(n + 1, sizeof *r->size);
    r->head = zb_alloc(n + 1, sizeof *r->head);
    r->next = zb_alloc(n + 1, sizeof *r->next);
    if (r->size == NULL || r->head == NULL || r->next == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++)
        r->size[k] = whole_lines(t->node[k].sep_size);
    qsort(r->size, n, sizeof *r->size, compare_sizes);
    for (size_t i = 0; i < n; i++)
        if (r->count == 0 || r->size[r->count - 1] != r->size[i])
            r->size[r->count++] = r->size[i];
    for (int i = 0; i < r->count; i++)
        r->head[i] = -1;
    return ZB_OK;
}

/* at: per node. */
static zb_status place_recycled(const zb_pass *p, size_t *at, size_t *used)
{
    const zb_tree *t = p->tree;
    recycler r = { 0 };
    zb_status status;
    TRY(recycler_init(&r, t));
    for (int i = 0; i < t->nnodes; i++) {
        int k = p->sched[i];
        const zb_node *node = &t->node[k];
        size_t size = whole_lines(node->sep_size);
        int rank = size_rank(&r, size), old = r.head[rank];
        if (old >= 0) {
            at[k] = at[old];
            r.head[rank] = r.next[old];
        } else {
            at[k] = *used;
            *used += size;
        }
        for (int j = 0; j < node->ninput; j++) {
            int in = t->input[node->input_at + (size_t)j];
            if (in >= 0)
                continue;
            int child = -1 - in,
                c = size_rank(&r, whole_lines(t->node[child].sep_size));
            r.next[child] = r.head[c];
            r.head[c] = child;
        }
    }
done:
    zb_free(r.size);
    zb_free(r.head);
    zb_free(r.next);
    return status;
}

static zb_status place_messages(const zb_pass *p, size_t *at, size_t *used)
{
    const zb_tree *t = p->tree;
    /* threads run pieces side by side, so memory is shared only in a serial forward
     * pass */
    if (!p->spec.gradient && p->nworker == 1)
        return place_recycled(p, at, used);
    for (int k = 0; k < t->nnodes; k++) {
        at[k] = *used;
        *used += whole_lines(t->node[k].sep_size);
    }
    return ZB_OK;
}

static zb_status place_tables(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t nf = (size_t)t->nfactors, ntables = nf + (size_t)t->nnodes, used = 0,
           grads = 0, *at = zb_alloc(ntables, sizeof *at);
    zb_status status = ZB_ENOMEM;
    p->table = zb_calloc(ntables, sizeof *p->table);
    p->fgrad_at = zb_alloc(nf, sizeof *p->fgrad_at);
    p->constant = zb_calloc(nf, sizeof *p->constant);
    if (!at || !p->table || !p->fgrad_at || !p->constant)
        goto done;
    for (int f = 0; f < t->nfactors; f++) {
        at[f] = used;
        p->fgrad_at[f] = grads;
        used += whole_lines(table_size(t, f));
        grads += whole_lines(table_size(t, f));
    }
    TRY(place_messages(p, at + nf, &used));
    p->pool = zb_alloc(used, sizeof *p->pool);
    p->fgrad = zb_alloc(p->spec.gradient ? grads : 1, sizeof *p->fgrad);
    p->bytes += (used + (p->spec.gradient ? grads : 1)) * sizeof(double) +
                ntables * sizeof *p->table + nf * 2 * sizeof(double);
    TRY(p->pool != NULL && p->fgrad != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < ntables; i++)
        p->table[i] =
            (zb_table){ .value = p->pool + at[i], .size = table_size(t, (int)i) };
done:
    zb_free(at);
    return status;
}

/* Where kernels find a node's tables and leave their derivatives. */
static void point_tables(zb_pass *p)
{
    const zb_tree *t = p->tree;
    for (int k = 0; k < t->nnodes; k++) {
        zb_access *a = p->plan->job[k].access;
        const int *input = zb_tree_input(t, k);
        int n = t->node[k].ninput;
        for (int i = 0; i < n; i++) {
            int in = input[i];
            a[i].value = p->table[in >= 0 ? in : t->nfactors + (-1 - in)].value;
            a[i].grad = in >= 0 ? p->fgrad + p->fgrad_at[in] : a[i].value;
        }
        if (p->plan->job[k].nin > n) {
            a[n].value = p->theta + p->theta_at[k];
            a[n].grad = p->theta_grad + p->theta_at[k];
            n++;
        }
        if (p->plan->job[k].weighted) {
            a[n].value = p->weight + p->weight_at[k];
            a[n].grad = p->entropy + p->weight_at[k];
        }
    }
}

/* Is every node's message apart from its inputs (kernel.h)? Recycled memory must not
   come back too early. */
static bool messages_apart(const zb_pass *p)
{
    const zb_tree *t = p->tree;
    for (int k = 0; k < t->nnodes; k++) {
        const zb_table *out = &p->table[t->nfactors + k];
        for (int i = 0; i < p->plan->job[k].nin; i++) {
            const zb_access *a = &p->plan->job[k].access[i];
            if (!zb_disjoint(a->value, a->size * sizeof *a->value, out->value,
                             out->size * sizeof *out->value))
                return false;
        }
    }
    return true;
}

static zb_status place_parameters(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t n = (size_t)t->nnodes;
    p->weight_at = zb_alloc(n, sizeof *p->weight_at);
    p->theta_at = zb_alloc(n, sizeof *p->theta_at);
    if (p->weight_at == NULL || p->theta_at == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++) {
        bool split = zb_tree_is_split(t, k);
        p->weight_at[k] = p->nweight;
        p->theta_at[k] = p->ntheta;
        p->nweight += split ? zb_plan_weight_size(t, k, p->spec.shared) : 0;
        p->ntheta +=
            split && p->spec.theta ? zb_plan_theta_size(t, k, p->spec.shared) : 0;
    }
    p->weight = zb_alloc(p->nweight, sizeof *p->weight);
    p->entropy = zb_calloc(p->nweight, sizeof *p->entropy);
    p->theta = zb_calloc(p->ntheta, sizeof *p->theta);
    p->theta_grad = zb_calloc(p->ntheta, sizeof *p->theta_grad);
    p->bytes += 2 * (p->nweight + p->ntheta) * sizeof(double);
    if (!p->weight || !p->entropy || !p->theta || !p->theta_grad)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++)
        if (zb_tree_is_split(t, k))
            for (size_t i = 0; i < zb_plan_weight_size(t, k, p->spec.shared); i++)
                p->weight[p->weight_at[k] + i] = 1.0 / zb_tree_bucket_of(t, k)->count;
    return ZB_OK;
}

void zb_pass_reset(zb_pass *p)
{
    const zb_tree *t = p->tree;
    for (int k = 0; k < t->nnodes; k++) {
        bool split = zb_tree_is_split(t, k), exact = !split && !p->spec.absolute;
        for (int i = 0; i < t->node[k].ninput && exact; i++) {
            int in = zb_tree_input(t, k)[i];
            exact = in >= 0 || p->is_exact[-1 - in];
        }
        p->mode[k] = split ? ZB_LOG : ZB_LINEAR;
        p->is_exact[k] = exact;
    }
}

static zb_status place_modes(zb_pass *p)
{
    const zb_tree *t = p->tree;
    p->mode = zb_alloc((size_t)t->nnodes, sizeof *p->mode);
    p->is_exact = zb_alloc((size_t)t->nnodes, sizeof *p->is_exact);
    p->by_value = zb_calloc((size_t)t->nnodes, sizeof *p->by_value);
    if (p->mode == NULL || p->is_exact == NULL || p->by_value == NULL)
        return ZB_ENOMEM;
    zb_pass_reset(p);
    for (int v = 0; v < t->nvars; v++)
        if (t->bucket[v].count == 0)
            p->log_free += zb_log((double)t->card[t->order[v]]);
    return ZB_OK;
}

static int worker_count(const zb_tree *tree, const zb_pass_spec *spec)
{
    int n = spec->threads > 0 ? spec->threads : omp_get_max_threads();
    if (tree->entries < (spec->divide > 0 ? (double)spec->divide : PARALLEL_ENTRIES))
        return 1; /* waking threads would cost more than it gains */
    return zb_max_int(1, zb_min_int(n, 64));
}

/* Parts of a node of so many blocks, if each needs `shared` entries for the tables it
   shares with others: together no more than the message has. */
static size_t parts_of(const zb_node *node, size_t entries, size_t nblocks,
                       size_t shared, const zb_pass_spec *spec)
{
    size_t most = zb_min_size(ZB_PARTS_MOST, nblocks);
    if (entries < (spec->divide > 0 ? spec->divide : DIVIDE_ENTRIES))
        return 1;
    if (spec->gradient && shared > 0)
        most = zb_min_size(most, node->sep_size / shared);
    return zb_max_size(most, 1);
}

static zb_status divide_nodes(zb_pass *p)
{
    size_t room = 1, parts;
    p->parts = zb_alloc((size_t)p->tree->nnodes, sizeof *p->parts);
    if (p->parts == NULL)
        return ZB_ENOMEM;
    memset(p->parts, 1, (size_t)p->tree->nnodes);
    for (int i = 0; i < p->ntop; i++) {
        const zb_job *job = &p->plan->job[p->top[i]];
        const zb_node *node = &p->tree->node[p->top[i]];
        size_t shared = zb_job_shared(job);
        parts = parts_of(node, node->sep_size * job->d, job->nblocks, shared, &p->spec);
        p->parts[p->top[i]] = (unsigned char)parts;
        p->divided = p->divided || parts > 1;
        if (parts > 1 && p->spec.gradient)
            room = zb_max_size(room, parts * shared);
    }
    p->shared = zb_alloc(room, sizeof *p->shared);
    p->bytes += room * sizeof *p->shared;
    return p->shared != NULL ? ZB_OK : ZB_ENOMEM;
}

static zb_status make_workers(zb_pass *p)
{
    const zb_plan *plan = p->plan;
    size_t tables = (size_t)plan->max_table + 1;
    p->worker = zb_calloc((size_t)p->nworker, sizeof *p->worker);
    if (p->worker == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < p->nworker; i++) {
        zb_worker *w = &p->worker[i];
        w->buffer = zb_calloc(plan->scratch + 8, sizeof *w->buffer);
        w->shared =
            zb_alloc(p->spec.gradient ? plan->max_shared : 1, sizeof *w->shared);
        w->belief = zb_alloc(tables, sizeof *w->belief);
        w->grad = zb_alloc(tables, sizeof *w->grad);
        w->base = zb_alloc(2 * tables + 2, sizeof *w->base);
        w->count = zb_alloc((size_t)plan->max_outer + 1, sizeof *w->count);
        w->ticker = zb_calloc(1, sizeof *w->ticker);
        if (!w->buffer || !w->shared || !w->belief || !w->grad || !w->base ||
            !w->count || !w->ticker)
            return ZB_ENOMEM;
        p->bytes += (plan->scratch + (p->spec.gradient ? plan->max_shared : 1)) *
                    sizeof(double);
    }
    return ZB_OK;
}

zb_status zb_pass_new(zb_pass **out, const zb_tree *tree, const zb_pass_spec *spec)
{
    zb_pass *p = zb_calloc(1, sizeof *p);
    double *cost = NULL;
    zb_status status;

    *out = NULL;
    if (p == NULL)
        return ZB_ENOMEM;
    p->tree = tree;
    p->spec = *spec;
    p->nworker = worker_count(tree, spec);
    TRY(zb_plan_new(&p->plan, tree, spec->theta, spec->shared, spec->run));
    p->bytes = p->plan->bytes;
    TRY(make_schedule(p, &cost));
    TRY(cut_pieces(p, cost));
    TRY(place_modes(p));
    TRY(place_tables(p));
    TRY(place_parameters(p));
    point_tables(p);
    ZB_ASSERT(messages_apart(p));
    TRY(divide_nodes(p));
    TRY(make_workers(p));
    *out = p, p = NULL;
done:
    zb_free(cost);
    zb_pass_free(p);
    return status;
}

void zb_pass_free(zb_pass *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->nworker && p->worker != NULL; i++) {
        zb_free(p->worker[i].buffer);
        zb_free(p->worker[i].shared);
        zb_free(p->worker[i].belief);
        zb_free(p->worker[i].grad);
        zb_free(p->worker[i].base);
        zb_free(p->worker[i].count);
        zb_free(p->worker[i].ticker);
    }
    void *owned[] = { p->worker,   p->pool,  p->table,      p->fgrad,     p->fgrad_at,
                      p->constant, p->mode,  p->is_exact,   p->by_value,  p->weight,
                      p->entropy,  p->theta, p->theta_grad, p->weight_at, p->theta_at,
                      p->sched,    p->piece, p->top,        p->parts,     p->shared };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_plan_free(p->plan);
    zb_free(p);
}

/* ---- forecast -------------------------------------------------------------------- */

/* What a node's loop plan may take at most: every pattern a table of its own. */
static double plan_bytes(const zb_tree *t, int k, int ntable, size_t *scratch)
{
    int ninner;
    size_t block = zb_plan_block(t, k, &ninner);
    double nouter = t->node[k].nclique - 1 - ninner;
    *scratch = zb_max_size(
        *scratch, zb_job_scratch((size_t)t->card[t->node[k].var], block, ntable));
    return (double)sizeof(zb_job) + 8 * nouter +
           ntable * (sizeof(zb_access) + 8 * nouter + 8 * (double)block);
}

/* Entries of all tables that a node reads. */
static double input_entries(const zb_tree *t, int k)
{
    double sum = 0;
    for (int i = 0; i < t->node[k].ninput; i++) {
        int in = zb_tree_input(t, k)[i];
        sum += (double)table_size(t, in >= 0 ? in : t->nfactors + (-1 - in));
    }
    return sum;
}

/* Entries of all messages; with their places used again if the pass will do so. */
static double message_entries(const zb_tree *t, const zb_pass_spec *spec)
{
    zb_pass p = { .tree = t };
    double *cost = NULL, sum = 0;
    size_t used = 0, *at = NULL;
    zb_status status;
    for (int k = 0; k < t->nnodes; k++)
        sum += (double)whole_lines(t->node[k].sep_size);
    if (spec->gradient || worker_count(t, spec) > 1)
        return sum;
    TRY(make_schedule(&p, &cost));
    at = zb_alloc((size_t)t->nnodes, sizeof *at);
    TRY(at != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(place_recycled(&p, at, &used));
    sum = (double)used;
done:
    zb_free(cost);
    zb_free(p.sched);
    zb_free(at);
    return sum;
}

double zb_pass_forecast(const zb_tree *t, const zb_pass_spec *spec)
{
    const double per_table = 64, per_node = 128, fixed = 32768;
    double entries = message_entries(t, spec), plan = 0, inputs = 0, parts = 0;
    size_t scratch = 0;
    int most = 0;
    for (int f = 0; f < t->nfactors; f++)
        entries += (double)whole_lines(table_size(t, f)) +
                   (spec->gradient ? (double)whole_lines(table_size(t, f)) : 0);
    for (int k = 0; k < t->nnodes; k++) {
        bool split = zb_tree_is_split(t, k);
        int ntable = t->node[k].ninput + (split ? spec->theta + spec->shared : 0);
        double weights = split ? (double)zb_plan_weight_size(t, k, spec->shared) : 0,
               shifts = split && spec->theta
                            ? (double)zb_plan_theta_size(t, k, spec->shared)
                            : 0;
        entries += 2 * (weights + shifts);
        plan += plan_bytes(t, k, ntable, &scratch);
        double in = input_entries(t, k) + weights + shifts;
        inputs = fmax(inputs, in);
        parts = fmax(parts, fmin(ZB_PARTS_MOST * in, (double)t->node[k].sep_size));
        most = zb_max_int(most, ntable);
    }
    double worker = 8 * ((double)scratch + 8 + (spec->gradient ? inputs : 1)) +
                    128.0 * (most + 1) + 8.0 * (t->width + 2);
    return 8 * (entries + (spec->gradient ? parts : 0)) +
           3 * plan + /* arrays grow by doubling, and move */
           per_table * ((double)t->nfactors + t->nnodes) + per_node * t->nnodes +
           worker * worker_count(t, spec) + fixed;
}
