/* Lower bounds that zeros do not spoil: slices of a cutset, from one that is likely. */
#ifndef ZB_CUT_SLICES_H
#define ZB_CUT_SLICES_H

#include "auto/sides.h"

/* Until `end` (zb_now()'s clock), for the component at work; the guide of the sides, an
   upper bound, says what is likely. */
zb_status zb_cut_slices_run(zb_sides *f, double end);

#endif
