/* States drawn from an upper bound by mini-buckets.
 *
 * Variables are drawn in the reverse of the elimination order, each from the product of
 * everything in its bucket, given the later ones:
 *
 *   q(x_v | later) = prod_r psi_r / N_v,   N_v = sum over x_v of prod_r psi_r,
 *
 * psi_r the clique of mini-bucket r. For a complete state x with the value f(x),
 *
 *   ln f(x) - ln q(x) = ln U + sum over split buckets of ln(N_v / prod_r lambda_r),
 *
 * lambda_r the message of r and U the bound. By Hoelder every term is at most 0. So
 * w(x) = f(x) / q(x) lies in [0, U], and its mean over q is Z.
 *
 * What is kept of a mini-bucket is the table psi_r / lambda_r, linear: its entries are
 * at most 1, a product of them is q but for N_v, and drawing takes no logarithm but
 * that of N_v / prod lambda_r. What underflows has f(x) < e^-700 U, which counts for
 * nothing in a mean whose terms reach up to U. */
#ifndef ZB_PROPOSAL_H
#define ZB_PROPOSAL_H

#include "base/run.h"
#include "pass/pass.h"

/* Draws that are made side by side: an index for each is computed along a row, and a
   mini-bucket's table is read while it is near. */
enum { ZB_LANES = 256 };

typedef struct zb_proposal zb_proposal;

/* From a pass of the upper side over tables without negative entries, with gradient or
   keep, whose last step was forward. Neither tree nor pass is needed afterwards.
   ZB_ELIMIT when the run, which may be NULL, ended first. */
zb_status zb_proposal_new(zb_proposal **out, const zb_tree *tree, zb_pass *pass,
                          zb_run *run);

/* Which factors of a pass have negative entries, as gauges make them: the tables that
   were set, in the tree's layout; NULL: there are none in that factor. */
typedef struct zb_signs {
    const double *(*table)(const void *context, int factor);
    const void *context;
} zb_signs;

/* The same with signs. What the pass has summed with signs is not drawn but counts as
   it was summed; of the other variables magnitudes are drawn, and w = f / q has the
   sign of f: -U <= w <= U, and the mean of w is Z still. */
zb_status zb_proposal_new_signed(zb_proposal **out, const zb_tree *tree, zb_pass *pass,
                                 const zb_signs *signs, zb_run *run);
bool zb_proposal_is_signed(const zb_proposal *p);
void zb_proposal_free(zb_proposal *p); /* NULL is fine */

/* Bytes, about, while it is made, by however many threads. */
double zb_proposal_forecast(const zb_tree *tree, bool is_signed);

int zb_proposal_vars(const zb_proposal *p);
int zb_proposal_card(const zb_proposal *p, int var);

/* What may be wrong with ln w by rounding, in nats. */
double zb_proposal_radius(const zb_proposal *p);
bool zb_proposal_is_exact(const zb_proposal *p); /* no bucket is split: w = Z always */

/* One batch of draws. Variable v of lane i is state[v * ZB_LANES + i]. */
typedef struct zb_batch {
    int32_t *state;
    double *log_ratio; /* ln(|w| / U) <= 0 per lane; -INFINITY: a dead end, w = 0 */
    double *sign;      /* 1 or -1 per lane, or NULL: there are no signs */
    double *log_share; /* ln(f / U) per lane, or NULL: not asked for */
    bool failed;       /* memory was out: only where the proposal looks ahead */
    int32_t *index;    /* scratch: a lane's row of a table */
    double *product;   /* scratch: per value and lane */
    double *signed_product; /* scratch, the same with signs */
} zb_batch;

zb_status zb_batch_new(zb_batch **out, const zb_proposal *p, bool share);
void zb_batch_free(zb_batch *b); /* NULL is fine */

/* The batch of this number of the streams of this seed: the same whoever draws it.
   False when the ticker's run ended first, or memory (b->failed); tick may be NULL. */
bool zb_proposal_draw(const zb_proposal *p, uint64_t seed, uint64_t number, zb_batch *b,
                      zb_ticker *tick);

#endif
