/* Which inputs of a node are multiplied together before the others join in. */
#ifndef ZB_JOIN_H
#define ZB_JOIN_H

#include "base/base.h"

typedef struct zb_join_item {
    const int *scope;
    int arity;
    double size; /* entries */
} zb_join_item;

/* Choose among the items of a node whose clique has so many entries: chosen[i] becomes
   true for those that shall be multiplied into one table, at most a sixteenth of the
   clique, first. Returns how many, 0 or at least 2. The choice depends on scopes and
   sizes alone. stamp has a place for each variable, all of them different from mark;
   rank has a place for each item. */
int zb_join_choose(const int *card, double clique, int count, const zb_join_item *item,
                   int *stamp, int mark, int *rank, bool *chosen);

#endif
