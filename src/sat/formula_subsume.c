/* Clauses inside clauses. */
#include "sat/formula.h"

/* Is clause d, with marks on its literals, implied by c (all literals marked)? Or, with
   one literal the opposite of a marked one, shortened by it: *spare is that literal of
   d. */
typedef enum { NEITHER, IMPLIES, SHORTENS } relation;

static relation compare(const zb_formula *f, int c, int d, uint32_t *spare)
{
    const zb_fclause *a = &f->clause[c], *b = &f->clause[d];
    const uint32_t *lit = zb_formula_literals(f, c);
    relation r = IMPLIES;
    if (c == d || a->n == 0 || a->n > b->n || (a->sign & ~b->sign) != 0)
        return NEITHER;
    for (int i = 0; i < a->n; i++) {
        if (f->mark[lit[i]] == f->stamp)
            continue;
        if (r == SHORTENS || f->mark[lit[i] ^ 1] != f->stamp)
            return NEITHER;
        r = SHORTENS;
        *spare = lit[i] ^ 1;
    }
    return r;
}

static void mark(zb_formula *f, int c)
{
    const uint32_t *lit = zb_formula_literals(f, c);
    f->stamp++;
    for (int i = 0; i < f->clause[c].n; i++)
        f->mark[lit[i]] = f->stamp;
}

static int place(const zb_formula *f, int c, uint32_t literal)
{
    int i = 0;
    while (zb_formula_literals(f, c)[i] != literal)
        i++;
    return i;
}

/* What clause c does to those that have all its Booleans: these are among the clauses
   of either literal of any of them, the rarest say. */
static zb_status apply(zb_formula *f, int c)
{
    zb_status status = ZB_OK;
    const uint32_t *lit = zb_formula_literals(f, c);
    uint32_t best = lit[0];
    for (int i = 1; i < f->clause[c].n; i++)
        if (f->in[lit[i]].n + f->in[lit[i] ^ 1].n < f->in[best].n + f->in[best ^ 1].n)
            best = lit[i];
    for (uint32_t side = 0; side < 2; side++) {
        zb_flist *l = zb_formula_in(f, best ^ side);
        for (size_t i = 0; i < l->n && f->clause[c].n > 0; i++) {
            int d = l->item[i];
            uint32_t spare;
            if (f->clause[d].n < f->clause[c].n ||
                (f->clause[c].sign & ~f->clause[d].sign) != 0)
                continue;
            TRY(zb_tick(&f->tick, 10.0 * f->clause[d].n) ? ZB_OK : ZB_ELIMIT);
            mark(f, d);
            relation r = compare(f, c, d, &spare);
            if (r == IMPLIES)
                zb_formula_remove(f, d);
            if (r == SHORTENS)
                TRY(zb_formula_shorten(f, d, place(f, d, spare)));
        }
    }
done:
    return status;
}

zb_status zb_formula_subsume(zb_formula *f)
{
    zb_status status;
    TRY(zb_formula_settle(f));
    while (f->changed.n > 0 && !f->empty) {
        int c = f->changed.item[--f->changed.n];
        TRY(zb_tick(&f->tick, 20) ? ZB_OK : ZB_ELIMIT);
        if (f->clause[c].n > 0)
            TRY(apply(f, c));
        TRY(zb_formula_settle(f));
    }
done:
    return status;
}
