/* Models with rows that may be exchanged (symmetry/rows.h), made smaller. Both ways
 * keep Z; states of what comes out are no states of the model. */
#ifndef ZB_EXCHANGE_H
#define ZB_EXCHANGE_H

#include "symmetry/rows.h"

/* The first column becomes one variable: how many of its variables have each value.
   Those are the states of that variable, and each weighs as many as there are ways to
   have them so. *out NULL: tables would be too large. */
zb_status zb_exchange_counted(zb_model **out, const zb_model *model,
                              const zb_rows *rows, zb_run *run);

/* Rows may only stand in descending order, as far as their first columns tell, and each
   state weighs as many as there are permutations of its rows. Further variables say up
   to which column two rows are equal, and how many rows are. *out NULL: tables would be
   too large. */
zb_status zb_exchange_sorted(zb_model **out, const zb_model *model,
                             const zb_rows *rows);

/* One of the two as often as rows are found; in order only rows that are joined: what
   is independent a search sums one by one, and in order it is not. A share of the time.
   *out NULL: nothing was found. */
zb_status zb_exchange(zb_model **out, const zb_model *model, bool sorted, zb_run *run);

#endif
