/* Tasks of one trade that rank 0 has, and that any rank may do.
 *
 * A farm is opened with what all its tasks share, which goes to every rank once. Then
 * come batches of tasks. Rank 0 works on them itself; who is done asks for more, and
 * gets as many as take a few hundredths of a second. When all are given out, a task
 * that takes long is given out a second time, to whoever asks: the first answer counts.
 * It is the same number, so that this changes no bit; to split the task would. */
#ifndef ZB_FARM_H
#define ZB_FARM_H

#include "ranks/ranks.h"

typedef struct zb_farm zb_farm;

typedef struct zb_farm_spec {
    enum zb_trade_name trade;
    int threads; /* tasks at a time on each rank; each has its part of the threads */
    bool once;   /* no task twice: what is answered depends on when it began */
    uint64_t memory; /* of a rank's run */
    void *context;
    void (*write)(void *context, size_t i, zb_letter *task);
    /* The task as rank 0 does it; NULL: it does none. */
    zb_status (*local)(void *context, size_t i, zb_run *run, zb_letter *answer);
    /* The first answer to task i; others are not looked at. What fails elsewhere is
       done again here; what fails here has failed, and has no answer. One at a time. */
    void (*read)(void *context, size_t i, zb_status status, zb_letter *answer);
    void (*news)(void *context, int from, zb_letter *news); /* or NULL */
} zb_farm_spec;

/* *out stays NULL where there is one rank alone. common stays the caller's. */
zb_status zb_farm_open(zb_farm **out, const zb_farm_spec *spec, const zb_letter *common,
                       zb_run *run);
/* Tasks 0 .. count - 1, until they are done or the run ends; what is not done is left.
   Called by one thread. */
zb_status zb_farm_run(zb_farm *f, size_t count, zb_run *run);
/* The same without waiting: they are given to ranks as these ask. */
zb_status zb_farm_start(zb_farm *f, size_t count);
void zb_farm_close(zb_farm *f); /* NULL is fine */

#endif
