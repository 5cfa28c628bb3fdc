/* Conditioning on a cutset. Z is the sum over the cutset's assignments of the slices'
 * Z; any set of distinct slices, solved exactly, adds up to a lower bound, all of them
 * to Z itself. Slices are independent of each other: any worker may take any of them.
 */
#ifndef ZB_SLICE_H
#define ZB_SLICE_H

#include "auto/cutset.h"
#include "base/run.h"

/* Most slices that are solved at a time, each with its part of the memory: what fits
   must not depend on the number of threads. */
enum { ZB_SLICES_AT_ONCE = 4 };

typedef struct zb_slices {
    const zb_model *model;
    const zb_cutset *cutset;
    const int *order; /* of the model, for all slices; NULL: each has one of its own */
    zb_run *run;      /* is told of the sum so far, as a lower bound */
    int64_t most;     /* slices, after which a search ends; 0: no limit */
    struct zb_kept_slices *kept; /* or NULL: solved before, and where to keep more */
    struct zb_solved *solved;    /* or NULL: which ones the sum is over; the caller's to
                                    clear */
} zb_slices;

typedef struct zb_solved { /* slices that are not zero */
    int *value;            /* those of the cutset, one slice after the other */
    size_t count, room;
} zb_solved;

/* ln Z of the model with the cutset's variables fixed. */
zb_status zb_slice_exact(const zb_slices *s, const int *value, zb_run *run,
                         zb_ball *log_z);

/* All slices: *log_z is ln Z, *complete says whether every one was solved (otherwise
 *log_z is that of a sum over some of them, a lower bound). */
zb_status zb_slices_all(const zb_slices *s, zb_ball *log_z, bool *complete);

/* Best first from one assignment of the cutset: the neighbours of the heaviest slices.
 */
zb_status zb_slices_search(const zb_slices *s, const int *start, zb_ball *log_sum,
                           int64_t *solved);

#endif
