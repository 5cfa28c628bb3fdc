/* Best states over ranks: each component is a task, the largest first. With a clock,
 * ranks that are left over look at the same components with seeds of their own, and the
 * best of what they find counts. */
#ifndef ZB_SUMMIT_FARM_H
#define ZB_SUMMIT_FARM_H

#include "map/summit.h"
#include "ranks/ranks.h"

typedef struct zb_summits {
    zb_model *const *model; /* components, each with factors or not */
    int count;
    const zb_options *opt;
    zb_summit *best; /* of each, with room for its state */
    bool *done;      /* of each: it was looked for; the others are left to the caller */
} zb_summits;

zb_status zb_summit_farm(zb_summits *s, zb_run *run);

extern const zb_trade ZB_SUMMIT_TRADE;

#endif
