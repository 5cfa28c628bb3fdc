/* Threads that help one of them: parts of one task after another are handed out to
 * whoever asks. A thread that the machine has put to sleep holds nobody up unless it
 * sleeps over a part it has begun, which a barrier per task could not promise: on a
 * busy machine that made two threads three times slower than one. */
#ifndef ZB_TEAM_H
#define ZB_TEAM_H

#include "base/base.h"

#include <stdatomic.h>

typedef void zb_team_task(void *context, int part, int thread);

typedef struct zb_team {
    _Atomic uint64_t ticket; /* round, parts of it, the next one: 48, 8 and 8 bits */
    _Atomic int done;        /* parts of the round that are finished */
    _Atomic bool over;
    bool open; /* there are helpers */
    uint64_t round;
    zb_team_task *task;
    void *context;
} zb_team;

/* Run lead on this thread (number 0), with threads - 1 helpers at hand meanwhile. */
void zb_team_lead(zb_team *team, int threads, void (*lead)(void *context),
                  void *context);

/* All parts (at most 255) of a task; by this thread alone unless it leads. */
void zb_team_share(zb_team *team, int parts, zb_team_task *task, void *context);

#endif
