#include "baseline/maxima.h"

#include "base/sum.h"

static const zb_ball NO_TIME = { INFINITY, 0 };

zb_ball zb_maxima_of_model(const zb_model *model, zb_ticker *tick)
{
    zb_sum sum = { .radius = model->radius };
    zb_sum_add(&sum, model->log_scale);
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] > 1)
            zb_sum_add_ball(&sum, zb_log_ball(model->card[v]));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double top = a->log ? -INFINITY : 0;
        for (size_t i = 0; i < a->size; i++)
            top = a->value[i] > top ? a->value[i] : top;
        zb_sum_add_ball(&sum, a->log ? (zb_ball){ top, 0 } : zb_log_ball(top));
        if (!zb_tick(tick, 20 + (double)a->size))
            return NO_TIME;
    }
    return zb_sum_value(&sum);
}

zb_ball zb_maxima_of_graph(const zb_graph *g, zb_ticker *tick)
{
    zb_sum sum = { .radius = g->radius };
    zb_sum_add(&sum, g->log_scale);
    for (int v = 0; v < g->nvars; v++) {
        size_t n = (size_t)g->card[v];
        const double *unary = g->unary + g->var_at[v];
        zb_sum_add(&sum, zb_log_sum(n, unary, tick));
        sum.radius += ZB_MARGIN * ZB_UNIT * zb_log_sum_units(n, zb_magnitude(n, unary));
    }
    for (int a = 0; a < g->nfactors; a++) {
        double top = -INFINITY;
        for (size_t i = g->tab_at[a]; i < g->tab_at[a + 1]; i++)
            top = g->table[i] > top ? g->table[i] : top;
        zb_sum_add(&sum, top);
        if (!zb_tick(tick, 10 + (double)(g->tab_at[a + 1] - g->tab_at[a])))
            return NO_TIME;
    }
    return tick->over ? NO_TIME : zb_sum_value(&sum);
}
