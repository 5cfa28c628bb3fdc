/* A set of clauses that gets smaller while the number of its solutions stays the same.
 *
 * Steps that keep the solutions: units are set, clauses that others imply leave, and
 * literals that others rule out. The step that keeps their number only: a Boolean that
 * the others define (each assignment of theirs extends to at most one solution) is
 * eliminated by resolution. What is left after that has one solution for every solution
 * there was; the Boolean is in no clause any more, and not to be counted.
 *
 * Literals are those of clauses.h. */
#ifndef ZB_FORMULA_H
#define ZB_FORMULA_H

#include "base/hold.h"
#include "base/run.h"
#include "sat/sat.h"

typedef struct zb_fclause {
    size_t at;     /* of its literals, in order */
    int n;         /* 0: it is gone */
    uint64_t sign; /* a bit for every Boolean, modulo 64 */
} zb_fclause;

typedef struct zb_flist {
    int *item;
    size_t n, room;
} zb_flist;

typedef struct zb_formula {
    int nbools;
    uint32_t *lit; /* of the clauses, also of those that are gone */
    size_t used, lit_room;
    zb_fclause *clause;
    int count; /* of clause */
    size_t clause_room;
    zb_flist *in;      /* per literal: its clauses, and some that are gone */
    int8_t *value;     /* per literal: 1 true, -1 false, 0 open */
    bool *gone;        /* per Boolean: eliminated */
    uint32_t *unit;    /* literals that were set, in this order */
    int nunits, head;  /* clauses have heard of the first `head` */
    zb_flist changed;  /* clauses that are new or shorter */
    int *mark, stamp;  /* per literal: scratch */
    uint32_t *scratch; /* room for twice the Booleans */
    bool empty;        /* no solution */
    double spent;      /* literals set by searches */
    zb_ticker tick;
    zb_hold hold;
} zb_formula;

/* Functions give ZB_ENOMEM, or ZB_ELIMIT once the run ended. The formula is then as
   good as before, but for zb_formula_settle and _add: with units not heard of yet. */
zb_status zb_formula_new(zb_formula **out, int nbools, zb_run *run);
void zb_formula_free(zb_formula *f); /* NULL is fine */

/* Repeated literals are dropped; a clause that always holds is not kept. */
zb_status zb_formula_add(zb_formula *f, int n, const uint32_t *lit);

/* Until all units are heard of: clauses get shorter, or hold. */
zb_status zb_formula_settle(zb_formula *f);

/* Clauses that contain others leave, and literals l of clauses that contain another one
   but for l, of which it has the opposite. */
zb_status zb_formula_subsume(zb_formula *f);

/* Literals leave that propagation rules out once others of the clause are false. */
zb_status zb_formula_vivify(zb_formula *f);

/* Clauses that say which Booleans are constant, or equal or opposite to another one, as
   far as short searches show it. */
zb_status zb_formula_equal(zb_formula *f);

/* Of the Booleans that are candidates those remain that all others (the candidates
   that left included) define, together. */
zb_status zb_formula_defined(zb_formula *f, bool *candidate);

/* Candidates leave that some solution lets flip: no others define them. */
zb_status zb_formula_flips(zb_formula *f, bool *candidate);

/* Eliminate Booleans that are defined together by the others, where that is cheap: with
   at most `widest` others in their clauses. *count: how many. */
zb_status zb_formula_eliminate(zb_formula *f, const bool *defined, int widest,
                               int *count);

/* All of the above. may: which Booleans may be eliminated; scratch from then on. What
   was done holds when the time is over, too. No clause gets longer than
   ZB_FORMULA_LONGEST that was not from the start. */
enum { ZB_FORMULA_LONGEST = 12 };
zb_status zb_formula_reduce(zb_formula *f, bool *may);

/* ---- for the files of formula ---------------------------------------------------- */

static inline const uint32_t *zb_formula_literals(const zb_formula *f, int c)
{
    return f->lit + f->clause[c].at;
}
/* The clauses with a literal that are there; the list is brought up to date. */
zb_flist *zb_formula_in(zb_formula *f, uint32_t literal);
void zb_formula_remove(zb_formula *f, int c);
/* Without the i-th literal. */
zb_status zb_formula_shorten(zb_formula *f, int c, int i);
zb_status zb_flist_add(zb_flist *l, int item);
/* What a search may set, out of ZB_FORMULA_SEARCH literals for all of them, and what
   it did set. */
enum { ZB_FORMULA_SEARCH = 20000000 };
static inline void zb_formula_grant(const zb_formula *f, zb_sat *s, double most)
{
    double left = ZB_FORMULA_SEARCH - f->spent - s->spent;
    s->budget = s->spent + fmax(1, fmin(most, left));
}
static inline void zb_formula_charge(zb_formula *f, const zb_sat *s)
{
    f->spent += s != NULL ? s->spent : 0;
}
/* The clauses as they are, units included. */
zb_status zb_formula_clauses(const zb_formula *f, zb_clauses **out);

#endif
