/* Shorter clauses by propagation: with l1 .. lk of a clause false, if propagation makes
 * another literal false it is not needed; if it makes one true, or finds a conflict,
 * those so far are a clause by themselves. */
#include "sat/formula.h"

/* The clause that is left of clause c, into lit (room for all its literals). */
static int vivified(zb_sat *s, const uint32_t *from, int count, uint32_t *lit)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (s->value[from[i]] < 0)
            continue;
        lit[n++] = from[i];
        if (s->value[from[i]] > 0 || !zb_sat_decide(s, from[i] ^ 1))
            break;
    }
    zb_sat_undo(s, 0);
    return n;
}

static zb_status vivify_clause(zb_formula *f, zb_sat *s, int c)
{
    uint32_t lit[64];
    int count = f->clause[c].n;
    if (count < 3 || count > 64)
        return ZB_OK;
    if (!zb_sat_set_units(s))
        return ZB_OK; /* for lack of time, or no solution: others will notice */
    int n = vivified(s, zb_formula_literals(f, c), count, lit);
    if (zb_sat_over(s))
        return s->failed ? ZB_ENOMEM : ZB_ELIMIT;
    if (n == count)
        return ZB_OK;
    zb_formula_remove(f, c);
    return zb_formula_add(f, n, lit);
}

zb_status zb_formula_vivify(zb_formula *f)
{
    zb_clauses *clauses = NULL;
    zb_sat *s = NULL;
    zb_status status;
    TRY(zb_formula_settle(f));
    TRY(f->empty ? ZB_OK : zb_formula_clauses(f, &clauses));
    if (clauses != NULL)
        TRY(zb_sat_new(&s, clauses, f->tick.run));
    for (int c = 0, count = f->count; c < count && s != NULL; c++)
        if (f->clause[c].n > 2)
            TRY(vivify_clause(f, s, c));
    for (int i = 0; s != NULL && i < s->nunit; i++)
        TRY(zb_formula_add(f, 1, &s->unit[i]));
    TRY(zb_formula_settle(f));
done:
    zb_sat_free(s);
    zb_clauses_free(clauses);
    return status;
}
