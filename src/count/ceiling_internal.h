/* What the files of zb_ceiling share. */
#ifndef ZB_CEILING_INTERNAL_H
#define ZB_CEILING_INTERNAL_H

#include "base/hold.h"
#include "count/ceiling.h"
#include "count/groups.h"
#include "count/parts_internal.h"

/* Of the literals of a clause at least one is true; or at most one; or just one, of
   those that may be. */
typedef enum zb_tie { ZB_TIE_SOME, ZB_TIE_FEW, ZB_TIE_ONE } zb_tie;

/* Clauses that connect no two Booleans twice, one after the other. */
typedef struct zb_forest {
    int count, nlit;
    int *at; /* per clause, and one more: its places in lit */
    zb_tie *tie;
    uint32_t *lit;
    bool *may; /* per place */
    int *next; /* per place: the next one of its Boolean */
    int *of;   /* per place: its clause */
    int *head; /* per Boolean: the first of its places; -1: none */
    int *few;  /* per Boolean: its place in a clause of at most one; -1: none */
    int *root; /* per Boolean: union-find */
    int64_t *mark, stamp; /* per Boolean: scratch */
    int8_t *size;         /* per long clause: open literals, 0: of no use */
    uint32_t *open;       /* scratch: literals */
} zb_forest;

struct zb_ceiling {
    const zb_parts *parts;
    zb_groups groups;
    zb_forest forest;
    double *table_most; /* per table: its largest entry */
    double largest; /* of all tables together: ln of the product of what exceeds 1 */
    double *mass;   /* per literal: a logarithm first, then a number */
    int64_t *seen, stamp; /* per Boolean: scratch */
    int *queue;           /* likewise */
    int *up;              /* per clause of the forest: the place it is reached from */
    int *step, nstep;     /* its clauses, as they are reached */
    zb_sum log;           /* what is not in the numbers */
    double units;         /* what rounding did to these, in ZB_UNIT */
    zb_hold hold;
};

/* As many clauses of the part, and groups, as there is room for: those first that take
   most off. */
void zb_forest_grow(zb_ceiling *c, const zb_part *part);

#endif
