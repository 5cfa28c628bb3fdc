/* The tables of a model whose entries are 0 or one other value are clauses. Variables
 * of two values that occur in no other table and that the others define are eliminated
 * from them (sat/formula.h): wherever the product is not zero, their sum has one term,
 * so Z stays the same. What is left of the clauses are tables again. */
#include "simplify/simplify.h"

#include "model/table.h"
#include "sat/formula.h"

static const double SHARE = 0.2; /* of the time that is left */

typedef struct work {
    const zb_model *model;
    bool *clausal; /* per factor: it is read as clauses */
    bool *may;     /* per variable: it is in such factors alone */
    int *card;     /* two for all: a Boolean is a variable */
    zb_clauses *clauses;
    zb_formula *formula;
    zb_model *out;
    zb_ticker tick;
    zb_hold hold;
} work;

/* Are all entries but zeros equal, and is there a zero? All tables that could be split
   are small. */
static bool is_clausal(const work *w, const zb_factor *a)
{
    zb_extremes e = zb_factor_extremes(a);
    if (a->arity == 0 || a->arity > ZB_MAX_AXES || !e.zero || e.least < e.most)
        return false;
    for (int i = 0; i < a->arity; i++)
        if (w->model->card[a->scope[i]] != 2)
            return false;
    return true;
}

/* Which factors are clauses, which variables may go; how many of these. */
static int sort_out(work *w)
{
    const zb_model *m = w->model;
    int count = 0;
    for (int v = 0; v < m->nvars; v++)
        w->card[v] = 2;
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        zb_tick(&w->tick, 20 + (double)a->size);
        w->clausal[f] = is_clausal(w, a);
        for (int i = 0; i < a->arity && w->clausal[f]; i++)
            w->may[a->scope[i]] = true;
    }
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity && !w->clausal[f]; i++)
            w->may[m->factor[f].scope[i]] = false;
    for (int v = 0; v < m->nvars; v++)
        count += w->may[v];
    return count;
}

/* ---- into clauses ---------------------------------------------------------------- */

static zb_status add_zeros(work *w, const zb_factor *a)
{
    double *log = zb_alloc(a->size, sizeof *log);
    if (log == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < a->size; i++)
        log[i] = a->value[i] == (a->log ? -INFINITY : 0) ? -INFINITY : 0;
    zb_status status =
        zb_clauses_add_zeros(w->clauses, a->arity, a->scope, log, &w->tick);
    zb_free(log);
    return status;
}

static zb_status load(work *w)
{
    const zb_model *m = w->model;
    zb_status status;
    TRY(zb_clauses_new(&w->clauses, m->nvars, w->card, NULL));
    for (int f = 0; f < m->nfactors; f++)
        if (w->clausal[f])
            TRY(add_zeros(w, &m->factor[f]));
    TRY(zb_formula_new(&w->formula, m->nvars, w->tick.run));
    const zb_clauses *c = w->clauses;
    for (int i = 0; i < c->count; i++)
        TRY(zb_formula_add(w->formula, (int)(c->at[i + 1] - c->at[i]),
                           c->lit + c->at[i]));
done:
    return status;
}

/* ---- and back -------------------------------------------------------------------- */

/* A table that is 0 where all literals are false. */
static zb_status put_clause(work *w, int n, const uint32_t *lit)
{
    int scope[ZB_MAX_AXES];
    size_t size = (size_t)1 << n, none = 0;
    double *value = zb_alloc(size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < n; i++) {
        scope[i] = (int)(lit[i] >> 1);
        none = 2 * none + (lit[i] & 1);
    }
    for (size_t x = 0; x < size; x++)
        value[x] = x != none;
    return zb_model_take(w->out, n, scope, value, false);
}

/* A table that is no set of clauses, or the value that one had where it was not 0. */
static zb_status put_factor(work *w, int f)
{
    const zb_factor *a = &w->model->factor[f];
    if (!w->clausal[f])
        return zb_model_put(w->out, a->arity, a->scope, a);
    size_t i = 0;
    while (i + 1 < a->size && a->value[i] == (a->log ? -INFINITY : 0))
        i++;
    if (a->value[i] == (a->log ? 0 : 1))
        return ZB_OK;
    double *value = zb_alloc(1, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    *value = a->value[i];
    return zb_model_take(w->out, 0, NULL, value, a->log);
}

static zb_status put_clauses(work *w)
{
    const zb_formula *f = w->formula;
    zb_status status = ZB_OK;
    if (f->empty)
        return zb_model_add(w->out, 0, NULL, (double[]){ 0 });
    for (int i = 0; i < f->nunits; i++)
        TRY(put_clause(w, 1, &f->unit[i]));
    for (int c = 0; c < f->count; c++)
        if (f->clause[c].n > 0)
            TRY(put_clause(w, f->clause[c].n, zb_formula_literals(f, c)));
done:
    return status;
}

/* A variable that was eliminated has one value left. */
static zb_status unload(work *w)
{
    const zb_model *m = w->model;
    zb_status status;
    for (int v = 0; v < m->nvars; v++)
        w->card[v] = w->formula->gone[v] ? 1 : m->card[v];
    TRY(zb_model_new(&w->out, m->nvars, w->card));
    w->out->log_scale = m->log_scale;
    w->out->radius = m->radius;
    for (int f = 0; f < m->nfactors; f++)
        TRY(put_factor(w, f));
    TRY(put_clauses(w));
done:
    return status;
}

static int count_gone(const work *w)
{
    int n = w->formula->empty;
    for (int v = 0; v < w->model->nvars; v++)
        n += w->formula->gone[v] || w->formula->value[2 * v] != 0;
    return n;
}

static zb_status run(work *w, zb_run *share)
{
    size_t nvars = (size_t)w->model->nvars, nfactors = (size_t)w->model->nfactors;
    zb_status status;
    w->clausal = zb_hold_calloc(&w->hold, nfactors, sizeof *w->clausal);
    w->may = zb_hold_calloc(&w->hold, nvars, sizeof *w->may);
    w->card = zb_hold_alloc(&w->hold, nvars, sizeof *w->card);
    TRY(zb_hold_status(&w->hold));
    if (sort_out(w) == 0)
        goto done;
    w->tick.run = share;
    TRY(load(w));
    status = zb_formula_reduce(w->formula, w->may);
    TRY(status == ZB_ELIMIT ? ZB_OK : status); /* what was done by then holds */
    if (count_gone(w) > 0)
        TRY(unload(w));
done:
    return status;
}

zb_status zb_simplify_formula(zb_model **out, const zb_model *model, zb_run *run_of)
{
    double left = zb_run_left(run_of);
    zb_run share = zb_run_share(run_of, isinf(left) ? left : zb_now() + SHARE * left,
                                UINT64_MAX, 1);
    work w = { .model = model };
    zb_status status = run(&w, &share);
    ZB_ASSERT(!zb_model_observed(model));
    *out = NULL;
    if (status == ZB_OK) {
        *out = w.out;
        w.out = NULL;
    }
    zb_model_free(w.out);
    zb_formula_free(w.formula);
    zb_clauses_free(w.clauses);
    zb_hold_free(&w.hold);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
