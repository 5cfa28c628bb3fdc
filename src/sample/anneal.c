#include "sample/anneal.h"

#include "base/explog.h"
#include "base/rng.h"
#include "model/table.h"
#include "sample/ascent.h"
#include "sample/landscape.h"

#include <string.h>

typedef struct walk {
    zb_landscape l;
    zb_rng rng;
    double hot, cold; /* temperatures, nats */
} walk;

/* Temperatures follow from what single factors span, and from how many a variable has:
   at the first one most values are alike, at the last one the best is taken. */
static void find_temperatures(walk *w)
{
    const zb_model *m = w->l.m;
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

/* A value of v by its share at this temperature. */
static void redraw(walk *w, int v, double temperature)
{
    zb_landscape *l = &w->l;
    int card = l->m->card[v], x = 0;
    double top = -INFINITY, sum = 0;
    zb_landscape_look(l, v);
    for (int i = 0; i < card; i++)
        top = fmax(top, l->gain[i]);
    for (int i = 0; i < card; i++)
        sum += l->gain[i] = zb_exp((l->gain[i] - top) / temperature);
    double at = zb_rng_uniform(&w->rng) * sum;
    while (x < card - 1 && (at -= l->gain[x]) >= 0)
        x++;
    if (x != l->state[v] && l->gain[x] > 0)
        zb_landscape_move(l, v, x);
}

/* One descent; false: the run ended it. */
static bool descend(walk *w, int sweeps)
{
    double fall = zb_pow(w->cold / w->hot, 1.0 / zb_max_int(1, sweeps - 1)),
           temperature = w->hot;
    for (int s = 0; s < sweeps; s++, temperature *= fall)
        for (int v = 0; v < w->l.m->nvars; v++) {
            redraw(w, v, temperature);
            if (!zb_tick(&w->l.tick, 30.0 * w->l.m->card[v]))
                return false;
        }
    return true;
}

static zb_status try_again(walk *w, int sweeps, zb_run *run, int *best, double *value)
{
    const zb_model *m = w->l.m;
    bool whole = descend(w, sweeps);
    zb_status status = ZB_OK;
    if (whole) {
        TRY(zb_state_ascend(m, w->l.state, run));
        for (int f = 0; f < m->nfactors; f++)
            w->l.entry[f] = zb_landscape_entry(m, &m->factor[f], w->l.state);
    }
    double reached = zb_state_value(m, w->l.state).mid;
    if (reached > *value) {
        *value = reached;
        memcpy(best, w->l.state, (size_t)m->nvars * sizeof *best);
    }
done:
    return status;
}

zb_status zb_anneal(const zb_model *m, const zb_anneal_spec *spec, zb_run *run,
                    int *state)
{
    walk w = { .rng = zb_rng_seed(spec->seed) };
    double value = zb_state_value(m, state).mid;
    int *here = zb_alloc((size_t)m->nvars, sizeof *here), sweeps = spec->sweeps;
    zb_status status = here != NULL ? ZB_OK : ZB_ENOMEM;
    TRY(status);
    memcpy(here, state, (size_t)m->nvars * sizeof *here);
    TRY(zb_landscape_open(&w.l, m, here, run));
    find_temperatures(&w);
    for (int k = 0; k < spec->most && zb_run_more(run); k++) {
        TRY(try_again(&w, sweeps, run, state, &value));
        sweeps = zb_min_int(2 * sweeps, 1 << 20);
    }
done:
    zb_landscape_close(&w.l);
    zb_free(here);
    return status;
}
