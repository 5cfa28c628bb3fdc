/* A node's kernel, in one go or in parts, and the walk over all nodes. */
#include "pass/pass_part.h"

#include <omp.h>
#include <string.h>

/* ---- how far elimination has come ------------------------------------------------ */

/* Ten times a second; by the leader only. */
static void tell(zb_pass *p)
{
    double now = zb_now();
    if (p->spec.run == NULL || now - p->told < 0.1)
        return;
    p->told = now;
    zb_progress at = { .log_lower = -INFINITY,
                       .log_upper = INFINITY,
                       .fraction = fmin(1, (p->done + p->here) / p->tree->entries) };
    if (!zb_run_report(p->spec.run, at))
        p->cut = true;
}

static double entries_of(const zb_tree *t, int k)
{
    return (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
}

bool zb_pass_go_on(zb_pass *p, int k, const zb_worker *w)
{
    if (!zb_tick(w->ticker, 100 + fmin(entries_of(p->tree, k), 1e5)))
        p->cut = true;
    return !p->cut && !p->zero;
}

/* ---- kernels --------------------------------------------------------------------- */

static zb_pass_reply run_stretch(const zb_pass_call *c, const zb_job *job, size_t first,
                                 size_t last, const zb_worker *w)
{
    zb_pass_reply r = { 0 };
    zb_kernel_call run = { .job = job,
                           .first = first,
                           .last = last,
                           .weight = c->weight,
                           .op = c->op,
                           .factor = c->factor,
                           .grad = w->grad,
                           .buffer = w->buffer,
                           .base = w->base,
                           .count = w->count };
    switch (c->kind) {
    case ZB_LOG_UP: r.extent = zb_kernel_log_forward(&run, c->flag, c->message); break;
    case ZB_LIN_UP: r.extent = zb_kernel_lin_forward(&run, c->emit, c->message); break;
    case ZB_LOG_DOWN:
        r.entropy = zb_kernel_log_backward(&run, c->flag, c->message);
        break;
    case ZB_LIN_DOWN: zb_kernel_lin_backward(&run, c->message); break;
    case ZB_LIN_DERIVE:
        zb_kernel_lin_derive(&run, c->message, c->flag, c->belief);
        break;
    }
    return r;
}

static void merge_reply(zb_pass_reply *r, zb_pass_reply more)
{
    r->extent.most = fmax(r->extent.most, more.extent.most);
    r->extent.least = fmin(r->extent.least, more.extent.least);
    r->entropy += more.entropy;
}

/* Blocks first .. last - 1, in stretches of about a millisecond between which the run
   is asked. Where they end depends on the node alone. */
static zb_pass_reply run_blocks(zb_pass *p, const zb_pass_call *c, const zb_job *job,
                                size_t first, size_t last, const zb_worker *w)
{
    enum { ENTRIES = 1 << 19 };
    size_t each = zb_max_size(1, ENTRIES / ((size_t)job->d * job->block));
    size_t end = zb_min_size(last, first + each);
    zb_pass_reply r = run_stretch(c, job, first, end, w);
    for (; end < last && zb_tick(w->ticker, ENTRIES) && !p->cut; end += each) {
        merge_reply(&r, run_stretch(c, job, end, zb_min_size(last, end + each), w));
        if (p->spec.once != NULL && w == p->worker) {
            p->here += ENTRIES;
            tell(p);
        }
    }
    return r;
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
    const zb_job *job;
    size_t parts;
    const zb_pass_call *call;
    zb_pass_reply part[ZB_PARTS_MOST];
} division;

static void run_part(void *context, int part, int thread)
{
    division *d = context;
    const zb_job *job = d->job;
    const zb_worker *w = &d->p->worker[thread];
    size_t i = (size_t)part;
    if (d->call->kind >= ZB_LOG_DOWN)
        point_grads(job, d->p->shared + i * zb_job_shared(job), w->grad);
    d->part[i] = run_blocks(d->p, d->call, job, job->nblocks * i / d->parts,
                            job->nblocks * (i + 1) / d->parts, w);
}

/* A large node at the top: all threads work on it. */
static zb_pass_reply run_parts(zb_pass *p, const zb_job *job, size_t parts,
                               const zb_pass_call *c)
{
    division d = { .p = p, .job = job, .parts = parts, .call = c };
    zb_team_share(&p->team, (int)parts, run_part, &d);
    if (c->kind >= ZB_LOG_DOWN)
        hand_down(job, parts, p->shared);
    zb_pass_reply r = d.part[0];
    for (size_t i = 1; i < parts; i++)
        merge_reply(&r, d.part[i]);
    return r;
}

static zb_pass_reply run_alone(zb_pass *p, const zb_job *job, const zb_pass_call *c,
                               const zb_worker *w)
{
    bool gather = c->kind >= ZB_LOG_DOWN && job->nblocks > 1;
    if (gather)
        point_grads(job, w->shared, w->grad);
    zb_pass_reply r = run_blocks(p, c, job, 0, job->nblocks, w);
    if (gather)
        hand_down(job, 1, w->shared);
    return r;
}

/* Elimination: nodes one by one, by the leader. */
static zb_pass_reply run_once(zb_pass *p, int k, const zb_pass_call *c)
{
    const zb_job *job = zb_pass_job_once(p, k);
    zb_pass_reply r = p->parts[k] > 1 ? run_parts(p, job, p->parts[k], c)
                                      : run_alone(p, job, c, p->worker);
    p->done += entries_of(p->tree, k);
    p->here = 0;
    tell(p);
    return r;
}

zb_pass_reply zb_pass_run_node(zb_pass *p, int k, const zb_pass_call *c,
                               const zb_worker *w)
{
    if (p->spec.once != NULL)
        return run_once(p, k, c);
    if (p->parts[k] > 1)
        return run_parts(p, &p->job[k], p->parts[k], c);
    return run_alone(p, &p->job[k], c, w);
}

/* ---- all nodes ------------------------------------------------------------------- */

/* Pieces are independent of each other, so the order in which threads take them changes
   nothing. */
static void visit_pieces(zb_pass *p, zb_pass_visitor *visit, bool down)
{
#pragma omp parallel for schedule(dynamic) num_threads(p->nworker) if (p->nworker > 1)
    for (int i = 0; i < p->npiece; i++) {
        const zb_worker *w = &p->worker[omp_get_thread_num()];
        zb_stretch r = p->piece[i];
        for (int j = r.first; j < r.last; j++)
            visit(p, p->sched->node[down ? r.last - 1 - (j - r.first) : j], w);
    }
}

typedef struct walk {
    zb_pass *p;
    zb_pass_visitor *visit;
    bool down;
} walk;

static void visit_top(void *context)
{
    const walk *w = context;
    zb_pass *p = w->p;
    for (int i = 0; i < p->ntop; i++)
        w->visit(p, p->top[w->down ? p->ntop - 1 - i : i], p->worker);
}

static void visit_part(void *context)
{
    const walk *w = context;
    zb_pass_visit_part(w->p, w->visit, w->down);
}

void zb_pass_visit(zb_pass *p, zb_pass_visitor *visit, bool down)
{
    walk w = { p, visit, down };
    int n = p->tree->nnodes;
    if (p->spec.part != NULL) {
        zb_team_lead(&p->team, p->divided ? p->nworker : 1, visit_part, &w);
        return;
    }
    bool arena = zb_pass_in_arena(&p->spec, p->nworker);
    if (p->nworker == 1) { /* in the schedule's order, or as they lie in memory */
        for (int i = 0; i < n; i++) {
            int at = down ? n - 1 - i : i;
            visit(p, arena ? p->sched->node[at] : at, p->worker);
        }
        return;
    }
    if (!down)
        visit_pieces(p, visit, false);
    zb_team_lead(&p->team, p->divided ? p->nworker : 1, visit_top, &w);
    if (down)
        visit_pieces(p, visit, true);
}
