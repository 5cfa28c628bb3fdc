/* Components that look the same after a turn. */
#ifndef ZB_TURN_H
#define ZB_TURN_H

#include "base/run.h"
#include "model/model.h"

/* A turn moves every variable's value on by one, the last to the first. Where it
   changes no table of a component (spins without a field, Potts and clock models), Z is
   the cardinality times the sum with any one variable at any value: *out has one of
   each such component fixed, which stays as a variable of a single value. NULL: there
   is none, or the run ended, or the model has evidence. */
zb_status zb_turn_fix(zb_model **out, const zb_model *model, zb_run *run);

#endif
