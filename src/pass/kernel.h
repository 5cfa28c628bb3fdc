/* Loops over bare arrays: one mini-bucket node at a time, block by block. No model, no
 * allocation, no status. The mathematics is (10) and (16) of docs/theory.md:
 *
 *   forward   lambda(s) = (sum_x |psi(x,s)|^{1/w})^w,  psi = product of the inputs
 *   backward  q(x,s) = q(s) (|psi(x,s)| / lambda(s))^{1/w}, summed onto each input's
 * scope
 *
 * A node's clique is x (the eliminated variable, slowest axis) times a separator s. The
 * separator is cut into blocks of consecutive entries; an input is addressed inside a
 * block by a pattern that is the same for every block, and between blocks by strides.
 *
 * Who may share memory: a table's derivatives may take the place of its values
 * (zb_access.grad == value), because a block's inputs are all read before any is
 * stored, because entries that several blocks read (not own) are summed up elsewhere
 * (zb_kernel_call.grad), and because no table is an input of two nodes. A node's
 * message is apart from all of its inputs, which zb_pass_new checks; scratch is apart
 * from everything. */
#ifndef ZB_KERNEL_H
#define ZB_KERNEL_H

#include "base/base.h"

/* How a table is laid along a block of n entries: entry b of the block is entry at(b)
   of the table, counted from the block's base. The block's entries fall into n / m
   groups of m that share an entry of the table. FULL: at(b) = b. ONE: at(b) = 0. SPAN:
   b = (i m + y) c + j -> i c + j, one run of axes is missing. TABLE: at(b) = offset[b];
   the members of group t are offset[n + t m .. n + t m + m - 1]. */
typedef enum zb_pattern {
    ZB_PATTERN_FULL,
    ZB_PATTERN_ONE,
    ZB_PATTERN_SPAN,
    ZB_PATTERN_TABLE
} zb_pattern;

typedef struct zb_access { /* a cache line */
    double *value;         /* logarithms, or linear values */
    double *grad;          /* where the derivatives end up; may be value, else apart */
    size_t size;           /* entries of the table */
    size_t step;           /* entries per value of x; 0 when x is not in the table */
    size_t stride_at;      /* into stride[]: one per outer axis */
    size_t offset_at;      /* TABLE: into offset[] */
    uint32_t m, c;
    uint8_t pattern; /* zb_pattern */
    bool own;        /* no two blocks touch the same entry */
    bool slow;       /* stays where it is along the fastest outer axis */
} zb_access;

typedef struct zb_job {    /* what is known of a node before any number */
    zb_access *access;     /* nin of them, then one for the weights if weighted */
    const size_t *extent;  /* of the outer axes, slowest first */
    const size_t *stride;  /* pool */
    const int32_t *offset; /* pool */
    size_t nblocks;        /* separator = block * nblocks entries */
    uint32_t d, block;     /* d = card(x) */
    int nouter, nin;
    int slowly, quickly; /* the only two inputs that vary in a block, of which entry
                            i run + j has entry i of the one and entry j of the other;
                            -1: it is not so */
    uint32_t run;
    bool weighted; /* weights are a table over the shared variables; its derivatives are
                      the entropies */
} zb_job;

typedef enum zb_op { ZB_OP_POWER, ZB_OP_MAX, ZB_OP_MIN } zb_op;

typedef struct zb_kernel_call { /* one call */
    const zb_job *job;
    size_t first, last;   /* the blocks to work on */
    const double *weight; /* one, or a table if the job is weighted */
    zb_op op;
    double factor;       /* of linear sums on the way up: what they are multiplied by */
    double *const *grad; /* where derivatives by tables that are not own are added */
    /* scratch, see zb_job_scratch */
    double *buffer;
    size_t *base, *count; /* 2 (nin + 1) and nouter of them */
} zb_kernel_call;

/* Doubles needed in buffer. */
size_t zb_job_scratch(size_t d, size_t block, int nin);

/* Entries of the tables that blocks share. */
static inline size_t zb_job_shared(const zb_job *job)
{
    size_t sum = 0;
    for (int i = 0; i < job->nin + job->weighted; i++)
        sum += job->access[i].own ? 0 : job->access[i].size;
    return sum;
}

/* The largest and the smallest of the values written, -INFINITY (logarithms) and 0
   (magnitudes) left out: -INFINITY or 0, and INFINITY, where there is nothing else. */
typedef struct zb_extent {
    double most, least;
} zb_extent;

/* out[s] = w ln sum_x exp(psi / w) from log tables (op MAX, MIN: the extreme over x).
   measure: also return the extent. */
zb_extent zb_kernel_log_forward(const zb_kernel_call *run, bool measure,
                                double *restrict out);

/* From q(s): the marginals of q onto every input; if entropy, q(s) H(q(x|s)) summed
   onto the weights' scope, and returned if the weight is the same everywhere. */
double zb_kernel_log_backward(const zb_kernel_call *run, bool entropy,
                              const double *restrict q);

typedef enum zb_emit { ZB_EMIT_VALUE, ZB_EMIT_ABS, ZB_EMIT_LOG } zb_emit;

/* out[s] = factor sum_x product of the inputs, which are linear and may be negative; or
   its magnitude; or ln of that. The extent is that of magnitudes (none for LOG). */
zb_extent zb_kernel_lin_forward(const zb_kernel_call *run, zb_emit emit,
                                double *restrict out);

/* From q(s), the derivative by ln of the message: the same by ln of every entry of
   every input. Inputs must not be negative. */
void zb_kernel_lin_backward(const zb_kernel_call *run, const double *restrict q);

/* From D(s), the derivative by the message (or, unless derivative, from q(s)): the
   derivative by every entry of every input, times that entry where belief[i]. */
void zb_kernel_lin_derive(const zb_kernel_call *run, const double *restrict dmsg,
                          bool derivative, const bool *belief);

/* Elementwise over n entries; out may be x. */
void zb_kernel_exp(size_t n, const double *x, double shift,
                   double *out); /* exp(x - shift) */
void zb_kernel_log_abs(size_t n, const double *x, double shift,
                       double *out); /* ln|x| + shift */
void zb_kernel_subtract(size_t n, const double *x, double shift,
                        double *out);                                    /* x - shift */
void zb_kernel_scale(size_t n, const double *x, double by, double *out); /* by x */
zb_extent zb_kernel_range(size_t n, const double *x);                    /* of |x| */
zb_extent zb_kernel_log_range(size_t n, const double *x);                /* of x */

#endif
