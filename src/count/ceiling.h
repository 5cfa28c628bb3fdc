/* What a part of a count sums to at most: the weights of its variables, each by itself,
 * and of its clauses as many as connect them without a circle, which are summed
 * exactly (docs/theory.md, 12). */
#ifndef ZB_CEILING_H
#define ZB_CEILING_H

#include "count/parts.h"

typedef struct zb_ceiling zb_ceiling;

/* Of the purse of the parts, which must outlive it. sat: theirs, with no decision made.
   ZB_ELIMIT when the time is over. */
zb_status zb_ceiling_new(zb_ceiling **out, const zb_parts *parts, zb_sat *sat);
void zb_ceiling_free(zb_ceiling *c); /* NULL is fine */

/* Of a part as it is now: what is set may be less than what follows, and literals may
   have been set since it was made. Takes time in proportion to the part, and no memory;
   asks nobody. */
zb_ball zb_ceiling_of(zb_ceiling *c, const zb_part *part);

/* The same without a look at the part but for its number of Booleans. */
zb_ball zb_ceiling_crude(const zb_ceiling *c, const zb_part *part);

#endif
