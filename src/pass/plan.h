/* Loop plans: for every node of a tree, how the kernels walk its tables. Symbolic, so
 * that a pass does no index arithmetic per entry. Made once per tree and kept, or, for
 * a single pass, made anew for each node in the same place. */
#ifndef ZB_PLAN_H
#define ZB_PLAN_H

#include "base/run.h"
#include "pass/kernel.h"
#include "tree/tree.h"

typedef struct zb_plan_spec {
    bool gradient; /* loops for the way back, too */
    bool theta;  /* split nodes also read a shift table over the eliminated variable */
    bool shared; /* and, if shared, the variables that all mini-buckets share; then
                    also a weight table over the latter */
    bool once;   /* one node at a time */
} zb_plan_spec;

typedef struct zb_plan zb_plan;

/* What a plan takes at most, known before it is made; all but the bytes hold exactly or
   as upper bounds for what kernels need, too. */
typedef struct zb_plan_size {
    double bytes;                          /* of the plan itself */
    size_t scratch;                        /* doubles that any node's kernels need */
    int max_table, max_outer;              /* tables and outer axes of any node */
    size_t block;                          /* entries of the largest block */
    size_t access, extent, stride, offset; /* of any node */
} zb_plan_size;

zb_plan_size zb_plan_measure(const zb_tree *tree, const zb_plan_spec *spec);

/* ZB_ELIMIT when the run, which may be NULL, has to stop. */
zb_status zb_plan_new(zb_plan **out, const zb_tree *tree, const zb_plan_spec *spec,
                      zb_run *run);
void zb_plan_free(zb_plan *plan);

/* The loops of every node; or, with once, of this one, and the one before is gone.
   Inputs are the tree's, then theta, then the weights. Where to find the tables is for
   the caller to fill in. */
zb_job *zb_plan_jobs(zb_plan *plan);
zb_job *zb_plan_once(zb_plan *plan, int node);
size_t zb_plan_bytes(const zb_plan *plan);
/* Entries of a node's tables that blocks share, the largest sum. Not with once. */
size_t zb_plan_max_shared(const zb_plan *plan);

/* Table entries of a split node's theta and of its weights. */
size_t zb_plan_theta_size(const zb_tree *tree, int node, bool shared);
size_t zb_plan_weight_size(const zb_tree *tree, int node, bool shared);

#endif
