/* What is known about ln Z while method auto is at work: a bracket for every component,
 * and who proved each side. Every number that comes in is a proved bound, so the
 * bracket only ever closes, and two numbers that exclude each other mean that one of
 * them is wrong: then there is no answer at all. Rounding is no excuse: it is in the
 * bounds already (base/rounding.h). */
#ifndef ZB_LEDGER_H
#define ZB_LEDGER_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_claim {
    double lower, upper;
    const char *lower_by, *upper_by; /* who proved it */
    bool exact;      /* lower and upper are ln Z less and plus its radius */
    double searched; /* lower bound by mini-buckets, even where others are ahead */
} zb_claim;

typedef struct zb_ledger {
    zb_run *run; /* reports go here */
    zb_run work; /* a share of it, for all that is done; ends when there is no answer */
    zb_claim whole; /* about the model as given */
    int count;      /* components; 0: not known yet */
    zb_claim *part;
    const char *by;                    /* what reported last; NULL: nothing */
    bool drawn;                        /* draws have said something about the whole: */
    double likely_lower, likely_upper; /* not proved, and told beside what is */
    int ibound;                        /* of the search that reported last */
    zb_side side;                      /* of it; BOTH: something else reported */
    int64_t iterations[ZB_SIDE_LOWER + 1]; /* of all searches so far, by side */
    pthread_mutex_t lock;
    bool broken; /* two claims contradict each other */
    zb_error contradiction;
} zb_ledger;

/* Starts with what the model's largest and mean entries say. */
zb_status zb_ledger_open(zb_ledger *l, const zb_model *model, zb_run *run);
/* Bounds of the whole that an earlier run has proved. */
void zb_ledger_restore(zb_ledger *l, struct zb_keep *keep);
zb_status zb_ledger_parts(zb_ledger *l, int count, zb_model *const *part);
void zb_ledger_close(zb_ledger *l);

/* A bound of component i, proved by `by`; infinite: nothing new on that side. False:
   stop. */
bool zb_ledger_bound(zb_ledger *l, int i, double lower, double upper, const char *by);
/* The same from a search by mini-buckets on one side, after so many iterations since it
   last told. */
bool zb_ledger_pass(zb_ledger *l, int i, zb_side side, int ibound, int64_t iterations,
                    double bound);
/* ln Z of component i. */
void zb_ledger_settle(zb_ledger *l, int i, zb_ball log_z, const char *by);

/* What draws say about the whole, within what is proved; nothing else depends on it. */
void zb_ledger_likely(zb_ledger *l, double lower, double upper);

zb_claim zb_ledger_claim(zb_ledger *l, int i);
zb_claim zb_ledger_total(zb_ledger *l);
bool zb_ledger_tell(zb_ledger *l); /* false: stop */

#endif
