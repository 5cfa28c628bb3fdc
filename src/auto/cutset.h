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

typedef struct zb_cutset_request {
    const zb_scopes *scopes;
    const int *order;
    double entries; /* that a slice may have */
    int most;       /* variables to cut */
    /* Per variable what cutting it costs, in nats, instead of the logarithm of its
       cardinality: of one slice that is to have as much of Z as possible, -ln of the
       chance of the variable's value there. NULL: all slices count. */
    const double *price;
    zb_run *run;
} zb_cutset_request;
zb_status zb_cutset_choose(zb_cutset **out, const zb_cutset_request *request);
void zb_cutset_free(zb_cutset *cutset);

#endif
