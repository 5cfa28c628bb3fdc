/* The public face of orders: a model and options, an order and its cost. */
#include "order/order.h"

#include <string.h>

enum { TRIES = 8, SECONDS = 2, IBOUND = 10 };

zb_status zb_order_restrict(int n, const int *order, int count, const int *var,
                            int *out)
{
    int kept = 0, *name = zb_alloc((size_t)n, sizeof *name);
    if (name == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < n; v++)
        name[v] = -1;
    for (int i = 0; i < count; i++)
        name[var[i]] = i;
    for (int k = 0; k < n && order != NULL; k++) {
        int v = order[k];
        if (v < 0 || v >= n || name[v] < 0)
            continue;
        out[kept++] = name[v];
        name[v] = -1; /* a second mention counts no more */
    }
    zb_free(name);
    return kept == count ? ZB_OK : ZB_EINVAL;
}

static zb_status find(const zb_scopes *s, const zb_options *opt, zb_run *run,
                      int *order, zb_order_cost *cost)
{
    zb_order_request request = { .kind = opt->order,
                                 .ibound = opt->ibound > 0 ? opt->ibound : IBOUND,
                                 .seed = opt->seed,
                                 .tries = TRIES,
                                 .seconds = opt->time > 0 ? opt->time : SECONDS,
                                 .run = run };
    if (opt->order != ZB_ORDER_FILE)
        return zb_order_make(s, &request, order, cost);
    zb_status status = zb_order_evaluate(s, opt->order_list, run, cost);
    if (status == ZB_OK && s->nvars > 0)
        memcpy(order, opt->order_list, (size_t)s->nvars * sizeof *order);
    return status;
}

zb_status zb_order_find(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, int *order, zb_order_cost *cost,
                        zb_error *err)
{
    zb_scopes *scopes = NULL;
    zb_order_cost found;
    zb_run run;
    zb_status status;

    if (model == NULL || opt == NULL || (order == NULL && model->nvars > 0))
        return zb_fail(err, ZB_EINVAL, "no model, no options or no place for an order");
    TRY(zb_options_check(opt, err));
    TRY(zb_run_open(&run, observer, zb_run_deadline(opt), UINT64_MAX, opt->threads));
    status = zb_scopes_new(&scopes, model);
    if (status == ZB_OK)
        status = find(scopes, opt, &run, order, &found);
    zb_run_close(&run);
    zb_scopes_free(scopes);
    if (status == ZB_OK && cost != NULL)
        *cost = found;
    if (status == ZB_EINVAL)
        zb_fail(err, status,
                "option 'order': the order does not name each variable once");
    else if (status != ZB_OK)
        zb_fail(err, status, "no order was found: %s", zb_status_text(status));
done:
    return status;
}
