/* Reduce, cut into components, find an order for each. */
#include "solve.h"

#include "order.h"

#include <string.h>

static zb_status order_part(zb_part *p, uint64_t seed, double seconds)
{
    zb_scopes *scopes = NULL;
    zb_status status;
    TRY(zb_scopes_new(&scopes, p->model));
    p->order = zb_alloc((size_t)scopes->nvars, sizeof *p->order);
    TRY(p->order != NULL ? ZB_OK : ZB_ENOMEM);
    zb_order_request req = {
        .kind = ZB_ORDER_AUTO, .seed = seed, .tries = 1000, .seconds = seconds
    };
    TRY(zb_order_make(scopes, &req, p->order, NULL));
    TRY(zb_exact_forecast(scopes, p->order, &p->plan));
done:
    zb_scopes_free(scopes);
    return status;
}

zb_status zb_parts_new(zb_parts **out, const zb_model *model, uint64_t seed,
                       double seconds)
{
    zb_parts *p = zb_calloc(1, sizeof *p);
    zb_status status = ZB_ENOMEM;
    size_t entries = 1;

    *out = NULL;
    if (p == NULL)
        return ZB_ENOMEM;
    TRY(zb_simplify(&p->reduced, model));
    TRY(zb_components_split(p->reduced->model, &p->count, &p->model, NULL, NULL));
    p->part = zb_calloc((size_t)p->count, sizeof *p->part);
    TRY(p->part != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < p->count; i++)
        entries += (size_t)p->model[i]->nvars;
    for (int i = 0; i < p->count; i++) {
        zb_part *part = &p->part[i];
        part->model = p->model[i];
        TRY(order_part(part, seed, seconds * part->model->nvars / (double)entries));
        p->width = zb_max_int(p->width, part->plan.width);
        p->bytes = fmax(p->bytes, part->plan.bytes);
        p->total += part->plan.total;
    }
    *out = p, p = NULL;
done:
    zb_parts_free(p);
    return status;
}

void zb_parts_free(zb_parts *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->count && p->part != NULL; i++)
        zb_free(p->part[i].order);
    zb_free(p->part);
    zb_components_free(p->count, p->model);
    zb_reduction_free(p->reduced);
    zb_free(p);
}
