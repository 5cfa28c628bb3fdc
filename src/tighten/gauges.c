/* The public face of gauges: a zb_gauge over a tree in natural order, whose layout is
 * translated back into the factors' own. */
#include "tighten/gauge.h"

#include "base/explog.h"

#include <string.h>

struct zb_gauges {
    zb_scopes *scopes; /* as given, which the tree sorts */
    zb_tree *tree;
    zb_gauge *gauge;
    double *square; /* scratch: two matrices of the largest cardinality */
};

static zb_status check_model(const zb_model *model, zb_error *err)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->evidence[v] >= 0)
            return zb_fail(err, ZB_EINVAL, "variable %d is observed", v);
    return ZB_OK;
}

static zb_status natural_tree(zb_gauges *g)
{
    zb_split_spec spec = { .ibound = 1 }; /* raised to the largest factor */
    zb_status status;
    int n = g->scopes->nvars, *order = zb_alloc((size_t)n, sizeof *order);
    if (order == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < n; v++)
        order[v] = v;
    status = zb_tree_new(&g->tree, g->scopes, order, &spec);
    zb_free(order);
    return status;
}

zb_status zb_gauges_new(zb_gauges **out, const zb_model *model, zb_error *err)
{
    zb_gauges *g;
    size_t most = 1;
    zb_status status;

    if (out == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for the gauges");
    *out = NULL;
    if (model == NULL)
        return zb_fail(err, ZB_EINVAL, "no model");
    if ((g = zb_calloc(1, sizeof *g)) == NULL)
        return ZB_ENOMEM;
    TRY(check_model(model, err));
    TRY(zb_scopes_new(&g->scopes, model));
    TRY(natural_tree(g));
    status = zb_gauge_new(&g->gauge, g->tree, model);
    if (status == ZB_EINVAL)
        zb_fail(err, status, "some variable does not sit in exactly two factors");
    TRY(status);
    for (int v = 0; v < model->nvars; v++)
        if (g->gauge->free_var[v])
            most = zb_max_size(most, (size_t)model->card[v]);
    g->square = zb_alloc(2 * most * most, sizeof *g->square);
    TRY(g->square != NULL ? ZB_OK : ZB_ENOMEM);
    *out = g, g = NULL;
done:
    zb_gauges_free(g);
    return status;
}

void zb_gauges_free(zb_gauges *g)
{
    if (g == NULL)
        return;
    zb_gauge_free(g->gauge);
    zb_tree_free(g->tree);
    zb_scopes_free(g->scopes);
    zb_free(g->square);
    zb_free(g);
}

static bool has_var(const zb_gauges *g, int var)
{
    return g != NULL && var >= 0 && var < g->tree->nvars;
}

static bool can_move(const zb_gauges *g, int var)
{
    return has_var(g, var) && g->gauge->free_var[var];
}

zb_status zb_gauges_set(zb_gauges *g, int var, const double *matrix)
{
    return can_move(g, var) && matrix != NULL ? zb_gauge_set(g->gauge, var, matrix)
                                              : ZB_EINVAL;
}

zb_status zb_gauges_multiply(zb_gauges *g, int var, const double *matrix)
{
    if (!can_move(g, var) || matrix == NULL)
        return ZB_EINVAL;
    int d = g->tree->card[var];
    const double *old = g->gauge->matrix + g->gauge->matrix_at[var];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += matrix[i * d + k] * old[k * d + j];
            g->square[i * d + j] = sum;
        }
    return zb_gauge_set(g->gauge, var, g->square);
}

zb_status zb_gauges_invert(zb_gauges *g, int var)
{
    if (!can_move(g, var))
        return ZB_EINVAL;
    int d = g->tree->card[var];
    const double *transposed = g->gauge->inverse + g->gauge->matrix_at[var];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            g->square[i * d + j] = transposed[j * d + i];
    return zb_gauge_set(g->gauge, var, g->square);
}

zb_status zb_gauges_get(const zb_gauges *g, int var, double *first, double *second)
{
    if (!has_var(g, var))
        return ZB_EINVAL;
    size_t d = (size_t)g->tree->card[var], at = g->gauge->matrix_at[var];
    bool stored = g->gauge->matrix_at[var + 1] > at; /* else the identity */
    for (size_t i = 0; i < d * d; i++) {
        if (first != NULL)
            first[i] = stored ? g->gauge->matrix[at + i] : i % (d + 1) == 0;
        if (second != NULL)
            second[i] = stored ? g->gauge->inverse[at + i] : i % (d + 1) == 0;
    }
    return ZB_OK;
}

/* Where entry i of the factor as given stands in the tree's layout. */
static size_t place(const zb_gauges *g, int factor, size_t i)
{
    const int *given = zb_scopes_of(g->scopes, factor), *card = g->tree->card,
              *sorted = g->tree->scope + g->tree->scope_at[factor];
    int arity = zb_scopes_arity(g->scopes, factor);
    size_t at = 0;
    for (int a = arity - 1; a >= 0; a--) {
        size_t d = (size_t)card[given[a]], stride = 1;
        for (int s = arity - 1; sorted[s] != given[a]; s--)
            stride *= (size_t)card[sorted[s]];
        at += stride * (i % d);
        i /= d;
    }
    return at;
}

zb_status zb_gauges_values(zb_gauges *g, int factor, double *out)
{
    if (g == NULL || factor < 0 || factor >= g->tree->nfactors || out == NULL)
        return ZB_EINVAL;
    zb_gauge_transform(g->gauge, factor);
    const double *hat = zb_gauge_hat(g->gauge, factor);
    double scale = zb_exp(g->gauge->log_scale[factor]);
    for (size_t i = 0; i < zb_gauge_table_size(g->gauge, factor); i++)
        out[i] = hat[place(g, factor, i)] * scale;
    return ZB_OK;
}
