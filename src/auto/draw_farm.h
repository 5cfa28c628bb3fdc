/* Batches of draws over ranks. A batch is the same whoever draws it, and they are taken
 * in by their numbers: so are the draws. */
#ifndef ZB_DRAW_FARM_H
#define ZB_DRAW_FARM_H

#include "ranks/farm.h"
#include "sample/proposal.h"

typedef struct zb_draw_farm {
    zb_farm *farm; /* NULL: all is drawn here */
    const zb_proposal *proposal;
    uint64_t seed, next; /* the streams; the first batch of those at work */
    bool valued;         /* the state of the largest value is wanted, too */
    zb_letter *answer;   /* of each batch */
    size_t count;
    bool missing;
} zb_draw_farm;

/* Opens a farm where the run has ranks. To be closed. */
zb_status zb_draw_farm_open(zb_draw_farm *f, const zb_proposal *p, uint64_t seed,
                            bool valued, zb_run *run);
/* Batches next .. next + count - 1. ZB_ELIMIT: the run ended first, and none counts. */
zb_status zb_draw_farm_run(zb_draw_farm *f, uint64_t next, size_t count, zb_run *run);
/* Batch i of these: ln of the ratio of each lane; where values were wanted, the lane of
   the largest: ln of its share, its state (NULL: dead ends all). Once. */
typedef struct zb_drawn {
    double log_ratio[ZB_LANES];
    double log_share;
    int *state; /* the caller's to free */
} zb_drawn;
zb_status zb_draw_farm_take(zb_draw_farm *f, size_t i, zb_drawn *out);
void zb_draw_farm_close(zb_draw_farm *f);

extern const zb_trade ZB_DRAW_TRADE;

#endif
