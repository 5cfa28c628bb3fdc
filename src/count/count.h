/* Exact ln Z by search, as model counters do it: zeros are clauses; decide on Booleans,
 * propagate, learn from conflicts, treat parts that fall apart one by one and remember
 * what they sum to. It thrives on zeros (model counting, pedigrees) where tables would
 * be far too large; without zeros it is no better than tables. */
#ifndef ZB_COUNT_H
#define ZB_COUNT_H

#include "base/rounding.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_count_spec {
    uint64_t memory; /* bytes, for everything */
    uint64_t memo;   /* of these, most for the memo of parts; 0: half of what is left */
    bool wide;       /* decide by clauses and conflicts alone, not by the order */
    zb_run *run;     /* may be NULL; is told now and then what is proved */
} zb_count_spec;

typedef struct zb_count_result {
    double log_z;    /* ln Z if complete, else that of what was summed so far */
    double radius;   /* nats: what rounding may have done to it, the model's own radius
                        included (base/rounding.h) */
    double log_most; /* ln Z is no more: what was summed and, of the rest, at most so
                        much (ceiling.h); INFINITY: nothing is known. Rounded up */
    bool complete;
    int64_t decisions, hits, conflicts; /* hits: parts found in the memo */
} zb_count_result;

/* model: reduced (log tables, no evidence, cardinalities from 2; else ZB_EINVAL; where
   memory is too little, or the run ended, before the search began ZB_ELIMIT). order: a
   good elimination order; the search prefers to decide on what it would eliminate last.
   The lower bound is finite as soon as a solution was found, which takes most models no
   time; it is what there is when the run ends or the memory is spent. */
zb_status zb_count_run(const zb_model *model, const int *order,
                       const zb_count_spec *spec, zb_count_result *out);

/* A search that can be taken up again: what it summed and learnt is kept in between,
   and the decisions that it was in the middle of. The model and the purse's memory must
   outlive it; spec->run counts while it is made, each run brings its own. */
typedef struct zb_counter zb_counter;
zb_status zb_counter_new(zb_counter **out, const zb_model *model, const int *order,
                         const zb_count_spec *spec);
zb_status zb_counter_run(zb_counter *c, zb_run *run, zb_count_result *out);
/* The same with at most so many decisions above each other: a bracket of every part
   that is left. What was summed whole is known to the next run. */
zb_status zb_counter_look(zb_counter *c, zb_run *run, int levels, zb_count_result *out);
/* Does it make sense to go on? Not once it is complete, or out of memory. */
bool zb_counter_open(const zb_counter *c);
uint64_t zb_counter_bytes(const zb_counter *c);
void zb_counter_free(zb_counter *c); /* NULL is fine */

#endif
