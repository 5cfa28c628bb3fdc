/* Rows of variables that may be exchanged as wholes: for every permutation of the rows
 * there is one of the variables that leaves the product of all factors as it is and
 * permutes each column like that. What else it moves does not matter. */
#ifndef ZB_ROWS_H
#define ZB_ROWS_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_rows {
    int count;   /* rows; 0: none were found, else 3 or more */
    int columns; /* those with most factors first */
    int *var;    /* row r, column c: var[c * count + r] */
} zb_rows;

/* As many rows as are found, the model without evidence. Variables in no factor are
   none. joined: only rows of which a factor has variables of two; others are
   independent of each other, given all else. ZB_ELIMIT: the run, which may be NULL,
   ended first. To be closed in any case.
 */
zb_status zb_rows_find(zb_rows *out, const zb_model *model, bool joined, zb_run *run);
void zb_rows_close(zb_rows *rows);

static inline int zb_rows_at(const zb_rows *s, int row, int column)
{
    return s->var[column * s->count + row];
}

#endif
