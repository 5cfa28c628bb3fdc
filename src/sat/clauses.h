/* The zeros of tables as clauses over Booleans.
 *
 * A variable with two values is one Boolean, true for value 1; a variable with more has
 * a Boolean for every value, of which exactly one is true: that one is, is a clause;
 * that no two are, goes without saying (zb_sat knows the Booleans of a variable).
 * Literals: 2 b for Boolean b, 2 b + 1 for its opposite. */
#ifndef ZB_CLAUSES_H
#define ZB_CLAUSES_H

#include "base/purse.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_clauses {
    int nvars, nbools;
    int *card;  /* nvars */
    int *first; /* nvars + 1: a variable's Booleans are first[v] .. first[v + 1] - 1 */
    int *owner; /* nbools: the variable */
    int count;
    size_t *at;    /* count + 1 offsets into lit */
    uint32_t *lit; /* the clauses one after the other */
    size_t room;   /* of lit */
    size_t at_room;
    zb_purse *purse; /* may be NULL */
} zb_clauses;

/* Cardinalities from 1. ZB_ELIMIT, from all functions, when they become too many, or
   more than the purse (which may be NULL) allows. */
zb_status zb_clauses_new(zb_clauses **out, int nvars, const int *card, zb_purse *purse);
void zb_clauses_free(zb_clauses *c); /* NULL is fine */

zb_status zb_clauses_add(zb_clauses *c, int n, const uint32_t *lit);

/* Forbid the entries of a table that are -INFINITY: every one of them lies in a box (a
   set of values for each variable) of such entries that cannot be made larger, and a
   clause says that at least one variable is outside its set. ZB_ELIMIT also when the
   time is over. */
zb_status zb_clauses_add_zeros(zb_clauses *c, int arity, const int *scope,
                               const double *value, zb_ticker *tick);

/* The Booleans of each clause: scopes of variables of two values. */
zb_status zb_clauses_scopes(const zb_clauses *c, zb_scopes **out);

/* The literal that says that v has value x. */
static inline uint32_t zb_clauses_literal(const zb_clauses *c, int v, int x)
{
    uint32_t b = (uint32_t)c->first[v];
    if (c->first[v + 1] - c->first[v] == 1)
        return 2 * b + (x == 0);
    return 2 * (b + (uint32_t)x);
}

#endif
