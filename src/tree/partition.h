/* Rules that divide a bucket into mini-buckets. They see scopes only. */
#ifndef ZB_PARTITION_H
#define ZB_PARTITION_H

#include "tree/tree.h"

typedef struct zb_packing {
    const zb_split_spec *spec;
    const int *card, *pos;
    int count;         /* items */
    const int **scope; /* sorted by elimination position, the same variable first */
    const int *arity;
    int *group; /* result: item -> mini-bucket 0 .. groups - 1 */
    int groups; /* result */
    int *work;  /* scratch: 2 * count ints */
    int *first,
        *length; /* scratch: per variable of the model, -1 and 0 between calls */
    zb_ticker *tick;
} zb_packing;

/* ZB_ELIMIT when the time is over. */
zb_status zb_partition_bucket(zb_packing *p);

#endif
