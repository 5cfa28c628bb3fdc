/* How a table lies along a block of a node's separator. */
#ifndef ZB_PATTERN_H
#define ZB_PATTERN_H

#include "pass/kernel.h"

typedef struct zb_inner { /* a table along the axes of a block of n entries */
    size_t n;
    int axes;
    const int *axis, *card; /* the axes, slowest first, and all variables' values */
    const size_t *stride;   /* per axis, 0 where the table has it not */
} zb_inner;

/* at(b) is i c + j for b = (i m + y) c + j, or (span false) something else. */
typedef struct zb_block_shape {
    bool span;
    uint32_t m, c;
} zb_block_shape;

/* Fill in the pattern, m and c. at is scratch for n entries; if the pattern is TABLE,
   the offsets are left there. */
zb_block_shape zb_pattern_find(const zb_inner *in, int32_t *at, zb_access *a);

/* Behind the n offsets the members of every group, n of them; behind these, as scratch,
   n more. Sets m. */
void zb_pattern_members(size_t n, int32_t *at, zb_access *a);

#endif
