/* Mean field between blocks of variables that are summed exactly: a proved lower bound
 * on ln Z, never below the naive one of its kind. */
#ifndef ZB_BLOCKFIELD_H
#define ZB_BLOCKFIELD_H

#include "base/rounding.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_blockfield_spec {
    double *q;      /* a distribution of each variable, one behind the other: where to
                       begin; then those of the best bound */
    double entries; /* of a clique of a block */
    uint64_t seed;  /* of the blocks */
    int rounds;     /* most choices of blocks */
    zb_run *run; /* ended by its deadline; memory: of all tables; hears of the bound */
} zb_blockfield_spec;

typedef struct zb_blockfield_result {
    double log_value; /* the best lower bound, rounding included; -INFINITY: none */
    double radius;    /* what of it is for rounding */
    int rounds;       /* choices of blocks that were tried */
    int64_t sweeps;
    bool zeros; /* one would have been cut: there is no bound by such blocks */
} zb_blockfield_result;

/* Tables that are cut have no zeros, or there is no bound. When memory or time does not
   suffice for a choice of blocks, there is none either. */
zb_status zb_blockfield_run(const zb_model *model, const zb_blockfield_spec *spec,
                            zb_blockfield_result *out);

#endif
