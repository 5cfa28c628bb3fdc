/* Running a pass. See pass.h for what is computed and in which form. */
#include "pass/pass.h"

#include "base/explog.h"

#include <omp.h>
#include <string.h>

/* Products of linear values may lose this many nats below the largest before a double
   underflows (ln of the smallest normal double is -708). */
static const double RANGE_MOST = 600;

/* ---- tables: values in one form or the other ------------------------------------- */

static zb_table *input_table(const zb_pass *p, int in)
{
    return &p->table[in >= 0 ? in : p->tree->nfactors + (-1 - in)];
}

/* Elementwise loops over a table; a large one is shared out. */
typedef void elementwise(size_t n, const double *x, double shift, double *out);

enum { STRETCH = 16384 };

typedef struct sweep {
    elementwise *f;
    zb_table *x;
} sweep;

static void sweep_part(void *context, int part, int thread)
{
    const sweep *s = context;
    size_t lines = s->x->size / 8, first = lines * (size_t)part / ZB_PARTS_MOST * 8,
           last = part == ZB_PARTS_MOST - 1
                      ? s->x->size
                      : lines * (size_t)(part + 1) / ZB_PARTS_MOST * 8;
    (void)thread;
    s->f(last - first, s->x->value + first, s->x->scale, s->x->value + first);
}

static void apply(zb_pass *p, elementwise *f, zb_table *x)
{
    if (p->gang.open && x->size > STRETCH)
        zb_gang_share(&p->gang, ZB_PARTS_MOST, sweep_part, &(sweep){ f, x });
    else
        f(x->size, x->value, x->scale, x->value);
}

static void to_log(zb_pass *p, zb_table *x)
{
    apply(p, zb_kernel_log_abs, x);
    x->is_log = true;
}

/* Logarithms within e to linear values where their range allows it. */
static void to_linear(zb_pass *p, zb_table *x, zb_extent e)
{
    bool zero = e.most == -INFINITY;
    x->is_log = !zero && e.most - e.least > RANGE_MOST;
    if (x->is_log)
        return;
    x->scale = zero ? 0 : e.most;
    x->range = zero ? 0 : e.most - e.least;
    apply(p, zb_kernel_exp, x);
}

/* Linear values of magnitudes within e: bring them near one if they are far from it,
   unless the smallest would underflow; note their range, one included: a product stays
   within the sum of its inputs' ranges of one. (What may not be moved has a range
   beyond RANGE_MOST, so that its node works on logarithms.) */
static void settle(zb_table *x, zb_extent e)
{
    const double ln2 = 0.693147180559945309417;
    x->is_log = false;
    x->range = 0;
    if (e.most == 0)
        return;
    int high = ilogb(e.most), low = ilogb(e.least);
    int by = zb_max_int(-1000, zb_min_int(high, 1000));
    if ((e.most > 0x1p16 || e.most < 0x1p-16) && low - by >= -1022) {
        double factor = ldexp(1, -by);
        for (size_t i = 0; i < x->size; i++)
            x->value[i] *= factor;
        x->scale += by * ln2;
        high -= by;
        low -= by;
    }
    x->range = ln2 * (zb_max_int(high + 1, 0) - zb_min_int(low, 0));
}

static bool all_positive(const zb_table *x)
{
    for (size_t i = 0; i < x->size; i++)
        if (!(x->value[i] > 0))
            return false;
    return true;
}

static void drop_sign(zb_table *x)
{
    for (size_t i = 0; i < x->size && !x->is_log; i++)
        x->value[i] = fabs(x->value[i]);
}

void zb_pass_set_log(zb_pass *p, int f, const double *value)
{
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    if (k < 0) {
        p->constant[f] = *value;
        return;
    }
    memcpy(x->value, value, x->size * sizeof *value);
    x->is_log = true;
    if (p->mode[k] == ZB_LINEAR)
        to_linear(p, x, zb_kernel_log_range(x->size, x->value));
    x->positive = !x->is_log && all_positive(x);
}

void zb_pass_set_linear(zb_pass *p, int f, const double *value, double log_scale)
{
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    if (k < 0) {
        p->constant[f] = zb_log(fabs(*value)) + log_scale;
        return;
    }
    memcpy(x->value, value, x->size * sizeof *value);
    x->scale = log_scale;
    p->linear_given = true;
    if (p->mode[k] == ZB_LOG) {
        to_log(p, x);
        return;
    }
    if (!p->is_exact[k])
        for (size_t i = 0; i < x->size; i++)
            x->value[i] = fabs(x->value[i]);
    settle(x, zb_kernel_range(x->size, x->value));
    x->positive = all_positive(x);
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

/* ---- kernels, in one go or in parts ---------------------------------------------- */

typedef enum kind { LOG_UP, LIN_UP, LOG_DOWN, LIN_DOWN, LIN_DERIVE } kind;

typedef struct call { /* a kernel and what it is told */
    kind kind;
    bool flag; /* measure; entropy is wanted; the message's derivative is by value */
    zb_emit emit;
    double shift;
    double *message; /* written on the way up, read on the way down */
    const double *weight;
    zb_op op;
    const bool *belief; /* per input: the derivative is by its logarithm after all */
} call;

typedef struct reply {
    zb_extent extent;
    double entropy;
} reply;

static reply run_stretch(const call *c, const zb_job *job, size_t first, size_t last,
                         const zb_worker *w)
{
    reply r = { 0 };
    zb_kernel_call run = { .job = job,
                           .first = first,
                           .last = last,
                           .weight = c->weight,
                           .op = c->op,
                           .grad = w->grad,
                           .buffer = w->buffer,
                           .base = w->base,
                           .count = w->count };
    switch (c->kind) {
    case LOG_UP: r.extent = zb_kernel_log_forward(&run, c->flag, c->message); break;
    case LIN_UP:
        r.extent = zb_kernel_lin_forward(&run, c->emit, c->shift, c->message);
        break;
    case LOG_DOWN: r.entropy = zb_kernel_log_backward(&run, c->flag, c->message); break;
    case LIN_DOWN: zb_kernel_lin_backward(&run, c->message); break;
    case LIN_DERIVE: zb_kernel_lin_derive(&run, c->message, c->flag, c->belief); break;
    }
    return r;
}

static void merge_reply(reply *r, reply more)
{
    r->extent.most = fmax(r->extent.most, more.extent.most);
    r->extent.least = fmin(r->extent.least, more.extent.least);
    r->entropy += more.entropy;
}

/* Blocks first .. last - 1, in stretches of about a millisecond between which the run
   is asked. Where they end depends on the node alone. */
static reply run_blocks(const call *c, const zb_job *job, size_t first, size_t last,
                        const zb_worker *w)
{
    enum { ENTRIES = 1 << 19 };
    size_t each = zb_max_size(1, ENTRIES / ((size_t)job->d * job->block));
    size_t end = zb_min_size(last, first + each);
    reply r = run_stretch(c, job, first, end, w);
    for (; end < last && zb_tick(w->ticker, ENTRIES); end += each)
        merge_reply(&r, run_stretch(c, job, end, zb_min_size(last, end + each), w));
    return r;
}

static void weigh(const zb_pass *p, int k, call *c)
{
    static const double one = 1;
    bool split = zb_tree_is_split(p->tree, k);
    c->weight = split ? p->weight + p->weight_at[k] : &one;
    if (*c->weight == 0)
        c->op = p->spec.side == ZB_SIDE_LOWER ? ZB_OP_MIN : ZB_OP_MAX;
}

/* Derivatives by tables that blocks share are gathered in scratch: a message's values
   are still needed until the node is finished. */
static void point_grads(const zb_job *job, double *scratch, double **grad)
{
    size_t used = 0;
    for (int i = 0; i < job->nin + job->weighted; i++) {
        if (job->access[i].own)
            continue;
        grad[i] = scratch + used;
        used += job->access[i].size;
    }
    if (used > 0)
        memset(scratch, 0, used * sizeof *scratch);
}

/* Their sum over the parts, in order, replaces the values. */
static void hand_down(const zb_job *job, size_t parts, const double *scratch)
{
    size_t all = zb_job_shared(job);
    for (int i = 0; i < job->nin + job->weighted; i++) {
        const zb_access *a = &job->access[i];
        if (a->own)
            continue;
        memcpy(a->grad, scratch, a->size * sizeof *scratch);
        for (size_t part = 1; part < parts; part++)
            for (size_t j = 0; j < a->size; j++)
                a->grad[j] += scratch[part * all + j];
        scratch += a->size;
    }
}

typedef struct division { /* of a node's work */
    zb_pass *p;
    int node;
    const call *call;
    reply part[ZB_PARTS_MOST];
} division;

static void run_part(void *context, int part, int thread)
{
    division *d = context;
    const zb_job *job = &d->p->plan->job[d->node];
    const zb_worker *w = &d->p->worker[thread];
    size_t parts = d->p->parts[d->node], i = (size_t)part;
    if (d->call->kind >= LOG_DOWN)
        point_grads(job, d->p->shared + i * zb_job_shared(job), w->grad);
    d->part[i] = run_blocks(d->call, job, job->nblocks * i / parts,
                            job->nblocks * (i + 1) / parts, w);
}

/* A large node at the top: all threads work on it. */
static reply run_parts(zb_pass *p, int k, const call *c)
{
    division d = { .p = p, .node = k, .call = c };
    zb_gang_share(&p->gang, p->parts[k], run_part, &d);
    if (c->kind >= LOG_DOWN)
        hand_down(&p->plan->job[k], p->parts[k], p->shared);
    reply r = d.part[0];
    for (int i = 1; i < p->parts[k]; i++)
        merge_reply(&r, d.part[i]);
    return r;
}

static reply run_node(zb_pass *p, int k, const call *c, const zb_worker *w)
{
    const zb_job *job = &p->plan->job[k];
    bool down = c->kind >= LOG_DOWN;
    if (p->parts[k] > 1)
        return run_parts(p, k, c);
    if (down && job->nblocks > 1)
        point_grads(job, w->shared, w->grad);
    reply r = run_blocks(c, job, 0, job->nblocks, w);
    if (down && job->nblocks > 1)
        hand_down(job, 1, w->shared);
    return r;
}

/* ---- forward --------------------------------------------------------------------- */

/* A node below has lost its signs: so must this one. */
static void keep_signs_true(zb_pass *p, int k)
{
    const zb_node *node = &p->tree->node[k];
    const int *input = zb_tree_input(p->tree, k);
    for (int i = 0; i < node->ninput && p->is_exact[k]; i++)
        p->is_exact[k] = input[i] >= 0 || p->is_exact[-1 - input[i]];
    for (int i = 0; i < node->ninput && !p->is_exact[k]; i++)
        drop_sign(input_table(p, input[i]));
}

/* Decide the form of an unsplit node and bring its inputs into it. (Inputs of nodes in
   logarithms are delivered as such.) Returns the sum of scales. */
static double prepare_inputs(zb_pass *p, int k)
{
    const zb_node *node = &p->tree->node[k];
    const int *input = zb_tree_input(p->tree, k);
    double range = 0, scale = 0;
    bool positive = true;
    if (p->is_exact[k])
        keep_signs_true(p, k);
    for (int i = 0; i < node->ninput; i++) {
        const zb_table *x = input_table(p, input[i]);
        range += x->is_log ? INFINITY : x->range;
        scale += x->scale;
        positive = positive && x->positive;
    }
    p->table[p->tree->nfactors + k].positive = positive;
    p->by_value[k] = p->is_exact[k] && p->linear_given && !positive;
    if (range <= RANGE_MOST)
        return scale;
    p->mode[k] = ZB_LOG;
    p->is_exact[k] = p->by_value[k] = false; /* logarithms carry no signs */
    for (int i = 0; i < node->ninput; i++)
        if (!input_table(p, input[i])->is_log)
            to_log(p, input_table(p, input[i]));
    return 0;
}

/* The message is handed over in the form its parent works in. */
static void forward_linear(zb_pass *p, int k, double scale, const zb_worker *w)
{
    int up = p->tree->node[k].parent;
    zb_table *out = &p->table[p->tree->nfactors + k];
    bool drop = up >= 0 && p->is_exact[k] && !p->is_exact[up];
    call c = { .kind = LIN_UP,
               .message = out->value,
               .shift = scale,
               .emit = up < 0 || p->mode[up] == ZB_LOG ? ZB_EMIT_LOG
                       : drop                          ? ZB_EMIT_ABS
                                                       : ZB_EMIT_VALUE };
    reply r = run_node(p, k, &c, w);
    out->scale = scale;
    if (c.emit == ZB_EMIT_LOG)
        out->is_log = true;
    else
        settle(out, r.extent);
}

static void forward_log(zb_pass *p, int k, const zb_worker *w)
{
    int up = p->tree->node[k].parent;
    zb_table *out = &p->table[p->tree->nfactors + k];
    call c = { .kind = LOG_UP,
               .message = out->value,
               .flag = up >= 0 && p->mode[up] == ZB_LINEAR };
    weigh(p, k, &c);
    reply r = run_node(p, k, &c, w);
    out->is_log = true;
    out->positive = false;
    if (c.flag)
        to_linear(p, out, r.extent);
}

/* Shall node k be worked on? */
static bool go_on(zb_pass *p, int k, const zb_worker *w)
{
    const zb_job *job = &p->plan->job[k];
    double entries = (double)job->nblocks * job->block * job->d;
    if (!zb_tick(w->ticker, 100 + fmin(entries, 1e5)))
        p->cut = true;
    return !p->cut;
}

static void forward_node(zb_pass *p, int k, const zb_worker *w)
{
    if (!go_on(p, k, w))
        return;
    double scale = p->mode[k] == ZB_LINEAR ? prepare_inputs(p, k) : 0;
    zb_table *out = &p->table[p->tree->nfactors + k];
    if (p->mode[k] == ZB_LINEAR)
        forward_linear(p, k, scale, w);
    else
        forward_log(p, k, w);
    if (p->tree->node[k].parent < 0)
        out->scale = *out->value; /* kept: the memory may be used again */
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

static void top_forward(void *context)
{
    zb_pass *p = context;
    for (int i = 0; i < p->ntop; i++)
        forward_node(p, p->top[i], p->worker);
}

void zb_pass_watch(zb_pass *p, zb_run *run)
{
    p->spec.run = run;
    for (int i = 0; i < p->nworker; i++)
        *p->worker[i].ticker = (zb_ticker){ .run = run };
}

/* A thread may have noticed the end in the middle of a node. */
static bool was_cut(zb_pass *p)
{
    for (int i = 0; i < p->nworker; i++)
        p->cut = p->cut || p->worker[i].ticker->over;
    return p->cut;
}

double zb_pass_forward(zb_pass *p)
{
    const zb_tree *t = p->tree;
    double sum = p->log_free;
    p->cut = false;
    zb_pass_watch(p, p->spec.run);
    if (p->nworker == 1)
        for (int i = 0; i < t->nnodes; i++)
            forward_node(p, p->spec.gradient ? i : p->sched[i], p->worker);
    else {
        visit_pieces(p, forward_node, false);
        zb_gang_lead(&p->gang, p->divided ? p->nworker : 1, top_forward, p);
    }
    if (was_cut(p))
        return p->spec.side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    for (int f = 0; f < t->nfactors; f++)
        sum += p->constant[f];
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent < 0)
            sum += p->table[t->nfactors + k]
                       .scale; /* where forward_node left a root's logarithm */
    return sum;
}

/* ---- backward -------------------------------------------------------------------- */

/* Is the derivative that the node gets by its linear message? Two nodes in a row must
   want it so. */
static bool is_by_value(const zb_pass *p, int k)
{
    int up = p->tree->node[k].parent;
    return p->by_value[k] && up >= 0 && p->by_value[up];
}

/* A linear message was multiplied by exp(inputs' scales - its own scale) on delivery.
 */
static void undo_delivery(const zb_pass *p, int k)
{
    const zb_tree *t = p->tree;
    zb_table *msg = &p->table[t->nfactors + k];
    double scale = 0;
    for (int i = 0; i < t->node[k].ninput; i++)
        scale += input_table(p, zb_tree_input(t, k)[i])->scale;
    double factor = zb_exp(scale - msg->scale);
    for (size_t i = 0; factor != 1 && i < msg->size; i++)
        msg->value[i] *= factor;
}

static void derive_node(zb_pass *p, int k, call *c, const zb_worker *w)
{
    const int *input = zb_tree_input(p->tree, k);
    for (int i = 0; i < p->tree->node[k].ninput; i++)
        w->belief[i] = input[i] < 0 && !p->by_value[-1 - input[i]];
    c->kind = LIN_DERIVE;
    c->belief = w->belief;
    c->flag = is_by_value(p, k);
    if (c->flag)
        undo_delivery(p, k);
    run_node(p, k, c, w);
}

static void backward_node(zb_pass *p, int k, const zb_worker *w)
{
    const zb_tree *t = p->tree;
    zb_table *msg = &p->table[t->nfactors + k];
    call c = { .message = msg->value };
    if (!go_on(p, k, w))
        return;
    if (t->node[k].parent < 0)
        *msg->value = msg->scale == -INFINITY ? 0 : 1;
    if (p->mode[k] == ZB_LOG) {
        c.kind = LOG_DOWN;
        c.flag = zb_tree_is_split(t, k);
        weigh(p, k, &c);
        reply r = run_node(p, k, &c, w);
        if (c.flag && !p->plan->job[k].weighted)
            p->entropy[p->weight_at[k]] = r.entropy;
    } else if (p->by_value[k])
        derive_node(p, k, &c, w);
    else {
        c.kind = LIN_DOWN;
        run_node(p, k, &c, w);
    }
}

static void top_backward(void *context)
{
    zb_pass *p = context;
    for (int i = p->ntop - 1; i >= 0; i--)
        backward_node(p, p->top[i], p->worker);
}

void zb_pass_backward(zb_pass *p)
{
    if (p->nworker == 1) {
        for (int i = p->tree->nnodes - 1; i >= 0; i--)
            backward_node(p, i, p->worker); /* as they lie in memory */
        return;
    }
    zb_gang_lead(&p->gang, p->divided ? p->nworker : 1, top_backward, p);
    visit_pieces(p, backward_node, true);
}

void zb_pass_belief(const zb_pass *p, int f, double *out)
{
    int k = p->tree->factor_node[f];
    const zb_table *x = &p->table[f];
    if (k < 0) {
        *out = 1;
        return;
    }
    const double *g = p->fgrad + p->fgrad_at[f];
    for (size_t i = 0; i < x->size; i++)
        out[i] = p->by_value[k] ? g[i] * x->value[i] : g[i];
}

void zb_pass_derivative(const zb_pass *p, int f, const double *value, double *out)
{
    int k = p->tree->factor_node[f];
    const zb_table *x = &p->table[f];
    const double *g = p->fgrad + p->fgrad_at[f];
    double factor = 1;
    if (k < 0) {
        *out = *value != 0 ? 1 / *value : 0;
        return;
    }
    for (size_t i = 0; i < x->size && p->by_value[k]; i++)
        if (value[i] != 0 &&
            x->value[i] != 0) { /* settle may have rescaled the table */
            factor = fabs(x->value[i] / value[i]);
            break;
        }
    for (size_t i = 0; i < x->size; i++)
        if (p->by_value[k])
            out[i] = g[i] * factor;
        else
            out[i] = value[i] != 0 ? g[i] / value[i] : 0;
}
