/* Good states by annealing: variables are drawn anew, one after the other, given all
 * others, at temperatures that fall. Where every variable meets every other one, draws
 * from a bound are far off and groups of variables are small; this needs neither. */
#ifndef ZB_ANNEAL_H
#define ZB_ANNEAL_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_anneal_spec {
    uint64_t seed;
    int sweeps; /* of the first descent; each next one has twice as many. Set to those
                   of the one that would follow */
    int most;   /* descents; without a clock they end it */
} zb_anneal_spec;

/* From a state whose value is not zero: the best one that was met, improved by
   zb_state_ascend; never a worse one. Where the run ends, the best so far; nothing is
   done where logarithms of all tables do not fit its memory. */
zb_status zb_anneal(const zb_model *model, zb_anneal_spec *spec, zb_run *run,
                    int *state);

#endif
