#include "sample/gains.h"

#include "model/table.h"

/* With d factors at a variable: d zeros still fit an integer, and what is not zero adds
   up to a quarter of one at most. */
static void choose_unit(zb_gains *g)
{
    const zb_model *m = g->l.m;
    double most = 1e-3;
    size_t degree = 1;
    for (int f = 0; f < m->nfactors; f++) {
        zb_extremes e = zb_factor_extremes(&m->factor[f]);
        double widest = fmax(fabs(e.most), fabs(e.least));
        most = isfinite(widest) ? fmax(most, widest) : most;
    }
    for (int v = 0; v < m->nvars; v++)
        degree = zb_max_size(degree, g->l.first[v + 1] - g->l.first[v]);
    g->zero = (INT64_C(1) << 62) / (int64_t)degree;
    g->unit = most * 4 * (double)degree / (double)g->zero;
}

static bool fill_logarithms(zb_gains *g)
{
    const zb_model *m = g->l.m;
    int64_t *to = g->log;
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        if (!zb_tick(&g->l.tick, 20.0 * (double)a->size))
            return false;
        for (size_t i = 0; i < a->size; i++) {
            double ln = zb_factor_log(a, i);
            *to++ = ln == -INFINITY ? -g->zero : (int64_t)llrint(ln / g->unit);
        }
    }
    return true;
}

/* sum += sign * (the factor's entries over its axis of v, the others as they are) */
static void add_factor(zb_gains *g, int v, zb_incidence at, int64_t sign)
{
    const int64_t *log = g->log + g->log_at[at.factor] + g->l.entry[at.factor] -
                         at.stride * (size_t)g->l.state[v];
    int64_t *sum = g->sum + g->at[v];
    for (int x = 0; x < g->l.m->card[v]; x++)
        sum[x] += sign * log[at.stride * (size_t)x];
}

static void fill_sums(zb_gains *g)
{
    const zb_landscape *l = &g->l;
    for (int v = 0; v < l->m->nvars; v++)
        for (size_t i = l->first[v]; i < l->first[v + 1]; i++)
            add_factor(g, v, l->list[i], 1);
}

/* Sums of the other variables of a factor. */
static void add_to_others(zb_gains *g, int factor, int v, int64_t sign)
{
    const zb_factor *f = &g->l.m->factor[factor];
    size_t stride = 1;
    for (int k = f->arity - 1; k >= 0; k--) {
        int u = f->scope[k];
        if (u != v)
            add_factor(g, u, (zb_incidence){ factor, stride }, sign);
        stride *= (size_t)g->l.m->card[u];
    }
}

void zb_gains_move(zb_gains *g, int v, int x)
{
    zb_landscape *l = &g->l;
    double work = 0;
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        zb_incidence at = l->list[i];
        add_to_others(g, at.factor, v, -1);
        l->entry[at.factor] += at.stride * (size_t)x - at.stride * (size_t)l->state[v];
        add_to_others(g, at.factor, v, 1);
        work += l->m->factor[at.factor].arity;
    }
    l->state[v] = x;
    zb_tick(&l->tick, 10 * work);
}

void zb_gains_close(zb_gains *g)
{
    zb_landscape_close(&g->l);
    zb_free(g->at);
    zb_free(g->sum);
    zb_free(g->log_at);
    zb_free(g->log);
    *g = (zb_gains){ .unit = 0 };
}

static zb_status take_memory(zb_gains *g, uint64_t memory)
{
    const zb_model *m = g->l.m;
    size_t values = 0, entries = 0;
    g->at = zb_alloc((size_t)m->nvars + 1, sizeof *g->at);
    g->log_at = zb_alloc((size_t)m->nfactors + 1, sizeof *g->log_at);
    if (g->at == NULL || g->log_at == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < m->nvars; v++) {
        g->at[v] = values;
        values += (size_t)m->card[v];
    }
    for (int f = 0; f < m->nfactors; f++) {
        g->log_at[f] = entries;
        entries += m->factor[f].size;
    }
    if ((double)(values + entries) * sizeof *g->log > (double)memory)
        return ZB_ELIMIT;
    g->sum = zb_calloc(values, sizeof *g->sum);
    g->log = zb_alloc(entries, sizeof *g->log);
    return g->sum != NULL && g->log != NULL ? ZB_OK : ZB_ENOMEM;
}

zb_status zb_gains_open(zb_gains *g, const zb_model *m, int *state, zb_run *run)
{
    zb_status status;
    *g = (zb_gains){ .unit = 0 };
    TRY(zb_landscape_open(&g->l, m, state, run));
    TRY(take_memory(g, run != NULL ? run->memory : UINT64_MAX));
    choose_unit(g);
    TRY(fill_logarithms(g) ? ZB_OK : ZB_ELIMIT);
    fill_sums(g);
done:
    if (status != ZB_OK)
        zb_gains_close(g);
    return status;
}
