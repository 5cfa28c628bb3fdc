/* What a count looks up: the clauses of a Boolean, the tables of a variable. */
#include "count/parts_internal.h"
#include "model/table.h"

/* Entries other than zero that are not all equal. */
static bool has_weights(const zb_factor *a)
{
    zb_extremes e = zb_factor_extremes(a);
    return e.least < e.most;
}

static zb_status index_clauses(zb_parts *p)
{
    const zb_sat *s = p->sat;
    size_t total = 0;
    int n;
    p->clause_at =
        zb_purse_calloc(p->purse, (size_t)s->nbools + 2, sizeof *p->clause_at);
    if (p->clause_at == NULL)
        return zb_purse_status(p->purse);
    for (int i = 0; i < s->nlong; i++) {
        const uint32_t *lit = zb_sat_literals(s, s->long_at[i], &n);
        total += (size_t)n;
        for (int k = 0; k < n; k++)
            p->clause_at[(lit[k] >> 1) + 2]++;
    }
    p->clause_of = zb_purse_alloc(p->purse, total, sizeof *p->clause_of);
    if (p->clause_of == NULL)
        return zb_purse_status(p->purse);
    for (int b = 0; b < s->nbools; b++)
        p->clause_at[b + 2] += p->clause_at[b + 1];
    for (int i = 0; i < s->nlong; i++) {
        const uint32_t *lit = zb_sat_literals(s, s->long_at[i], &n);
        for (int k = 0; k < n; k++)
            p->clause_of[p->clause_at[(lit[k] >> 1) + 1]++] = i;
    }
    return ZB_OK;
}

static zb_status index_tables(zb_parts *p)
{
    const zb_model *m = p->model;
    size_t total = 0;
    p->table = zb_purse_alloc(p->purse, (size_t)m->nfactors, sizeof *p->table);
    p->table_at = zb_purse_calloc(p->purse, (size_t)m->nvars + 2, sizeof *p->table_at);
    if (p->table == NULL || p->table_at == NULL)
        return zb_purse_status(p->purse);
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        if (!zb_tick(p->tick, 20 + (double)a->size))
            return ZB_ELIMIT;
        if (!has_weights(a))
            continue;
        p->table[p->ntables++] = f;
        total += (size_t)a->arity;
        for (int k = 0; k < a->arity; k++)
            p->table_at[a->scope[k] + 2]++;
    }
    p->table_of = zb_purse_alloc(p->purse, total, sizeof *p->table_of);
    if (p->table_of == NULL)
        return zb_purse_status(p->purse);
    for (int v = 0; v < m->nvars; v++)
        p->table_at[v + 2] += p->table_at[v + 1];
    for (int t = 0; t < p->ntables; t++) {
        const zb_factor *a = &m->factor[p->table[t]];
        for (int k = 0; k < a->arity; k++)
            p->table_of[p->table_at[a->scope[k] + 1]++] = t;
    }
    return ZB_OK;
}

zb_status zb_parts_init(zb_parts *p, const zb_model *model, const zb_clauses *clauses,
                        zb_sat *sat)
{
    zb_status status;
    size_t n = (size_t)sat->nbools, size = sizeof *p->marks[0];
    zb_purse *purse = clauses->purse;
    *p = (zb_parts){ .model = model,
                     .clauses = clauses,
                     .sat = sat,
                     .purse = purse,
                     .tick = &sat->tick };
    TRY(index_clauses(p));
    TRY(index_tables(p));
    p->queue = zb_purse_alloc(purse, n, sizeof *p->queue);
    p->frequency = zb_purse_calloc(purse, n, sizeof *p->frequency);
    p->marks[ZB_BOOLS] = zb_purse_calloc(purse, n, size);
    p->marks[ZB_LONGS] = zb_purse_calloc(purse, (size_t)sat->nlong, size);
    p->marks[ZB_TABLES] = zb_purse_calloc(purse, (size_t)p->ntables, size);
    TRY(p->queue && p->frequency && p->marks[0] && p->marks[1] && p->marks[2]
            ? ZB_OK
            : zb_purse_status(purse));
done:
    return status;
}

void zb_parts_clear(zb_parts *p)
{
    void *owned[] = { p->clause_at, p->clause_of, p->table,    p->table_at, p->table_of,
                      p->queue,     p->frequency, p->marks[0], p->marks[1], p->marks[2],
                      p->pool,      p->part,      p->key };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
}
