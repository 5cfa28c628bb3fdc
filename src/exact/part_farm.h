/* Components over ranks: the search for their orders, and their elimination. Each is a
 * task, the largest first; what comes out is what one process would have. Parts too
 * small to be worth a letter, and those that came to nothing, are left to the caller.
 */
#ifndef ZB_PART_FARM_H
#define ZB_PART_FARM_H

#include "exact/solve_exact.h"
#include "ranks/ranks.h"

typedef struct zb_part_plans {
    zb_exact_job *job;        /* its orders and plans are filled in */
    zb_order_request request; /* with seconds for all of them */
    bool *done;               /* per part */
} zb_part_plans;

/* A part has its share of the seconds, by its size. */
zb_order_request zb_part_request(const zb_part_plans *p, int part);
zb_status zb_part_farm_plan(zb_part_plans *p);

typedef struct zb_part_work {
    const zb_exact_job *job;
    const bool *skip; /* per part, or NULL: none */
    bool careful;     /* a part is given up when it would be late (zb_part_is_late) */
    void *context;
    /* ln Z of a part; mid NAN: given up. One at a time, by any thread. False: no more
       is wanted. */
    bool (*solved)(void *context, int part, zb_ball log_z);
} zb_part_work;

/* The run's memory is that of each part, on every rank. */
zb_status zb_part_farm_eliminate(zb_part_work *w, zb_run *run);

/* Is elimination that began at start, of which so much is done, forecast to end after
   `end`? */
bool zb_part_is_late(double start, double end, double fraction);

extern const zb_trade ZB_PART_TRADE;

#endif
