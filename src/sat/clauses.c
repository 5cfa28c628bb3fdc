#include "sat/clauses.h"

#include "model/table.h"

#include <string.h>

void zb_clauses_free(zb_clauses *c)
{
    if (c == NULL)
        return;
    zb_free(c->card);
    zb_free(c->first);
    zb_free(c->owner);
    zb_free(c->at);
    zb_free(c->lit);
    zb_free(c);
}

/* A single value: one Boolean too, which a clause sets to false (value 0). */
static zb_status say_one_holds(zb_clauses *c, int v, int card)
{
    uint32_t *lit = zb_alloc((size_t)card, sizeof *lit);
    if (lit == NULL)
        return ZB_ENOMEM;
    for (int x = 0; x < card; x++)
        lit[x] = zb_clauses_literal(c, v, x);
    zb_status status = zb_clauses_add(c, card, lit);
    zb_free(lit);
    return status;
}

zb_status zb_clauses_new(zb_clauses **out, int nvars, const int *card, zb_purse *purse)
{
    zb_clauses *c = zb_calloc(1, sizeof *c);
    int64_t total = 0;
    zb_status status;
    *out = NULL;
    TRY(c != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < nvars; v++)
        total += card[v] <= 2 ? 1 : card[v];
    TRY(total < INT32_MAX / 4 ? ZB_OK : ZB_ELIMIT);
    c->nvars = nvars;
    c->nbools = (int)total;
    c->purse = purse;
    c->card = zb_purse_alloc(purse, (size_t)nvars, sizeof *c->card);
    c->first = zb_purse_alloc(purse, (size_t)nvars + 1, sizeof *c->first);
    c->owner = zb_purse_alloc(purse, (size_t)total, sizeof *c->owner);
    c->at = zb_purse_calloc(purse, 1, sizeof *c->at);
    c->at_room = 1;
    TRY(c->card && c->first && c->owner && c->at ? ZB_OK : zb_purse_status(purse));
    c->first[0] = 0;
    memcpy(c->card, card, (size_t)nvars * sizeof *card);
    for (int v = 0; v < nvars; v++) {
        c->first[v + 1] = c->first[v] + (card[v] <= 2 ? 1 : card[v]);
        for (int b = c->first[v]; b < c->first[v + 1]; b++)
            c->owner[b] = v;
    }
    for (int v = 0; v < nvars; v++)
        if (card[v] != 2)
            TRY(say_one_holds(c, v, card[v]));
    *out = c;
    c = NULL;
done:
    zb_clauses_free(c);
    return status;
}

zb_status zb_clauses_add(zb_clauses *c, int n, const uint32_t *lit)
{
    size_t used = c->at[c->count], need = used + (size_t)n;
    zb_status status;
    if (c->count >= INT32_MAX / 4 || need >= UINT32_MAX / 4)
        return ZB_ELIMIT;
    TRY(ZB_PURSE_RESERVE(c->purse, c->at, &c->at_room, (size_t)c->count + 1,
                         (size_t)c->count + 2));
    TRY(ZB_PURSE_RESERVE(c->purse, c->lit, &c->room, used, need));
    if (n > 0)
        memcpy(c->lit + used, lit, (size_t)n * sizeof *lit);
    c->at[++c->count] = need;
done:
    return status;
}

/* ---- zeros of a table --------------------------------------------------------------
 */

/* A box: for every slot a list of values, inside[at[slot] .. + n[slot]). */
typedef struct box {
    int arity;
    const double *value;
    int card[ZB_MAX_AXES];
    size_t stride[ZB_MAX_AXES];
    int at[ZB_MAX_AXES], n[ZB_MAX_AXES];
    int *inside;
    double budget;   /* entries that may still be looked at to make boxes larger */
    zb_ticker *tick; /* once the time is over, boxes are not finished */
} box;

/* Step to the box's next entry; false after the last. */
static bool next_entry(const box *b, int *x, size_t *entry)
{
    for (int i = b->arity - 1; i >= 0; i--) {
        const int *list = b->inside + b->at[i];
        *entry -= (size_t)list[x[i]] * b->stride[i];
        if (++x[i] < b->n[i]) {
            *entry += (size_t)list[x[i]] * b->stride[i];
            return true;
        }
        x[i] = 0;
        *entry += (size_t)list[0] * b->stride[i];
    }
    return false;
}

static size_t first_entry(const box *b)
{
    size_t entry = 0;
    for (int i = 0; i < b->arity; i++)
        entry += (size_t)b->inside[b->at[i]] * b->stride[i];
    return entry;
}

/* Would the box still be empty with value x for slot i? */
static bool may_add(box *b, int slot, int x)
{
    int keep = b->n[slot], first = b->inside[b->at[slot]], at[ZB_MAX_AXES] = { 0 };
    bool empty = true;
    b->n[slot] = 1;
    b->inside[b->at[slot]] = x;
    size_t entry = first_entry(b);
    do {
        empty = b->value[entry] == -INFINITY;
        b->budget--;
    } while (empty && zb_tick(b->tick, 5) && next_entry(b, at, &entry));
    b->n[slot] = keep;
    b->inside[b->at[slot]] = first;
    return empty;
}

static void grow(box *b)
{
    for (int i = 0; i < b->arity; i++) {
        int own = b->inside[b->at[i]];
        for (int x = 0; x < b->card[i] && b->budget > 0; x++)
            if (zb_tick(b->tick, 10) && x != own && may_add(b, i, x))
                b->inside[b->at[i] + b->n[i]++] = x;
    }
}

static void mark_covered(const box *b, bool *covered)
{
    int at[ZB_MAX_AXES] = { 0 };
    size_t entry = first_entry(b);
    do
        covered[entry] = true;
    while (zb_tick(b->tick, 5) && next_entry(b, at, &entry));
}

/* v is outside its set for some slot; lit has room for all values of the scope. */
static zb_status forbid(zb_clauses *c, const box *b, const int *scope, uint32_t *lit)
{
    int n = 0;
    for (int i = 0; i < b->arity; i++) {
        const int *in = b->inside + b->at[i];
        if (b->n[i] == b->card[i])
            continue;
        if (b->n[i] == 1) {
            lit[n++] = zb_clauses_literal(c, scope[i], in[0]) ^ 1;
            continue;
        }
        for (int x = 0; x < b->card[i]; x++) {
            bool inside = false;
            for (int k = 0; k < b->n[i]; k++)
                inside = inside || in[k] == x;
            if (!inside)
                lit[n++] = zb_clauses_literal(c, scope[i], x);
        }
    }
    return zb_clauses_add(c, n, lit);
}

zb_status zb_clauses_add_zeros(zb_clauses *c, int arity, const int *scope,
                               const double *value, zb_ticker *tick)
{
    box b = { .arity = arity, .value = value, .tick = tick };
    size_t size = 1, total = 0;
    uint32_t *lit = NULL;
    bool *covered = NULL;
    zb_status status = ZB_OK;
    if (arity > ZB_MAX_AXES)
        return ZB_ELIMIT;
    for (int i = arity - 1; i >= 0; i--) {
        b.card[i] = c->card[scope[i]];
        b.stride[i] = size;
        size *= (size_t)b.card[i];
        b.at[i] = (int)total;
        total += (size_t)b.card[i];
    }
    size_t zero = 0;
    while (zero < size && value[zero] > -INFINITY)
        zero++;
    if (!zb_tick(tick, 20 + (double)size))
        return ZB_ELIMIT;
    if (zero == size)
        return ZB_OK;
    b.budget = 1e5 + 100 * (double)size;
    b.inside = zb_alloc(total, sizeof *b.inside);
    lit = zb_alloc(total, sizeof *lit);
    covered = zb_calloc(size, sizeof *covered);
    TRY(b.inside && lit && covered ? ZB_OK : ZB_ENOMEM);
    for (; zero < size; zero++) {
        if (value[zero] > -INFINITY || covered[zero])
            continue;
        for (int i = 0; i < arity; i++) {
            b.n[i] = 1;
            b.inside[b.at[i]] = (int)(zero / b.stride[i] % (size_t)b.card[i]);
        }
        grow(&b);
        mark_covered(&b, covered);
        TRY(zb_tick(tick, 50) ? ZB_OK : ZB_ELIMIT);
        TRY(forbid(c, &b, scope, lit));
    }
done:
    zb_free(b.inside);
    zb_free(lit);
    zb_free(covered);
    return status;
}

zb_status zb_clauses_scopes(const zb_clauses *c, zb_scopes **out)
{
    size_t literals = c->at[c->count];
    zb_scopes *s = zb_calloc(1, sizeof *s);
    zb_status status;
    *out = NULL;
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    s->nvars = c->nbools;
    s->count = c->count;
    s->card = zb_alloc((size_t)c->nbools, sizeof *s->card);
    s->at = zb_alloc((size_t)c->count + 1, sizeof *s->at);
    s->var = zb_alloc(literals, sizeof *s->var);
    TRY(s->card != NULL && s->at != NULL && s->var != NULL ? ZB_OK : ZB_ENOMEM);
    for (int b = 0; b < c->nbools; b++)
        s->card[b] = 2;
    for (int i = 0; i <= c->count; i++)
        s->at[i] = c->at[i];
    for (size_t i = 0; i < literals; i++)
        s->var[i] = (int)(c->lit[i] >> 1);
    *out = s, s = NULL;
done:
    zb_scopes_free(s);
    return status;
}
