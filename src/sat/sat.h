/* Satisfiability of clauses by search with learning (CDCL): two watched literals, first
 * unique implication point, activities, saved phases, Luby restarts.
 *
 * The state is open to look at, for searches (counting) that take decisions of their
 * own: zb_sat_solve starts from the decisions that are there and comes back to them.
 * What is learnt follows from the clauses alone, whatever the decisions were. */
#ifndef ZB_SAT_H
#define ZB_SAT_H

#include "base/heap.h"
#include "sat/clauses.h"

typedef struct zb_watched {
    uint32_t clause, blocker; /* blocker: some other literal of the clause */
} zb_watched;

typedef struct zb_watches {
    zb_watched *list;
    uint32_t n, room;
} zb_watches;

typedef struct zb_sat {
    const zb_clauses *clauses;
    int nbools;
    int8_t *value; /* per literal: 1 true, -1 false, 0 open */
    int *level;    /* per Boolean that is set */
    uint32_t *reason;
    uint32_t *trail; /* literals that are true, in the order they were set */
    int ntrail, head;
    int *start; /* per level from 1: length of the trail before it */
    int depth;

    size_t *pair_at; /* per literal: the other literals of its clauses of two */
    uint32_t *pair;
    uint32_t *arena; /* longer clauses and learnt ones: size, lbd, use, literals */
    size_t used, room;
    uint32_t given; /* where the learnt clauses start */
    int nlong;
    uint32_t *long_at; /* places of the longer given clauses */
    uint32_t *learnt;
    int nlearnt, learnt_most;
    size_t learnt_room;
    zb_watches *watch; /* per literal */

    double *activity, bump; /* how much a Boolean was in recent conflicts */
    double *long_activity,
        long_bump; /* the same with a longer memory, for others' decisions */
    int8_t *phase; /* per Boolean: true or false when it was last set */
    int8_t *model; /* per Boolean: as in the last solution that was asked for it */
    zb_heap heap;  /* open Booleans of the solve under way, by activity */
    bool *wanted;

    uint32_t *unit; /* learnt above level 0, true everywhere */
    int nunit;
    bool *is_unit; /* per literal */
    int *set_upto; /* per level: so many of the units are set there */

    bool *seen;      /* scratch of the analysis */
    uint32_t *lemma; /* room for every literal */
    int nlemma;
    int top; /* the highest level of the last conflict; 0: no solution at all */
    int *lemma_stamp, stamp; /* per level */
    uint32_t clash[2];       /* a clause of two that is violated */

    bool empty;  /* no solution at all */
    bool failed; /* out of memory: nothing below is to be trusted */
    int64_t conflicts;
    double spent, budget; /* literals set, and how many may be; 0: no limit */
    zb_purse *purse;      /* may be NULL; once it is empty, searches stop */
    zb_ticker tick;       /* once the time is over, nothing that is set is complete */
} zb_sat;

typedef enum zb_sat_answer { ZB_SAT_YES, ZB_SAT_NO, ZB_SAT_STOPPED } zb_sat_answer;

enum { ZB_SAT_HEADER = 3 }; /* words before a clause's literals */

/* The clauses must outlive it, and so must their purse, which it shares. phases start
   as false. ZB_ELIMIT when the purse is too small, or the run (which may be NULL)
   ended. */
zb_status zb_sat_new(zb_sat **out, const zb_clauses *clauses, zb_run *run);
void zb_sat_free(zb_sat *s); /* NULL is fine */

/* Is there a solution with the literals that are true now? Decides the n Booleans
   listed, which must be closed under clauses whose other literals are open; yes: their
   values are in model. Afterwards the depth is as before; more literals may have been
   set there, all of which follow. No: one conflict has been learnt from. */
zb_sat_answer zb_sat_solve(zb_sat *s, int n, const int *bools);

/* Decide on a literal and propagate; false: a conflict, which has been learnt from, or
   zb_sat_over. zb_sat_undo takes it back in either case. */
bool zb_sat_decide(zb_sat *s, uint32_t literal);
void zb_sat_undo(zb_sat *s, int depth);

/* From now on a literal is true everywhere, as if it had been learnt. */
void zb_sat_always(zb_sat *s, uint32_t literal);

/* Set what was learnt to be true everywhere, here. False: conflict, or zb_sat_over. */
bool zb_sat_set_units(zb_sat *s);

/* Is the time over, or the memory spent? */
static inline bool zb_sat_over(const zb_sat *s)
{
    return s->tick.over || s->failed || (s->purse != NULL && s->purse->empty);
}

static inline const uint32_t *zb_sat_literals(const zb_sat *s, uint32_t at, int *n)
{
    *n = (int)s->arena[at];
    return s->arena + at + ZB_SAT_HEADER;
}

#endif
