/* The mini-bucket methods (mbe, wmbe, wmbe-w .. wmbe-wg): reductions, an ibound, then a
 * search on each side. */
#ifndef ZB_MINIBUCKET_H
#define ZB_MINIBUCKET_H

#include "tighten/search.h"

/* Of the search count model, options, run, from and certified. *to, unless to is NULL,
   is where it got to. */
zb_status zb_minibucket_solve(const zb_search *asked, zb_state **to, zb_result *out,
                              zb_error *err);

#endif
