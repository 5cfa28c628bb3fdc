/* Where draws of one connected model come from: an upper bound, and its proposal. */
#ifndef ZB_SOURCE_H
#define ZB_SOURCE_H

#include "sample/proposal.h"
#include "tighten/state.h"

typedef struct zb_source {
    zb_proposal *proposal; /* of the model's variables */
    double log_upper;      /* constants included; the mean of w is Z, */
    double radius;         /* but for rounding: of ln U, and of ln w */
    double noise;          /* with signs, where errors are not in proportion: how far
                              the mean of w / U may be off besides */
    int ibound;
} zb_source;

/* By the tree of an attempt of the upper side: in the original form without gauges,
   whose model is clean (see zb_attempt); or with gauges, in any form, with signs. */
zb_status zb_source_take(zb_source *out, zb_attempt *attempt, zb_run *run);

/* The best that the run's time and memory can pay for: elimination without a split
   where that fits half of them, else mini-buckets, tightened. The model has no
   evidence, and no variable of a single value. Of the options count seed, ibound and
   iterations. ZB_ELIMIT when the run ends before there is a source. */
zb_status zb_source_find(zb_source *out, const zb_model *model, const zb_options *opt,
                         zb_run *run);

/* By the upper side of a saved state, of this model: its variables are the state's, and
   its tables may be others. ZB_EINVAL with a sentence where the state has no upper
   side, is not of the original form, or nothing of it fits. */
zb_status zb_source_load(zb_source *out, const zb_model *model, const zb_state *state,
                         zb_run *run, zb_error *err);
void zb_source_close(zb_source *source);

#endif
