#include "pass/pattern.h"

#include <string.h>

/* From the fastest axis on: a run of axes that the table has, c entries, one that it
   has not, m entries, and then only axes that it has? */
static zb_block_shape find_shape(const zb_inner *in)
{
    zb_block_shape s = { .span = true, .m = 1, .c = 1 };
    bool rest = false; /* beyond the missing run */
    for (int i = in->axes - 1; i >= 0; i--) {
        uint32_t card = (uint32_t)in->card[in->axis[i]];
        bool present = in->stride[i] > 0;
        if (card == 1)
            continue;
        if (present && s.m == 1)
            s.c *= card;
        else if (present)
            rest = true;
        else if (rest)
            s.span = false;
        else
            s.m *= card;
    }
    return s;
}

/* A pattern that vector loops are good at? In a small block a table of offsets is
   better, since its loops are unrolled. */
static bool is_quick(size_t n, const zb_block_shape *a)
{
    if (a->c == 1)
        return a->m == 2 || a->m == 4;
    return n > 16 && a->c % 4 == 0;
}

/* How many of each group are there yet is counted behind. */
void zb_pattern_members(size_t n, int32_t *at, zb_access *a)
{
    int32_t *found = at + 2 * n;
    size_t groups = 1;
    for (size_t b = 0; b < n; b++)
        groups = zb_max_size(groups, (size_t)at[b] + 1);
    a->m = (uint32_t)(n / groups);
    memset(found, 0, groups * sizeof *found);
    for (size_t b = 0; b < n; b++)
        at[n + (size_t)at[b] * a->m + (size_t)found[at[b]]++] = (int32_t)b;
}

static void inner_offsets(const zb_inner *in, int32_t *at)
{
    at[0] = 0;
    size_t filled = 1;
    for (int i = in->axes - 1; i >= 0; i--) { /* fastest axis first */
        size_t card = (size_t)in->card[in->axis[i]];
        for (size_t x = 1; x < card; x++)
            for (size_t b = 0; b < filled; b++)
                at[x * filled + b] = at[b] + (int32_t)(x * in->stride[i]);
        filled *= card;
    }
}

zb_block_shape zb_pattern_find(const zb_inner *in, int32_t *at, zb_access *a)
{
    zb_block_shape s = find_shape(in);
    a->m = s.m;
    a->c = s.c;
    if (s.span && s.m == 1)
        a->pattern = ZB_PATTERN_FULL;
    else if (s.span && s.m == in->n)
        a->pattern = ZB_PATTERN_ONE;
    else if (s.span && is_quick(in->n, &s))
        a->pattern = ZB_PATTERN_SPAN;
    else {
        a->pattern = ZB_PATTERN_TABLE;
        inner_offsets(in, at);
    }
    return s;
}
