/* The buckets of an order that knows the ibound, one variable at a time. */
#ifndef ZB_ORDER_SPLIT_H
#define ZB_ORDER_SPLIT_H

#include "order/order_internal.h"
#include "order/partition.h"

typedef struct zb_split_list {
    int *id, count;
    size_t room;
} zb_split_list;

/* A multiset of items, the scopes of factors and of messages. Eliminating v takes the
   items that hold v (its bucket), divides them into mini-buckets by the reference rule,
   and puts back one message per mini-bucket, the joint scope without v. */
typedef struct zb_splitter {
    const zb_scopes *s;
    /* items: scopes in a pool; those of factors first, then messages as they arise */
    int nitems;
    size_t *item_at;
    bool *dead;
    int *pool;
    size_t at_room, dead_room, pool_room;
    zb_split_list *of; /* items by variable, oldest first; dead ones go when read */
    /* the bucket at hand */
    zb_packer packer;
    zb_pack_item *item;
    int item_count;
    size_t item_room;
    double work;
    zb_ticker *tick;
} zb_splitter;

/* ZB_ELIMIT when the time is over, from all that can last. */
zb_status zb_splitter_init(zb_splitter *p, const zb_scopes *s, int ibound,
                           double max_entries, zb_ticker *tick);
void zb_splitter_free(zb_splitter *p);
zb_status zb_splitter_reset(zb_splitter *p); /* the factors again */

zb_status zb_splitter_gather(zb_splitter *p, int v); /* its live items */
zb_status zb_splitter_divide(zb_splitter *p, int v); /* and their mini-buckets */
/* Replace the items of v, whose bucket has been divided, by the messages; scope is
   scratch for nvars. The packer's members end up sorted by mini-bucket. */
zb_status zb_splitter_eliminate(zb_splitter *p, int v, int *scope);
/* What the divided bucket adds. */
void zb_splitter_cost(const zb_splitter *p, int v, zb_split_cost *cost);

#endif
