/* Draws of one source, one after the other: batches are drawn ahead, some per thread,
 * and handed out in their order, whatever the number of threads and ranks. */
#ifndef ZB_FEED_H
#define ZB_FEED_H

#include "sample/feed_farm.h"
#include "sample/source.h"

typedef struct zb_feed {
    const zb_proposal *proposal; /* borrowed */
    uint64_t seed, next;         /* number of the next batch to be drawn */
    zb_batch **slot;
    int slots, threads;
    int at, lane;       /* the draw that is next */
    bool failed;        /* memory was out */
    zb_feed_farm *farm; /* borrowed; NULL: all is drawn here */
    int part;           /* what it is called there */
} zb_feed;

typedef struct zb_draw {  /* valid until the next one is asked for */
    const int32_t *state; /* of variable v: state[v * ZB_LANES] */
    double log_ratio;     /* ln(w / U) */
} zb_draw;

/* Batches from number `first` on. */
zb_status zb_feed_open(zb_feed *f, const zb_proposal *p, uint64_t seed, uint64_t first,
                       int threads);
void zb_feed_close(zb_feed *f);
/* Draw over ranks from now on, with slots for so many. Where memory is out for them,
   all stays as it was. */
void zb_feed_spread(zb_feed *f, zb_feed_farm *farm, int part, int ranks);

/* Is that lane of a batch of the seed's streams a perfect draw? */
bool zb_feed_accepts(uint64_t seed, uint64_t number, int lane, double log_ratio);

/* The next draw; or, with perfect, the next that is accepted: with probability w / U,
   so that it has the distribution f / Z. False when the run ended first, or memory. */
bool zb_feed_next(zb_feed *f, bool perfect, zb_run *run, zb_draw *out);

#endif
