/* Variables to condition on, so that what is left can be solved exactly. */
#ifndef ZB_CUTSET_H
#define ZB_CUTSET_H

#include "base/run.h"
#include "model/model.h"

typedef struct zb_cutset {
    int count;
    int *var;
    double slices; /* product of their cardinalities; may be huge */
    double total;  /* clique entries of one slice, by the order given */
} zb_cutset;

/* Greedy: cut the variable that saves most of the order's clique entries per factor of
   slices, until one slice has at most `entries`; ZB_ELIMIT when more than `most`
   variables would have to be cut, or the run (which may be NULL) ends. */
zb_status zb_cutset_find(zb_cutset **out, const zb_scopes *scopes, const int *order,
                         double entries, int most, zb_run *run);
void zb_cutset_free(zb_cutset *cutset);

#endif
