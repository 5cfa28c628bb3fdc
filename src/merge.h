/* Which factors to merge: symbolic, scopes only. */
#ifndef ZB_MERGE_H
#define ZB_MERGE_H

#include "model.h"

typedef struct zb_merge_rule {
    int ibound; /* variables of a joint scope; larger factors stay as they are */
    double max_entries; /* entries of a joint table, likewise */
    double finish;      /* more gain where a variable arrives at degree two */
    double summed;      /* gain where a variable is summed out */
    double growth;      /* loss for each variable more in the larger scope */
    double further;     /* weight of what one variable more would bring */
    double noise;       /* scores are shaken by up to this much, by seed */
    uint64_t seed;
    bool smallest;    /* by smallest scope, gain deciding between equals */
    const int *label; /* NULL, or by factor: only equal labels are merged */
} zb_merge_rule;

/* Merge pair[i][0] < pair[i][1] into the first, in this order. Variables that are then
   in one factor only are summed out, as are those that were so at the begin. */
typedef struct zb_merge_plan {
    int count;
    int (*pair)[2];
    int equality; /* equality factors that are still needed: sum of degree - 2 */
    int summed;   /* variables summed out */
    double nats;  /* sum of ln cardinality over the variables of the Forney form */
} zb_merge_plan;

zb_status zb_merge_plan_new(zb_merge_plan *out, const zb_scopes *s,
                            const zb_merge_rule *rule);
void zb_merge_plan_clear(zb_merge_plan *plan);

/* Labels for tiles of side x side plaquettes, from the grid that the model is;
   ZB_EINVAL when it is none or the tiles do not fit its rings. */
zb_status zb_tile_labels(const zb_model *model, int side, int *label);

#endif
