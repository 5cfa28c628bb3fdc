/* From clauses and weights to a model. A clause is a table with a single zero. Long
 * ones are cut: the truth value of a part becomes a variable of its own, which is
 * determined and so changes no count. */
#include "base/rounding.h"
#include "io/cnf.h"

#include <string.h>

enum { WIDEST = 12 }; /* literals of a table */

/* Drops repeated literals: length[k]. A clause that is always true is ALWAYS long. */
static const size_t ALWAYS = SIZE_MAX;

static size_t tidy(zb_cnf *r, size_t k)
{
    int *lit = r->lit + r->at[k];
    size_t n = r->at[k + 1] - r->at[k], kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (r->seen[zb_cnf_index(-lit[i])] == k + 1)
            return ALWAYS;
        if (r->seen[zb_cnf_index(lit[i])] == k + 1)
            continue;
        r->seen[zb_cnf_index(lit[i])] = k + 1;
        lit[kept++] = lit[i];
    }
    return kept;
}

/* A table over `count` literals that is 1 where one of them is true; with a variable
   `value` (from 0 on; -1: none), 1 where value says whether one of them is. */
static zb_status add_part(zb_cnf *r, const int *lit, int count, int value)
{
    int scope[WIDEST], n = count + (value >= 0);
    double table[1 << WIDEST];
    size_t none = 0; /* where all of them are false */
    for (int i = 0; i < count; i++) {
        scope[i] = abs(lit[i]) - 1;
        none = 2 * none + (lit[i] < 0);
    }
    if (value >= 0)
        scope[count] = value;
    for (size_t x = 0; x < (size_t)1 << n; x++) {
        bool one = (value < 0 ? x : x / 2) != none;
        table[x] = value < 0 ? one : one == (x % 2 == 1);
    }
    return zb_model_add(r->model, n, scope, table);
}

/* Long clauses: "one of the literals so far" becomes variable *fresh, and so on. With
   no model, only *fresh moves. */
static zb_status add_clause(zb_cnf *r, const int *lit, size_t count, int64_t *fresh)
{
    int part[WIDEST], have = 0;
    zb_status status = ZB_OK;
    while ((size_t)have + count > WIDEST) {
        int take = WIDEST - 1 - have;
        memcpy(part + have, lit, (size_t)take * sizeof *lit);
        if (r->model != NULL)
            TRY(add_part(r, part, WIDEST - 1, (int)*fresh));
        part[0] = (int)++*fresh; /* as a literal, counted from one */
        have = 1;
        lit += take;
        count -= (size_t)take;
    }
    memcpy(part + have, lit, count * sizeof *lit);
    if (r->model != NULL)
        status = add_part(r, part, have + (int)count, -1);
done:
    return status;
}

static zb_status add_clauses(zb_cnf *r, const size_t *length, int64_t *fresh)
{
    zb_status status = ZB_OK;
    for (size_t k = 0; k < r->clauses; k++)
        if (length[k] != ALWAYS)
            TRY(add_clause(r, r->lit + r->at[k], length[k], fresh));
done:
    return status;
}

/* The weights of both literals of every variable, negative where not given, and who
   gave them. */
static zb_status gather_weights(zb_cnf *r)
{
    size_t n = 2 * (size_t)r->nvars;
    r->weight = zb_alloc(n, sizeof *r->weight);
    r->giver = zb_alloc(n, sizeof *r->giver);
    if (r->weight == NULL || r->giver == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < n; i++)
        r->weight[i] = -1;
    for (size_t i = 0; i < r->given_used; i++) {
        r->weight[zb_cnf_index(r->given[i].lit)] = r->given[i].weight;
        r->giver[zb_cnf_index(r->given[i].lit)] = i;
    }
    return ZB_OK;
}

/* The weight of literal k, its own or what its negation leaves of one. *radius: nats; a
   weight is the nearest double to a decimal, or a quotient of two such. */
static double weigh(const zb_cnf *r, size_t k, double *radius, int64_t *line)
{
    const zb_cnf_named *by = &r->given[r->giver[r->weight[k] < 0 ? k ^ 1 : k]];
    *radius = r->weight[k] < 0 ? by->radius : 3 * ZB_UNIT;
    *line = by->line;
    return r->weight[k] < 0 ? by->rest : by->weight;
}

/* Without digits enough for what is left of one, it could be nothing or not. */
static zb_status refuse_rest(const zb_cnf *r, int64_t line)
{
    return zb_fail(r->in->err, ZB_EPARSE,
                   "%s:%lld: expected the weight of the other literal too, or a weight "
                   "of at most 19 decimals: what it leaves of one is lost in rounding",
                   r->in->name, (long long)line);
}

static zb_status add_weights(zb_cnf *r)
{
    zb_status status = ZB_OK;
    for (int v = 0; v < (int)r->nvars; v++) {
        size_t yes = 2 * (size_t)v, no = yes + 1;
        double table[2], radius[2];
        int64_t line[2];
        if (r->weight[yes] < 0 && r->weight[no] < 0)
            continue;
        table[0] = weigh(r, no, &radius[0], &line[0]);
        table[1] = weigh(r, yes, &radius[1], &line[1]);
        for (int x = 0; x < 2; x++)
            if (!(radius[x] < 1e-3))
                return refuse_rest(r, line[x]);
        TRY(zb_model_add(r->model, 1, &v, table));
        if (r->rounded)
            r->model->radius += ZB_MARGIN * fmax(radius[0], radius[1]);
    }
done:
    return status;
}

zb_status zb_cnf_build(zb_cnf *r)
{
    size_t *length = zb_alloc(r->clauses, sizeof *length);
    int *card = NULL;
    int64_t all = r->nvars, fresh = r->nvars;
    zb_status status;
    r->seen = zb_calloc(2 * (size_t)r->nvars, sizeof *r->seen);
    TRY(length != NULL && r->seen != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(gather_weights(r));
    for (size_t k = 0; k < r->clauses; k++)
        length[k] = tidy(r, k);
    TRY(add_clauses(r, length, &all));
    if (all > 2 * ZB_CNF_VARIABLES)
        TRY(zb_scan_fail(r->in, r->in->line, "the clauses are too long together"));
    card = zb_alloc((size_t)all, sizeof *card);
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int64_t v = 0; v < all; v++)
        card[v] = 2;
    TRY(zb_model_new(&r->model, (int)all, card));
    TRY(add_clauses(r, length, &fresh));
    TRY(add_weights(r));
done:
    zb_free(length);
    zb_free(card);
    return status;
}
