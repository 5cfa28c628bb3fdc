/* Batches of feeds over ranks. A batch is the same whoever draws it, and goes to the
 * slot of its number: so the draws come in the same order for any number of ranks. What
 * comes back of a batch is what is used of it: all lanes, or those that are accepted.
 */
#ifndef ZB_FEED_FARM_H
#define ZB_FEED_FARM_H

#include "ranks/farm.h"
#include "sample/proposal.h"

typedef struct zb_feed_farm zb_feed_farm;

typedef struct zb_feed_part { /* what batches are drawn from; borrowed */
    const zb_proposal *proposal;
    uint64_t seed;
} zb_feed_part;

/* *out stays NULL where there is one rank alone, or where a part cannot go to others.
   The farm outlives the run that opens it, and ends when it is closed. */
zb_status zb_feed_farm_open(zb_feed_farm **out, int count, const zb_feed_part *part,
                            zb_run *run);
void zb_feed_farm_close(zb_feed_farm *f); /* NULL is fine */

typedef struct zb_feed_order { /* what is to be drawn: */
    int part;
    bool perfect;   /* lanes that are refused have a log_ratio of -INFINITY */
    uint64_t first; /* batches first .. first + count - 1, into these slots */
    int count;
    zb_batch **slot;
} zb_feed_order;

/* False: the run ended first, or memory; then none counts. */
bool zb_feed_farm_draw(zb_feed_farm *f, const zb_feed_order *order, zb_run *run);

extern const zb_trade ZB_FEED_TRADE;

#endif
