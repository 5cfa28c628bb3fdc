/* A tree cut into parts, one for each rank.
 *
 * All mini-buckets of a bucket lie in one part, so that weights and shifts, which add
 * up over a bucket, stay together. A message whose node and parent lie in different
 * parts crosses: in the part above it is an input like a factor, one of those behind
 * the part's own; in the part below its node has a parent that stands for the one
 * elsewhere, one of those behind the part's own nodes.
 *
 * A part is a tree of its own, with numbers of its own for nodes, factors and
 * variables: what a rank holds does not grow with the tree. Nodes keep their sequence.
 * So whoever computes his nodes in ascending order, and waits for what he needs from
 * others, never waits in a circle. */
#ifndef ZB_PART_H
#define ZB_PART_H

#include "ranks/letter.h"
#include "tree/tree.h"

typedef struct zb_crossing { /* of a message */
    int rank;                /* who has its other end */
    int slot;                /* there: where what comes is put */
    int id;                  /* incoming: its node; outgoing: the parent, in the tree */
    int split;               /* outgoing: the parent is one of several mini-buckets */
    int exact; /* of the node at the other end: nothing is split in it and below */
} zb_crossing;

typedef struct zb_part {
    zb_tree *tree; /* nodes nnodes .. nnodes + nout - 1 stand for parents elsewhere */
    int nfactors;  /* its own; after them one for each incoming message */
    int nin, nout;
    zb_crossing *in;  /* whose derivatives go to their slots */
    zb_crossing *out; /* whose values do; their derivatives come to slots nin .. */
    int *node_id, *factor_id; /* in the tree */
    bool *top;                /* per node: see zb_pass_top */
} zb_part;

typedef struct zb_cutting {
    const zb_tree *tree; /* borrowed */
    const bool *top;     /* borrowed */
    int parts;
    int *owner;            /* per bucket */
    int *in_slot, *out_at; /* per node whose message crosses: above; below */
    int *nin, *nout;       /* per part */
    bool *exact;           /* per node: zb_tree_find_exact */
    double crossing;       /* entries of all messages that do */
} zb_cutting;

/* Per node: neither it nor any below it is split. */
void zb_tree_find_exact(const zb_tree *tree, bool *exact);

/* Parts of about the same number of entries, subtrees where it can be, so that few
   messages cross. Depends on the tree and the number of parts alone. */
zb_status zb_cutting_new(zb_cutting **out, const zb_tree *tree, int parts,
                         const bool *top);
void zb_cutting_free(zb_cutting *c); /* NULL is fine */
static inline int zb_cutting_owner(const zb_cutting *c, int node)
{
    return c->owner[c->tree->node[node].bucket];
}

/* One of them, with the factors of the model that it reads. Factors without variables
   are part 0's. */
zb_status zb_part_new(zb_part **out, zb_model **factors, const zb_cutting *c, int part,
                      const zb_model *model);
void zb_part_free(zb_part *p); /* NULL is fine */

void zb_letter_put_part(zb_letter *l, const zb_part *p);
/* ZB_EINVAL: the letter holds no part. Ranks trust each other with the rest. */
zb_status zb_letter_take_part(zb_letter *l, zb_part **out);

#endif
