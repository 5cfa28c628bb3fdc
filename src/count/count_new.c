/* What a search needs before it begins. */
#include "count/count_internal.h"

#include "count/guide.h"
#include "count/spread.h"

enum { SPREAD_SHARE = 8 }; /* of the memory: for a model with weights apart */

static bool suits(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] < 2 || model->evidence[v] >= 0)
            return false;
    for (int f = 0; f < model->nfactors; f++)
        if (!model->factor[f].log || model->factor[f].arity == 0 ||
            model->factor[f].arity > ZB_MAX_AXES)
            return false;
    return true;
}

static zb_status load_clauses(zb_counter *c, const zb_model *model)
{
    zb_ticker tick = { .run = c->run };
    zb_status status;
    TRY(zb_clauses_new(&c->clauses, model->nvars, model->card, &c->purse));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        TRY(zb_clauses_add_zeros(c->clauses, a->arity, a->scope, a->value, &tick));
    }
done:
    return status;
}

static zb_status load_memo(zb_counter *c)
{
    uint64_t most = (c->purse.most - c->purse.used) / 2;
    if (c->spec.memo > 0 && c->spec.memo < most)
        most = c->spec.memo;
    zb_status status = zb_path_open(&c->path, most, &c->purse);
    return status == ZB_OK ? zb_memo_new(&c->memo, most, &c->purse, &c->sat->tick)
                           : status;
}

/* Not where tables are large: it takes as much memory as the model. */
static zb_status load_spread(zb_counter *c, const zb_model *model)
{
    zb_ticker tick = { .run = c->run };
    uint64_t bytes = 0;
    for (int f = 0; f < model->nfactors; f++)
        bytes += zb_purse_cost(model->factor[f].size, sizeof(double)) +
                 zb_purse_cost((size_t)model->factor[f].arity, sizeof(int));
    if (bytes > c->purse.most / SPREAD_SHARE)
        return ZB_OK;
    zb_purse_charge(&c->purse, bytes);
    return zb_spread(&c->spread, model, &tick);
}

static zb_status load_guide(zb_counter *c, const zb_model *model, const int *order)
{
    zb_scopes *scopes = NULL;
    double *near = zb_alloc((size_t)model->nvars, sizeof *near);
    zb_status status;
    TRY(near != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, model));
    TRY(zb_guide_make(scopes, order, &c->sat->tick, near));
    for (int b = 0; b < c->clauses->nbools; b++)
        c->near[b] = ZB_GUIDE_FIRST * near[c->clauses->owner[b]];
done:
    zb_scopes_free(scopes);
    zb_free(near);
    return status;
}

static zb_status load(zb_counter *c, const zb_model *model, const int *order)
{
    zb_status status;
    TRY(load_spread(c, model));
    if (c->spread != NULL)
        model = c->spread;
    TRY(load_clauses(c, model));
    TRY(zb_sat_new(&c->sat, c->clauses, c->run));
    TRY(zb_parts_init(&c->parts, model, c->clauses, c->sat));
    size_t n = (size_t)c->clauses->nbools;
    c->near = zb_purse_calloc(&c->purse, n, sizeof *c->near);
    c->ask = zb_purse_alloc(&c->purse, n, sizeof *c->ask);
    TRY(c->near && c->ask ? ZB_OK : zb_purse_status(&c->purse));
    TRY(zb_ceiling_new(&c->ceiling, &c->parts, c->sat));
    TRY(load_memo(c));
    if (!c->spec.wide)
        TRY(load_guide(c, model, order));
done:
    return status;
}

void zb_counter_free(zb_counter *c)
{
    if (c == NULL)
        return;
    zb_memo_free(c->memo);
    zb_path_close(&c->path);
    zb_ceiling_free(c->ceiling);
    zb_parts_clear(&c->parts);
    zb_sat_free(c->sat);
    zb_clauses_free(c->clauses);
    zb_model_free(c->spread);
    zb_free(c->near);
    zb_free(c->ask);
    zb_free(c);
}

zb_status zb_counter_new(zb_counter **out, const zb_model *model, const int *order,
                         const zb_count_spec *spec)
{
    zb_counter *c = zb_calloc(1, sizeof *c);
    zb_status status;
    *out = NULL;
    TRY(c != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(suits(model) ? ZB_OK : ZB_EINVAL);
    c->spec = *spec;
    c->run = spec->run;
    c->purse.most = spec->memory;
    c->zero = model->log_scale == -INFINITY;
    if (!c->zero)
        TRY(load(c, model, order));
    *out = c, c = NULL;
done:
    zb_counter_free(c);
    return status;
}
