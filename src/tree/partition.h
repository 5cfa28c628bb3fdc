/* Rules that divide a bucket into mini-buckets. They see scopes only. */
#ifndef ZB_PARTITION_H
#define ZB_PARTITION_H

#include "tree/tree.h"

typedef struct zb_packing {
    const zb_split_spec *spec;
    const int *card, *pos;
    int count;         /* items */
    const int **scope; /* sorted by elimination position */
    const int *arity;
    int *group; /* result: item -> mini-bucket 0 .. groups - 1 */
    int groups; /* result */
    int *work;  /* scratch: 2 * count ints */
} zb_packing;

zb_status zb_partition_bucket(zb_packing *p);

#endif
