/* Arms: ways to bound one side of the component at work that stay alive for the whole
 * run, each with its tree, its parameters, the state of its optimiser, and a measured
 * curve of bound against seconds. Time is given in slices, to the arm whose next second
 * promises most. They form a ladder: small cliques are cheap and come close to their
 * best soon; larger ones are begun when those slow down, and only where making them and
 * a number of passes that shows what they are worth is a part of the time at hand. */
#ifndef ZB_ARMS_H
#define ZB_ARMS_H

#include "auto/steer.h"
#include "tighten/attempt.h"

enum { ZB_ARMS = 16, ZB_CURVE = 24 };

typedef struct zb_arm {
    zb_attempt *attempt; /* NULL: there was no room to keep it; its bound is known */
    zb_method method;
    int size;     /* ld of the entries that a clique may have */
    double bound; /* the best so far */
    double entries, nodes, bytes;
    double making;      /* seconds until it could be tightened */
    double spent;       /* seconds of slices, */
    double slice;       /* of the last one, */
    double pass;        /* and of a pass */
    double rate, older; /* nats a second in the last slice, and in the one before */
    int64_t passes;
    int64_t since; /* those of its race: before these its curve is not known */
    bool tried;    /* it has made the passes of its trial, */
    double trial;  /* and this was its bound then */
    bool converged;
    bool poor; /* it was given up: a smaller one was far better after as many passes */
    double curve[ZB_CURVE]; /* its bound after zb_promise_point(i) passes, */
    int points;             /* for so many i */
} zb_arm;

typedef struct zb_arms {
    zb_steer *steer;
    zb_side side;
    int threads;
    uint64_t memory; /* for all of them */
    int first;       /* size of the smallest */
    zb_kind kind;    /* of the next one that is made */
    zb_arm arm[ZB_ARMS];
    int count;
    int top;      /* the largest size that was made */
    int next;     /* the one to be made next */
    int entered;  /* candidates for the last one */
    bool closed;  /* none larger fits the memory, or is needed */
    double step;  /* nats that the last larger one gained; negative: not known yet */
    int refused;  /* this size is too large for the time at hand, or memory; 0: none */
    bool hurried; /* the time at hand was too short for more */
    double later; /* seconds in this round after those at hand, about */
} zb_arms;

void zb_arms_open(zb_arms *s, zb_steer *p, zb_side side, int first);
void zb_arms_close(zb_arms *s);

/* A slice, or a new arm, for what promises most until `end` (zb_now()'s clock). */
zb_status zb_arms_go(zb_arms *s, double end);
/* Nats a second that this promises; 0: there is nothing to be done. */
double zb_arms_promise(zb_arms *s, double end);

/* Entries of the largest tree that there may be after so many seconds; 0: none. */
double zb_arms_reach(const zb_arms *s, double seconds);

/* There is more time than before: what was too large may fit it. */
void zb_arms_renew(zb_arms *s);
int64_t zb_arms_passes(const zb_arms *s); /* in all */

/* The tightest that is alive; the tightest of those that are less tight than another;
   NULL: none. */
zb_attempt *zb_arms_best(const zb_arms *s);
zb_attempt *zb_arms_next(const zb_arms *s, const zb_attempt *after);
/* Keep no more than so many bytes. */
void zb_arms_trim(zb_arms *s, double bytes);

#endif
