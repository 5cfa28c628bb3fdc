/* Slices over ranks: whoever is done asks for more, the answers stand by their index.
 */
#ifndef ZB_SLICE_FARM_H
#define ZB_SLICE_FARM_H

#include "auto/slice.h"
#include "ranks/farm.h"

typedef struct zb_slice_farm {
    const zb_slices *slices;
    zb_farm *farm; /* NULL: all is done here */
    /* of the batch at work */
    const int *value; /* of the cutset, one slice after the other */
    zb_ball *log_z;   /* of each; not touched where it was not solved */
    size_t *todo;     /* those that are to be solved */
    bool failed;      /* memory was out for one */
} zb_slice_farm;

/* Opens a farm where there are ranks and the slices are worth it. To be closed. */
zb_status zb_slice_farm_open(zb_slice_farm *f, const zb_slices *s);
int zb_slice_farm_ranks(const zb_slices *s); /* one, where there is no farm */

extern const zb_trade ZB_SLICE_TRADE;

#endif
