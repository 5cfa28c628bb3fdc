/* What the files of zb_parts share. */
#ifndef ZB_PARTS_INTERNAL_H
#define ZB_PARTS_INTERNAL_H

#include "count/parts.h"

static inline bool zb_parts_is_open(const zb_parts *p, int b)
{
    return p->sat->value[2 * b] == 0;
}

/* Room for `need` elements in a list whose first `used` of `room` are kept. */
bool zb_parts_room(zb_parts *p, void **list, size_t used, size_t *room, size_t need,
                   size_t size);

int zb_parts_value(const zb_parts *p, int v); /* that is set, or -1 */

/* Where the values that are set lead in a table; how many variables are not set. */
size_t zb_parts_table_offset(const zb_parts *p, int t, int *nopen);
/* Are all entries that are left, but for zeros, equal? Zeros are the clauses' affair.
 */
bool zb_parts_table_constant(const zb_parts *p, int t, double *value);
/* The largest of the entries that are left. */
double zb_parts_table_most(const zb_parts *p, int t);

#endif
