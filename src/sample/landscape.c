#include "sample/landscape.h"

#include "model/table.h"

size_t zb_landscape_entry(const zb_model *m, const zb_factor *f, const int *state)
{
    size_t at = 0;
    for (int i = 0; i < f->arity; i++)
        at = at * (size_t)m->card[f->scope[i]] + (size_t)state[f->scope[i]];
    return at;
}

static void link_factors(zb_landscape *l)
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
        l->entry[f] = zb_landscape_entry(m, a, l->state);
        for (int i = a->arity - 1; i >= 0; i--) {
            int v = a->scope[i];
            l->list[--l->first[v + 1]] = (zb_incidence){ f, stride };
            stride *= (size_t)m->card[v];
        }
    }
    /* first[v + 1] has gone down to where the list of v begins */
    for (int v = 0; v < m->nvars; v++)
        l->first[v] = l->first[v + 1];
}

void zb_landscape_close(zb_landscape *l)
{
    zb_free(l->entry);
    zb_free(l->first);
    zb_free(l->list);
    zb_free(l->gain);
    *l = (zb_landscape){ .m = NULL };
}

zb_status zb_landscape_open(zb_landscape *l, const zb_model *m, int *state, zb_run *run)
{
    size_t n = (size_t)m->nvars, axes = 0;
    int card = 1;
    for (int f = 0; f < m->nfactors; f++)
        axes += (size_t)m->factor[f].arity;
    for (int v = 0; v < m->nvars; v++)
        card = zb_max_int(card, m->card[v]);
    *l = (zb_landscape){ .m = m, .state = state, .tick.run = run };
    l->entry = zb_alloc((size_t)m->nfactors, sizeof *l->entry);
    l->first = zb_calloc(n + 2, sizeof *l->first);
    l->list = zb_alloc(axes, sizeof *l->list);
    l->gain = zb_alloc((size_t)card, sizeof *l->gain);
    if (!l->entry || !l->first || !l->list || !l->gain) {
        zb_landscape_close(l);
        return ZB_ENOMEM;
    }
    link_factors(l);
    l->first[m->nvars] = axes;
    return ZB_OK;
}

void zb_landscape_move(zb_landscape *l, int v, int x)
{
    for (size_t i = l->first[v]; i < l->first[v + 1]; i++)
        l->entry[l->list[i].factor] +=
            l->list[i].stride * (size_t)x - l->list[i].stride * (size_t)l->state[v];
    l->state[v] = x;
}

void zb_landscape_look(zb_landscape *l, int v)
{
    const zb_model *m = l->m;
    int card = m->card[v];
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
}
