#include "baseline/maxima.h"

#include "base/explog.h"
#include "base/sum.h"

static const zb_ball NO_TIME = { INFINITY, 0 };

/* ln x, x >= 0, within an ulp, is one more term. */
static void add_log(zb_sum *sum, double x)
{
    double log = zb_log(x);
    zb_sum_add(sum, log);
    if (isfinite(log))
        sum->radius += ZB_MARGIN * ZB_UNIT * 2 * ZB_LOG_ULP * fabs(log);
}

zb_ball zb_maxima_of_model(const zb_model *model, zb_ticker *tick)
{
    zb_sum sum = { .radius = model->radius };
    zb_sum_add(&sum, model->log_scale);
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] > 1)
            add_log(&sum, model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        double top = a->log ? -INFINITY : 0;
        for (size_t i = 0; i < a->size; i++)
            top = a->value[i] > top ? a->value[i] : top;
        if (a->log)
            zb_sum_add(&sum, top);
        else
            add_log(&sum, top);
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
