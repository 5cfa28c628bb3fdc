/* The mini-bucket tree: structure only, no numbers.
 *
 * Variables are eliminated in an order. The bucket of v holds all items (factors,
 * messages) whose first variable in that order is v; it is partitioned into
 * mini-buckets, each a node with a clique, the eliminated copy of v, inputs and a
 * message on the clique without v. Every scope is kept sorted by elimination position,
 * so v comes first and a message's axes are a subsequence of its parent's: tables never
 * need to be transposed. */
#ifndef ZB_TREE_H
#define ZB_TREE_H

#include "base/run.h"
#include "model/model.h"
#include "order/partition.h"

typedef struct zb_node {
    int var;    /* eliminated variable; -1: none, a product that is an input of the next
                   node of this bucket */
    int bucket; /* its position in the order */
    int parent; /* node that takes the message, -1 for a root */
    int nclique, ninput;
    size_t
        clique_at; /* into clique[]: var, then the separator, by elimination position */
    size_t input_at; /* into input[] */
    size_t
        sep_size; /* entries of the message; the clique has card(var) times as many */
} zb_node;

typedef struct zb_bucket {
    int first, count;   /* its mini-buckets are the nodes first .. first + count - 1 */
    int nshared;        /* variables other than v that all of them contain */
    size_t shared_at;   /* into shared[], by elimination position */
    size_t shared_size; /* entries of a table over them */
} zb_bucket;

typedef struct zb_tree {
    int nvars, nfactors, nnodes;
    int ibound; /* in force: at least the largest factor */
    double
        splits; /* sum over buckets of mini-buckets less one; 0: the bound is exact */
    double entries;   /* clique entries in all */
    double largest;   /* clique entries of the largest node */
    int width;        /* variables of the largest clique, less one */
    int *order, *pos; /* elimination order and its inverse */
    int *card;
    zb_node *node;
    int *clique;
    int *input;        /* f >= 0: factor f; else the message of node -1 - input */
    zb_bucket *bucket; /* one per variable, by elimination position */
    int *shared;
    int *factor_node; /* where a factor is used; -1 for an empty scope */
    size_t *scope_at; /* nfactors + 1 offsets into scope */
    int *scope;       /* factors' scopes, by elimination position */
    size_t bytes;     /* taken at most while it was made */
} zb_tree;

typedef struct zb_split_spec {
    int ibound; /* variables per clique, the eliminated one included */
    double
        max_entries; /* entries per clique; 0: no limit. An item alone may exceed it */
    zb_partition partition;
    bool join;        /* multiply small inputs of unsplit buckets first: for sums that
                         need no way back */
    bool extend;      /* cliques take in, as far as they have room, what other
                         mini-buckets of their bucket contain (shared.h): for weights and
                         shifts by shared variables */
    int room;         /* with that, variables of two values beyond the ibound */
    bool drop_single; /* leave variables with a single value out of all scopes */
    zb_run *run;      /* may be NULL */
} zb_split_spec;

/* ZB_ELIMIT when a table is beyond all memory, or the run ended first. */
zb_status zb_tree_new(zb_tree **out, const zb_scopes *scopes, const int *order,
                      const zb_split_spec *spec);
void zb_tree_free(zb_tree *tree);

static inline const int *zb_tree_clique(const zb_tree *t, int k)
{
    return t->clique + t->node[k].clique_at;
}
/* The axes of a node's message: returns how many. */
static inline int zb_tree_message(const zb_tree *t, int k, const int **axis)
{
    int summed = t->node[k].var >= 0;
    *axis = t->clique + t->node[k].clique_at + summed;
    return t->node[k].nclique - summed;
}
/* Values of what a node sums over. */
static inline size_t zb_tree_states(const zb_tree *t, int k)
{
    return t->node[k].var >= 0 ? (size_t)t->card[t->node[k].var] : 1;
}
/* The scope of an input (a factor, or -1 - node for its message): returns its arity. */
static inline int zb_tree_scope(const zb_tree *t, int input, const int **scope)
{
    if (input < 0)
        return zb_tree_message(t, -1 - input, scope);
    *scope = t->scope + t->scope_at[input];
    return (int)(t->scope_at[input + 1] - t->scope_at[input]);
}
/* Entries of an input. */
static inline size_t zb_tree_size(const zb_tree *t, int input)
{
    size_t size = 1;
    if (input < 0)
        return t->node[-1 - input].sep_size;
    for (size_t i = t->scope_at[input]; i < t->scope_at[input + 1]; i++)
        size *= (size_t)t->card[t->scope[i]];
    return size;
}
static inline const int *zb_tree_input(const zb_tree *t, int k)
{
    return t->input + t->node[k].input_at;
}
static inline const zb_bucket *zb_tree_bucket_of(const zb_tree *t, int k)
{
    return &t->bucket[t->node[k].bucket];
}
static inline bool zb_tree_is_split(const zb_tree *t, int k)
{
    return zb_tree_bucket_of(t, k)->count > 1;
}

#endif
