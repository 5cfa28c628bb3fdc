/* Loop plans: for every node of a tree, how the kernels walk its tables. Symbolic; made
 * once per tree, so that a pass does no index arithmetic per entry. */
#ifndef ZB_PLAN_H
#define ZB_PLAN_H

#include "base/run.h"
#include "pass/kernel.h"
#include "tree/tree.h"

typedef struct zb_plan {
    zb_job *job; /* one per node; inputs are the tree's, then theta, then the weights */
    zb_access *access;
    size_t *extent, *stride;
    int32_t *offset;
    size_t scratch;           /* doubles that any node's kernels need */
    int max_table, max_outer; /* over all nodes */
    size_t
        max_shared; /* entries of a node's tables that blocks share, the largest sum */
    size_t bytes;   /* of the plan itself */
} zb_plan;

/* theta: split nodes also read a shift table over the eliminated variable and, if
   shared, the variables that all mini-buckets share; a weight table over the latter if
   shared. */
/* ZB_ELIMIT when the run, which may be NULL, has to stop. */
zb_status zb_plan_new(zb_plan **out, const zb_tree *tree, bool theta, bool shared,
                      zb_run *run);
void zb_plan_free(zb_plan *plan);

/* Entries of a block of a node's separator, and the axes it runs over (the last ones).
 */
size_t zb_plan_block(const zb_tree *tree, int node, int *ninner);

/* Table entries of a split node's theta and of its weights. */
size_t zb_plan_theta_size(const zb_tree *tree, int node, bool shared);
size_t zb_plan_weight_size(const zb_tree *tree, int node, bool shared);

#endif
