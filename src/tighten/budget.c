#include "tighten/budget.h"

#include "base/cost.h"
#include "base/explog.h"
#include "pass/pass.h"
#include "tighten/menu.h"

static const double PASS_WITHOUT_LIMIT = 0.2; /* seconds */

typedef struct trial { /* one ibound */
    zb_scopes *scopes;
    int *order;
    bool fits, whole; /* whole: nothing is split */
    bool memory;      /* it would fit the time, but not the memory */
    double pass;      /* seconds; INFINITY: it does not fit the memory */
} trial;

/* The number of threads must not decide what is computed: reckon with a few. */
static zb_status try_ibound(trial *t, const zb_ibound_request *r, int ibound)
{
    double most = isfinite(r->seconds) ? r->seconds / r->passes : PASS_WITHOUT_LIMIT;
    zb_split_spec ss = { .ibound = ibound,
                         .max_entries = r->entries ? zb_exp2(ibound) : 0,
                         .extend = true,
                         .run = r->run };
    zb_pass_spec ps = { .gradient = true, .theta = true, .shared = true, .threads = 4 };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, t->scopes, t->order, &ss);
    t->fits = t->whole = t->memory = false;
    t->pass = INFINITY;
    if (status != ZB_OK)
        return status == ZB_ELIMIT ? ZB_OK : status;
    double pass = zb_cost_pass(tree->entries, tree->nnodes) * r->slowness;
    bool soon = pass <= most;
    bool small = zb_pass_forecast(tree, &ps) < (double)r->memory / 3;
    t->fits = soon && small;
    t->memory = soon && !small;
    t->pass = small ? pass : INFINITY;
    t->whole = tree->splits == 0;
    zb_tree_free(tree);
    return ZB_OK;
}

/* Of a factor: its variables, or the ld of its entries, upwards. */
static int size_of(const zb_factor *f, bool entries)
{
    return entries ? (int)ceil(zb_log2((double)f->size) - 1e-9) : f->arity;
}

zb_status zb_budget_ibound(const zb_ibound_request *r, zb_ibound_choice *out)
{
    trial t = { .fits = true };
    bool sparse = zb_menu_is_sparse(r->model), limited = isfinite(r->seconds);
    bool goes_on = true;
    double begin = zb_now();
    zb_order_request req = { .kind = sparse ? ZB_ORDER_MINSPLIT : ZB_ORDER_MINFILL,
                             .seed = 1,
                             .tries = 1,
                             .seconds = limited ? 0.02 * r->seconds : 0,
                             .run = r->run };
    zb_status status;
    int largest = 0;
    double smallest = INFINITY; /* seconds of a pass over the smallest */
    TRY(zb_scopes_new(&t.scopes, r->model));
    t.order = zb_alloc((size_t)t.scopes->nvars, sizeof *t.order);
    TRY(t.order != NULL ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < r->model->nfactors; f++)
        largest = zb_max_int(largest, size_of(&r->model->factor[f], r->entries));
    int least = zb_max_int(2, largest);
    *out = (zb_ibound_choice){ .ibound = least, .pass = INFINITY };
    for (int i = least; i <= 64 && goes_on && !t.whole; i += 2) {
        double spent = limited ? (zb_now() - begin) / r->seconds : 0;
        req.ibound = i;
        req.max_entries = r->entries ? zb_exp2(i) : 0;
        if (i > least && (spent > 0.15 || !zb_run_more(r->run)))
            break;
        /* min-fill knows no ibound; where orders take long, the last one will do */
        if (i == least || (sparse && spent < 0.03))
            TRY(zb_order_make(t.scopes, &req, t.order, NULL));
        TRY(try_ibound(&t, r, i));
        smallest = i == least ? t.pass : smallest;
        t.fits = t.fits || (i > least && t.pass <= r->slack * smallest);
        out->ibound = t.fits ? i : out->ibound;
        out->pass = t.fits || i == least ? t.pass : out->pass;
        out->fits = out->fits || t.fits;
        out->memory = t.memory;
        goes_on = t.fits || (i == least && r->slack > 1 && isfinite(t.pass));
    }
    out->single = out->ibound <= largest;
done:
    zb_scopes_free(t.scopes);
    zb_free(t.order);
    return status;
}
