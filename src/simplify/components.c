/* Connected components: variables joined by a factor, by union-find. */
#include "simplify/simplify.h"

#include "base/sets.h"

#include <string.h>

/* part[v]: number of v's component, counted by smallest variable; returns how many. */
static int label(const zb_model *model, int *parent, int *part, zb_ticker *tick)
{
    int count = 0;

    for (int v = 0; v < model->nvars; v++)
        parent[v] = v;
    for (int f = 0; f < model->nfactors && zb_tick(tick, 20); f++)
        for (int i = 1; i < model->factor[f].arity; i++) {
            int a = zb_find_root(parent, model->factor[f].scope[0]);
            int b = zb_find_root(parent, model->factor[f].scope[i]);
            parent[zb_max_int(a, b)] = zb_min_int(a, b);
        }
    for (int v = 0; v < model->nvars; v++) /* a root is the least of its component */
        part[v] = parent[v] == v ? count++ : part[zb_find_root(parent, v)];
    return count;
}

/* place[v]: the number of v within its component; size[p]: variables of p. */
static zb_status make_parts(const zb_model *model, int count, zb_model **parts,
                            const int *part, int *place, zb_ticker *tick)
{
    zb_status status = ZB_ENOMEM;
    int *size = zb_calloc((size_t)count, sizeof *size), *card = NULL, *at = NULL;

    card = zb_alloc((size_t)model->nvars, sizeof *card);
    at = zb_calloc((size_t)count + 1, sizeof *at);
    if (size == NULL || card == NULL || at == NULL)
        goto done;
    for (int v = 0; v < model->nvars; v++)
        place[v] = size[part[v]]++;
    for (int p = 0; p < count; p++)
        at[p + 1] = at[p] + size[p];
    for (int v = 0; v < model->nvars; v++)
        card[at[part[v]] + place[v]] = model->card[v];
    for (int p = 0; p < count; p++) {
        TRY(zb_tick(tick, 300 + 5.0 * size[p]) ? ZB_OK : ZB_ELIMIT);
        TRY(zb_model_new(&parts[p], size[p], card + at[p]));
    }
    for (int v = 0; v < model->nvars; v++)
        parts[part[v]]->evidence[place[v]] = model->evidence[v];
    status = ZB_OK;
done:
    zb_free(size);
    zb_free(card);
    zb_free(at);
    return status;
}

static zb_status deal_factors(const zb_model *model, zb_model **parts, const int *part,
                              const int *place, zb_ticker *tick)
{
    int most = 0, *scope;
    zb_status status = ZB_OK;

    for (int f = 0; f < model->nfactors; f++)
        most = zb_max_int(most, model->factor[f].arity);
    if ((scope = zb_alloc((size_t)most, sizeof *scope)) == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        zb_model *to = parts[a->arity > 0 ? part[a->scope[0]] : 0];
        for (int i = 0; i < a->arity; i++)
            scope[i] = place[a->scope[i]];
        TRY(zb_tick(tick, 200 + 2.0 * (double)a->size) ? ZB_OK : ZB_ELIMIT);
        TRY(zb_model_put(to, a->arity, scope, a));
    }
done:
    zb_free(scope);
    return status;
}

zb_status zb_components_split(const zb_model *model, zb_run *run, int *count,
                              zb_model ***parts, int **part_of_var, int **var_in_part)
{
    zb_ticker tick = { .run = run };
    size_t n = (size_t)model->nvars;
    int *parent = zb_alloc(n, sizeof *parent), *part = zb_alloc(n, sizeof *part);
    int *place = zb_alloc(n, sizeof *place), found = 0;
    zb_model **list = NULL;
    zb_status status;

    *count = 0, *parts = NULL;
    if (part_of_var != NULL)
        *part_of_var = NULL;
    if (var_in_part != NULL)
        *var_in_part = NULL;
    TRY(parent && part && place ? ZB_OK : ZB_ENOMEM);
    found = zb_max_int(1, label(model, parent, part, &tick));
    TRY(tick.over ? ZB_ELIMIT : ZB_OK);
    list = zb_calloc((size_t)found, sizeof *list);
    TRY(list != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(make_parts(model, found, list, part, place, &tick));
    TRY(deal_factors(model, list, part, place, &tick));
    list[0]->log_scale = model->log_scale;
    list[0]->radius = model->radius;
    *count = found, *parts = list, list = NULL;
    if (part_of_var != NULL)
        *part_of_var = part, part = NULL;
    if (var_in_part != NULL)
        *var_in_part = place, place = NULL;
done:
    zb_components_free(found, list);
    zb_free(parent);
    zb_free(part);
    zb_free(place);
    return status;
}

zb_status zb_components_count(const zb_model *model, int *count, int *largest)
{
    size_t n = (size_t)model->nvars;
    int *parent = zb_alloc(n, sizeof *parent), *part = zb_alloc(n, sizeof *part);
    zb_status status = parent != NULL && part != NULL ? ZB_OK : ZB_ENOMEM;
    if (status == ZB_OK)
        *count = zb_max_int(1, label(model, parent, part, &(zb_ticker){ .run = NULL }));
    if (status == ZB_OK && largest != NULL) {
        *largest = 0;
        memset(parent, 0, n * sizeof *parent); /* now the sizes of the components */
        for (int v = 0; v < model->nvars; v++)
            *largest = zb_max_int(*largest, ++parent[part[v]]);
    }
    zb_free(parent);
    zb_free(part);
    return status;
}

void zb_components_free(int count, zb_model **parts)
{
    for (int p = 0; parts != NULL && p < count; p++)
        zb_model_free(parts[p]);
    zb_free(parts);
}
