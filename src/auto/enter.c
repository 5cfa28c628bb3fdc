#include "auto/enter.h"

bool zb_enter_pass(zb_steer *p, zb_side side, int ibound, int64_t more, double bound)
{
    if (p->proofs != NULL) /* the search ends with a proof */
        bound = side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    return zb_ledger_pass(&p->ledger, p->now, side, ibound, more > 0 ? more : 0,
                          bound) &&
           zb_steer_open(p, side); /* the other side may have settled it */
}

/* Where entries are what is limited, the ibound is what came of it. */
int zb_enter_ibound(const zb_attempt *a)
{
    return a->spec.max_entries > 0 ? a->tree->width + 1 : a->tree->ibound;
}

/* Note in the result how a bound was found, if it is the one in force. */
static void describe(zb_steer *p, const zb_attempt *a, zb_side side, zb_method method)
{
    zb_result *out = p->out;
    zb_claim c = zb_ledger_claim(&p->ledger, p->now);
    zb_recipe by = { .method = method,
                     .form = a->spec.form,
                     .order = a->spec.order,
                     .ibound = zb_enter_ibound(a) };
    pthread_mutex_lock(&p->describe);
    if (side == ZB_SIDE_UPPER && a->bound <= c.upper)
        out->upper_by = by;
    if (side == ZB_SIDE_LOWER && a->bound >= c.lower)
        out->lower_by = by;
    out->rounding = fmax(out->rounding, a->value.radius);
    out->width = zb_max_int(out->width, a->tree->width);
    out->bytes = zb_max_size(out->bytes, zb_tighten_bytes(a->tighten));
    out->ibound = zb_max_int(out->ibound, by.ibound);
    if (side == ZB_SIDE_UPPER || p->opt->side == ZB_SIDE_LOWER) {
        out->form = a->spec.form;
        out->order = a->spec.order;
    }
    pthread_mutex_unlock(&p->describe);
}

/* A tree without splits is exact on either side. Where both are at work the upper one
   says so: the answer must not depend on who is first. */
zb_status zb_enter_attempt(zb_steer *p, const zb_attempt *a, zb_method method)
{
    zb_side side = a->spec.tighten.side;
    bool lower = side == ZB_SIDE_LOWER;
    zb_status status;
    TRY(zb_proofs_buckets(p->proofs, p->now, a));
    zb_ledger_bound(&p->ledger, p->now, lower ? a->bound : -INFINITY,
                    lower ? INFINITY : a->bound, "mini-buckets");
    if (a->tree->splits == 0 && (!lower || p->opt->side == ZB_SIDE_LOWER))
        zb_ledger_settle(&p->ledger, p->now, a->value, "mini-buckets without a split");
    describe(p, a, side, method);
done:
    return status;
}
