/* States of a model: their value, and better ones nearby. The value of any state is a
 * lower bound of Z. */
#ifndef ZB_ASCENT_H
#define ZB_ASCENT_H

#include "base/rounding.h"
#include "base/run.h"
#include "model/model.h"

/* ln f(state), constants included; -INFINITY: weight zero. */
zb_ball zb_state_value(const zb_model *model, const int *state);

/* Change single variables, and the pairs that share a factor, while that gains: on
   return no such change does, unless the run, which may be NULL, ended first. The
   state's value must not be zero. */
zb_status zb_state_ascend(const zb_model *model, int *state, zb_run *run);

#endif
