/* Exact counts of a set of clauses, by the search of count.h in integers: the sum over
 * its solutions of the product of their literals' weights; with a projection, over the
 * assignments of the Booleans shown that extend to a solution. Weights may be negative.
 *
 * Booleans that are shown are decided first; a part of which none is left has a factor
 * of one: it is known to have a solution (see count.c) and that is all that counts. */
#ifndef ZB_TALLY_H
#define ZB_TALLY_H

#include "base/big.h"
#include "base/run.h"
#include "sat/clauses.h"

typedef struct zb_tally_spec {
    const zb_clauses
        *clauses;         /* of Booleans: cardinalities of two; its purse is used */
    const zb_big *weight; /* per literal, or NULL: all 1. Of Booleans that are not
                             shown 1, and 0 of one literal of those to be left out */
    const bool *shown;    /* per Boolean, or NULL: all of them */
    const bool *skip;     /* per Boolean, or NULL: it is in no clause, and counts 1 */
    const int *order;     /* an elimination order: decisions begin near the middle of
                             its tree (guide.h) */
    bool wide;            /* by clauses and conflicts alone */
    zb_run *run;          /* may be NULL */
} zb_tally_spec;

typedef struct zb_tally_result {
    zb_big count;     /* not complete, and no weight negative: of what was counted */
    bool complete;    /* it is the count */
    bool satisfiable; /* a solution was found; complete and not: there is none */
} zb_tally_result;

/* ZB_ELIMIT where memory or time were over before the search began. The count is to be
   cleared in any case. */
zb_status zb_tally_run(const zb_tally_spec *spec, zb_tally_result *out);

/* The same in several runs, which go on from each other (count.h). What the spec points
   to must outlive the search; its run counts while that is made. */
typedef struct zb_tallier zb_tallier;
zb_status zb_tallier_new(zb_tallier **out, const zb_tally_spec *spec);
zb_status zb_tallier_run(zb_tallier *t, zb_run *run, zb_tally_result *out);
bool zb_tallier_open(const zb_tallier *t); /* does it make sense to go on? */
void zb_tallier_free(zb_tallier *t);       /* NULL is fine */

#endif
