/* For any distribution q, ln Z >= E_q[ln weight] + H(q) (Gibbs). With q a product, the
 * best q_v for fixed others is
 *     q_v(x) ~ exp(E_v(x)),  E_v(x) = unary_v(x) + sum_{a with v} E[table_a | x_v = x],
 * and -INFINITY in E_v excludes x. A value in use never becomes infinite: whenever
 * another variable gains a value, that value was compatible with all values then in
 * use. So the support, a product set without zeros, only grows, and the bound never
 * falls. */
#include "baseline/meanfield.h"

#include "base/explog.h"
#include "baseline/bp.h"
#include "base/rng.h"
#include "base/sum.h"
#include "baseline/support.h"

#include <string.h>

typedef struct field {
    zb_graph *graph;
    double *guess;  /* var_at: log-beliefs of a short run of sum-product */
    double *score;  /* var_at: guess with noise */
    double *q;      /* var_at */
    double *energy; /* largest cardinality */
    double *part;   /* max_span: E[table | x_v] of one slot */
    bool *tied;     /* nvars: in a factor with a zero */
    bool zeros;     /* some variable is */
    int *order, *start;
    double radius; /* of the bound, but for what q lacks to sum one */
    double *share; /* nvars: how much of that counts */
    const zb_model *model;
    double *best; /* as of zb_baseline_options, or NULL */
    zb_rng rng;
    zb_ticker tick; /* once it is over, q does not move any more */
    zb_hold hold;   /* of the arrays */
} field;

static void field_free(field *f)
{
    zb_graph_free(f->graph);
    zb_hold_free(&f->hold);
}

/* Rounding of the bound, M_v and M_a the magnitudes of unary and factor tables.
 *
 * Sums, in units u. A variable of n values: ln q within 2, a difference, a product, n -
 * 1 additions: (n + 4) (M_v + ln n), since sum q |ln q| <= ln n. A factor of s entries
 * and k slots: k products, at most s additions, of terms that add up to at most M_a: (s
 * + k + 1) M_a. These are summed without an error that counts (base/sum.h).
 *
 * q. The bound holds for q_v / S_v, S_v = sum_x q_v(x) = 1 + e_v. With it the term of a
 * factor is divided by S_v for each of its variables; that of a variable by S_v, and
 * ln S_v is added. So e_v counts at most share_v = M_v + ln n + 1 + sum of M_a over the
 * factors of v. */
static void prepare_radius(field *f)
{
    const zb_graph *g = f->graph;
    double units = 0;
    for (int v = 0; v < g->nvars; v++) {
        size_t n = (size_t)g->card[v];
        double most =
            zb_magnitude(n, g->unary + g->var_at[v]) + 1.01 * zb_log((double)n);
        units += ((double)n + 4) * most;
        f->share[v] = most + 1;
    }
    for (int a = 0; a < g->nfactors; a++) {
        size_t size = g->tab_at[a + 1] - g->tab_at[a];
        double most = zb_magnitude(size, g->table + g->tab_at[a]);
        units += ((double)size + zb_graph_arity(g, a) + 1) * most;
        for (int e = g->edge_at[a]; e < g->edge_at[a + 1]; e++)
            f->share[g->edge_var[e]] += most;
    }
    f->radius = ZB_MARGIN * ZB_UNIT * units + g->radius;
}

static zb_status field_init(field *f, const zb_model *model,
                            const zb_baseline_options *opt)
{
    zb_status status;

    *f = (field){ .rng = zb_rng_seed(opt->seed),
                  .tick = { .run = opt->run },
                  .model = model,
                  .best = opt->q };
    TRY(zb_graph_new(&f->graph, model, true, opt->run));
    const zb_graph *g = f->graph;
    size_t n = (size_t)g->nvars, values = g->var_at[n];
    f->guess = zb_hold_alloc(&f->hold, values, sizeof *f->guess);
    f->score = zb_hold_alloc(&f->hold, values, sizeof *f->score);
    f->q = zb_hold_alloc(&f->hold, values, sizeof *f->q);
    f->energy = zb_hold_alloc(&f->hold, zb_max_size(values, 1), sizeof *f->energy);
    f->part = zb_hold_alloc(&f->hold, g->max_span, sizeof *f->part);
    f->share = zb_hold_alloc(&f->hold, n, sizeof *f->share);
    f->tied = zb_hold_calloc(&f->hold, n, sizeof *f->tied);
    f->order = zb_hold_alloc(&f->hold, n, sizeof *f->order);
    f->start = zb_hold_alloc(&f->hold, n, sizeof *f->start);
    if (f->hold.failed)
        return ZB_ENOMEM;
    for (int a = 0; a < g->nfactors; a++) {
        TRY(zb_tick(&f->tick, 10 + (double)(g->tab_at[a + 1] - g->tab_at[a]))
                ? ZB_OK
                : ZB_ELIMIT);
        for (size_t i = g->tab_at[a]; i < g->tab_at[a + 1]; i++)
            if (g->table[i] == -INFINITY) {
                f->zeros = true;
                for (int e = g->edge_at[a]; e < g->edge_at[a + 1]; e++)
                    f->tied[g->edge_var[e]] = true;
                break;
            }
    }
    for (int v = 0; v < g->nvars; v++)
        f->order[v] = v;
    prepare_radius(f);
done:
    return status;
}

static bool keep_to_itself(void *context, const zb_progress *at)
{
    (void)context;
    (void)at;
    return true;
}

/* Beliefs to start from, in a quarter of the time; *zero: sum-product proved Z = 0. */
static zb_status guess(field *f, const zb_baseline_options *opt, bool *zero)
{
    zb_run quarter = zb_run_share(opt->run, INFINITY, UINT64_MAX, 1);
    zb_baseline_options few = *opt;
    zb_baseline_result ignored;
    zb_messages *m = NULL;
    zb_status status;

    if (opt->run != NULL && !isinf(opt->run->deadline))
        quarter.deadline -= 0.75 * zb_run_left(opt->run);
    quarter.relay = keep_to_itself;
    few.iterations = zb_min_int(30, opt->iterations);
    few.damping = 0.3;
    few.tolerance = 1e-3;
    few.run = &quarter;
    TRY(zb_messages_new(&m, f->graph, opt->run));
    TRY(zb_bp_messages(m, &few, &ignored));
    memcpy(f->guess, m->node, f->graph->var_at[f->graph->nvars] * sizeof *f->guess);
    *zero = m->zero;
done:
    zb_messages_free(m);
    return status;
}

/* ---- ascent -----------------------------------------------------------------------
 */

/* out[x] = E[table | slot = x] under the product of the other slots' q; -INFINITY where
   a zero entry has positive probability. That is decided by q > 0 slot by slot, since
   the product of small numbers may round to 0. */
static void expect(zb_slots s, int slot, const double *table, const double *const *q,
                   double *out, zb_ticker *tick)
{
    int x[ZB_MAX_AXES] = { 0 }, k = s.count;
    const int *card = s.card;
    size_t rows = 1, n = (size_t)card[k - 1];

    for (int y = 0; y < card[slot]; y++)
        out[y] = 0;
    for (int i = 0; i + 1 < k; i++)
        rows *= (size_t)card[i];
    for (size_t r = 0; r < rows; r++, table += n) {
        if (!zb_tick(tick, (double)(4 * n + (size_t)k)))
            return;
        double base = 1;
        bool possible = true;
        for (int i = 0; i + 1 < k; i++)
            if (i != slot) {
                base *= q[i][x[i]];
                possible = possible && q[i][x[i]] > 0;
            }
        for (size_t j = 0; j < n && possible; j++) {
            double p = slot == k - 1 ? 1 : q[k - 1][j];
            double *to = slot == k - 1 ? &out[j] : &out[x[slot]];
            if (p > 0)
                *to += table[j] == -INFINITY ? -INFINITY : base * p * table[j];
        }
        for (int i = k - 2; i >= 0; i--) {
            if (++x[i] < card[i])
                break;
            x[i] = 0;
        }
    }
}

static void expect_edge(field *f, int e, double *out)
{
    const zb_graph *g = f->graph;
    int a = g->edge_fac[e], first = g->edge_at[a], k = zb_graph_arity(g, a);
    const double *q[ZB_MAX_AXES];
    for (int i = 0; i < k; i++)
        q[i] = f->q + g->var_at[g->edge_var[first + i]];
    expect(zb_graph_slots(g, a), e - first, g->table + g->tab_at[a], q, out, &f->tick);
}

/* q ~ exp(energy), n values; false where all have weight 0. */
static bool soften(int n, const double *energy, double *q)
{
    double top = -INFINITY, sum = 0;
    for (int x = 0; x < n; x++)
        top = fmax(top, energy[x]);
    if (top == -INFINITY)
        return false;
    for (int x = 0; x < n; x++)
        sum += q[x] = zb_exp(energy[x] - top);
    for (int x = 0; x < n; x++)
        q[x] /= sum;
    return true;
}

static void update(field *f, int v)
{
    const zb_graph *g = f->graph;
    int n = g->card[v];

    memcpy(f->energy, g->unary + g->var_at[v], (size_t)n * sizeof *f->energy);
    for (int j = g->inc_at[v]; j < g->inc_at[v + 1] && !f->tick.over; j++) {
        expect_edge(f, g->inc[j], f->part);
        for (int x = 0; x < n; x++)
            f->energy[x] += f->part[x];
    }
    if (zb_tick(&f->tick, 30.0 * n))
        soften(n, f->energy, f->q + g->var_at[v]);
}

/* E_q[unary_v] + H(q_v); *lacks: at least |sum of q_v - 1|. */
static double variable_term(const field *f, int v, double *lacks)
{
    const zb_graph *g = f->graph;
    double sum = 0, whole = 0;
    for (size_t i = g->var_at[v]; i < g->var_at[v + 1]; i++) {
        whole += f->q[i];
        if (f->q[i] > 0)
            sum += f->q[i] * (g->unary[i] - zb_log(f->q[i]));
    }
    *lacks = fabs(whole - 1) + g->card[v] * ZB_UNIT;
    return sum;
}

static double factor_term(field *f, int a)
{
    const zb_graph *g = f->graph;
    int e = g->edge_at[a];
    const double *q = f->q + g->var_at[g->edge_var[e]];
    double sum = 0;
    expect_edge(f, e, f->part);
    for (int x = 0; x < g->slot_card[e]; x++)
        if (q[x] > 0)
            sum += q[x] * f->part[x];
    return sum;
}

/* E_q[ln weight] + H(q); -INFINITY when there is no time for it. */
static zb_ball bound(field *f)
{
    const zb_graph *g = f->graph;
    zb_sum sum = { .radius = f->radius };
    double lacks;

    f->tick.over = false, f->tick.work = 0; /* the end of a small model takes no time */
    zb_sum_add(&sum, g->log_scale);
    for (int v = 0; v < g->nvars && zb_tick(&f->tick, 15.0 * g->card[v]); v++) {
        zb_sum_add(&sum, variable_term(f, v, &lacks));
        sum.radius += ZB_MARGIN * lacks * f->share[v];
    }
    for (int a = 0; a < g->nfactors && zb_tick(&f->tick, 50); a++)
        zb_sum_add(&sum, factor_term(f, a));
    return f->tick.over ? (zb_ball){ -INFINITY, 0 } : zb_sum_value(&sum);
}

/* q is that of the bound now; into the values of the model's variables. */
static void keep_best(const field *f)
{
    const zb_graph *g = f->graph;
    double *to = f->best;
    int next = 0;
    for (int v = 0; v < f->model->nvars; to += f->model->card[v++]) {
        size_t n = (size_t)f->model->card[v];
        bool found = next < g->nvars && g->model_var[next] == v;
        for (size_t x = 0; x < n; x++)
            to[x] = found ? f->q[g->var_at[next] + x] : 1;
        next += found;
    }
}

/* ---- starting points --------------------------------------------------------------
 */

/* The first start follows the beliefs, later ones beliefs with ever more noise. */
static void blur(field *f, int restart)
{
    double noise = restart == 0 ? 0 : 1 << zb_min_int(restart, 4);
    for (size_t i = 0; i < f->graph->var_at[f->graph->nvars]; i++)
        f->score[i] = f->guess[i] + noise * (zb_rng_uniform(&f->rng) - 0.5);
    if (restart > 0)
        zb_rng_shuffle(&f->rng, f->graph->nvars, f->order);
}

/* q: variables that zeros touch at the configuration found, the others by score; false
   when no value of one is possible. */
static bool set_q(field *f, const double *score)
{
    const zb_graph *g = f->graph;
    for (int v = 0; v < g->nvars; v++) {
        double *q = f->q + g->var_at[v];
        if (!soften(g->card[v], score + g->var_at[v], q))
            return false;
        for (int x = 0; x < g->card[v] && f->tied[v]; x++)
            q[x] = x == f->start[v];
    }
    return true;
}

/* Without zeros every configuration will do. */
static zb_status begin(field *f, int restart, zb_support *found)
{
    const zb_graph *g = f->graph;
    double budget = 5e5 + 20 * (double)g->var_at[g->nvars];
    zb_status status = ZB_OK;

    blur(f, restart);
    *found = ZB_SUPPORT_FOUND;
    if (f->zeros)
        status = zb_support_find(g, f->score, budget, f->tick.run, f->start, found);
    if (status == ZB_OK && *found == ZB_SUPPORT_FOUND && !set_q(f, f->score))
        *found = ZB_SUPPORT_GAVE_UP;
    return status;
}

/* ---- the loop ---------------------------------------------------------------------
 */

static bool halted(const zb_baseline_options *opt, int restart, zb_baseline_result *out)
{
    zb_progress at = { .iteration = out->iterations,
                       .log_lower = out->log_value,
                       .log_upper = INFINITY,
                       .fraction = (double)restart / zb_max_int(1, opt->restarts),
                       .side = ZB_SIDE_LOWER };
    return zb_baseline_halted(opt, at, &out->stop);
}

/* The larger of the bound so far and this one, which is that of q. */
static void keep(const field *f, zb_baseline_result *out, zb_ball bound)
{
    double lower = zb_down(bound.mid, bound.radius);
    if (lower > out->log_value) {
        out->log_value = lower;
        out->radius = bound.radius;
        if (f->best != NULL)
            keep_best(f);
    }
}

/* Sweeps from one start; false when it is time to stop altogether. Updates never lower
   the bound, so that a sweep may end anywhere. */
static bool ascend(field *f, const zb_baseline_options *opt, int restart,
                   zb_baseline_result *out)
{
    zb_ball old = bound(f);
    bool settled = false;

    keep(f, out, old);
    for (int i = 0; i < opt->iterations && !settled; i++) {
        for (int j = 0; j < f->graph->nvars && !f->tick.over; j++)
            update(f, f->order[j]);
        bool whole = !f->tick.over;
        zb_ball now = bound(f);
        keep(f, out, now);
        if (!whole) {
            out->stop = zb_baseline_stop(opt);
            return false;
        }
        settled = now.mid - old.mid <= 0.1 * opt->tolerance * fmax(1, fabs(now.mid));
        old = now;
        out->iterations++;
        if (halted(opt, restart, out))
            return false;
    }
    out->converged = out->converged || settled;
    return true;
}

static zb_status run(field *f, const zb_baseline_options *opt, zb_baseline_result *out)
{
    zb_support found = ZB_SUPPORT_NONE;
    bool zero = f->graph->log_scale == -INFINITY;
    zb_status status = ZB_OK;

    if (!zero && !f->zeros && set_q(f, f->graph->unary)) /* something, at once */
        keep(f, out, bound(f));
    if (!zero)
        status = guess(f, opt, &zero);
    for (int r = 0; r < zb_max_int(1, opt->restarts) && status == ZB_OK && !zero; r++) {
        status = begin(f, r, &found);
        zero = status == ZB_OK && found == ZB_SUPPORT_NONE;
        if (status == ZB_OK && found == ZB_SUPPORT_FOUND && !ascend(f, opt, r, out))
            return ZB_OK;
        if (!zero && !zb_run_more(opt->run)) {
            out->stop = zb_baseline_stop(opt);
            return status;
        }
    }
    out->exact = zero;
    out->stop = zero             ? ZB_STOP_EXACT
                : out->converged ? ZB_STOP_CONVERGED
                                 : ZB_STOP_ITERATIONS;
    return status;
}

zb_status zb_meanfield_run(const zb_model *model, const zb_baseline_options *opt,
                           zb_baseline_result *out)
{
    field f;
    zb_status status;

    *out = (zb_baseline_result){ .log_value = -INFINITY, .guaranteed = true };
    TRY(field_init(&f, model, opt));
    out->bytes = zb_graph_bytes(f.graph);
    TRY(run(&f, opt, out));
done:
    out->found = out->exact || out->log_value > -INFINITY;
    field_free(&f);
    return zb_baseline_ended(opt, status, out);
}
