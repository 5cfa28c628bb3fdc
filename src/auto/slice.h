/* Conditioning on a cutset. Z is the sum over the cutset's assignments of the slices'
 * Z; any set of distinct slices, solved exactly, adds up to a lower bound, all of them
 * to Z itself. Slices are independent of each other: any worker may take any of them.
 */
#ifndef ZB_SLICE_H
#define ZB_SLICE_H

#include "auto/cutset.h"

/* ln Z of the model with the cutset's variables fixed. effort: seconds of order search.
 */
zb_status zb_slice_exact(const zb_model *model, const zb_cutset *cutset,
                         const int *value, double effort, uint64_t memory,
                         double deadline, double *log_z);

typedef struct zb_slices {
    const zb_model *model;
    const zb_cutset *cutset;
    uint64_t memory; /* for all slices that are solved at a time */
    double deadline; /* zb_now()'s clock; 0: none */
    int threads;
    bool (*report)(void *context, double log_sum); /* false: stop */
    void *context;
} zb_slices;

/* All slices: *log_z is ln Z, *complete says whether every one was solved (otherwise
 *log_z is a lower bound). */
zb_status zb_slices_all(const zb_slices *s, double *log_z, bool *complete);

/* Best first from one assignment of the cutset: the neighbours of the heaviest slices.
 */
zb_status zb_slices_search(const zb_slices *s, const int *start, double *log_sum,
                           int64_t *solved);

#endif
