/* A second opinion on an exact answer. */
#ifndef ZB_CONFIRM_H
#define ZB_CONFIRM_H

#include "base/run.h"

/* One mini-bucket pass for each side, on the model as given and in an order of its own,
   must contain ln Z: ZB_EBUG and a sentence if it does not. It shares neither the
   reductions nor the order nor, for most tables, the arithmetic with what gave the
   answer. It takes a small part of the time that the answer took, and is left out where
   there is no time or memory for it. */
zb_status zb_confirm(const zb_model *model, const zb_result *answer, zb_run *run,
                     zb_error *err);

#endif
