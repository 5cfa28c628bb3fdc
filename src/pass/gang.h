/* Threads that help one of them: parts of one task after another are handed out to
 * whoever asks. A thread that the machine has put to sleep holds nobody up unless it
 * sleeps over a part it has begun, which a barrier per task could not promise: on a
 * busy machine that made two threads three times slower than one. */
#ifndef ZB_GANG_H
#define ZB_GANG_H

#include "base/base.h"

#include <stdatomic.h>

typedef void zb_gang_task(void *context, int part, int thread);

typedef struct zb_gang {
    _Atomic uint64_t ticket; /* round, parts of it, the next one: 48, 8 and 8 bits */
    _Atomic int done;        /* parts of the round that are finished */
    _Atomic bool over;
    bool open; /* there are helpers */
    uint64_t round;
    zb_gang_task *task;
    void *context;
} zb_gang;

/* Run lead on this thread (number 0), with threads - 1 helpers at hand meanwhile. */
void zb_gang_lead(zb_gang *gang, int threads, void (*lead)(void *context),
                  void *context);

/* All parts (at most 255) of a task; by this thread alone unless it leads. */
void zb_gang_share(zb_gang *gang, int parts, zb_gang_task *task, void *context);

#endif
