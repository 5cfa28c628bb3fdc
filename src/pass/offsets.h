/* Tables of offsets, each distinct one kept once, in one array that may move. */
#ifndef ZB_OFFSETS_H
#define ZB_OFFSETS_H

#include "base/base.h"

typedef struct zb_offsets {
    int32_t *data;
    size_t used, room;
    size_t *start, *length; /* hash: where a table starts + 1, 0 for none; its length */
    size_t places, tables;
} zb_offsets;

/* Where the table of n offsets is, or has been put. */
zb_status zb_offsets_find(zb_offsets *o, size_t n, const int32_t *at, size_t *where);
void zb_offsets_free(zb_offsets *o); /* its arrays */

#endif
