/* Residual scheduling: the factor whose inputs moved most since its last update goes
 * first. What moved is bounded by the sum of the changes (ranges of log-messages), so a
 * factor is only computed when its turn comes. Ties go to the lower index: one order
 * for one model. */
#include "baseline/bp.h"

#include "base/heap.h"

typedef struct queue {
    zb_heap heap; /* factors, the most urgent first */
    double *key;  /* by factor: how far its inputs moved */
} queue;

static bool urgent(const void *keys, int a, int b)
{
    const double *key = keys;
    return key[a] > key[b] || (key[a] == key[b] && a < b);
}

static void queue_free(queue *q)
{
    zb_free(q->heap.item);
    zb_free(q->heap.place);
    zb_free(q->key);
}

/* Every factor is due, in the order of their numbers. */
static zb_status queue_init(queue *q, int count)
{
    q->heap.size = count;
    q->heap.item = zb_alloc((size_t)count, sizeof *q->heap.item);
    q->heap.place = zb_alloc((size_t)count, sizeof *q->heap.place);
    q->key = zb_alloc((size_t)count, sizeof *q->key);
    if (!q->heap.item || !q->heap.place || !q->key)
        return ZB_ENOMEM;
    for (int a = 0; a < count; a++) {
        zb_heap_put(&q->heap, a, a);
        q->key[a] = INFINITY;
    }
    return ZB_OK;
}

/* Update the most urgent factor and tell its neighbours. */
static void update_first(queue *q, zb_messages *m, double damping)
{
    const zb_graph *g = m->graph;
    double change[ZB_MAX_AXES] = { 0 };
    int a = q->heap.item[0], first = g->edge_at[a];
    double off = zb_messages_update(m, a, 1, 1 - damping, change);

    q->key[a] = damping * off;
    zb_heap_down(&q->heap, a, urgent, q->key);
    for (int i = 0; i < zb_graph_arity(g, a); i++) {
        int v = g->edge_var[first + i];
        for (int j = g->inc_at[v]; j < g->inc_at[v + 1] && change[i] > 0; j++) {
            int b = g->edge_fac[g->inc[j]];
            if (b != a && zb_tick(&m->tick, 20)) {
                q->key[b] += change[i];
                zb_heap_up(&q->heap, b, urgent, q->key);
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
    for (int i = 0; i < q->heap.size && !m->zero; i++) {
        if (q->key[q->heap.item[0]] <= tolerance)
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
        out->converged = q->heap.size == 0 || q->key[q->heap.item[0]] <= opt->tolerance;
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
