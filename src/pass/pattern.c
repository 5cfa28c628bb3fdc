#include "pass/pattern.h"

#include <string.h>

/* Is the pattern one missing run of axes: (i m + y) c + j -> i c + j? */
static bool is_span(size_t n, const int32_t *at, zb_access *a)
{
    size_t c = 1, m = 1;
    while (c < n &&
           at[c] == (int32_t)c) /* the longest identical beginning is c, or all */
        c++;
    if (c < n) {
        if (n % c != 0)
            return false;
        while (m * c < n && at[m * c] == 0)
            m++;
    }
    if (n % (m * c) != 0)
        return false;
    for (size_t b = 0, i = 0; b < n; i++)
        for (size_t y = 0; y < m; y++)
            for (size_t j = 0; j < c; j++, b++)
                if (at[b] != (int32_t)(i * c + j))
                    return false;
    a->m = (uint32_t)m;
    a->c = (uint32_t)c;
    return true;
}

/* A pattern that vector loops are good at? In a small block a table of offsets is
   better, since its loops are unrolled. */
static bool is_quick(size_t n, const zb_access *a)
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

/* Does the table lie in the block as it is, or stay the same? Then there is nothing to
   work out. */
static bool is_plain(const zb_inner *in, zb_access *a)
{
    size_t entries = 1, n = in->n;
    for (int i = 0; i < in->axes; i++)
        entries *= in->stride[i] > 0 ? (size_t)in->card[in->axis[i]] : 1;
    if (entries == n)
        a->pattern = ZB_PATTERN_FULL;
    else if (entries == 1)
        a->pattern = ZB_PATTERN_ONE;
    a->m = entries == n ? 1 : (uint32_t)n;
    a->c = entries == n ? (uint32_t)n : 1;
    return entries == n || entries == 1;
}

zb_shape zb_pattern_find(const zb_inner *in, int32_t *at, zb_access *a)
{
    bool plain = is_plain(in, a);
    if (!plain)
        inner_offsets(in, at);
    zb_shape s = { .span = plain || is_span(in->n, at, a) };
    s.m = a->m;
    s.c = a->c;
    if (!plain)
        a->pattern = s.span && is_quick(in->n, a) ? ZB_PATTERN_SPAN : ZB_PATTERN_TABLE;
    return s;
}
