/* Values that no best state has.
 *
 * Value a of v is dominated by b if putting b in its place makes every state better,
 * whatever the others are (Desmet et al., Goldstein: dead-end elimination):
 *
 *     sum_{f of v} max_y ln f(a, y) - ln f(b, y) < 0,
 *
 * y over what makes f(a, y) positive. A best state does not have it, so it may as well
 * be forbidden, and then more values may be dominated. */
#ifndef ZB_DOMINATE_H
#define ZB_DOMINATE_H

#include "base/run.h"
#include "model/model.h"

/* The model in logarithms, with zeros wherever a dominated value is: the best states
   are the same. Without evidence. Where the run ends first, with those found until
   then; ZB_ENOMEM, or ZB_EINVAL where logarithms cannot be taken. removed: how many. */
zb_status zb_dominate(zb_model **out, const zb_model *model, zb_run *run,
                      size_t *removed);

#endif
