/* Evidence, for good: nothing behind this looks at it again. A variable that is
 * observed stays as one of a single value, so that numbers of variables, given orders
 * and the geometry of grids keep their meaning. */
#include "model/table.h"

bool zb_model_observed(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->evidence[v] >= 0)
            return true;
    return false;
}

/* f is a factor of a model with the cardinalities card. */
static zb_status add_restricted(zb_model *model, const zb_factor *f, const int *card,
                                const int *value)
{
    size_t size;
    if (!zb_model_table_size(model, f->arity, f->scope, &size))
        return ZB_EINVAL;
    double *table = zb_alloc(size, sizeof *table);
    if (table == NULL)
        return ZB_ENOMEM;
    zb_factor_restrict(f, card, value, table);
    return zb_model_take(model, f->arity, f->scope, table, f->log);
}

zb_status zb_model_condition(zb_model **out, const zb_model *model, const int *value)
{
    int *card = zb_alloc((size_t)model->nvars, sizeof *card);
    zb_model *made = NULL;
    zb_status status;

    *out = NULL;
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < model->nvars; v++) {
        ZB_ASSERT(value[v] < model->card[v]);
        card[v] = value[v] >= 0 ? 1 : model->card[v];
    }
    TRY(zb_model_new(&made, model->nvars, card));
    made->log_scale = model->log_scale;
    made->radius = model->radius;
    made->bayes = model->bayes;
    TRY(zb_model_reserve(made, model->nfactors));
    for (int f = 0; f < model->nfactors; f++)
        TRY(add_restricted(made, &model->factor[f], model->card, value));
    *out = made, made = NULL;
done:
    zb_model_free(made);
    zb_free(card);
    return status;
}
