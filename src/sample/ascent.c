#include "sample/ascent.h"

#include "base/sum.h"
#include "model/table.h"
#include "sample/landscape.h"

typedef struct ascent {
    zb_landscape l;
    int *queue; /* variables to look at */
    bool *waits;
    int head, count;
} ascent;

zb_ball zb_state_value(const zb_model *m, const int *state)
{
    zb_sum sum = { 0 };
    zb_sum_add_ball(&sum, zb_model_scale(m));
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        double x = a->value[zb_landscape_entry(m, a, state)];
        zb_sum_add_ball(&sum, a->log ? (zb_ball){ x, 0 } : zb_log_ball(x));
    }
    return zb_sum_value(&sum);
}

/* ---- moves ----------------------------------------------------------------------- */

static void push(ascent *a, int v)
{
    if (a->waits[v])
        return;
    a->waits[v] = true;
    a->queue[(a->head + a->count++) % a->l.m->nvars] = v;
}

/* The best value of v, the others as they are, and what it gains. */
static int best_value(zb_landscape *l, int v, double *gained)
{
    int card = l->m->card[v], best = l->state[v];
    zb_landscape_look(l, v);
    double now = l->gain[best];
    for (int x = 0; x < card; x++)
        best = l->gain[x] > l->gain[best] ? x : best;
    *gained = l->gain[best] - now;
    return best;
}

/* Rounding must not make two states better than each other. */
static const double LEAST_GAIN = 1e-9;

static bool try_single(zb_landscape *l, int v)
{
    double gained;
    int x = best_value(l, v, &gained);
    if (!(gained > LEAST_GAIN))
        return false;
    zb_landscape_move(l, v, x);
    return true;
}

/* v at each other value, and u at its best then. Values that u alone would have to
   save from a zero are left out. */
static bool try_pair(zb_landscape *l, int v, int u)
{
    int old = l->state[v];
    for (int x = 0; x < l->m->card[v]; x++) {
        double first, second;
        if (x == old)
            continue;
        best_value(l, v, &first); /* fills gain */
        first = l->gain[x] - l->gain[old];
        if (first == -INFINITY)
            continue;
        zb_landscape_move(l, v, x);
        int y = best_value(l, u, &second);
        if (first + second > LEAST_GAIN) {
            zb_landscape_move(l, u, y);
            return true;
        }
        zb_landscape_move(l, v, old);
    }
    return false;
}

static void push_neighbours(ascent *a, int v)
{
    const zb_landscape *l = &a->l;
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        const zb_factor *f = &l->m->factor[l->list[i].factor];
        for (int k = 0; k < f->arity; k++)
            push(a, f->scope[k]);
    }
}

static bool try_pairs(ascent *a, int v)
{
    zb_landscape *l = &a->l;
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        const zb_factor *f = &l->m->factor[l->list[i].factor];
        for (int k = 0; k < f->arity; k++)
            if (f->scope[k] != v && try_pair(l, v, f->scope[k])) {
                push_neighbours(a, f->scope[k]);
                return true;
            }
    }
    return false;
}

static void ascend(ascent *a)
{
    int n = a->l.m->nvars;
    for (int v = 0; v < n; v++)
        push(a, v);
    while (a->count > 0 && zb_tick(&a->l.tick, 20)) {
        int v = a->queue[a->head];
        a->head = (a->head + 1) % n;
        a->count--;
        a->waits[v] = false;
        if (try_single(&a->l, v) || try_pairs(a, v))
            push_neighbours(a, v);
    }
}

zb_status zb_state_ascend(const zb_model *m, int *state, zb_run *run)
{
    ascent a = { .queue = zb_alloc((size_t)m->nvars, sizeof *a.queue),
                 .waits = zb_calloc((size_t)m->nvars, sizeof *a.waits) };
    zb_status status = ZB_ENOMEM;
    if (a.queue != NULL && a.waits != NULL)
        status = zb_landscape_open(&a.l, m, state, run);
    if (status == ZB_OK) {
        ascend(&a);
        zb_landscape_close(&a.l);
    }
    zb_free(a.queue);
    zb_free(a.waits);
    return status;
}
