/* Models are built factor by factor and then only read. */
#include "model/model.h"

#include "base/explog.h"
#include "model/names.h"

#include <string.h>

zb_status zb_model_new(zb_model **out, int nvars, const int *card)
{
    zb_model *model;
    zb_status status = ZB_ENOMEM;

    if (out == NULL)
        return ZB_EINVAL;
    *out = NULL;
    if (nvars < 0 || (nvars > 0 && card == NULL))
        return ZB_EINVAL;
    for (int v = 0; v < nvars; v++)
        if (card[v] < 1)
            return ZB_EINVAL;
    if ((model = zb_calloc(1, sizeof *model)) == NULL)
        return ZB_ENOMEM;
    model->nvars = nvars;
    model->card = zb_alloc((size_t)nvars, sizeof *model->card);
    model->evidence = zb_alloc((size_t)nvars, sizeof *model->evidence);
    if (model->card == NULL || model->evidence == NULL)
        goto done;
    for (int v = 0; v < nvars; v++) {
        model->card[v] = card[v];
        model->evidence[v] = -1;
    }
    *out = model;
    return ZB_OK;
done:
    zb_model_free(model);
    return status;
}

void zb_model_free(zb_model *model)
{
    if (model == NULL)
        return;
    for (int f = 0; f < model->nfactors; f++) {
        zb_free(model->factor[f].scope);
        zb_free(model->factor[f].value);
    }
    zb_free(model->factor);
    zb_free(model->evidence);
    zb_free(model->card);
    zb_names_free(model->names);
    zb_free(model);
}

zb_status zb_model_copy(zb_model **out, const zb_model *model)
{
    zb_model *copy = NULL;
    zb_status status;

    if (out == NULL)
        return ZB_EINVAL;
    *out = NULL;
    if (model == NULL)
        return ZB_EINVAL;
    TRY(zb_model_new(&copy, model->nvars, model->card));
    memcpy(copy->evidence, model->evidence,
           (size_t)model->nvars * sizeof *copy->evidence);
    copy->log_scale = model->log_scale;
    copy->radius = model->radius;
    copy->bayes = model->bayes;
    TRY(zb_names_copy(copy, model));
    TRY(zb_model_reserve(copy, model->nfactors));
    for (int f = 0; f < model->nfactors; f++)
        TRY(zb_model_put(copy, model->factor[f].arity, model->factor[f].scope,
                         &model->factor[f]));
    *out = copy, copy = NULL;
done:
    zb_model_free(copy);
    return status;
}

bool zb_model_table_size(const zb_model *model, int arity, const int *scope,
                         size_t *size)
{
    *size = 1;
    for (int i = 0; i < arity; i++)
        if (!zb_size_mul(*size, (size_t)model->card[scope[i]], size))
            return false;
    return *size <= SIZE_MAX / 2 / sizeof(double);
}

/* Variables in range, each once. While this looks, the sign of a cardinality marks the
   variables seen, so that long scopes of cardinality-1 variables take no square time.
 */
static bool scope_valid(zb_model *model, int arity, const int *scope)
{
    int seen = 0;

    if (arity < 0 || (arity > 0 && scope == NULL))
        return false;
    for (; seen < arity; seen++) {
        int v = scope[seen];
        if (v < 0 || v >= model->nvars || model->card[v] < 0)
            break;
        model->card[v] = -model->card[v];
    }
    for (int i = 0; i < seen; i++)
        model->card[scope[i]] = -model->card[scope[i]];
    return seen == arity;
}

zb_status zb_model_reserve(zb_model *model, int factors)
{
    return ZB_RESERVE(model->factor, &model->room, (size_t)model->nfactors,
                      (size_t)zb_max_int(factors, 0))
               ? ZB_OK
               : ZB_ENOMEM;
}

zb_status zb_model_take(zb_model *model, int arity, const int *scope, double *value,
                        bool log)
{
    zb_factor factor = { .arity = arity, .value = value, .log = log };
    size_t used = (size_t)model->nfactors;
    zb_status status = ZB_EINVAL;

    if (!scope_valid(model, arity, scope) || model->nfactors == INT32_MAX / 2 ||
        !zb_model_table_size(model, arity, scope, &factor.size))
        goto failed;
    status = ZB_ENOMEM;
    factor.scope = zb_alloc((size_t)arity, sizeof *factor.scope);
    if (factor.scope == NULL ||
        !ZB_RESERVE(model->factor, &model->room, used, used + 1))
        goto failed;
    if (arity > 0)
        memcpy(factor.scope, scope, (size_t)arity * sizeof *scope);
    model->factor[model->nfactors++] = factor;
    return ZB_OK;
failed:
    zb_free(factor.scope);
    zb_free(value);
    return status;
}

zb_status zb_model_put(zb_model *model, int arity, const int *scope,
                       const zb_factor *from)
{
    double *value = zb_alloc(from->size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    memcpy(value, from->value, from->size * sizeof *value);
    return zb_model_take(model, arity, scope, value, from->log);
}

static bool values_valid(size_t size, const double *value, bool log)
{
    for (size_t i = 0; i < size; i++)
        if (isnan(value[i]) || value[i] == INFINITY || (!log && value[i] < 0))
            return false;
    return true;
}

/* length: of value; NULL where the caller did not say. */
static zb_status add(zb_model *model, int arity, const int *scope, const size_t *length,
                     const double *value, bool log)
{
    size_t size;
    if (model == NULL || value == NULL || !scope_valid(model, arity, scope) ||
        !zb_model_table_size(model, arity, scope, &size) ||
        (length != NULL && *length != size) || !values_valid(size, value, log))
        return ZB_EINVAL;
    double *copy = zb_alloc(size, sizeof *copy);
    if (copy == NULL)
        return ZB_ENOMEM;
    memcpy(copy, value, size * sizeof *copy);
    return zb_model_take(model, arity, scope, copy, log);
}

zb_status zb_model_add(zb_model *model, int arity, const int *scope,
                       const double *value)
{
    return add(model, arity, scope, NULL, value, false);
}

zb_status zb_model_add_log(zb_model *model, int arity, const int *scope,
                           const double *log_value)
{
    return add(model, arity, scope, NULL, log_value, true);
}

zb_status zb_model_add_table(zb_model *model, int arity, const int *scope,
                             size_t length, const double *value)
{
    return add(model, arity, scope, &length, value, false);
}

zb_status zb_model_add_log_table(zb_model *model, int arity, const int *scope,
                                 size_t length, const double *log_value)
{
    return add(model, arity, scope, &length, log_value, true);
}

static bool has_var(const zb_model *model, int var)
{
    return model != NULL && var >= 0 && var < model->nvars;
}

static const zb_factor *factor_at(const zb_model *model, int factor)
{
    return model != NULL && factor >= 0 && factor < model->nfactors
               ? &model->factor[factor]
               : NULL;
}

zb_status zb_model_observe(zb_model *model, int var, int value)
{
    if (!has_var(model, var) || value < -1 || value >= model->card[var])
        return ZB_EINVAL;
    model->evidence[var] = value;
    return ZB_OK;
}

int zb_model_nvars(const zb_model *model) { return model != NULL ? model->nvars : 0; }

int zb_model_nfactors(const zb_model *model)
{
    return model != NULL ? model->nfactors : 0;
}

double zb_model_log_constant(const zb_model *model)
{
    return model != NULL ? model->log_scale : 0;
}

bool zb_model_is_bayes(const zb_model *model) { return model != NULL && model->bayes; }

int zb_model_card(const zb_model *model, int var)
{
    return has_var(model, var) ? model->card[var] : 0;
}

int zb_model_evidence(const zb_model *model, int var)
{
    return has_var(model, var) ? model->evidence[var] : -1;
}

int zb_model_arity(const zb_model *model, int factor)
{
    const zb_factor *f = factor_at(model, factor);
    return f != NULL ? f->arity : -1;
}

const int *zb_model_scope(const zb_model *model, int factor)
{
    const zb_factor *f = factor_at(model, factor);
    return f != NULL ? f->scope : NULL;
}

size_t zb_model_size(const zb_model *model, int factor)
{
    const zb_factor *f = factor_at(model, factor);
    return f != NULL ? f->size : 0;
}

void zb_model_log_values(const zb_model *model, int factor, double *out)
{
    const zb_factor *f = factor_at(model, factor);
    for (size_t i = 0; f != NULL && out != NULL && i < f->size; i++)
        out[i] = f->log ? f->value[i] : zb_log(f->value[i]);
}

void zb_model_values(const zb_model *model, int factor, double *out)
{
    const zb_factor *f = factor_at(model, factor);
    for (size_t i = 0; f != NULL && out != NULL && i < f->size; i++)
        out[i] = f->log ? zb_exp(f->value[i]) : f->value[i];
}

zb_status zb_scopes_new(zb_scopes **out, const zb_model *model)
{
    zb_scopes *s = zb_calloc(1, sizeof *s);
    size_t total = 0;

    *out = NULL;
    if (s == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++)
        total += (size_t)model->factor[f].arity;
    s->nvars = model->nvars;
    s->count = model->nfactors;
    s->card = zb_alloc((size_t)s->nvars, sizeof *s->card);
    s->at = zb_alloc((size_t)s->count + 1, sizeof *s->at);
    s->var = zb_alloc(total, sizeof *s->var);
    if (s->card == NULL || s->at == NULL || s->var == NULL) {
        zb_scopes_free(s);
        return ZB_ENOMEM;
    }
    for (int v = 0; v < s->nvars; v++)
        s->card[v] = model->evidence[v] < 0 ? model->card[v] : 1;
    total = s->at[0] = 0;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        for (int i = 0; i < a->arity; i++)
            if (model->evidence[a->scope[i]] < 0)
                s->var[total++] = a->scope[i];
        s->at[f + 1] = total;
    }
    *out = s;
    return ZB_OK;
}

void zb_scopes_free(zb_scopes *scopes)
{
    if (scopes == NULL)
        return;
    zb_free(scopes->card);
    zb_free(scopes->at);
    zb_free(scopes->var);
    zb_free(scopes);
}
