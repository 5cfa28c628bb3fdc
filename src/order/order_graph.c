/* The interaction graph of a set of scopes, as adjacency lists. */
#include "order/order_internal.h"

#include "base/explog.h"

typedef struct incidence {
    size_t *at; /* nvars + 1 */
    int *scope; /* scopes that hold the variable */
} incidence;

static zb_status incidence_make(incidence *inc, const zb_scopes *s)
{
    size_t n = (size_t)s->nvars;
    inc->at = zb_calloc(n + 2, sizeof *inc->at);
    inc->scope = zb_alloc(s->at[s->count], sizeof *inc->scope);
    if (inc->at == NULL || inc->scope == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < s->at[s->count]; i++)
        inc->at[s->var[i] + 2]++;
    for (size_t v = 0; v < n; v++)
        inc->at[v + 2] += inc->at[v + 1];
    for (int f = 0; f < s->count; f++)
        for (size_t i = s->at[f]; i < s->at[f + 1]; i++)
            inc->scope[inc->at[s->var[i] + 1]++] = f;
    return ZB_OK;
}

/* Neighbours of v into out (NULL: only count them); mark holds v for those seen. Too
   few when the time is over. */
static size_t neighbours(const zb_scopes *s, const incidence *inc, int v, int *mark,
                         int *out, zb_ticker *tick)
{
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

static zb_status graph_fill(zb_primal *g, const zb_scopes *s, const incidence *inc,
                            int *mark, zb_ticker *tick)
{
    mark_clear(g->n, mark);
    g->at[0] = 0;
    for (int v = 0; v < g->n; v++)
        g->at[v + 1] = g->at[v] + neighbours(s, inc, v, mark, NULL, tick);
    if (tick->over)
        return ZB_ELIMIT;
    if ((g->to = zb_alloc(g->at[g->n], sizeof *g->to)) == NULL)
        return ZB_ENOMEM;
    mark_clear(g->n, mark);
    for (int v = 0; v < g->n; v++)
        neighbours(s, inc, v, mark, g->to + g->at[v], tick);
    return tick->over ? ZB_ELIMIT : ZB_OK;
}

zb_status zb_primal_new(zb_primal **out, const zb_scopes *s, zb_ticker *tick)
{
    zb_primal *g = zb_calloc(1, sizeof *g);
    incidence inc = { NULL, NULL };
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
    TRY(incidence_make(&inc, s));
    TRY(graph_fill(g, s, &inc, mark, tick));
    *out = g, g = NULL;
done:
    zb_free(inc.at);
    zb_free(inc.scope);
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
