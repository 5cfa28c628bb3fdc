/* Upper bounds from convex combinations of forests (Wainwright, Jaakkola, Willsky
 * 2005).
 *
 * Bound. Let forests T have weights mu_T >= 0, sum 1, and rho_a the weight of those
 * that hold factor a. For any messages lambda the tables theta_v = unary_v + sum_a
 * lambda_av,   theta_a = (table_a - sum_v lambda_av) / rho_a satisfy sum_T mu_T (sum_v
 * theta_v + sum_{a in T} theta_a) = ln of the model's weight. ln Z is convex in it,
 * hence ln Z <= sum_T mu_T ln Z_T, each Z_T computed exactly. Nothing here asks for a
 * fixed point: every evaluation is a bound, and the least is kept.
 *
 * Messages. At the optimum over lambda the beliefs of messages.c agree; its updates are
 * fixed-point steps towards it. They need rho only, not the forests, so a sweep costs
 * as much as one of sum-product however many forests there are.
 *
 * Weights. By the envelope theorem d bound / d rho_a = -I_a, the multi-information of
 * a's belief. So Frank-Wolfe steps go towards the forest with the largest sum of I: a
 * maximum spanning tree for pairwise factors; for larger ones a greedy choice, several
 * tried, the forests at hand among them. */
#include "baseline/trbp.h"

#include "baseline/forest.h"
#include "baseline/maxima.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/sum.h"

enum {
    COVER = 10, /* forests to begin with */
    BLOCK = 5   /* sweeps between steps of the weights */
};

typedef struct keyed {
    double key;
    int factor;
} keyed;

typedef struct state {
    zb_graph *graph;
    zb_messages *messages;
    zb_mixture *mix;
    double *tilde; /* (table - sum lambda) / rho */
    double *work;
    double *info; /* I_a */
    keyed *list;
    int *order;
    zb_rng rng;
    bool pairwise;
    double step, longest;         /* of a message towards its target */
    double best, radius;          /* the bound, and what of it is for rounding */
    double sweep_cost, eval_cost; /* table entries visited */
    zb_run *run;
    zb_ticker tick;
    zb_hold hold; /* of the arrays */
} state;

static void state_free(state *s)
{
    zb_mixture_free(s->mix);
    zb_messages_free(s->messages);
    zb_graph_free(s->graph);
    zb_hold_free(&s->hold);
}

/* A bound, and what rounding may have done to it; kept if it is the best. */
static void keep(state *s, zb_ball bound)
{
    double upper = zb_up(bound.mid, bound.radius);
    if (upper < s->best) {
        s->best = upper;
        s->radius = isfinite(upper) ? bound.radius : 0;
    }
}

static zb_status state_init(state *s, const zb_model *model,
                            const zb_baseline_options *opt)
{
    zb_status status;

    *s = (state){ .rng = zb_rng_seed(opt->seed),
                  .best = INFINITY,
                  .run = opt->run,
                  .tick = { .run = opt->run } };
    keep(s, zb_maxima_of_model(model, &s->tick));
    TRY(zb_graph_new(&s->graph, model, true, opt->run));
    keep(s, zb_maxima_of_graph(s->graph, &s->tick));
    const zb_graph *g = s->graph;
    size_t nf = (size_t)g->nfactors;
    TRY(zb_messages_new(&s->messages, g, opt->run));
    TRY(zb_mixture_new(&s->mix, g));
    s->tilde = zb_hold_alloc(&s->hold, g->tab_at[nf], sizeof *s->tilde);
    s->work = zb_hold_alloc(&s->hold, zb_forest_work(g), sizeof *s->work);
    s->info = zb_hold_alloc(&s->hold, nf, sizeof *s->info);
    s->list = zb_hold_alloc(&s->hold, nf, sizeof *s->list);
    s->order = zb_hold_alloc(&s->hold, nf, sizeof *s->order);
    if (s->hold.failed)
        return ZB_ENOMEM;
    TRY(zb_mixture_cover(s->mix, g->acyclic ? 1 : COVER, opt->seed, &s->tick));
    s->pairwise = true;
    for (int a = 0; a < g->nfactors; a++)
        s->pairwise = s->pairwise && zb_graph_arity(g, a) == 2;
    s->longest = fmin(s->pairwise ? 1 : 0.8, 1 - opt->damping);
    s->step = fmin(s->pairwise ? 1 : 0.6, s->longest);
done:
    return status;
}

/* ---- the bound --------------------------------------------------------------------
 */

/* theta_a of the head comment. Returns how much its rounding moves rho_a theta_a, in
   units u. m = |table| + sum |lambda| bounds rho times every partial sum: quotients by
   rho, at most 2; k + 1 additions; and R_a = rho_a (1 + e) / W, see evaluate. */
static double reparameterise(state *s, int a)
{
    const zb_graph *g = s->graph;
    int first = g->edge_at[a], k = zb_graph_arity(g, a);
    size_t at = g->tab_at[a];
    double rho = s->mix->rho[a], *w = s->messages->work;
    double most = zb_magnitude(g->tab_at[a + 1] - at, g->table + at);
    const double *part[ZB_MAX_AXES];

    for (int i = 0; i < k; i++) {
        const double *lambda = s->messages->lambda + g->msg_at[first + i];
        most += zb_magnitude((size_t)g->slot_card[first + i], lambda);
        part[i] = w;
        for (int x = 0; x < g->slot_card[first + i]; x++)
            *w++ = -lambda[x] / rho;
    }
    zb_joint(zb_graph_slots(g, a), 1 / rho, g->table + at, part, s->tilde + at,
             &s->tick);
    return (k + 3 + 2 * s->mix->count) * most;
}

/* What rounding does to node_v = unary_v + sum lambda, in units u: an addition for each
   edge, none of which exceeds the sum of magnitudes. */
static double node_units(const zb_messages *m, int v)
{
    const zb_graph *g = m->graph;
    size_t n = (size_t)g->card[v];
    double most = zb_magnitude(n, m->alive + g->var_at[v]);
    for (int j = g->inc_at[v]; j < g->inc_at[v + 1]; j++)
        most += zb_magnitude(n, m->lambda + g->msg_at[g->inc[j]]);
    return (g->inc_at[v + 1] - g->inc_at[v]) * most;
}

/* The bound with the messages and weights as they are, if there is time for it.

   T forests' weights are quotients by their sum: they add up to W = 1 + T u at most,
   and R_a, the real sum of those that hold a, is rho_a within T u. The bound holds for
   the weights mu_T / W, under which theta_a counts R_a / W: 2 T u of each term. */
static double evaluate(state *s)
{
    const zb_graph *g = s->graph;
    const zb_mixture *mix = s->mix;
    zb_messages *m = s->messages;
    zb_sum sum = { .radius = g->radius };
    double units = 0;

    if (m->zero) {
        keep(s, (zb_ball){ -INFINITY, 0 });
        return -INFINITY;
    }
    s->tick = (zb_ticker){ .run = s->run };
    zb_messages_collect(m);
    for (int a = 0; a < g->nfactors && zb_tick(&s->tick, 100); a++)
        units += reparameterise(s, a);
    for (int v = 0; v < g->nvars; v++)
        units += node_units(m, v);
    zb_sum_add(&sum, g->log_scale);
    for (int t = 0; t < mix->count && !s->tick.over; t++) {
        zb_ball z =
            zb_forest_log_z(mix->forest[t], g, m->node, s->tilde, s->work, &s->tick);
        zb_sum_add(&sum, mix->weight[t] * z.mid);
        if (isfinite(z.mid))
            units += (mix->count + 1) * mix->weight[t] * fabs(z.mid);
        sum.radius += ZB_MARGIN * mix->weight[t] * z.radius;
        s->eval_cost += zb_forest_entries(mix->forest[t], g);
    }
    if (s->tick.over)
        return INFINITY;
    sum.radius += ZB_MARGIN * ZB_UNIT * units;
    keep(s, zb_sum_value(&sum));
    return zb_sum_value(&sum).mid;
}

/* ---- messages ---------------------------------------------------------------------
 */

/* All factors once, forwards or backwards; the largest disagreement met. Any messages
   give a bound, so that it may end anywhere. */
static double sweep(state *s, bool backwards)
{
    const zb_graph *g = s->graph;
    double worst = 0;
    for (int i = 0; i < g->nfactors && !s->messages->zero && !s->messages->tick.over;
         i++) {
        int a = backwards ? g->nfactors - 1 - i : i;
        worst = fmax(worst,
                     zb_messages_update(s->messages, a, s->mix->rho[a], s->step, NULL));
    }
    s->sweep_cost += 2 * (double)g->tab_at[g->nfactors];
    return worst;
}

/* Shorter steps while the disagreement grows, longer ones while it shrinks. */
static void adapt_step(state *s, double before, double after)
{
    s->step =
        after > before ? fmax(0.02, 0.7 * s->step) : fmin(s->longest, 1.05 * s->step);
}

/* ---- weights ----------------------------------------------------------------------
 */

static double information(state *s, int a)
{
    const zb_graph *g = s->graph;
    zb_messages *m = s->messages;
    int first = g->edge_at[a], k = zb_graph_arity(g, a);
    double *out[ZB_MAX_AXES], *w = m->work + g->max_span;
    double top = zb_messages_belief(m, a, s->mix->rho[a]);
    double sum = -zb_log_entropy(g->tab_at[a + 1] - g->tab_at[a], m->joint, &m->tick);

    for (int i = 0; i < k; i++) {
        out[i] = w;
        w += g->slot_card[first + i];
    }
    zb_slot_marginals(zb_graph_slots(g, a), m->joint, top, out, &m->tick);
    for (int i = 0; i < k; i++)
        sum += zb_log_entropy((size_t)g->slot_card[first + i], out[i], &m->tick);
    return sum > 0 ? sum : 0;
}

static int by_key(const void *pa, const void *pb)
{
    const keyed *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->factor - b->factor;
}

static double score(const state *s, const zb_forest *f)
{
    double sum = 0;
    for (int i = 0; i < f->count; i++)
        sum += s->info[s->graph->edge_fac[f->edge[i]]];
    return sum;
}

/* The greedy forest by I, by I per joined variable, or by I with noise. */
static zb_status greedy(state *s, int kind, zb_forest **out)
{
    const zb_graph *g = s->graph;
    for (int a = 0; a < g->nfactors; a++) {
        double key = s->info[a];
        if (kind > 0)
            key /= zb_graph_arity(g, a) - 1;
        if (kind > 1)
            key *= 0.7 + 0.6 * zb_rng_uniform(&s->rng);
        s->list[a] = (keyed){ key, a };
    }
    zb_status status =
        zb_sort(s->list, (size_t)g->nfactors, sizeof *s->list, by_key, &s->tick);
    for (int i = 0; i < g->nfactors; i++)
        s->order[i] = s->list[i].factor;
    return status == ZB_OK ? zb_forest_new(out, g, s->order, &s->tick) : status;
}

/* One Frank-Wolfe step of the given length. *gap: what a full step promises to first
   order; for pairwise models, at a fixed point, no weights are better by more.
   ZB_ELIMIT when the time is over; nothing has moved then. */
static zb_status step_weights(state *s, double share, int room, double *gap)
{
    zb_forest *best = NULL, *next;
    double top = -INFINITY, mean = 0;
    int at = -1, tries = s->mix->count >= room ? 0 : s->pairwise ? 1 : 6;
    zb_status status = ZB_OK;

    for (int a = 0; a < s->graph->nfactors && zb_tick(&s->messages->tick, 100); a++) {
        s->info[a] = information(s, a);
        mean += s->mix->rho[a] * s->info[a];
    }
    if (s->messages->tick.over)
        return ZB_ELIMIT;
    s->tick = (zb_ticker){ .run = s->run };
    for (int t = 0; t < s->mix->count && zb_tick(&s->tick, 10.0 * s->graph->nvars); t++)
        if (score(s, s->mix->forest[t]) > top)
            top = score(s, s->mix->forest[t]), at = t;
    TRY(s->tick.over ? ZB_ELIMIT : ZB_OK);
    for (int kind = 0; kind < tries; kind++) {
        TRY(greedy(s, kind, &next));
        if (score(s, next) > top + 1e-12 * fabs(top)) {
            zb_forest_free(best);
            top = score(s, next);
            best = next;
        } else {
            zb_forest_free(next);
        }
    }
    *gap = top - mean;
    if (best == NULL) {
        zb_mixture_shift(s->mix, at, share);
        return ZB_OK;
    }
    status = zb_mixture_add(s->mix, best, share), best = NULL;
done:
    zb_forest_free(best);
    return status;
}

/* ---- the loop ---------------------------------------------------------------------
 */

static bool halted(const state *s, const zb_baseline_options *opt,
                   zb_baseline_result *out)
{
    zb_progress at = { .iteration = out->iterations,
                       .log_lower = -INFINITY,
                       .log_upper = s->best,
                       .fraction = (double)out->iterations / opt->iterations,
                       .side = ZB_SIDE_UPPER };
    return zb_baseline_halted(opt, at, &out->stop);
}

/* A block of sweeps with fixed weights; false when it is time to stop altogether. */
static bool run_block(state *s, const zb_baseline_options *opt, zb_baseline_result *out,
                      double *residual)
{
    double before = INFINITY;
    for (int i = 0; i < BLOCK && out->iterations < opt->iterations; i++) {
        *residual = sweep(s, out->iterations % 2 == 1);
        if (s->messages->tick.over) {
            out->stop = zb_baseline_stop(opt);
            return false;
        }
        out->iterations++;
        if (s->messages->zero || halted(s, opt, out))
            return false;
        if (i > 0)
            adapt_step(s, before, *residual);
        before = *residual;
    }
    /* Forests cost more the more there are: no more often than sweeps pay for. */
    if (s->eval_cost <= 2 * s->sweep_cost)
        evaluate(s);
    return true;
}

/* Weights move during the first three quarters of the sweeps, or until they bring
   nothing; after that only the messages do. */
static zb_status optimise(state *s, const zb_baseline_options *opt,
                          zb_baseline_result *out)
{
    double residual = INFINITY, gap = INFINITY, held = s->best;
    int64_t until = opt->iterations - opt->iterations / 4;
    int room = s->mix->count + opt->trees, steps = 0, check = 16;
    bool moving = opt->trees > 0;
    zb_status status;

    out->stop = ZB_STOP_ITERATIONS;
    while (out->iterations < opt->iterations) {
        if (!run_block(s, opt, out, &residual))
            break;
        if (!moving && residual <= opt->tolerance) {
            out->stop = ZB_STOP_CONVERGED;
            out->converged = true;
            break;
        }
        moving = moving && out->iterations < until;
        if (!moving)
            continue;
        status = step_weights(s, 3.0 / (10 + steps++), room, &gap);
        if (status != ZB_OK)
            return zb_baseline_ended(opt, status, out);
        moving = gap > opt->tolerance * fabs(s->best);
        if (steps == check) { /* progress slows like 1 / steps */
            check *= 2;
            evaluate(s);
            moving = moving && held - s->best > opt->tolerance * fabs(s->best);
            held = s->best;
        }
    }
    return ZB_OK;
}

static void describe(const state *s, zb_baseline_result *out)
{
    out->log_value = s->best;
    out->radius = s->radius;
    out->found = s->best < INFINITY;
    out->guaranteed = true;
    out->rho_least = 1;
    if (out->exact)
        out->stop = ZB_STOP_EXACT, out->converged = true;
    if (s->graph == NULL || s->mix == NULL)
        return;
    out->bytes = zb_graph_bytes(s->graph) + s->graph->tab_at[s->graph->nfactors] * 8;
    out->forests = s->mix->count;
    for (int a = 0; a < s->graph->nfactors; a++)
        out->rho_least = fmin(out->rho_least, s->mix->rho[a]);
}

zb_status zb_trbp_run(const zb_model *model, const zb_baseline_options *opt,
                      zb_baseline_result *out)
{
    state s;
    double first;
    zb_status status;

    *out = (zb_baseline_result){ .log_value = INFINITY };
    TRY(state_init(&s, model, opt));
    first = evaluate(&s);
    out->exact = s.graph->acyclic && first < INFINITY;
    if (s.tick.over)
        out->stop = zb_baseline_stop(opt);
    else if (!s.graph->acyclic && s.best > -INFINITY) {
        TRY(optimise(&s, opt, out));
        evaluate(&s);
    }
done:
    status = zb_baseline_ended(opt, status, out);
    out->exact = out->exact || s.best == -INFINITY;
    if (status == ZB_OK)
        describe(&s, out);
    state_free(&s);
    return status;
}
