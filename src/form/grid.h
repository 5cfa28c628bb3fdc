/* Two-dimensional grids, found from the graph of a model with any numbering. */
#ifndef ZB_GRID_H
#define ZB_GRID_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_grid {
    int rows, cols;            /* 0 by 0 when no variable has a factor */
    bool ring_rows, ring_cols; /* the last row (column) is next to the first */
    int *site;                 /* rows x cols: the variable there */
} zb_grid;

/* The model, evidence ignored, as a grid of the variables that have factors, these of
   one or two variables. Rings have an even number of sites. ZB_EINVAL and a sentence
   when it is none, ZB_ELIMIT when the time is over. */
zb_status zb_grid_detect(zb_grid *out, const zb_model *model, zb_ticker *tick,
                         zb_error *err);
void zb_grid_clear(zb_grid *at);

#endif
