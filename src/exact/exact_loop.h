/* Contraction of tables block by block: out[s] = sum_x prod_j in_j[x, s], where each
 * input has some of the axes of s. The product over all of (x, s) is never stored.
 *
 * Without a sum, one of the inputs may be the output itself, the same array over the
 * same axes: out[s] *= prod_j in_j[s]. Entry s of it then belongs to the block that
 * holds out[s] and to no other, and a block's product is complete before it is stored.
 * In all other cases the arrays of inputs and output have nothing in common. */
#ifndef ZB_EXACT_LOOP_H
#define ZB_EXACT_LOOP_H

#include "exact/exact_plan.h"

enum {
    ZB_LOOP_BLOCK = 1024, /* entries of the output computed at a time */
    ZB_LOOP_CACHE = 16384,
    ZB_LOOP_AXES = 64 /* more axes of two values do not fit an address space */
};

/* A table with its scope: ascending axes, C order, the first the slowest. Linear values
   have a scale of their own, logs = false; else the values are logarithms. */
typedef struct zb_etable {
    double *value;
    const int *axis;
    int count;
    size_t size;
    bool log;
    double low, high; /* smallest value that is not zero, largest value */
} zb_etable;

/* How far an elimination has come, and whether it shall go on. */
typedef struct zb_headway {
    zb_run *run;        /* may be NULL */
    double last;        /* when it was reported */
    double done, total; /* clique entries */
    _Atomic bool stop;
} zb_headway;

/* Ask the run, and report a few times a second; one thread only. */
void zb_headway_tell(zb_headway *h);

typedef enum zb_loop_kind {
    ZB_LOOP_CONST,
    ZB_LOOP_FULL,
    ZB_LOOP_COPY,
    ZB_LOOP_FILL
} zb_loop_kind;

/* An input within a block: one value, a value for each entry, or runs of len entries
   that are copied from, or filled with the value at, index[run]. */
typedef struct zb_loop_input {
    const double *value;
    size_t size; /* entries of the whole table */
    size_t step; /* between the values of x */
    zb_loop_kind kind;
    size_t len, runs;
    size_t entries; /* of the input in a block */
    size_t stride[ZB_LOOP_AXES];
    int index[ZB_LOOP_BLOCK];
} zb_loop_input;

typedef struct zb_loop {
    size_t k; /* values of x */
    size_t block,
        last; /* entries of a block; of the last one in the fastest outer axis */
    size_t blocks;
    int outer; /* axes over which blocks are counted */
    size_t extent[ZB_LOOP_AXES], out_stride[ZB_LOOP_AXES];
    int count;
    zb_loop_input input[ZB_ELIM_INPUTS];
    int cached; /* an input that is expanded once for many blocks; -1: none */
    int fill,
        copy; /* the only two inputs that vary in a block, as in zb_ek_outer; -1 */
} zb_loop;

/* Prepare for the output axes; with sum, the slowest axis of every input is summed over
   and is not among axis. At most ZB_ELIM_INPUTS inputs, all linear or all logs. */
void zb_loop_make(zb_loop *loop, const int *card, bool sum, int naxes, const int *axis,
                  int count, const zb_etable *input);

/* Fill out->value, low and high; out->log says which arithmetic. The axes are those
   that the loop was made for. */
void zb_loop_run(const zb_loop *loop, zb_etable *out, int threads, zb_headway *headway);

#endif
