/* Temperatures: factors to the power of beta. */
#include "base/rounding.h"
#include "model/names.h"
#include "model/table.h"

#include <string.h>

static const double MOST_LOG = 1e300; /* sums of logarithms stay finite */

/* beta ln f into out; the largest of their sizes, zeros left out. */
static double raise_table(const zb_factor *f, double beta, double *out)
{
    double most = 0;
    for (size_t i = 0; i < f->size; i++) {
        double x = zb_factor_log(f, i);
        out[i] = x == -INFINITY ? x : beta * x;
        if (x != -INFINITY)
            most = fmax(most, fabs(out[i]));
    }
    return most;
}

/* A logarithm is within a unit in the last place, the product within half of one: each
   entry moves by less than 3u of its size, and ln Z by no more than the factors'
   largest do together. */
static zb_status raise_factor(zb_model *to, const zb_factor *f, double beta)
{
    double *value = zb_alloc(f->size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    double most = raise_table(f, beta, value);
    if (!(most <= MOST_LOG)) {
        zb_free(value);
        return ZB_EINVAL;
    }
    to->radius += ZB_MARGIN * 3 * ZB_UNIT * most;
    return zb_model_take(to, f->arity, f->scope, value, true);
}

zb_status zb_model_raise(zb_model **out, const zb_model *model, double beta)
{
    zb_model *made = NULL;
    zb_status status;

    if (out == NULL)
        return ZB_EINVAL;
    *out = NULL;
    if (model == NULL || !isfinite(beta))
        return ZB_EINVAL;
    TRY(zb_model_new(&made, model->nvars, model->card));
    memcpy(made->evidence, model->evidence,
           (size_t)model->nvars * sizeof *made->evidence);
    TRY(zb_names_copy(made, model));
    TRY(zb_model_reserve(made, model->nfactors));
    made->radius = fabs(beta) * model->radius;
    for (int f = 0; f < model->nfactors; f++)
        TRY(raise_factor(made, &model->factor[f], beta));
    made->log_scale =
        model->log_scale == -INFINITY ? -INFINITY : beta * model->log_scale;
    made->radius += ZB_MARGIN * ZB_UNIT * fabs(made->log_scale);
    TRY(fabs(made->log_scale) <= MOST_LOG || model->log_scale == -INFINITY ? ZB_OK
                                                                           : ZB_EINVAL);
    *out = made, made = NULL;
done:
    zb_model_free(made);
    return status;
}
