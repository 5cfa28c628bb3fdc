#include "order/incidence.h"

zb_status zb_incidence_new(zb_incidence *g, const zb_scopes *scopes)
{
    size_t n = (size_t)scopes->nvars, items = scopes->at[scopes->count];
    *g = (zb_incidence){ .scopes = scopes };
    g->at = zb_calloc(n + 2, sizeof *g->at);
    g->scope = zb_alloc(zb_max_size(items, 1), sizeof *g->scope);
    if (g->at == NULL || g->scope == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < items; i++)
        g->at[scopes->var[i] + 2]++;
    for (size_t v = 0; v < n; v++)
        g->at[v + 2] += g->at[v + 1];
    for (int f = 0; f < scopes->count; f++)
        for (size_t i = scopes->at[f]; i < scopes->at[f + 1]; i++)
            g->scope[g->at[scopes->var[i] + 1]++] = f;
    return ZB_OK;
}

void zb_incidence_free(zb_incidence *g)
{
    zb_free(g->at);
    zb_free(g->scope);
    *g = (zb_incidence){ .scopes = NULL };
}
