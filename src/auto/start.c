#include "auto/start.h"

#include "base/explog.h"
#include "baseline/factorgraph.h"
#include "baseline/support.h"

#include <string.h>

/* Literals that the search may set where no clock ends it. */
static const double SUPPORT_BUDGET = 5e6;

/* Add factor f's beliefs onto the marginals of its variables. at: offsets by variable.
 */
static void add_marginals(const zb_attempt *a, int f, const double *belief,
                          const size_t *at, double *marginal)
{
    const zb_tree *t = a->tree;
    size_t n = 1, inner;
    for (size_t i = t->scope_at[f]; i < t->scope_at[f + 1]; i++)
        n *= (size_t)t->card[t->scope[i]];
    inner = n;
    for (size_t i = t->scope_at[f]; i < t->scope_at[f + 1]; i++) {
        int v = t->scope[i];
        size_t d = (size_t)t->card[v];
        inner /= d;
        for (size_t e = 0; e < n; e++)
            marginal[at[v] + e / inner % d] += belief[e];
    }
}

static zb_status guide_marginals(zb_attempt *a, const size_t *at, double *marginal)
{
    size_t largest = 1;
    zb_status status;
    for (int f = 0; f < a->model->nfactors; f++)
        largest = zb_max_size(largest, a->model->factor[f].size);
    double *belief = zb_alloc(largest, sizeof *belief);
    TRY(belief != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_tighten_differentiate(a->tighten));
    for (int f = 0; f < a->model->nfactors; f++) {
        zb_tighten_belief(a->tighten, f, belief);
        add_marginals(a, f, belief, at, marginal);
    }
done:
    zb_free(belief);
    return status;
}

zb_status zb_start_find(const zb_model *model, zb_attempt *guide,
                        const zb_cutset *cutset, zb_run *run, int *value, bool *found)
{
    zb_graph *g = NULL;
    size_t n = (size_t)model->nvars, total = 0;
    size_t *at = zb_alloc(n + 1, sizeof *at);
    double *marginal = NULL, *score = NULL;
    int *x = NULL, *whole = zb_calloc(n, sizeof *whole);
    zb_support answer = ZB_SUPPORT_GAVE_UP;
    zb_status status;
    *found = false;
    TRY(at != NULL && whole != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < model->nvars; v++) {
        at[v] = total;
        total += (size_t)model->card[v];
    }
    TRY(zb_graph_new(&g, model, true, run));
    marginal = zb_calloc(total, sizeof *marginal);
    score = zb_calloc(g->var_at[g->nvars], sizeof *score);
    x = zb_calloc((size_t)g->nvars, sizeof *x);
    TRY(marginal && score && x ? ZB_OK : ZB_ENOMEM);
    if (guide != NULL && guide->model->nvars == model->nvars)
        TRY(guide_marginals(guide, at, marginal));
    for (int u = 0; u < g->nvars; u++)
        for (int k = 0; k < g->card[u]; k++)
            score[g->var_at[u] + (size_t)k] =
                zb_log(marginal[at[g->model_var[u]] + (size_t)k] + 1e-30);
    bool limited = run != NULL && isfinite(run->deadline);
    TRY(zb_support_find(g, score, limited ? INFINITY : SUPPORT_BUDGET, run, x,
                        &answer));
    for (int u = 0; u < g->nvars; u++)
        whole[g->model_var[u]] = x[u];
    for (int i = 0; i < cutset->count; i++)
        value[i] = whole[cutset->var[i]];
    *found = answer == ZB_SUPPORT_FOUND && g->log_scale > -INFINITY;
done:
    zb_graph_free(g);
    zb_free(at);
    zb_free(marginal);
    zb_free(score);
    zb_free(x);
    zb_free(whole);
    return status;
}
