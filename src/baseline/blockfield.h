/* Mean field between blocks of variables that are summed exactly: a proved lower bound
 * on ln Z, as a rule above the naive one of single variables. */
#ifndef ZB_BLOCKFIELD_H
#define ZB_BLOCKFIELD_H

#include "base/rounding.h"
#include "base/run.h"
#include "baseline/blocks.h"
#include "model/model.h"

/* Choices of blocks that are tried one after the other; a later call goes on where one
   ended. */
typedef struct zb_blockfield_spec {
    double *q;        /* a distribution of each variable, one behind the other: where to
                         begin; then those of the best bound, if it is above `known` */
    double known;     /* -INFINITY: nothing */
    double entries;   /* of a clique of a block */
    uint64_t seed;    /* of the blocks */
    int first;        /* choices that were tried before, */
    zb_sequence best; /* and what had the best bound of them, if any */
    int rounds;       /* most choices now */
    zb_run *run;      /* ended by its deadline; memory: of all tables; hears of the
                         bound */
} zb_blockfield_spec;

typedef struct zb_blockfield_result {
    double log_value; /* the best lower bound, rounding included; -INFINITY: none */
    double radius;    /* what of it is for rounding */
    zb_sequence best; /* of the blocks that it is from, or that `known` is from */
    int tried;        /* choices of blocks, */
    int rounds;       /* and those of them that came to an end */
    bool zeros;       /* each kind would have cut some: there is no bound by blocks */
} zb_blockfield_result;

/* The model has no evidence. Tables that are cut have no zeros, or there is no bound by
   that choice. When memory or time does not suffice for a choice of blocks, there is
   none either. */
zb_status zb_blockfield_run(const zb_model *model, const zb_blockfield_spec *spec,
                            zb_blockfield_result *out);

#endif
