#include "sat/formula.h"

#include <stdlib.h>
#include <string.h>

/* ---- storage --------------------------------------------------------------------- */

void zb_formula_free(zb_formula *f)
{
    if (f == NULL)
        return;
    for (int l = 0; f->in != NULL && l < 2 * f->nbools; l++)
        zb_free(f->in[l].item);
    zb_free(f->changed.item);
    zb_free(f->lit);
    zb_free(f->clause);
    zb_hold_free(&f->hold);
    zb_free(f);
}

zb_status zb_formula_new(zb_formula **out, int nbools, zb_run *run)
{
    zb_formula *f = zb_calloc(1, sizeof *f);
    size_t n = (size_t)nbools;
    *out = NULL;
    if (f == NULL)
        return ZB_ENOMEM;
    f->nbools = nbools;
    f->tick.run = run;
    f->in = zb_hold_calloc(&f->hold, 2 * n, sizeof *f->in);
    f->value = zb_hold_calloc(&f->hold, 2 * n, sizeof *f->value);
    f->mark = zb_hold_calloc(&f->hold, 2 * n, sizeof *f->mark);
    f->gone = zb_hold_calloc(&f->hold, n, sizeof *f->gone);
    f->unit = zb_hold_alloc(&f->hold, n, sizeof *f->unit);
    f->scratch = zb_hold_alloc(&f->hold, 2 * n, sizeof *f->scratch);
    if (f->hold.failed) {
        zb_formula_free(f);
        return ZB_ENOMEM;
    }
    *out = f;
    return ZB_OK;
}

zb_status zb_flist_add(zb_flist *l, int item)
{
    zb_status status = ZB_OK;
    ZB_GROW(l->item, l->room, l->n, SIZE_MAX);
    l->item[l->n++] = item;
done:
    return status;
}

/* ---- clauses --------------------------------------------------------------------- */

static uint64_t sign_of(const uint32_t *lit, int n)
{
    uint64_t sign = 0;
    for (int i = 0; i < n; i++)
        sign |= (uint64_t)1 << (lit[i] >> 1) % 64;
    return sign;
}

static void set_unit(zb_formula *f, uint32_t literal)
{
    ZB_ASSERT(!f->gone[literal >> 1]);
    if (f->value[literal] < 0)
        f->empty = true;
    if (f->value[literal] != 0)
        return;
    f->value[literal] = 1;
    f->value[literal ^ 1] = -1;
    f->unit[f->nunits++] = literal;
}

/* Into scratch, in order, each once, without those that are false; -1: it holds. */
static int tidy(zb_formula *f, int n, const uint32_t *lit)
{
    uint32_t *to = f->scratch;
    int kept = 0;
    f->stamp++;
    for (int i = 0; i < n; i++) {
        if (f->value[lit[i]] > 0 || f->mark[lit[i] ^ 1] == f->stamp)
            return -1;
        if (f->value[lit[i]] < 0 || f->mark[lit[i]] == f->stamp)
            continue;
        f->mark[lit[i]] = f->stamp;
        int at = kept++;
        for (; at > 0 && to[at - 1] > lit[i]; at--)
            to[at] = to[at - 1];
        to[at] = lit[i];
    }
    return kept;
}

zb_status zb_formula_add(zb_formula *f, int n, const uint32_t *lit)
{
    zb_status status = ZB_OK;
    int kept = tidy(f, n, lit);
    if (kept == 0)
        f->empty = true;
    if (kept == 1)
        set_unit(f, f->scratch[0]);
    if (kept < 2)
        return ZB_OK;
    TRY(f->count < INT32_MAX / 4 ? ZB_OK : ZB_ELIMIT);
    TRY(ZB_RESERVE(f->lit, &f->lit_room, f->used, f->used + (size_t)kept) ? ZB_OK
                                                                          : ZB_ENOMEM);
    ZB_GROW(f->clause, f->clause_room, (size_t)f->count, SIZE_MAX);
    memcpy(f->lit + f->used, f->scratch, (size_t)kept * sizeof *f->lit);
    f->clause[f->count] = (zb_fclause){ f->used, 0, sign_of(f->scratch, kept) };
    for (int i = 0; i < kept; i++)
        TRY(zb_flist_add(&f->in[f->scratch[i]], f->count));
    TRY(zb_flist_add(&f->changed, f->count));
    f->clause[f->count++].n = kept;
    f->used += (size_t)kept;
done:
    return status;
}

void zb_formula_remove(zb_formula *f, int c) { f->clause[c].n = 0; }

static bool has_literal(const zb_formula *f, int c, uint32_t literal)
{
    const zb_fclause *a = &f->clause[c];
    for (int i = 0; i < a->n; i++)
        if (f->lit[a->at + (size_t)i] == literal)
            return true;
    return false;
}

zb_flist *zb_formula_in(zb_formula *f, uint32_t literal)
{
    zb_flist *l = &f->in[literal];
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (has_literal(f, l->item[i], literal))
            l->item[n++] = l->item[i];
    zb_tick(&f->tick, 5 + 4.0 * (double)l->n);
    l->n = n;
    return l;
}

zb_status zb_formula_shorten(zb_formula *f, int c, int i)
{
    zb_fclause *a = &f->clause[c];
    uint32_t *lit = f->lit + a->at;
    memmove(lit + i, lit + i + 1, (size_t)(a->n - i - 1) * sizeof *lit);
    a->n--;
    a->sign = sign_of(lit, a->n);
    if (a->n > 1)
        return zb_flist_add(&f->changed, c);
    set_unit(f, lit[0]);
    zb_formula_remove(f, c);
    return ZB_OK;
}

zb_status zb_formula_settle(zb_formula *f)
{
    zb_status status = ZB_OK;
    while (f->head < f->nunits && !f->empty) {
        uint32_t literal = f->unit[f->head], wrong = literal ^ 1;
        TRY(zb_tick(&f->tick, 20) ? ZB_OK : ZB_ELIMIT);
        zb_flist *l = zb_formula_in(f, literal);
        for (size_t i = 0; i < l->n; i++)
            zb_formula_remove(f, l->item[i]);
        l = zb_formula_in(f, wrong);
        for (size_t i = 0; i < l->n; i++) {
            int c = l->item[i], at = 0;
            while (zb_formula_literals(f, c)[at] != wrong)
                at++;
            TRY(zb_formula_shorten(f, c, at));
        }
        f->head++;
    }
done:
    return status;
}

zb_status zb_formula_clauses(const zb_formula *f, zb_clauses **out)
{
    zb_clauses *c = NULL;
    int *card = zb_alloc((size_t)f->nbools, sizeof *card);
    zb_status status;
    *out = NULL;
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int b = 0; b < f->nbools; b++)
        card[b] = 2;
    TRY(zb_clauses_new(&c, f->nbools, card, NULL));
    for (int i = 0; i < f->nunits; i++)
        TRY(zb_clauses_add(c, 1, &f->unit[i]));
    for (int i = 0; i < f->count; i++)
        if (f->clause[i].n > 0)
            TRY(zb_clauses_add(c, f->clause[i].n, zb_formula_literals(f, i)));
    *out = c, c = NULL;
done:
    zb_clauses_free(c);
    zb_free(card);
    return status;
}
