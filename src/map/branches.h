/* Which variables depend on which, once others have their values.
 *
 * Given an elimination order, the parent of a variable is the next one of its bucket
 * were nothing split. Values are chosen from the root on; then what is below a variable
 * depends on those above it through its context alone, and the subtrees of its children
 * do not depend on each other. Variables are named by their positions in the order, so
 * that parents come after their children. */
#ifndef ZB_BRANCHES_H
#define ZB_BRANCHES_H

#include "base/run.h"
#include "tree/tree.h"

typedef struct zb_branches {
    int count;   /* of variables; the last one is the root */
    int *parent; /* -1: the root */
    int *child;  /* those of i: child[first[i]] .. child[first[i + 1] - 1] */
    int *first;
    size_t *at;       /* count + 1 offsets into context */
    int *context;     /* positions after i that its subtree depends on, ascending */
    bool *is_settled; /* nothing is split in i's subtree: maxima there are exact */
} zb_branches;

/* ZB_ELIMIT when the run ended first, or contexts have more than `most` members. */
zb_status zb_branches_new(zb_branches **out, const zb_tree *tree, size_t most,
                          zb_run *run);
void zb_branches_free(zb_branches *b);

#endif
