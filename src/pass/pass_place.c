/* Where a pass keeps its tables, and how much memory that will be. */
#include "pass/pass_state.h"

#include "base/explog.h"

#include <string.h>

/* ---- tables ---------------------------------------------------------------------- */

static int input_of(const zb_tree *t, size_t table) /* as an input of a node */
{
    return table < (size_t)t->nfactors ? (int)table
                                       : -1 - (int)(table - (size_t)t->nfactors);
}

/* Doubles of all tables. */
static double pool_size(const zb_tree *t, const zb_schedule *s,
                        const zb_pass_spec *spec, int workers)
{
    bool arena = zb_pass_in_arena(spec, workers);
    size_t from = arena && spec->once ? (size_t)t->nfactors : 0,
           to = (size_t)t->nfactors + (arena ? 0 : (size_t)t->nnodes);
    double sum = arena ? s->room : 0;
    for (size_t i = from; i < to; i++)
        sum += (double)zb_whole_lines(zb_tree_size(t, input_of(t, i)));
    return sum;
}

/* Messages that share memory come first, then one table after the other. */
static zb_status choose_places(const zb_pass *p, size_t *at)
{
    const zb_tree *t = p->tree;
    bool arena = zb_pass_in_arena(&p->spec, p->nworker), once = p->spec.once != NULL;
    size_t nf = (size_t)t->nfactors, used = arena ? (size_t)p->sched->room : 0;
    zb_status status = ZB_OK;
    if (arena)
        TRY(zb_schedule_place(p->sched, t, once, at));
    for (size_t i = 0; i < nf + (size_t)t->nnodes; i++) {
        if (arena && (once || i >= nf))
            continue;
        at[i] = used;
        used += zb_whole_lines(zb_tree_size(t, input_of(t, i)));
    }
done:
    return status;
}

static zb_status place_gradients(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t grads = 0;
    if (!p->spec.gradient)
        return ZB_OK;
    p->fgrad_at = zb_alloc((size_t)t->nfactors, sizeof *p->fgrad_at);
    if (p->fgrad_at == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < t->nfactors; f++) {
        p->fgrad_at[f] = grads;
        grads += zb_whole_lines(zb_tree_size(t, f));
    }
    p->fgrad = zb_alloc(grads, sizeof *p->fgrad);
    p->bytes += grads * sizeof *p->fgrad + (size_t)t->nfactors * sizeof *p->fgrad_at;
    return p->fgrad != NULL ? ZB_OK : ZB_ENOMEM;
}

static zb_status place_tables(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t ntables = (size_t)t->nfactors + (size_t)t->nnodes,
           *at = zb_alloc(ntables, sizeof *at),
           size = (size_t)pool_size(t, p->sched, &p->spec, p->nworker);
    zb_status status;

    TRY(at != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(choose_places(p, at));
    p->table = zb_calloc(ntables, sizeof *p->table);
    p->pool = zb_alloc(size, sizeof *p->pool);
    TRY(p->table != NULL && p->pool != NULL ? ZB_OK : ZB_ENOMEM);
    p->bytes += size * sizeof *p->pool + ntables * sizeof *p->table;
    for (size_t i = 0; i < ntables; i++)
        if (i >= (size_t)t->nfactors || t->factor_node[i] >= 0)
            p->table[i] = (zb_table){ .value = p->pool + at[i],
                                      .size = zb_tree_size(t, input_of(t, i)) };
    for (int k = 0; k < t->nnodes; k++)
        zb_pass_message(p, k)->is_root = t->node[k].parent < 0;
done:
    zb_free(at);
    return status;
}

/* ---- parameters ------------------------------------------------------------------ */

size_t zb_pass_weight_size(const zb_tree *tree, int node, bool shared)
{
    return shared ? zb_tree_bucket_of(tree, node)->shared_size : 1;
}

size_t zb_pass_theta_size(const zb_tree *tree, int node, bool shared)
{
    return zb_pass_weight_size(tree, node, shared) *
           (size_t)tree->card[tree->node[node].var];
}

/* Of any node, split or not. */
static size_t nweight_of(const zb_tree *t, int k, const zb_pass_spec *spec)
{
    return zb_tree_is_split(t, k) ? zb_pass_weight_size(t, k, spec->shared) : 0;
}

static size_t ntheta_of(const zb_tree *t, int k, const zb_pass_spec *spec)
{
    return zb_tree_is_split(t, k) && spec->theta
               ? zb_pass_theta_size(t, k, spec->shared)
               : 0;
}

static zb_status place_parameters(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t n = (size_t)t->nnodes;
    if (p->spec.once != NULL)
        return ZB_OK;
    p->weight_at = zb_alloc(n, sizeof *p->weight_at);
    p->theta_at = zb_alloc(n, sizeof *p->theta_at);
    if (p->weight_at == NULL || p->theta_at == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++) {
        p->weight_at[k] = p->param.nweight;
        p->theta_at[k] = p->param.ntheta;
        p->param.nweight += nweight_of(t, k, &p->spec);
        p->param.ntheta += ntheta_of(t, k, &p->spec);
    }
    p->param.weight_at = p->weight_at;
    p->param.theta_at = p->theta_at;
    p->param.weight = zb_alloc(p->param.nweight, sizeof *p->param.weight);
    p->param.entropy = zb_calloc(p->param.nweight, sizeof *p->param.entropy);
    p->param.theta = zb_calloc(p->param.ntheta, sizeof *p->param.theta);
    p->param.theta_grad = zb_calloc(p->param.ntheta, sizeof *p->param.theta_grad);
    p->bytes += 2 * (p->param.nweight + p->param.ntheta) * sizeof(double);
    if (!p->param.weight || !p->param.entropy || !p->param.theta ||
        !p->param.theta_grad)
        return ZB_ENOMEM;
    for (int k = 0; k < t->nnodes; k++)
        for (size_t i = 0; i < nweight_of(t, k, &p->spec); i++)
            p->param.weight[p->weight_at[k] + i] = 1.0 / zb_tree_bucket_of(t, k)->count;
    return ZB_OK;
}

/* ---- where kernels find them ----------------------------------------------------- */

/* Is the node's message apart from its inputs (kernel.h)? Memory that serves again must
   not come back too early. */
static bool message_apart(const zb_pass *p, int k, const zb_job *job)
{
    const zb_table *out = zb_pass_message(p, k);
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        if (!zb_disjoint(a->value, a->size * sizeof *a->value, out->value,
                         out->size * sizeof *out->value))
            return false;
    }
    return true;
}

/* A node's tables, and where their derivatives are left. */
static void point_tables(const zb_pass *p, int k, zb_job *job)
{
    const zb_tree *t = p->tree;
    zb_access *a = job->access;
    int n = t->node[k].ninput;
    for (int i = 0; i < n; i++) {
        int in = zb_tree_input(t, k)[i];
        a[i].value = a[i].grad = zb_pass_input(p, in)->value;
        if (in >= 0 && p->spec.gradient)
            a[i].grad = p->fgrad + p->fgrad_at[in];
    }
    if (job->nin > n) {
        a[n].value = p->param.theta + p->theta_at[k];
        a[n].grad = p->param.theta_grad + p->theta_at[k];
        n++;
    }
    if (job->weighted) {
        a[n].value = p->param.weight + p->weight_at[k];
        a[n].grad = p->param.entropy + p->weight_at[k];
    }
    ZB_ASSERT(message_apart(p, k, job));
}

zb_job *zb_pass_job_once(zb_pass *p, int k)
{
    zb_job *job = zb_plan_once(p->plan, k);
    point_tables(p, k, job);
    return job;
}

zb_status zb_pass_place(zb_pass *p)
{
    zb_status status;
    TRY(place_tables(p));
    TRY(place_gradients(p));
    TRY(place_parameters(p));
    for (int k = 0; k < p->tree->nnodes && p->spec.once == NULL; k++)
        point_tables(p, k, &p->job[k]);
done:
    return status;
}

/* ---- forecast -------------------------------------------------------------------- */

/* Entries of all tables that a node reads. */
static double input_entries(const zb_tree *t, int k)
{
    double sum = 0;
    for (int i = 0; i < t->node[k].ninput; i++)
        sum += (double)zb_tree_size(t, zb_tree_input(t, k)[i]);
    return sum;
}

/* Doubles that the way back takes in addition: derivatives by factors, and sums of
   derivatives by tables that blocks share, for each part of a node (*parts: in all) and
   for each worker (*inputs). */
static double gradient_entries(const zb_tree *t, const zb_pass_spec *spec,
                               double *inputs)
{
    double grads = 0, parts = 0;
    *inputs = 1;
    for (int f = 0; f < t->nfactors && spec->gradient; f++)
        grads += (double)zb_whole_lines(zb_tree_size(t, f));
    for (int k = 0; k < t->nnodes && spec->gradient; k++) {
        double in = input_entries(t, k) + (double)nweight_of(t, k, spec) +
                    (double)ntheta_of(t, k, spec);
        *inputs = fmax(*inputs, in);
        parts = fmax(parts, fmin(ZB_PARTS_MOST * in, (double)t->node[k].sep_size));
    }
    return grads + parts;
}

double zb_pass_forecast(const zb_tree *t, const zb_pass_spec *spec)
{
    /* bytes of all arrays by node and by table, with what the allocator adds */
    const double per_node = 112, per_table = sizeof(zb_table) + 8, fixed = 32768;
    zb_plan_spec plan_spec = zb_pass_plan_spec(spec);
    zb_plan_size plan = zb_plan_measure(t, &plan_spec);
    zb_schedule *sched = NULL;
    int workers = zb_pass_worker_count(t, spec);
    double inputs, entries = gradient_entries(t, spec, &inputs);

    if (zb_pass_in_arena(spec, workers) &&
        zb_schedule_new(&sched, t, spec->once != NULL) != ZB_OK)
        return INFINITY;
    entries += pool_size(t, sched, spec, workers);
    zb_schedule_free(sched);
    for (int k = 0; k < t->nnodes; k++)
        entries += 2 * ((double)nweight_of(t, k, spec) + (double)ntheta_of(t, k, spec));
    double worker = 8 * ((double)plan.scratch + 8 + inputs) +
                    128.0 * (plan.max_table + 1) + 8.0 * (plan.max_outer + 2);
    return 8 * entries + plan.bytes + per_table * ((double)t->nfactors + t->nnodes) +
           per_node * t->nnodes + worker * (spec->once != NULL ? 1 : workers) + fixed;
}
