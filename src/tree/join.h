/* Which inputs of a node are multiplied together before the others join in. */
#ifndef ZB_JOIN_H
#define ZB_JOIN_H

#include "base/base.h"

typedef struct zb_join_item {
    const int *scope;
    int arity;
    double size; /* entries */
} zb_join_item;

typedef struct zb_join {
    const int *card;
    double clique; /* entries of the node's clique */
    int count;
    const zb_join_item *item;
    int *stamp, mark; /* scratch: a place for each variable, all different from mark */
    int *rank;        /* scratch: a place for each item */
    bool *chosen;     /* result, for each item */
} zb_join;

/* Choose those that shall be multiplied first, into one table of at most a sixteenth of
   the clique. Returns how many, 0 or at least 2. The choice depends on scopes and sizes
   alone. */
int zb_join_choose(const zb_join *j);

#endif
