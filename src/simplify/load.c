/* From a model to the working state of its reduction: factors are read through what is
 * known of the values, so that only entries that agree with it are ever touched. */
#include "simplify/reducer.h"

#include "base/explog.h"

#include <string.h>

/* Counts what the facts say, and loads the variables that are left. */
static zb_status load_vars(zb_reducer *r, const zb_model *model, const zb_facts *facts)
{
    zb_reduction *report = r->report;
    int widest = 0;
    size_t total = 0;

    for (int v = 0; v < r->nvars; v++) {
        zb_rvar *a = &r->var[v];
        int rep = facts->rep[v], count = facts->count[rep];
        bool trivial = model->card[v] == 1;
        report->trivial += trivial;
        report->merged += rep != v;
        report->fixed += rep == v && count == 1 && !trivial;
        report->values_removed += (size_t)(model->card[v] - count);
        r->card[v] = count;
        a->alive = rep == v && count > 1;
        r->value_at[v] = total;
        r->merged_into[v] = -1;
        total += a->alive ? (size_t)count : 0;
        widest = zb_max_int(widest, count);
    }
    r->value = zb_hold_alloc(&r->tables, total, sizeof *r->value);
    r->mate = zb_hold_alloc(&r->lists, total, sizeof *r->mate);
    r->gone = zb_hold_calloc(&r->tables, total, sizeof *r->gone);
    r->index = zb_hold_alloc(&r->lists, 2 * (size_t)widest, sizeof *r->index);
    if (r->tables.failed || r->lists.failed)
        return ZB_ENOMEM;
    for (int v = 0; v < r->nvars; v++)
        for (int x = 0; r->var[v].alive && x < r->card[v]; x++)
            r->value[r->value_at[v] + (size_t)x] =
                facts->image[facts->at[v] + (size_t)x];
    return ZB_OK;
}

/* Tables of so many entries lie in one array: a million allocations take their time. */
enum { SMALL = 64 };

/* The scope in terms of representatives, each once, in order of appearance. */
static void load_scope(zb_reducer *r, const zb_factor *from, const zb_facts *facts,
                       zb_factor *a)
{
    a->size = 1;
    for (int i = 0; i < from->arity; i++) {
        int v = facts->rep[from->scope[i]];
        if (!r->var[v].alive || zb_factor_axis(a, v) >= 0)
            continue;
        a->scope[a->arity++] = v;
        a->size *= (size_t)r->card[v];
    }
}

/* All scopes, and room for the small tables. */
static zb_status load_scopes(zb_reducer *r, const zb_model *model,
                             const zb_facts *facts)
{
    size_t total = 0, small = 0;

    for (int f = 0; f < model->nfactors; f++)
        total += (size_t)model->factor[f].arity;
    r->scope_pool = zb_hold_alloc(&r->tables, total, sizeof *r->scope_pool);
    if (r->tables.failed)
        return ZB_ENOMEM;
    total = 0;
    for (int f = 0; f < model->nfactors; f++) {
        r->factor[f].scope = r->scope_pool + total;
        load_scope(r, &model->factor[f], facts, &r->factor[f]);
        total += (size_t)model->factor[f].arity;
        small += r->factor[f].size <= SMALL ? r->factor[f].size : 0;
        if (!zb_tick(&r->tick, 30.0 + 10.0 * model->factor[f].arity))
            return ZB_ELIMIT;
    }
    r->small = zb_hold_alloc(&r->tables, small, sizeof *r->small);
    return zb_hold_status(&r->tables);
}

/* The part of a table that agrees with the facts, in logs. offset is scratch for the
   values of the scope, *small what is left of the room for small tables. */
static zb_status load_factor(zb_reducer *r, const zb_model *model,
                             const zb_facts *facts, int f, size_t *offset,
                             double **small)
{
    const zb_factor *from = &model->factor[f];
    zb_factor *a = &r->factor[f];
    size_t step = 1, start = 0, first[ZB_MAX_AXES], values = 0;
    int card[ZB_MAX_AXES];

    for (int i = 0; i < a->arity; i++) {
        first[i] = values;
        card[i] = r->card[a->scope[i]];
        values += (size_t)card[i];
    }
    memset(offset, 0, values * sizeof *offset);
    for (int i = from->arity - 1; i >= 0; i--) {
        int v = from->scope[i], axis = zb_factor_axis(a, facts->rep[v]);
        const int *image = facts->image + facts->at[v];
        if (axis < 0)
            start += step * (size_t)image[0];
        for (int x = 0; axis >= 0 && x < card[axis]; x++)
            offset[first[axis] + (size_t)x] += step * (size_t)image[x];
        step *= (size_t)model->card[v];
    }
    a->log = true;
    bool owned = r->state[f].owned = a->size > SMALL;
    a->value = owned ? zb_alloc(a->size, sizeof *a->value) : *small;
    if (a->value == NULL)
        return ZB_ENOMEM;
    *small += owned ? 0 : a->size;
    zb_table_pick(a->arity, card, offset, start, from->value, a->value);
    zb_tick(&r->tick, 200 + 4.0 * (double)a->size);
    for (size_t i = 0; !from->log && i < a->size; i++) {
        a->value[i] = zb_log(a->value[i]);
        if (i % 1024 == 1023)
            zb_tick(&r->tick, 10 * 1024);
        if (r->tick.over)
            return ZB_ELIMIT;
    }
    if (!from->log)
        zb_reducer_rounded(r, zb_log_radius(a->size, a->value));
    return r->tick.over ? ZB_ELIMIT : ZB_OK;
}

static zb_status load_factors(zb_reducer *r, const zb_model *model,
                              const zb_facts *facts)
{
    size_t most = 0, *offset;
    double *small;
    zb_status status;

    for (int f = 0; f < model->nfactors; f++) {
        size_t values = 0;
        for (int i = 0; i < model->factor[f].arity; i++)
            values += (size_t)model->card[model->factor[f].scope[i]];
        most = zb_max_size(most, values);
    }
    if ((offset = zb_alloc(most, sizeof *offset)) == NULL)
        return ZB_ENOMEM;
    TRY(load_scopes(r, model, facts));
    small = r->small;
    for (int f = 0; f < model->nfactors; f++)
        TRY(load_factor(r, model, facts, f, offset, &small));
done:
    zb_free(offset);
    return status;
}

/* Lists of factors per variable, in one array; scratch for the largest scope. */
static zb_status load_incidence(zb_reducer *r)
{
    size_t total = 0, most = 0, largest = 0;

    for (int f = 0; f < r->nfactors; f++) {
        const zb_factor *a = &r->factor[f];
        size_t values = 0;
        for (int i = 0; i < a->arity; i++) {
            zb_rvar *v = &r->var[a->scope[i]];
            v->degree++;
            v->widest = zb_max_int(v->widest, a->arity);
            values += (size_t)r->card[a->scope[i]];
        }
        total += (size_t)a->arity;
        most = zb_max_size(most, values);
        largest = zb_max_size(largest, a->size);
        if (!zb_tick(&r->tick, 20.0 + 10.0 * a->arity))
            return ZB_ELIMIT;
    }
    r->incidence = zb_hold_alloc(&r->lists, total, sizeof *r->incidence);
    r->supported = zb_hold_alloc(&r->tables, most, sizeof *r->supported);
    r->pattern = zb_hold_alloc(&r->tables, largest, sizeof *r->pattern);
    if (r->lists.failed || r->tables.failed)
        return ZB_ENOMEM;
    int *at = r->incidence;
    for (int v = 0; v < r->nvars; v++) {
        r->var[v].list = at;
        r->var[v].room = r->var[v].degree;
        at += r->var[v].degree;
    }
    for (int f = 0; f < r->nfactors; f++) {
        for (int i = 0; i < r->factor[f].arity; i++) {
            zb_rvar *v = &r->var[r->factor[f].scope[i]];
            v->list[v->count++] = f;
        }
        if (!zb_tick(&r->tick, 10.0 + 10.0 * r->factor[f].arity))
            return ZB_ELIMIT;
    }
    return ZB_OK;
}

static zb_status allocate(zb_reducer *r)
{
    size_t n = (size_t)r->nvars, m = (size_t)r->nfactors, buckets = 1;
    zb_status status;

    while (buckets < m)
        buckets *= 2;
    r->mask = (unsigned)(buckets - 1);
    r->var = zb_hold_calloc(&r->tables, n, sizeof *r->var);
    r->card = zb_hold_alloc(&r->tables, n, sizeof *r->card);
    r->factor = zb_hold_calloc(&r->tables, m, sizeof *r->factor);
    r->state = zb_hold_calloc(&r->tables, m, sizeof *r->state);
    r->value_at = zb_hold_alloc(&r->tables, n, sizeof *r->value_at);
    r->merged_into = zb_hold_alloc(&r->lists, n, sizeof *r->merged_into);
    r->merged = zb_hold_alloc(&r->lists, n, sizeof *r->merged);
    r->bucket = zb_hold_alloc(&r->lists, buckets, sizeof *r->bucket);
    r->seen_by = zb_hold_calloc(&r->lists, m + n, sizeof *r->seen_by);
    TRY(zb_hold_status(&r->tables));
    TRY(zb_hold_status(&r->lists));
    for (size_t i = 0; i < buckets; i++)
        r->bucket[i] = -1;
    TRY(zb_queue_init(&r->factors, r->nfactors));
    TRY(zb_queue_init(&r->scopes, r->nfactors));
    TRY(zb_queue_init(&r->vars, r->nvars));
    TRY(zb_queue_init(&r->patterns, r->nfactors));
done:
    return status;
}

zb_status zb_reducer_new(zb_reducer **out, const zb_model *model, const zb_facts *facts,
                         zb_run *run, zb_reduction *report)
{
    zb_reducer *r = zb_calloc(1, sizeof *r);
    zb_status status;

    *out = NULL;
    if (r == NULL)
        return ZB_ENOMEM;
    r->nvars = model->nvars;
    r->nfactors = model->nfactors;
    r->report = report;
    r->tick.run = run;
    zb_reducer_scale(r, zb_model_scale(model));
    TRY(allocate(r));
    TRY(load_vars(r, model, facts));
    TRY(load_factors(r, model, facts));
    TRY(load_incidence(r));
    for (int f = 0; f < r->nfactors; f++) {
        TRY(zb_tick(&r->tick, 100) ? ZB_OK : ZB_ELIMIT);
        r->state[f].alive = true;
        zb_reducer_link(r, f);
        zb_queue_push(&r->factors, f);
        zb_queue_push(&r->scopes, f);
    }
    for (int v = 0; v < r->nvars; v++)
        zb_queue_push(&r->vars, v);
    *out = r, r = NULL;
done:
    zb_reducer_free(r);
    return status;
}

void zb_reducer_drop_lists(zb_reducer *r)
{
    for (int v = 0; r->var != NULL && v < r->nvars; v++) {
        if (r->var[v].owned)
            zb_free(r->var[v].list);
        r->var[v].owned = false;
    }
    zb_hold_free(&r->lists);
    zb_queue_clear(&r->factors);
    zb_queue_clear(&r->scopes);
    zb_queue_clear(&r->vars);
    zb_queue_clear(&r->patterns);
}

void zb_reducer_free(zb_reducer *r)
{
    if (r == NULL)
        return;
    zb_reducer_drop_lists(r);
    for (int f = 0; r->factor != NULL && r->state != NULL && f < r->nfactors; f++)
        zb_reducer_set_value(r, f, NULL);
    zb_hold_free(&r->tables);
    zb_free(r);
}
