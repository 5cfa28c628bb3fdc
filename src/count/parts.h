/* The state of a count (count.c) and how what is left of a model falls apart. */
#ifndef ZB_PARTS_H
#define ZB_PARTS_H

#include "base/sum.h"
#include "model/table.h"
#include "sat/sat.h"

enum { ZB_BOOLS, ZB_LONGS, ZB_TABLES, ZB_KINDS };

/* Open Booleans that clauses or tables connect, with the clauses (of three and more)
   and the tables: sorted lists in the pool, by offsets since the pool may move. */
typedef struct zb_part {
    size_t at[ZB_KINDS];
    int n[ZB_KINDS];
    size_t key, key_length; /* in the stack of keys */
} zb_part;

typedef struct zb_parts {
    const zb_model *model;
    const zb_clauses *clauses;
    const zb_sat *sat;
    int *clause_at, *clause_of; /* per Boolean: long clauses it is in */
    int ntables, *table;        /* factors with weights: entries other than 0 differ */
    int *table_at, *table_of;   /* per variable: which of them it is in */

    int64_t mark, *marks[ZB_KINDS];
    int *queue, *frequency; /* of a Boolean in the clauses of its part */
    int *pool;
    size_t used, room;
    zb_part *part; /* a stack */
    int nparts, part_room;
    uint32_t *key; /* a stack of words */
    size_t key_used, key_room;
    bool failed;     /* out of memory */
    zb_purse *purse; /* the clauses' */
    zb_ticker *tick; /* the sat's */
} zb_parts;

/* Functions that return false have failed, or found the purse empty or the time over:
   what is on the stacks above where they were called is then of no use. */

/* The factors' zeros are in the clauses, which the sat searches. */
zb_status zb_parts_init(zb_parts *p, const zb_model *model, const zb_clauses *clauses,
                        zb_sat *sat);
void zb_parts_clear(zb_parts *p);

/* Empty stacks, and a run of its own for the search that follows. */
void zb_parts_restart(zb_parts *p, zb_sat *sat, zb_run *run);

/* All that is open at the start, onto the stack. */
bool zb_parts_whole(zb_parts *p);

/* Push the parts of what is still open of `whole`. Tables that no longer depend on open
   Booleans, and Booleans that nothing depends on, are summed: onto *term, in logs. */
bool zb_parts_split(zb_parts *p, zb_part whole, zb_sum *term);

/* A list of words that says what a part looks like, onto the stack of keys. Parts with
   the same key have the same sum. */
bool zb_parts_key(zb_parts *p, zb_part *part);

/* ln of the weight of the sat's model, as far as the part's tables go. */
zb_ball zb_parts_model_weight(const zb_parts *p, const zb_part *part);

#endif
