#include "tighten/budget.h"

#include "base/cost.h"
#include "pass/pass.h"
#include "tighten/menu.h"

static const double PASS_WITHOUT_LIMIT = 0.2; /* seconds */

typedef struct trial { /* one ibound */
    zb_scopes *scopes;
    int *order;
    bool fits, whole; /* whole: nothing is split */
    bool memory;      /* it would fit the time, but not the memory */
} trial;

/* The number of threads must not decide what is computed: reckon with a few. */
static zb_status try_ibound(trial *t, const zb_ibound_request *r, int ibound)
{
    double most = isfinite(r->seconds) ? r->seconds / r->passes : PASS_WITHOUT_LIMIT;
    zb_split_spec ss = { .ibound = ibound, .run = r->run };
    zb_pass_spec ps = { .gradient = true, .theta = true, .shared = true, .threads = 4 };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, t->scopes, t->order, &ss);
    t->fits = t->whole = t->memory = false;
    if (status != ZB_OK)
        return status == ZB_ELIMIT ? ZB_OK : status;
    bool soon = zb_cost_pass(tree->entries, tree->nnodes) * r->slowness <= most;
    bool small = zb_pass_forecast(tree, &ps) < (double)r->memory / 3;
    t->fits = soon && small;
    t->memory = soon && !small;
    t->whole = tree->splits == 0;
    zb_tree_free(tree);
    return ZB_OK;
}

zb_status zb_budget_ibound(const zb_ibound_request *r, zb_ibound_choice *out)
{
    trial t = { .fits = true };
    bool sparse = zb_menu_is_sparse(r->model), limited = isfinite(r->seconds);
    double begin = zb_now();
    zb_order_request req = { .kind = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL,
                             .seed = 1,
                             .tries = 1,
                             .seconds = limited ? 0.02 * r->seconds : 0,
                             .run = r->run };
    zb_status status;
    int largest = 0;
    TRY(zb_scopes_new(&t.scopes, r->model));
    t.order = zb_alloc((size_t)t.scopes->nvars, sizeof *t.order);
    TRY(t.order != NULL ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < t.scopes->count; f++)
        largest = zb_max_int(largest, zb_scopes_arity(t.scopes, f));
    int least = zb_max_int(2, largest);
    *out = (zb_ibound_choice){ .ibound = least };
    for (int i = least; i <= 64 && t.fits && !t.whole; i += 2) {
        double spent = limited ? (zb_now() - begin) / r->seconds : 0;
        req.ibound = i;
        if (i > least && (spent > 0.15 || !zb_run_more(r->run)))
            break;
        /* min-fill knows no ibound; where orders take long, the last one will do */
        if (i == least || (sparse && spent < 0.03))
            TRY(zb_order_make(t.scopes, &req, t.order, NULL));
        TRY(try_ibound(&t, r, i));
        out->ibound = t.fits ? i : out->ibound;
        out->fits = out->fits || t.fits;
        out->memory = t.memory;
    }
    out->single = out->ibound <= largest;
done:
    zb_scopes_free(t.scopes);
    zb_free(t.order);
    return status;
}
