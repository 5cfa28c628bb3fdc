/* The rules that divide a bucket into mini-buckets. They see scopes only.
 *
 * REFERENCE: the items by scope size, largest first (stable), each into the first
 * mini-bucket that takes it. An item fits if the joint scope stays within ibound
 * variables and max_entries entries, or does not grow at all; one that is too large by
 * itself stands alone.
 * SCOPE: of that packing, and the one that puts each item where the entries grow least,
 * the one with fewer mini-buckets, then fewer entries. */
#ifndef ZB_PARTITION_H
#define ZB_PARTITION_H

#include "base/run.h"

typedef enum zb_partition { ZB_PARTITION_REFERENCE, ZB_PARTITION_SCOPE } zb_partition;

typedef struct zb_pack_item {
    const int *scope; /* the bucket's variable among them */
    int arity, id;    /* id: the caller's; of equal arity, the lower one comes first */
    int bin;          /* result: its mini-bucket */
    int other;        /* scratch */
} zb_pack_item;

typedef struct zb_bin { /* a mini-bucket */
    int count;          /* variables of the joint scope */
    double entries;     /* of a table over it */
    int shared;         /* variables, the bucket's not counted, of the item at hand */
    double product;     /* of their cardinalities */
    int next_open;      /* the next one with room for a variable; -1: none */
} zb_bin;

typedef struct zb_member { /* a variable of a mini-bucket */
    int bin, var;
    int index; /* within the mini-bucket, by arrival */
    int next;  /* of the same variable, -1: none */
} zb_member;

/* One serves many buckets, one at a time. */
typedef struct zb_packer {
    const int *card;
    int ibound;         /* variables of a mini-bucket */
    double max_entries; /* 0: no limit */
    zb_ticker *tick;
    zb_bin *bin; /* the last packing: bins 0 .. bins - 1 */
    int bins;
    zb_member *member; /* and their variables, by arrival */
    int members;
    int var; /* whose bucket it is */
    size_t bin_room, member_room;
    int first_open, last_open;   /* bins by number; full ones leave when they are met */
    int *first, *stamp, packing; /* the members of v, if stamp[v] == packing */
} zb_packer;

zb_status zb_packer_init(zb_packer *k, int nvars, const int *card, zb_ticker *tick);
void zb_packer_clear(zb_packer *k);

/* Divide the bucket of var. The items are left sorted. ZB_ELIMIT when the time is over.
 */
zb_status zb_packer_divide(zb_packer *k, zb_partition rule, int var, int count,
                           zb_pack_item *item);

/* Where var is in a bin; NULL: it is not. */
zb_member *zb_packer_find(const zb_packer *k, int var, int bin);

#endif
