/* Ranks that hold parts of one thing and work on it in step.
 *
 * Rank 0 gives a part to every other rank, then orders to all of them, which each
 * follows in the sequence they were given. Some orders begin an epoch: work in which
 * members send each other letters, into slots that are numbered, and wait for what is
 * to come in theirs; at its end every member replies. Rank 0 waits for all replies
 * before the next epoch, so a slot holds one letter at most; what comes late, from an
 * epoch that was given up, is dropped. Any member may give an epoch up, for all.
 *
 * A member whose memory is out says so, for which none is needed: then the crew is
 * broken, and of no further use. */
#ifndef ZB_CREW_H
#define ZB_CREW_H

#include "ranks/ranks.h"

typedef struct zb_crew zb_crew;

/* ---- rank 0 ---------------------------------------------------------------------- */

zb_status zb_crew_open(zb_crew **out, zb_ranks *ranks, const zb_run *run);
/* To one rank; it replies when it is ready (zb_crew_gather). */
zb_status zb_crew_part(zb_crew *c, int rank, int slots, const zb_letter *part);
zb_status zb_crew_slots(zb_crew *c, int slots); /* of rank 0 itself */
/* To all; epoch: it begins one, of which zb_crew_gather takes the replies. */
void zb_crew_order(zb_crew *c, const zb_letter *order, bool epoch);
/* Wait until all have replied; when the run ends, which may be NULL, the epoch does.
   reply[rank] stays the crew's, until the next one. ZB_OK, or what the first rank that
   failed says. */
zb_status zb_crew_gather(zb_crew *c, zb_run *run, zb_letter **reply);
void zb_crew_close(zb_crew *c); /* NULL is fine */
int zb_crew_size(const zb_crew *c);
zb_status zb_crew_status(const zb_crew *c); /* ZB_OK unless it is broken */
void zb_crew_break(zb_crew *c);             /* rank 0's memory is out */

/* ---- all members ----------------------------------------------------------------- */

int zb_crew_rank(const zb_crew *c);
/* A letter for another member's slot, in this epoch. */
void zb_crew_post(zb_crew *c, int to, int slot, const zb_letter *letter);
/* Which of the slots first .. have got their letters, and from now on which do, one
   after the other, whatever their number: -1: none, which with wait means that the
   epoch is given up. */
void zb_crew_look(zb_crew *c, int first, int count, bool *there);
int zb_crew_news(zb_crew *c, zb_run *run, bool wait);
/* What comes into the slot is the caller's. False: the epoch is given up. */
bool zb_crew_wait(zb_crew *c, int slot, zb_run *run, zb_letter *out);
void zb_crew_give_up(zb_crew *c);
/* Is a letter that is made empty again to be used for what is posted. */
zb_letter *zb_crew_paper(zb_crew *c);

/* ---- other ranks ----------------------------------------------------------------- */

zb_run *zb_crew_run(zb_crew *c);                 /* ends when the epoch is given up */
zb_letter *zb_crew_given(zb_crew *c);            /* the part */
bool zb_crew_next(zb_crew *c, zb_letter *order); /* false: the crew is closed */
void zb_crew_begin(zb_crew *c);                  /* the epoch of an order */
void zb_crew_reply(zb_crew *c, zb_status status, const zb_letter *letter);

/* For ranks.h: letters of crews, taken by the office, with the lock. */
void zb_crew_receive(zb_ranks *r, int from, uint64_t kind, zb_letter *letter);
/* There is no memory for a letter that has come: crews are broken, and free theirs. */
void zb_crew_starve(zb_ranks *r);
void zb_crew_shut(zb_ranks *r); /* all of them: the rank may go */
bool zb_crew_bury(zb_ranks *r); /* one that is closed, with the lock */

#endif
