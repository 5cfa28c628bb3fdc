#include "sample/ascent.h"

#include "base/sum.h"
#include "model/table.h"

/* Where a factor's entry is, and what variables do to it. */
typedef struct incidence {
    int factor;
    size_t stride; /* of the variable in it */
} incidence;

typedef struct landscape {
    const zb_model *m;
    int *state;
    size_t *entry; /* per factor: at the state */
    size_t *first; /* per variable, into list; one more at the end */
    incidence *list;
    int *queue; /* variables to look at */
    bool *waits;
    int head, count;
    double *gain; /* scratch: of the values of a variable */
    zb_ticker tick;
} landscape;

static size_t entry_at(const zb_model *m, const zb_factor *f, const int *state)
{
    size_t at = 0;
    for (int i = 0; i < f->arity; i++)
        at = at * (size_t)m->card[f->scope[i]] + (size_t)state[f->scope[i]];
    return at;
}

zb_ball zb_state_value(const zb_model *m, const int *state)
{
    zb_sum sum = { 0 };
    zb_sum_add_ball(&sum, zb_model_scale(m));
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        double x = a->value[entry_at(m, a, state)];
        zb_sum_add_ball(&sum, a->log ? (zb_ball){ x, 0 } : zb_log_ball(x));
    }
    return zb_sum_value(&sum);
}

/* ---- setting up ------------------------------------------------------------------ */

static void link_factors(landscape *l)
{
    const zb_model *m = l->m;
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            l->first[m->factor[f].scope[i] + 1]++;
    for (int v = 0; v < m->nvars; v++)
        l->first[v + 1] += l->first[v];
    for (int f = m->nfactors - 1; f >= 0; f--) {
        const zb_factor *a = &m->factor[f];
        size_t stride = 1;
        l->entry[f] = entry_at(m, a, l->state);
        for (int i = a->arity - 1; i >= 0; i--) {
            int v = a->scope[i];
            l->list[--l->first[v + 1]] = (incidence){ f, stride };
            stride *= (size_t)m->card[v];
        }
    }
    /* first[v + 1] has gone down to where the list of v begins */
    for (int v = 0; v < m->nvars; v++)
        l->first[v] = l->first[v + 1];
}

static void landscape_close(landscape *l)
{
    zb_free(l->entry);
    zb_free(l->first);
    zb_free(l->list);
    zb_free(l->queue);
    zb_free(l->waits);
    zb_free(l->gain);
}

static zb_status landscape_open(landscape *l, const zb_model *m, int *state)
{
    size_t n = (size_t)m->nvars, axes = 0;
    int card = 1;
    for (int f = 0; f < m->nfactors; f++)
        axes += (size_t)m->factor[f].arity;
    for (int v = 0; v < m->nvars; v++)
        card = zb_max_int(card, m->card[v]);
    l->m = m;
    l->state = state;
    l->entry = zb_alloc((size_t)m->nfactors, sizeof *l->entry);
    l->first = zb_calloc(n + 2, sizeof *l->first);
    l->list = zb_alloc(axes, sizeof *l->list);
    l->queue = zb_alloc(n, sizeof *l->queue);
    l->waits = zb_calloc(n, sizeof *l->waits);
    l->gain = zb_alloc((size_t)card, sizeof *l->gain);
    if (!l->entry || !l->first || !l->list || !l->queue || !l->waits || !l->gain) {
        landscape_close(l);
        return ZB_ENOMEM;
    }
    link_factors(l);
    l->first[m->nvars] = axes;
    return ZB_OK;
}

/* ---- moves ----------------------------------------------------------------------- */

static void push(landscape *l, int v)
{
    if (l->waits[v])
        return;
    l->waits[v] = true;
    l->queue[(l->head + l->count++) % l->m->nvars] = v;
}

static void move(landscape *l, int v, int x)
{
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++)
        l->entry[l->list[i].factor] +=
            l->list[i].stride * (size_t)x - l->list[i].stride * (size_t)l->state[v];
    l->state[v] = x;
}

/* The best value of v, the others as they are, and what it gains. */
static int best_value(landscape *l, int v, double *gained)
{
    const zb_model *m = l->m;
    int card = m->card[v], best = l->state[v];
    for (int x = 0; x < card; x++)
        l->gain[x] = 0;
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        const zb_factor *f = &m->factor[l->list[i].factor];
        size_t stride = l->list[i].stride,
               base = l->entry[l->list[i].factor] - stride * (size_t)l->state[v];
        for (int x = 0; x < card; x++)
            l->gain[x] += zb_factor_log(f, base + stride * (size_t)x);
    }
    zb_tick(&l->tick, 20.0 * card * (double)(l->first[v + 1] - l->first[v]));
    double now = l->gain[best];
    for (int x = 0; x < card; x++)
        best = l->gain[x] > l->gain[best] ? x : best;
    *gained = l->gain[best] - now;
    return best;
}

/* Rounding must not make two states better than each other. */
static const double LEAST_GAIN = 1e-9;

static bool try_single(landscape *l, int v)
{
    double gained;
    int x = best_value(l, v, &gained);
    if (!(gained > LEAST_GAIN))
        return false;
    move(l, v, x);
    return true;
}

/* v at each other value, and u at its best then. Values that u alone would have to
   save from a zero are left out. */
static bool try_pair(landscape *l, int v, int u)
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
        move(l, v, x);
        int y = best_value(l, u, &second);
        if (first + second > LEAST_GAIN) {
            move(l, u, y);
            return true;
        }
        move(l, v, old);
    }
    return false;
}

static void push_neighbours(landscape *l, int v)
{
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        const zb_factor *f = &l->m->factor[l->list[i].factor];
        for (int a = 0; a < f->arity; a++)
            push(l, f->scope[a]);
    }
}

static bool try_pairs(landscape *l, int v)
{
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
        const zb_factor *f = &l->m->factor[l->list[i].factor];
        for (int a = 0; a < f->arity; a++)
            if (f->scope[a] != v && try_pair(l, v, f->scope[a])) {
                push_neighbours(l, f->scope[a]);
                return true;
            }
    }
    return false;
}

zb_status zb_state_ascend(const zb_model *m, int *state, zb_run *run)
{
    landscape l = { .tick.run = run };
    zb_status status = landscape_open(&l, m, state);
    if (status != ZB_OK)
        return status;
    for (int v = 0; v < m->nvars; v++)
        push(&l, v);
    while (l.count > 0 && zb_tick(&l.tick, 20)) {
        int v = l.queue[l.head];
        l.head = (l.head + 1) % m->nvars;
        l.count--;
        l.waits[v] = false;
        if (try_single(&l, v) || try_pairs(&l, v))
            push_neighbours(&l, v);
    }
    landscape_close(&l);
    return ZB_OK;
}
