/* The conductor of the exact reductions: work lists until all are empty, cheap
 * and strong steps first, then what is left becomes a model again. */
#include "reducer.h"

#include <string.h>

static size_t count_zeros(const zb_factor *f)
{
    double zero = f->log ? -INFINITY : 0;
    size_t count = 0;
    for (size_t i = 0; i < f->size; i++)
        count += f->value[i] == zero;
    return count;
}

void zb_sizes_measure(const zb_model *model, zb_sizes *out)
{
    *out = (zb_sizes){ .vars = model->nvars, .factors = model->nfactors };
    for (int v = 0; v < model->nvars; v++)
        out->max_card = zb_max_int(out->max_card, model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        out->max_arity = zb_max_int(out->max_arity, model->factor[f].arity);
        out->entries += model->factor[f].size;
        out->zeros += count_zeros(&model->factor[f]);
    }
}

static zb_status reduce(zb_reducer *r)
{
    zb_status status = ZB_OK;
    int f, v;

    while (!r->zero) {
        if ((f = zb_queue_pop(&r->factors)) >= 0) {
            if (r->factor[f].alive)
                zb_reduce_table(r, f);
            if (r->factor[f].alive && !r->factors.waits[f])
                TRY(zb_reduce_tie(r, f));
        } else if ((v = zb_queue_pop(&r->vars)) >= 0) {
            if (r->var[v].alive)
                zb_reduce_values(r, v);
            if (r->var[v].alive && !r->zero)
                zb_reduce_degree(r, v);
        } else if ((f = zb_queue_pop(&r->scopes)) >= 0) {
            if (r->factor[f].alive)
                zb_reduce_absorb(r, f);
        } else if ((f = zb_queue_pop(&r->patterns)) >= 0) {
            if (r->factor[f].alive && r->strike)
                zb_reduce_pairs(r, f);
        } else
            break;
    }
done:
    return status;
}

/* The variables that are left, in their old order; index[v] is the new number of v. */
static zb_status keep_vars(zb_reducer *r, int *index)
{
    zb_reduction *out = r->report;
    int nvars = 0, values = 0, *card = NULL;
    zb_status status = ZB_ENOMEM;

    for (int v = 0; v < r->nvars && !r->zero; v++)
        if (r->var[v].alive) {
            nvars++;
            values += r->var[v].card;
        }
    card = zb_alloc((size_t)nvars, sizeof *card);
    out->var = zb_alloc((size_t)nvars, sizeof *out->var);
    out->value_at = zb_calloc((size_t)nvars + 1, sizeof *out->value_at);
    out->value = zb_alloc((size_t)values, sizeof *out->value);
    if (!card || !out->var || !out->value_at || !out->value)
        goto done;
    for (int v = 0, k = 0; v < r->nvars && !r->zero; v++) {
        if (!r->var[v].alive)
            continue;
        index[v] = k;
        out->var[k] = v;
        card[k] = r->var[v].card;
        out->value_at[k + 1] = out->value_at[k] + card[k];
        memcpy(out->value + out->value_at[k], r->value + r->value_at[v],
               (size_t)card[k] * sizeof *out->value);
        k++;
    }
    status = zb_model_new(&out->model, nvars, card);
done:
    zb_free(card);
    return status;
}

/* Move the factors that are left into the model, in tables of their size. */
static zb_status keep_factors(zb_reducer *r, const int *index)
{
    zb_status status = ZB_OK;

    for (int f = 0; f < r->nfactors; f++) {
        zb_rfactor *a = &r->factor[f];
        if (!a->alive)
            continue;
        double *value = zb_alloc(a->size, sizeof *value);
        TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
        memcpy(value, a->value, a->size * sizeof *value);
        zb_free(a->value);
        a->value = NULL;
        for (int i = 0; i < a->arity; i++)
            a->scope[i] = index[a->scope[i]];
        TRY(zb_model_take(r->report->model, a->arity, a->scope, value, true));
    }
done:
    return status;
}

static zb_status finish(zb_reducer *r)
{
    int *index = zb_alloc((size_t)r->nvars, sizeof *index);
    zb_status status;

    TRY(index != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(keep_vars(r, index));
    if (!r->zero)
        TRY(keep_factors(r, index));
    r->report->model->log_scale = r->zero ? -INFINITY : r->scale + r->carry;
    zb_sizes_measure(r->report->model, &r->report->after);
done:
    zb_free(index);
    return status;
}

zb_status zb_simplify(zb_reduction **out, const zb_model *model)
{
    return zb_simplify_with(out, model, true);
}

zb_status zb_simplify_with(zb_reduction **out, const zb_model *model, bool new_zeros)
{
    zb_reduction *report = zb_calloc(1, sizeof *report);
    zb_reducer *r = NULL;
    zb_status status;

    *out = NULL;
    TRY(report != NULL ? ZB_OK : ZB_ENOMEM);
    zb_sizes_measure(model, &report->before);
    TRY(zb_reducer_new(&r, model, report));
    r->strike = new_zeros;
    TRY(reduce(r));
    TRY(finish(r));
    *out = report, report = NULL;
done:
    zb_reducer_free(r);
    zb_reduction_free(report);
    return status;
}

void zb_reduction_free(zb_reduction *r)
{
    if (r == NULL)
        return;
    zb_model_free(r->model);
    zb_free(r->var);
    zb_free(r->value_at);
    zb_free(r->value);
    zb_free(r);
}
