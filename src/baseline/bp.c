/* Residual scheduling: the factor whose inputs moved most since its last update goes
 * first. What moved is bounded by the sum of the changes (ranges of log-messages), so a
 * factor is only computed when its turn comes. Ties go to the lower index: one order
 * for one model. */
#include "baseline/bp.h"

typedef struct queue {
    int count;
    int *heap;   /* factors, the most urgent first */
    int *place;  /* factor -> position in heap */
    double *key; /* by factor: how far its inputs moved */
} queue;

static bool urgent(const queue *q, int a, int b)
{
    return q->key[a] > q->key[b] || (q->key[a] == q->key[b] && a < b);
}

static void put(queue *q, int at, int a)
{
    q->heap[at] = a;
    q->place[a] = at;
}

static void sift_up(queue *q, int at)
{
    int a = q->heap[at];
    while (at > 0 && urgent(q, a, q->heap[(at - 1) / 2])) {
        put(q, at, q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(q, at, a);
}

static void sift_down(queue *q, int at)
{
    int a = q->heap[at];
    while (2 * at + 1 < q->count) {
        int child = 2 * at + 1;
        if (child + 1 < q->count && urgent(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!urgent(q, q->heap[child], a))
            break;
        put(q, at, q->heap[child]);
        at = child;
    }
    put(q, at, a);
}

static void queue_free(queue *q)
{
    zb_free(q->heap);
    zb_free(q->place);
    zb_free(q->key);
}

/* Every factor is due, in the order of their numbers. */
static zb_status queue_init(queue *q, int count)
{
    q->count = count;
    q->heap = zb_alloc((size_t)count, sizeof *q->heap);
    q->place = zb_alloc((size_t)count, sizeof *q->place);
    q->key = zb_alloc((size_t)count, sizeof *q->key);
    if (!q->heap || !q->place || !q->key)
        return ZB_ENOMEM;
    for (int a = 0; a < count; a++) {
        put(q, a, a);
        q->key[a] = INFINITY;
    }
    return ZB_OK;
}

/* Update the most urgent factor and tell its neighbours. */
static void update_first(queue *q, zb_messages *m, double damping)
{
    const zb_graph *g = m->graph;
    double change[ZB_MAX_ARITY] = { 0 };
    int a = q->heap[0], first = g->edge_at[a];
    double off = zb_messages_update(m, a, 1, 1 - damping, change);

    q->key[a] = damping * off;
    sift_down(q, 0);
    for (int i = 0; i < zb_graph_arity(g, a); i++) {
        int v = g->edge_var[first + i];
        for (int j = g->inc_at[v]; j < g->inc_at[v + 1] && change[i] > 0; j++) {
            int b = g->edge_fac[g->inc[j]];
            if (b != a) {
                q->key[b] += change[i];
                sift_up(q, q->place[b]);
            }
        }
    }
}

double zb_bp_bethe(zb_messages *m)
{
    const zb_graph *g = m->graph;
    double sum = g->log_scale;

    if (m->zero)
        return -INFINITY;
    zb_messages_collect(m);
    for (int v = 0; v < g->nvars; v++) {
        int degree = g->inc_at[v + 1] - g->inc_at[v];
        double z = zb_log_sum((size_t)g->card[v], m->node + g->var_at[v], &m->tick);
        sum += (1 - degree) * z;
    }
    for (int a = 0; a < g->nfactors && zb_tick(&m->tick, 100); a++) {
        if (zb_messages_belief(m, a, 1) == -INFINITY && !m->tick.over) {
            m->zero = true; /* no configuration of weight > 0 is left */
            return -INFINITY;
        }
        sum += zb_log_sum(g->tab_at[a + 1] - g->tab_at[a], m->joint, &m->tick);
    }
    return sum;
}

/* Heavier damping each time a third of the sweeps has not been enough. */
static double damping_at(const zb_baseline_options *opt, int64_t sweep)
{
    if (3 * sweep < opt->iterations)
        return opt->damping;
    return fmax(opt->damping, 3 * sweep < 2 * (int64_t)opt->iterations ? 0.5 : 0.8);
}

/* As many updates as there are factors; false when the time is over. */
static bool sweep(queue *q, zb_messages *m, double damping, double tolerance)
{
    for (int i = 0; i < q->count && !m->zero; i++) {
        if (q->key[q->heap[0]] <= tolerance)
            break;
        update_first(q, m, damping);
        if (m->tick.over)
            return false;
    }
    zb_messages_collect(m);
    return true;
}

static void sweep_until_stopped(queue *q, zb_messages *m,
                                const zb_baseline_options *opt, zb_baseline_result *out)
{
    bool acyclic = m->graph->acyclic;

    out->stop = ZB_STOP_ITERATIONS;
    while (out->iterations < opt->iterations && !m->zero) {
        double damping = acyclic ? 0 : damping_at(opt, out->iterations);
        if (!sweep(q, m, damping, opt->tolerance)) {
            out->stop = zb_baseline_stop(opt);
            break;
        }
        out->iterations++;
        out->converged = q->count == 0 || q->key[q->heap[0]] <= opt->tolerance;
        if (out->converged) {
            out->stop = ZB_STOP_CONVERGED;
            break;
        }
        zb_progress at = { .iteration = out->iterations,
                           .log_lower = -INFINITY,
                           .log_upper = INFINITY,
                           .fraction = (double)out->iterations / opt->iterations };
        if (zb_baseline_halted(opt, at, &out->stop))
            break;
    }
}

/* The estimate that the messages give, where the run leaves time for it. */
static void estimate(zb_messages *m, zb_run *run, zb_baseline_result *out)
{
    m->tick = (zb_ticker){ .run = run };
    double value = zb_bp_bethe(m);
    if (m->tick.over)
        return;
    out->log_value = value;
    out->found = true;
}

/* Sweeps end early enough for an estimate, of which the first shows how long one takes.
   It also stands in where the caller stops the run. */
zb_status zb_bp_messages(zb_messages *m, const zb_baseline_options *opt,
                         zb_baseline_result *out)
{
    zb_baseline_options within = *opt;
    double start = zb_now();
    queue q = { 0 };
    zb_status status;

    *out = (zb_baseline_result){ .log_value = -INFINITY };
    out->bytes = zb_graph_bytes(m->graph);
    TRY(queue_init(&q, m->graph->nfactors));
    estimate(m, opt->run, out);
    zb_run early = zb_run_share(opt->run, INFINITY, UINT64_MAX, 1);
    early.deadline -= 2 * (zb_now() - start);
    within.run = &early;
    m->tick = (zb_ticker){ .run = &early };
    sweep_until_stopped(&q, m, &within, out);
    estimate(m, opt->run, out);
    out->exact = m->zero || (m->graph->acyclic && out->converged);
    if (m->zero)
        out->converged = out->found = true, out->stop = ZB_STOP_EXACT;
done:
    m->tick = (zb_ticker){ .run = opt->run };
    queue_free(&q);
    return status;
}

zb_status zb_bp_run(const zb_model *model, const zb_baseline_options *opt,
                    zb_baseline_result *out)
{
    zb_graph *graph = NULL;
    zb_messages *m = NULL;
    zb_status status;

    *out = (zb_baseline_result){ .log_value = -INFINITY };
    TRY(zb_graph_new(&graph, model, false, opt->run));
    TRY(zb_messages_new(&m, graph, opt->run));
    TRY(zb_bp_messages(m, opt, out));
done:
    status = zb_baseline_ended(opt, status, out);
    zb_messages_free(m);
    zb_graph_free(graph);
    return status;
}
