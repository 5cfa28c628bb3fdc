/* The best state of one connected model, and a bound on all states.
 *
 * Maxima in the place of sums: elimination is exact where it fits. Mini-buckets bound
 * the largest product from above, each maximising by itself, and shifts between them,
 * which add up to zero, make the bound tighter (MBE with moment matching). Where good
 * shifts are is found by the smooth bound of the model at inverse temperature beta: for
 * f^beta, ln of the sum over beta tends to ln of the maximum as beta grows, and so does
 * what its bound's shifts are good for. */
#ifndef ZB_SUMMIT_H
#define ZB_SUMMIT_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_summit {
    int *state;   /* per variable; of use where found */
    bool found;   /* there is a state of positive weight */
    double value; /* ln of its weight, about */
    double upper; /* proved: of ln of any state's weight */
    bool optimal;
    int ibound;
} zb_summit;

/* The model has no evidence, factors in logarithms without empty scopes, and variables
   of two values or more, each in some factor. Of
   the options count seed, ibound and iterations. Where the run ends first, what is
   known by then is in *out, whose state has room for all variables. */
zb_status zb_summit_find(zb_summit *out, const zb_model *model, const zb_options *opt,
                         zb_run *run);

#endif
