/* What a crew consists of. Private to ranks/. */
#ifndef ZB_CREW_STATE_H
#define ZB_CREW_STATE_H

#include "ranks/crew.h"

typedef struct zb_slot {
    uint64_t epoch; /* of the letter; 0: none */
    zb_letter letter;
} zb_slot;

typedef struct zb_order_letter {
    struct zb_order_letter *next;
    zb_letter letter;
} zb_order_letter;

struct zb_crew {
    zb_crew *next; /* of the rank's */
    zb_ranks *ranks;
    uint64_t serial, epoch;
    uint64_t over[2];   /* epochs that were given up, the last even and odd one */
    _Atomic int status; /* zb_status */
    bool failed;        /* rank 0: some rank has said so */
    bool broken;        /* rank 0: replies were lost for want of memory; none is owed */
    int nslot;
    zb_slot *slot;
    int *came; /* slots, in the sequence of their letters, since zb_crew_look */
    _Atomic int ncame;
    int nread;
    zb_letter paper;
    /* rank 0; per rank */
    zb_letter *reply;
    zb_status *said;
    bool *owes; /* a reply */
    /* other ranks */
    zb_letter part;
    zb_order_letter *orders; /* oldest first */
    bool closed;
    uint64_t limit; /* of the process */
    zb_run run;
    pthread_t thread;
};

/* With the lock. A rank may be an epoch behind rank 0, so that two are told apart. */
static inline bool zb_crew_is_over(const zb_crew *c, uint64_t epoch)
{
    return c->closed || c->over[epoch % 2] == epoch;
}

/* A letter that needs no memory. */
void zb_crew_send(zb_crew *c, int to, size_t count, uint64_t *word);
zb_crew **zb_crew_find(zb_ranks *r, uint64_t serial); /* with the lock */
void zb_crew_free(zb_crew *c);

#endif
