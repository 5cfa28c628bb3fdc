/* A configuration of positive weight that is likely, as far as an upper bound's beliefs
 * say. */
#ifndef ZB_START_H
#define ZB_START_H

#include "auto/cutset.h"
#include "tighten/attempt.h"

/* Values for a cutset's variables that belong to a configuration of positive weight.
   guide: an attempt on the model in its original form, or NULL. The run may be NULL;
   ZB_ELIMIT when it ends first. */
zb_status zb_start_find(const zb_model *model, zb_attempt *guide,
                        const zb_cutset *cutset, zb_run *run, int *value, bool *found);

#endif
