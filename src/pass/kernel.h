/* Loops over bare arrays: one mini-bucket node at a time, block by block. No model, no
 * allocation, no status. The mathematics is THEORY section 1 of weighted mini-buckets:
 *
 *   forward   lambda(s) = (sum_x |psi(x,s)|^{1/w})^w,  psi = product of the inputs
 *   backward  q(x,s) = q(s) (|psi(x,s)| / lambda(s))^{1/w}, summed onto each input's
 * scope
 *
 * A node's clique is x (the eliminated variable, slowest axis) times a separator s. The
 * separator is cut into blocks of consecutive entries; an input is addressed inside a
 * block by a pattern that is the same for every block, and between blocks by strides.
 */
#ifndef ZB_KERNEL_H
#define ZB_KERNEL_H

#include "base/base.h"

/* How a table is laid along a block: entry b of the block is entry at(b) of the table.
   SPAN: b = (i m + y) c + j -> i c + j, one run of axes is missing (m = 1: contiguous;
   c = 1 and m = block: constant). TABLE: at(b) = offset[b]. */
typedef enum zb_pattern { ZB_PATTERN_SPAN, ZB_PATTERN_TABLE } zb_pattern;

typedef struct zb_access {
    zb_pattern pattern;
    uint32_t m, c;    /* SPAN */
    size_t offset_at; /* TABLE: into offset[] */
    size_t stride_at; /* into stride[]: one per outer axis */
    size_t step;      /* entries per value of x; 0 when the table does not contain x */
    size_t size;      /* entries of the table */
} zb_access;

typedef enum zb_op { ZB_OP_POWER, ZB_OP_MAX, ZB_OP_MIN } zb_op;

typedef struct zb_job {
    size_t d, block, nblocks; /* card(x); separator = block * nblocks entries */
    size_t first, last;       /* the blocks to work on */
    int nouter;
    const size_t *extent;  /* of the outer axes, slowest first */
    const size_t *stride;  /* pool */
    const int32_t *offset; /* pool */
    int nin;
    const zb_access *access; /* nin of them, then one for the weights if weight */
    const double **in;       /* nin tables: logarithms, or linear values */
    double w;                /* scalar weight, if weight is NULL */
    const double *weight;    /* weights by the shared variables, or NULL */
    zb_op op;
    /* scratch, see zb_job_scratch */
    double *buffer;
    size_t *base, *count; /* nin + 1 and nouter of them */
} zb_job;

size_t zb_job_scratch(size_t d, size_t block, int nin); /* doubles needed in buffer */

/* out[s] = w ln sum_x exp(psi / w) from log tables (op MAX, MIN: the extreme over x).
 */
void zb_kernel_log_forward(const zb_job *job, double *out);

/* From q(s): the marginals of q onto every input, grad[i] (overwritten), and, where
   entropy is not NULL, q(s) H(q(x|s)) summed onto the weights' scope. */
void zb_kernel_log_backward(const zb_job *job, const double *q, double *const *grad,
                            double *entropy);

/* out[s] = sum_x product of the inputs, which are linear and may be negative. */
void zb_kernel_lin_forward(const zb_job *job, double *out);

/* From D(s), the derivative by the message: the derivative by every entry of every
   input. Where value is false D(s) is taken to be q(s), and divided by the message
   first. */
void zb_kernel_lin_backward(const zb_job *job, const double *dmsg, bool derivative,
                            double *const *grad);

/* Elementwise over n entries; may be in place. */
void zb_kernel_exp(size_t n, const double *x, double shift,
                   double *out); /* exp(x - shift) */
void zb_kernel_log_abs(size_t n, const double *x, double shift,
                       double *out); /* ln|x| + shift */
void zb_kernel_range(size_t n, const double *x, double *most, double *least);
/* of |x|, zeros left out: most = 0 and least = INFINITY when all are zero */
void zb_kernel_log_range(size_t n, const double *x, double *most, double *least);
/* of x, -INFINITY left out: -INFINITY and INFINITY when there is nothing else */

#endif
