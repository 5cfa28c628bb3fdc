/* Several processes that work on one call: rank 0 makes it, the others serve.
 *
 * Every rank has a post office, a thread that takes letters in as long as the ranks are
 * open, so that a request is answered and a stop is heard whatever the rank computes.
 * Work is given out on farms (farm.h): rank 0 has tasks of one trade, those who are
 * done ask for more. What a rank can do for others is a table of trades.
 *
 * Nothing here decides a number: an answer is put where its task stands, whoever gives
 * it, and whoever adds answers up does so in the order of the tasks. */
#ifndef ZB_RANKS_H
#define ZB_RANKS_H

#include "base/run.h"
#include "ranks/letter.h"

#include <pthread.h>

/* ---- trades: what ranks do for rank 0 -------------------------------------------- */

typedef struct zb_stint zb_stint; /* a farm, as one of its workers sees it */

typedef struct zb_trade {
    /* From what all tasks have in common to whatever `work` needs. NULL, and close as
       well: that is nothing. */
    zb_status (*open)(void **state, zb_letter *common, zb_stint *job);
    /* One task; the answer is read by rank 0 where the status is ZB_OK. Several at a
       time share a state. */
    zb_status (*work)(void *state, zb_letter *task, zb_stint *job, zb_letter *answer);
    void (*close)(void *state);
    bool yields; /* waits while the rank has tasks of other trades */
    bool calls;  /* calls the library, which sees to limits of memory itself */
} zb_trade;

enum zb_trade_name {
    ZB_TRADE_SLICES,
    ZB_TRADE_DRAWS,
    ZB_TRADE_HELP,
    ZB_TRADE_BETAS,
    ZB_TRADE_FEEDS,
    ZB_TRADE_PARTS,
    ZB_TRADE_QUESTIONS,
    ZB_TRADE_SUMMITS,
    ZB_TRADES
};

zb_run *zb_stint_run(zb_stint *job); /* ends when the farm does */
int zb_stint_rank(const zb_stint *job);
/* News for rank 0 before there is an answer. */
zb_status zb_stint_tell(zb_stint *job, const zb_letter *news);
/* In a trade that yields: wait while there are other tasks. False: the farm is closed.
 */
bool zb_stint_yield(zb_stint *job);

/* ---- the post office ------------------------------------------------------------- */

enum zb_letter_kind {                  /* the first word of every letter */
                      ZB_LETTER_OPEN,  /* serial, trade, threads, tasks at a time,
                                          memory, limit,  seconds, what tasks share */
                      ZB_LETTER_TASKS, /* serial, batch, count, (index, bytes, task) ...
                                        */
                      ZB_LETTER_CLOSE, /* serial */
                      ZB_LETTER_QUIT,  /* the rank may go */
                      ZB_LETTER_ASK,   /* serial */
                      ZB_LETTER_ANSWER, /* serial, batch, seconds, count, (index,
                                           status, bytes, answer) */
                      ZB_LETTER_NEWS,   /* serial, what it is about */
                      /* of crews (crew.h); all begin with a serial of these */
                      ZB_LETTER_PART,    /* memory, threads, slots, the part */
                      ZB_LETTER_ORDER,   /* epoch, what is to be done */
                      ZB_LETTER_SLOT,    /* epoch, slot, what is put there */
                      ZB_LETTER_REPLY,   /* status, answer */
                      ZB_LETTER_GIVE_UP, /* epoch */
                      ZB_LETTER_DISMISS,
                      ZB_LETTER_STARVED /* of all: the sender has no memory for letters
                                         */
};

struct zb_farm;
typedef struct zb_parcel zb_parcel;

struct zb_ranks {
    zb_transport transport;
    pthread_t office;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t news;
    pthread_mutex_t sending;       /* one letter at a time */
    bool leave;                    /* the office shall close */
    bool quit;                     /* rank 0 has said so */
    zb_parcel *parcel;             /* per rank: a letter that comes in parts */
    size_t chunk;                  /* bytes of a part */
    struct zb_farm *farms;         /* rank 0 */
    uint64_t serial;               /* of the last farm */
    uint64_t memory;               /* limit of each process, told to all */
    double least;                  /* seconds of work that are worth a letter */
    const zb_trade *const *trades; /* other ranks: what they know; NULL: not serving */
    zb_stint *jobs;                /* of theirs */
    int busy;                      /* tasks of trades that do not yield */
    struct zb_crew *crews;         /* that this rank is in */
    double starved; /* a letter waits for memory: when to complain again; 0: none */
    uint64_t crew_serial;                 /* rank 0: of the last */
    void (*member)(struct zb_crew *crew); /* what a member does until it is closed */
    _Atomic uint64_t bytes;               /* sent, for the cost model */
    _Atomic uint64_t letters;
};

/* Send it; the letter stays the caller's. A letter that could not be written for want
   of memory is not sent. */
zb_status zb_ranks_send(zb_ranks *r, int to, const zb_letter *letter);
zb_letter zb_letter_begin(enum zb_letter_kind kind);

/* Taken by the office, with the lock. */
void zb_farm_receive(zb_ranks *r, int from, uint64_t kind, zb_letter *letter);
void zb_work_receive(zb_ranks *r, uint64_t kind, zb_letter *letter);
/* Now and then, with the lock. */
void zb_farm_look_after(zb_ranks *r);

/* A call begins that has the limit of memory; NULL: nobody to ask. */
zb_ranks *zb_ranks_enter(zb_ranks *r, uint64_t memory);

/* Ranks other than 0: until rank 0 closes. */
zb_status zb_ranks_work(zb_ranks *r, const zb_trade *const *trades,
                        void (*member)(struct zb_crew *crew));

#endif
