/* The interaction graph of a set of scopes, as adjacency lists. */
#include "order/order_internal.h"

#include "base/explog.h"
#include "order/incidence.h"

/* Neighbours of v into out (NULL: only count them); mark holds v for those seen. Too
   few when the time is over. */
static size_t neighbours(const zb_incidence *inc, int v, int *mark, int *out,
                         zb_ticker *tick)
{
    const zb_scopes *s = inc->scopes;
    size_t count = 0;
    if (s->card[v] == 1)
        return 0;
    mark[v] = v;
    for (size_t i = inc->at[v]; i < inc->at[v + 1]; i++) {
        if (!zb_tick(tick, 8 + 2.0 * zb_scopes_arity(s, inc->scope[i])))
            break;
        const int *scope = zb_scopes_of(s, inc->scope[i]);
        for (int j = 0; j < zb_scopes_arity(s, inc->scope[i]); j++) {
            int u = scope[j];
            if (mark[u] == v || s->card[u] == 1)
                continue;
            mark[u] = v;
            if (out != NULL)
                out[count] = u;
            count++;
        }
    }
    return count;
}

static void mark_clear(int n, int *mark)
{
    for (int v = 0; v < n; v++)
        mark[v] = -1;
}

static zb_status graph_fill(zb_primal *g, const zb_incidence *inc, int *mark,
                            zb_ticker *tick)
{
    mark_clear(g->n, mark);
    g->at[0] = 0;
    for (int v = 0; v < g->n; v++)
        g->at[v + 1] = g->at[v] + neighbours(inc, v, mark, NULL, tick);
    if (tick->over)
        return ZB_ELIMIT;
    if ((g->to = zb_alloc(g->at[g->n], sizeof *g->to)) == NULL)
        return ZB_ENOMEM;
    mark_clear(g->n, mark);
    for (int v = 0; v < g->n; v++)
        neighbours(inc, v, mark, g->to + g->at[v], tick);
    return tick->over ? ZB_ELIMIT : ZB_OK;
}

zb_status zb_primal_new(zb_primal **out, const zb_scopes *s, zb_ticker *tick)
{
    zb_primal *g = zb_calloc(1, sizeof *g);
    zb_incidence inc = { .scopes = s };
    int *mark = zb_alloc((size_t)s->nvars, sizeof *mark);
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (g == NULL || mark == NULL)
        goto done;
    g->n = s->nvars;
    g->card = s->card;
    g->bits = zb_alloc((size_t)g->n, sizeof *g->bits);
    g->at = zb_alloc((size_t)g->n + 1, sizeof *g->at);
    if (g->bits == NULL || g->at == NULL)
        goto done;
    for (int v = 0; v < g->n; v++)
        g->bits[v] = zb_log2(s->card[v]);
    TRY(zb_incidence_new(&inc, s));
    TRY(graph_fill(g, &inc, mark, tick));
    *out = g, g = NULL;
done:
    zb_incidence_free(&inc);
    zb_free(mark);
    zb_primal_free(g);
    return status;
}

void zb_primal_free(zb_primal *g)
{
    if (g == NULL)
        return;
    zb_free(g->bits);
    zb_free(g->at);
    zb_free(g->to);
    zb_free(g);
}
