/* Better states by groups of variables at a time.
 *
 * Some variables keep their values, so many that what is left of the cliques of an
 * order is small; the best values of all the others follow by maxima along the tree, at
 * once. With groups that change at random, a state that hardly any of them improves is
 * far better than one that single flips cannot. Every other group has an order of its
 * own, a sweep through the model from some variable. */
#ifndef ZB_REDRAW_H
#define ZB_REDRAW_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_redraw_spec {
    const int *order;   /* of elimination */
    double entries;     /* of a clique, at most */
    const double *lane; /* per variable, or NULL: those of large lanes are kept first */
    uint64_t seed;
    int most;     /* groups */
    int patience; /* groups without a gain that end it */
} zb_redraw_spec;

/* The state, whose value is not zero, never becomes worse. Factors are in logarithms.
   When the run ends, the state is the best so far. */
zb_status zb_redraw(const zb_model *model, const zb_redraw_spec *spec, zb_run *run,
                    int *state);

/* Which variables keep their values in one group: those of the largest lanes; without
   lanes at random, later ones in the order rather than earlier ones, by how much is
   also random. */
zb_status zb_redraw_kept(const zb_scopes *scopes, const zb_redraw_spec *spec,
                         uint64_t seed, bool *kept);

#endif
