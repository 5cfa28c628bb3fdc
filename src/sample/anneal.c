#include "sample/anneal.h"

#include "base/explog.h"
#include "base/rng.h"
#include "model/table.h"
#include "sample/ascent.h"
#include "sample/gains.h"

#include <string.h>

typedef struct walk {
    zb_gains g;
    zb_rng rng;
    double hot, cold; /* temperatures, nats */
    double *share;    /* of the values of a variable */
    int *here, *trial;
} walk;

typedef struct best_state {
    int *state;
    double value;
} best_state;

/* Temperatures follow from what single factors span, and from how many a variable has:
   at the first one most values are alike, at the last one the best is taken. */
static void find_temperatures(walk *w)
{
    const zb_model *m = w->g.l.m;
    double span = 0, axes = 0;
    for (int f = 0; f < m->nfactors; f++) {
        zb_extremes e = zb_factor_extremes(&m->factor[f]);
        if (isfinite(e.most - e.least))
            span += e.most - e.least;
        axes += m->factor[f].arity;
    }
    span = fmax(1e-3, span / zb_max_int(1, m->nfactors));
    w->hot = span * sqrt(fmax(1, axes / zb_max_int(1, m->nvars)));
    w->cold = fmin(0.05 * span, 0.05 * w->hot);
}

/* A value of v by its share at this temperature, all others as they are. */
static void redraw(walk *w, int v, double temperature)
{
    const double least = -40; /* what has a smaller share is never drawn */
    zb_gains *g = &w->g;
    int card = g->l.m->card[v], x = 0;
    double top = 0, sum = 0;
    for (int i = 0; i < card; i++)
        if (!zb_gains_is_zero(g, v, i))
            top = fmax(top, w->share[i] = (double)zb_gains_of(g, v, i));
        else
            w->share[i] = -INFINITY;
    for (int i = 0; i < card; i++) {
        double gain = (w->share[i] - top) * (g->unit / temperature);
        sum += w->share[i] = gain > least ? zb_exp(gain) : 0;
    }
    double at = zb_rng_uniform(&w->rng) * sum;
    while (x < card - 1 && (at -= w->share[x]) >= 0)
        x++;
    if (x != g->l.state[v] && w->share[x] > 0)
        zb_gains_move(g, v, x);
}

/* Until no single change gains; false: the run ended it. */
static bool settle(walk *w)
{
    zb_gains *g = &w->g;
    bool moved = true;
    while (moved) {
        moved = false;
        for (int v = 0; v < g->l.m->nvars; v++) {
            int best = g->l.state[v];
            for (int x = 0; x < g->l.m->card[v]; x++)
                if (!zb_gains_is_zero(g, v, x) &&
                    zb_gains_of(g, v, x) > zb_gains_of(g, v, best))
                    best = x;
            if (best != g->l.state[v]) {
                zb_gains_move(g, v, best);
                moved = true;
            }
            if (!zb_tick(&g->l.tick, 2.0 * g->l.m->card[v]))
                return false;
        }
    }
    return true;
}

/* One descent; false: the run ended it. */
static bool descend(walk *w, int sweeps)
{
    double fall = zb_pow(w->cold / w->hot, 1.0 / zb_max_int(1, sweeps - 1)),
           temperature = w->hot;
    for (int s = 0; s < sweeps; s++, temperature *= fall)
        for (int v = 0; v < w->g.l.m->nvars; v++) {
            redraw(w, v, temperature);
            if (!zb_tick(&w->g.l.tick, 10.0 * w->g.l.m->card[v]))
                return false;
        }
    return settle(w);
}

/* *whole: a descent went to its end. One that ends near the best state may be better
   than it after changes of two variables. */
static zb_status try_again(walk *w, int sweeps, zb_run *run, best_state *best,
                           bool *whole)
{
    const zb_model *m = w->g.l.m;
    size_t bytes = (size_t)m->nvars * sizeof *best->state;
    *whole = descend(w, sweeps);
    double reached = zb_state_value(m, w->g.l.state).mid;
    zb_status status = ZB_OK;
    if (!(reached > best->value - w->hot))
        return ZB_OK;
    memcpy(w->trial, w->g.l.state, bytes);
    TRY(zb_state_ascend(m, w->trial, run));
    reached = zb_state_value(m, w->trial).mid;
    if (reached > best->value) {
        best->value = reached;
        memcpy(best->state, w->trial, bytes);
    }
done:
    return status;
}

static zb_status take_memory(walk *w, const zb_model *m, const int *state)
{
    size_t n = (size_t)m->nvars;
    int card = 1;
    for (int v = 0; v < m->nvars; v++)
        card = zb_max_int(card, m->card[v]);
    w->here = zb_alloc(n, sizeof *w->here);
    w->trial = zb_alloc(n, sizeof *w->trial);
    w->share = zb_alloc((size_t)card, sizeof *w->share);
    if (w->here == NULL || w->trial == NULL || w->share == NULL)
        return ZB_ENOMEM;
    memcpy(w->here, state, n * sizeof *state);
    return ZB_OK;
}

zb_status zb_anneal(const zb_model *m, zb_anneal_spec *spec, zb_run *run, int *state)
{
    enum { MOST = 1 << 20 };
    walk w = { .rng = zb_rng_seed(spec->seed) };
    best_state best = { state, zb_state_value(m, state).mid };
    zb_status status;
    TRY(take_memory(&w, m, state));
    TRY(zb_gains_open(&w.g, m, w.here, run));
    find_temperatures(&w);
    for (int k = 0; k < spec->most && zb_run_more(run); k++) {
        bool whole;
        TRY(try_again(&w, spec->sweeps, run, &best, &whole));
        if (whole)
            spec->sweeps = zb_min_int(2 * spec->sweeps, MOST);
    }
done:
    zb_gains_close(&w.g);
    zb_free(w.here);
    zb_free(w.trial);
    zb_free(w.share);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
