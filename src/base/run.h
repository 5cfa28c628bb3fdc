/* A run: what one call of the library may take, and whether it shall go on.
 *
 * Made once where a call enters (solve.c); from there on every limit is a plain number
 * with one meaning: a deadline of INFINITY and a memory of UINT64_MAX are no limit,
 * threads are at least one. Work that is divided (sides, components, slices,
 * candidates) gets a share: a run of its own with an earlier deadline, less memory or
 * fewer threads, which ends when its parent does.
 *
 * Every loop that can last asks zb_run_more, or counts its work with zb_tick, and
 * leaves in good order when the answer is no: with what it has if that is of use, else
 * with ZB_ELIMIT. Asking also keeps the observer informed, so that a caller who wants
 * to stop is heard within a fraction of a second whatever is going on. */
#ifndef ZB_RUN_H
#define ZB_RUN_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct zb_run {
    struct zb_run *parent;  /* NULL: the call itself */
    double start, deadline; /* on zb_now()'s clock */
    uint64_t memory;        /* bytes */
    int threads;
    bool alone; /* a task that is itself shared out, or one of several at a time: it and
                   its shares give nothing to other ranks */
    _Atomic bool stopped; /* of the call: the caller wants no more; of a share: the
                             rest of its work is of no use */
    /* What a share reports goes here first: a part's bounds are not the whole's. NULL:
       to the parent as it is. Returns false to end the share. */
    bool (*relay)(void *context, const zb_progress *at);
    void *context;
    /* of the call itself */
    struct zb_ranks *ranks;      /* processes that help; NULL: none (ranks/ranks.h) */
    struct zb_keep *keep;        /* a checkpoint; NULL: none (ranks/keep.h) */
    const zb_observer *observer; /* may be NULL */
    pthread_mutex_t lock;        /* of the observer and what it was told last */
    zb_progress at;
    _Atomic int64_t told; /* when, in nanoseconds */
} zb_run;

/* threads 0: all processors. deadline INFINITY, memory UINT64_MAX: no limit. */
zb_status zb_run_open(zb_run *run, const zb_observer *observer, double deadline,
                      uint64_t memory, int threads);
void zb_run_close(zb_run *run);
/* The deadline of a call that begins now and takes its options' time as it is: 0, and
   none given, are no limit. */
double zb_run_deadline(const zb_options *opt);

/* A share of a run, which may be NULL: at most the parent's deadline and memory. It
   need not be closed, and must not outlive its parent. */
zb_run zb_run_share(zb_run *parent, double deadline, uint64_t memory, int threads);

/* Shall the work go on? A run of NULL has no limits. Any thread may ask. It takes some
   40 ns, unless the observer is due to be told. */
bool zb_run_more(zb_run *run);
double zb_run_left(const zb_run *run);      /* seconds; INFINITY: no limit */
bool zb_run_interrupted(const zb_run *run); /* the caller asked to stop */
void zb_run_stop(zb_run *run);              /* this run and its shares */

/* Tell the observer, through the relays on the way: new bounds, a pass, a share of the
   work done; seconds is filled in. Returns what zb_run_more would. */
bool zb_run_report(zb_run *run, zb_progress at);
bool zb_run_report_lower(zb_run *run, double log_lower); /* that alone */
void zb_run_note(zb_run *run, const char *sentence);

/* The processes that help with the call; NULL: there is nobody to ask, or the run is
   one that asks nobody. */
struct zb_ranks *zb_run_ranks(zb_run *run);
/* Its checkpoint; NULL: it has none. */
struct zb_keep *zb_run_keep(zb_run *run);

/* A relay for shares whose numbers mean nothing to others: `run`, which it belongs to,
   is asked and told nothing. */
bool zb_run_silent(void *run, const zb_progress *at);

/* For loops whose steps are too short to ask each time: work is counted in operations
   of about a nanosecond, and the run asked about once in a quarter of a millisecond. A
   ticker belongs to one thread. Once over, it stays over. */
typedef struct zb_ticker {
    zb_run *run; /* may be NULL */
    double work; /* since the run was last asked */
    bool over;
} zb_ticker;

bool zb_ticker_ask(zb_ticker *t);
static inline bool zb_tick(zb_ticker *t, double work)
{
    t->work += work;
    return t->work < 250000 ? !t->over : zb_ticker_ask(t);
}

#endif
