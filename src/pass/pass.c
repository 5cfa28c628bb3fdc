/* Running a pass. See pass.h for what is computed and in which form. */
#include "pass/pass.h"

#include <omp.h>
#include <string.h>

/* Products of linear values may lose this many nats below the largest before a double
   underflows (ln of the smallest normal double is -708). */
static const double RANGE_MOST = 600;

/* ---- tables: values in one form or the other ------------------------------------- */

static size_t size_of(const zb_pass *p, int table)
{
    const zb_tree *t = p->tree;
    if (table >= t->nfactors)
        return t->node[table - t->nfactors].sep_size;
    size_t size = 1;
    for (size_t i = t->scope_at[table]; i < t->scope_at[table + 1]; i++)
        size *= (size_t)t->card[t->scope[i]];
    return size;
}

static double *values_of(const zb_pass *p, int table) { return p->pool + p->at[table]; }

static int input_table(const zb_pass *p, int in)
{
    return in >= 0 ? in : p->tree->nfactors + (-1 - in);
}

static void to_log(zb_pass *p, int table)
{
    double *x = values_of(p, table);
    zb_kernel_log_abs(size_of(p, table), x, p->scale[table], x);
    p->is_log[table] = true;
}

/* Logarithms to linear values where their range allows it. */
static void to_linear(zb_pass *p, int table)
{
    double *x = values_of(p, table), most, least;
    size_t n = size_of(p, table);
    zb_kernel_log_range(n, x, &most, &least);
    bool zero = most == -INFINITY;
    if (!zero && most - least > RANGE_MOST)
        return;
    zb_kernel_exp(n, x, zero ? 0 : most, x);
    p->scale[table] = zero ? 0 : most;
    p->range[table] = zero ? 0 : most - least;
    p->is_log[table] = false;
}

/* Linear values: bring them near one if they are far from it, note their range, one
   included: a product stays within the sum of its inputs' ranges of one. */
static void settle(zb_pass *p, int table, bool absolute)
{
    double *x = values_of(p, table), most, least;
    size_t n = size_of(p, table);
    zb_kernel_range(n, x, &most, &least);
    p->is_log[table] = false;
    p->range[table] = 0;
    if (most > 0 && (most > 0x1p16 || most < 0x1p-16)) {
        int e = zb_max_int(-1000, zb_min_int(ilogb(most), 1000));
        double factor = ldexp(1, -e);
        for (size_t i = 0; i < n; i++)
            x[i] *= factor;
        p->scale[table] += e * 0.693147180559945309417;
        most *= factor;
        least *= factor;
    }
    if (most > 0)
        p->range[table] = log(fmax(most, 1)) - log(fmin(least, 1));
    if (absolute)
        for (size_t i = 0; i < n; i++)
            x[i] = fabs(x[i]);
}

void zb_pass_set_log(zb_pass *p, int f, const double *value)
{
    int k = p->tree->factor_node[f];
    if (k < 0) {
        p->constant[f] = *value;
        return;
    }
    memcpy(values_of(p, f), value, size_of(p, f) * sizeof *value);
    p->is_log[f] = true;
    if (p->mode[k] == ZB_LINEAR)
        to_linear(p, f);
}

void zb_pass_set_linear(zb_pass *p, int f, const double *value, double log_scale)
{
    int k = p->tree->factor_node[f];
    if (k < 0) {
        p->constant[f] = log(fabs(*value)) + log_scale;
        return;
    }
    memcpy(values_of(p, f), value, size_of(p, f) * sizeof *value);
    p->scale[f] = log_scale;
    if (p->mode[k] == ZB_LOG)
        to_log(p, f);
    else
        settle(p, f, !p->is_exact[k]);
}

double *zb_pass_weight(zb_pass *p, int node) { return p->weight + p->weight_at[node]; }
double *zb_pass_theta(zb_pass *p, int node) { return p->theta + p->theta_at[node]; }
const double *zb_pass_entropy(const zb_pass *p, int node)
{
    return p->entropy + p->weight_at[node];
}
const double *zb_pass_theta_grad(const zb_pass *p, int node)
{
    return p->theta_grad + p->theta_at[node];
}

/* ---- jobs ------------------------------------------------------------------------ */

static zb_job make_job(const zb_pass *p, int k, const zb_worker *w)
{
    const zb_tree *t = p->tree;
    const zb_node *node = &t->node[k];
    const zb_loop *l = &p->plan->loop[k];
    const int *input = t->input + node->input_at;
    bool split = zb_tree_is_split(t, k);
    zb_job job = { .d = (size_t)t->card[node->var],
                   .block = l->block,
                   .nblocks = l->nblocks,
                   .last = l->nblocks,
                   .nouter = l->nouter,
                   .extent = p->plan->extent + l->extent_at,
                   .stride = p->plan->stride,
                   .offset = p->plan->offset,
                   .nin = node->ninput,
                   .in = w->in,
                   .access = p->plan->access + l->access_at,
                   .w = 1,
                   .buffer = w->buffer,
                   .base = w->base,
                   .count = w->count };
    for (int i = 0; i < node->ninput; i++)
        w->in[i] = values_of(p, input_table(p, input[i]));
    if (split && p->spec.theta)
        w->in[job.nin++] = p->theta + p->theta_at[k];
    if (split) {
        const double *weight = p->weight + p->weight_at[k];
        job.w = *weight;
        job.weight = p->spec.shared && l->ntable > job.nin ? weight : NULL;
        if (*weight == 0)
            job.op = p->spec.side == ZB_SIDE_LOWER ? ZB_OP_MIN : ZB_OP_MAX;
    }
    return job;
}

/* ---- forward --------------------------------------------------------------------- */

/* A node below has lost its signs: so must this one. */
static void drop_signs(zb_pass *p, int k)
{
    const int *input = zb_tree_input(p->tree, k);
    p->is_exact[k] = false;
    for (int i = 0; i < p->tree->node[k].ninput; i++) {
        int table = input_table(p, input[i]);
        double *x = values_of(p, table);
        for (size_t j = 0; j < size_of(p, table) && !p->is_log[table]; j++)
            x[j] = fabs(x[j]);
    }
}

/* Decide the node's form and bring its inputs into it. */
static void prepare_inputs(zb_pass *p, int k)
{
    const zb_node *node = &p->tree->node[k];
    const int *input = zb_tree_input(p->tree, k);
    double range = 0;
    for (int i = 0; i < node->ninput && p->is_exact[k]; i++)
        if (input[i] < 0 && !p->is_exact[-1 - input[i]])
            drop_signs(p, k);
    for (int i = 0; i < node->ninput && p->mode[k] == ZB_LINEAR; i++) {
        int table = input_table(p, input[i]);
        range += p->range[table];
        if (p->is_log[table] || range > RANGE_MOST) {
            p->mode[k] = ZB_LOG;
            p->is_exact[k] = false; /* logarithms carry no signs */
        }
    }
    if (p->mode[k] == ZB_LINEAR)
        return;
    for (int i = 0; i < node->ninput; i++)
        if (!p->is_log[input_table(p, input[i])])
            to_log(p, input_table(p, input[i]));
}

/* Hand the message over in the form its parent works in. */
static void deliver(zb_pass *p, int k)
{
    const zb_tree *t = p->tree;
    int up = t->node[k].parent, table = t->nfactors + k;
    if (p->mode[k] == ZB_LINEAR) {
        double scale = 0;
        for (int i = 0; i < t->node[k].ninput; i++)
            scale += p->scale[input_table(p, zb_tree_input(t, k)[i])];
        p->scale[table] = scale;
        settle(p, table, up >= 0 && p->is_exact[k] && !p->is_exact[up]);
        if (up < 0 || p->mode[up] == ZB_LOG)
            to_log(p, table);
    } else {
        p->is_log[table] = true;
        if (up >= 0 && p->mode[up] == ZB_LINEAR)
            to_linear(p, table);
    }
    if (up < 0)
        p->scale[table] = *values_of(p, table); /* kept: the memory may be used again */
}

static void forward_node(zb_pass *p, int k, const zb_worker *w)
{
    double *out = values_of(p, p->tree->nfactors + k);
    prepare_inputs(p, k);
    zb_job job = make_job(p, k, w);
    if (p->mode[k] == ZB_LINEAR)
        zb_kernel_lin_forward(&job, out);
    else
        zb_kernel_log_forward(&job, out);
    deliver(p, k);
}

/* Run visit over all nodes; downwards (roots first) or upwards. Pieces are independent
   of each other, so the order in which threads take them changes nothing. */
typedef void visitor(zb_pass *p, int node, const zb_worker *w);

static void visit_pieces(zb_pass *p, visitor *visit, bool down)
{
#pragma omp parallel for schedule(dynamic) num_threads(p->nworker) if (p->nworker > 1)
    for (int i = 0; i < p->npiece; i++) {
        const zb_worker *w = &p->worker[omp_get_thread_num()];
        zb_range_of r = p->piece[i];
        for (int j = r.first; j < r.last; j++)
            visit(p, p->sched[down ? r.last - 1 - (j - r.first) : j], w);
    }
}

double zb_pass_forward(zb_pass *p)
{
    const zb_tree *t = p->tree;
    double sum = p->log_free;
    if (p->nworker == 1)
        for (int i = 0; i < t->nnodes; i++)
            forward_node(p, p->spec.gradient ? i : p->sched[i], p->worker);
    else {
        visit_pieces(p, forward_node, false);
        for (int i = 0; i < p->ntop; i++)
            forward_node(p, p->top[i], p->worker);
    }
    for (int f = 0; f < t->nfactors; f++)
        sum += p->constant[f];
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent < 0)
            sum +=
                p->scale[t->nfactors + k]; /* where deliver left a root's logarithm */
    return sum;
}

/* ---- backward -------------------------------------------------------------------- */

/* Inputs' derivatives are gathered in scratch, since a message's values are still
   needed until the node is finished, and then replace the messages' values. */
static void point_grads(const zb_pass *p, int k, const zb_job *job, const zb_worker *w)
{
    const int *input = zb_tree_input(p->tree, k);
    double *scratch = w->grads;
    for (int i = 0; i < job->nin; i++) {
        if (i < p->tree->node[k].ninput && input[i] < 0) {
            w->grad[i] = scratch;
            scratch += job->access[i].size;
        } else if (i < p->tree->node[k].ninput)
            w->grad[i] = p->fgrad + p->fgrad_at[input[i]];
        else
            w->grad[i] = p->theta_grad + p->theta_at[k];
    }
}

/* A child in logarithms wants q = D m; so does one whose sign was dropped on delivery.
 */
static bool wants_belief(const zb_pass *p, int child, int k)
{
    return p->mode[child] == ZB_LOG || (p->is_exact[child] && !p->is_exact[k]);
}

static void hand_down(zb_pass *p, int k, const zb_job *job, const zb_worker *w)
{
    const zb_tree *t = p->tree;
    const int *input = zb_tree_input(t, k);
    bool linear = p->mode[k] == ZB_LINEAR;
    for (int i = 0; i < t->node[k].ninput; i++) {
        int table = input_table(p, input[i]);
        p->is_q[table] = !linear;
        if (input[i] >= 0)
            continue;
        double *x = values_of(p, table);
        size_t n = job->access[i].size;
        if (linear && wants_belief(p, -1 - input[i], k)) {
            for (size_t j = 0; j < n; j++)
                x[j] *= w->grad[i][j];
            p->is_q[table] = true;
        } else
            memcpy(x, w->grad[i], n * sizeof *x);
    }
}

/* A linear message was multiplied by exp(inputs' scales - its own scale) on delivery.
 */
static double delivery_factor(const zb_pass *p, int k)
{
    const zb_tree *t = p->tree;
    double scale = 0;
    for (int i = 0; i < t->node[k].ninput; i++)
        scale += p->scale[input_table(p, zb_tree_input(t, k)[i])];
    return exp(scale - p->scale[t->nfactors + k]);
}

static void backward_node(zb_pass *p, int k, const zb_worker *w)
{
    const zb_tree *t = p->tree;
    int table = t->nfactors + k;
    double *msg = values_of(p, table);
    zb_job job = make_job(p, k, w);
    bool split = zb_tree_is_split(t, k);
    if (t->node[k].parent < 0) {
        *msg = p->scale[table] == -INFINITY ? 0 : 1;
        p->is_q[table] = true;
    }
    point_grads(p, k, &job, w);
    if (p->mode[k] == ZB_LINEAR) {
        double factor = p->is_q[table] ? 1 : delivery_factor(p, k);
        for (size_t i = 0; factor != 1 && i < t->node[k].sep_size; i++)
            msg[i] *= factor;
        zb_kernel_lin_backward(&job, msg, !p->is_q[table], w->grad);
    } else
        zb_kernel_log_backward(&job, msg, w->grad,
                               split ? p->entropy + p->weight_at[k] : NULL);
    hand_down(p, k, &job, w);
}

void zb_pass_backward(zb_pass *p)
{
    if (p->nworker == 1) {
        for (int i = p->tree->nnodes - 1; i >= 0; i--)
            backward_node(p, i, p->worker); /* as they lie in memory */
        return;
    }
    for (int i = p->ntop - 1; i >= 0; i--)
        backward_node(p, p->top[i], p->worker);
    visit_pieces(p, backward_node, true);
}

void zb_pass_belief(const zb_pass *p, int f, double *out)
{
    size_t n = size_of(p, f);
    if (p->tree->factor_node[f] < 0) {
        *out = 1;
        return;
    }
    const double *g = p->fgrad + p->fgrad_at[f], *x = values_of(p, f);
    for (size_t i = 0; i < n; i++)
        out[i] = p->is_q[f] ? g[i] : g[i] * x[i];
}

void zb_pass_derivative(const zb_pass *p, int f, const double *value, double *out)
{
    int k = p->tree->factor_node[f];
    size_t n = size_of(p, f);
    const double *g = p->fgrad + p->fgrad_at[f];
    double factor = 1;
    if (k < 0) {
        *out = *value != 0 ? 1 / *value : 0;
        return;
    }
    double *stored = p->pool + p->at[f];
    for (size_t i = 0; i < n && !p->is_q[f]; i++)
        if (value[i] != 0 && stored[i] != 0) { /* settle may have rescaled the table */
            factor = fabs(stored[i] / value[i]);
            break;
        }
    for (size_t i = 0; i < n; i++) {
        double v = value[i];
        if (p->is_q[f])
            out[i] = v != 0 ? g[i] / v : 0;
        else if (p->is_exact[k])
            out[i] = g[i] * factor;
        else
            out[i] = v > 0 ? g[i] * factor : v < 0 ? -g[i] * factor : 0;
    }
}
