/* Where variables have gone: the rounds of a trail undone from the last to the first.
 * See trail.h. */
#include "simplify/trail.h"

void zb_origins_free(zb_origins *o)
{
    if (o == NULL)
        return;
    zb_free(o->var);
    zb_free(o->at);
    zb_free(o->value);
    zb_free(o);
}

/* Of variables of these cardinalities, nothing said yet. */
static zb_status make(zb_origins **out, int nvars, const int *card)
{
    zb_origins *o = *out = zb_calloc(1, sizeof *o);
    if (o == NULL)
        return ZB_ENOMEM;
    o->nvars = nvars;
    o->var = zb_alloc((size_t)nvars, sizeof *o->var);
    o->at = zb_alloc((size_t)nvars + 1, sizeof *o->at);
    if (o->var == NULL || o->at == NULL)
        return ZB_ENOMEM;
    o->at[0] = 0;
    for (int v = 0; v < nvars; v++)
        o->at[v + 1] = o->at[v] + (size_t)card[v];
    o->value = zb_alloc(o->at[nvars], sizeof *o->value);
    for (size_t i = 0; o->value != NULL && i < o->at[nvars]; i++)
        o->value[i] = -1;
    return o->value != NULL ? ZB_OK : ZB_ENOMEM;
}

/* The cardinalities of the model that a round left. */
static int *cards_after(const zb_trail *t)
{
    int *card = zb_alloc((size_t)t->nkept, sizeof *card);
    for (int v = 0; card != NULL && v < t->nkept; v++)
        card[v] = t->value_at[v + 1] - t->value_at[v];
    return card;
}

static void take_kept(zb_origins *o, const zb_trail *t, const zb_origins *after)
{
    for (int k = 0; k < t->nkept; k++) {
        int v = t->var[k];
        o->var[v] = after->var[k];
        for (int i = t->value_at[k]; i < t->value_at[k + 1]; i++)
            o->value[o->at[v] + (size_t)t->value[i]] =
                after->value[after->at[k] + (size_t)(i - t->value_at[k])];
    }
}

static void take_removed(zb_origins *o, const zb_trail *t, const zb_undo *u)
{
    const int *list = t->list + u->at;
    int *value = o->value + o->at[u->var];
    ZB_ASSERT(u->kind == ZB_FIXED || u->kind == ZB_TIED);
    if (u->kind == ZB_FIXED) {
        o->var[u->var] = -1;
        value[list[0]] = 0;
        return;
    }
    o->var[u->var] = o->var[u->other];
    for (int i = 0; i < u->count; i++)
        value[list[u->count + i]] = o->value[o->at[u->other] + (size_t)list[i]];
}

/* One round: from what the variables it left are, to what those it had are. */
static zb_status undo_round(zb_origins **at, const zb_trail *t, const int *card)
{
    zb_origins *o = NULL;
    zb_status status = make(&o, t->nvars, card);
    if (status == ZB_OK) {
        take_kept(o, t, *at);
        for (size_t i = t->count; i-- > 0;)
            take_removed(o, t, &t->undo[i]);
        zb_origins *swap = *at;
        *at = o;
        o = swap;
    }
    zb_origins_free(o);
    return status;
}

/* The last round's variables are themselves. */
static zb_status begin(zb_origins **out, const zb_trail *t, const int *card)
{
    zb_status status = make(out, t->nkept, card);
    for (int v = 0; status == ZB_OK && v < t->nkept; v++) {
        (*out)->var[v] = v;
        for (int x = 0; x < card[v]; x++)
            (*out)->value[(*out)->at[v] + (size_t)x] = x;
    }
    return status;
}

zb_status zb_origins_new(zb_origins **out, const zb_trail *trail, const int *card)
{
    zb_origins *o = NULL;
    int *after = cards_after(trail);
    zb_status status = ZB_ENOMEM;
    *out = NULL;
    if (after != NULL)
        status = begin(&o, trail, after);
    for (const zb_trail *t = trail; status == ZB_OK && t != NULL; t = t->before) {
        zb_free(after);
        after = t->before != NULL ? cards_after(t->before) : NULL;
        if (t->before != NULL && after == NULL)
            status = ZB_ENOMEM;
        else
            status = undo_round(&o, t, t->before != NULL ? after : card);
    }
    zb_free(after);
    if (status == ZB_OK)
        *out = o;
    else
        zb_origins_free(o);
    return status;
}
