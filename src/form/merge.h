/* Which factors to merge: symbolic, scopes only. */
#ifndef ZB_MERGE_H
#define ZB_MERGE_H

#include "base/run.h"
#include "model/table.h"

typedef struct zb_merge_rule {
    int ibound; /* variables of a joint scope; larger factors stay as they are */
    double max_entries; /* entries of a joint table, likewise */
    double finish;      /* more gain where a variable arrives at degree two */
    double summed;      /* gain where a variable is summed out */
    double growth;      /* loss for each variable more in the larger scope */
    double further;     /* weight of what one variable more would bring */
    double noise;       /* scores are shaken by up to this much, by seed */
    uint64_t seed;
    bool smallest; /* by smallest scope, gain deciding between equals */
} zb_merge_rule;

/* Merge pair[i][1] into pair[i][0], in this order. Variables that are then
   in one factor only are summed out, as are those that were so at the begin. */
typedef struct zb_merge_plan {
    int count;
    int (*pair)[2];
    int equality;   /* equality factors that are still needed: sum of degree - 2 */
    int summed;     /* variables summed out */
    double nats;    /* sum of ln cardinality over the variables of the Forney form */
    double entries; /* of all its tables, those of equality factors included */
} zb_merge_plan;

/* ZB_ELIMIT, from either planner, when the time is over. */
zb_status zb_merge_plan_new(zb_merge_plan *out, const zb_scopes *s,
                            const zb_merge_rule *rule, zb_ticker *tick);
/* Set equality and nats from the degrees that the variables have in the end, and add
   the entries of equality factors. */
void zb_merge_plan_rate(zb_merge_plan *plan, int nvars, const int *card,
                        const int *degree);
void zb_merge_plan_clear(zb_merge_plan *plan);

/* Tiles of side x side plaquettes, when the factors are a grid's; joint scopes have at
   most 4 side + 1 variables. ZB_EINVAL when it is none, when the tiles do not fit its
   rings, or when tables would have more than max_entries. */
zb_status zb_tile_plan_new(zb_merge_plan *out, const zb_model *model, int side,
                           double max_entries, zb_ticker *tick);

#endif
