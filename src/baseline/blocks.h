/* Variables in blocks that are small enough to be summed exactly. */
#ifndef ZB_BLOCKS_H
#define ZB_BLOCKS_H

#include "order/incidence.h"

/* Blocks: pieces of a sequence of all variables, one behind the other. */
typedef struct zb_blocks {
    int *var;           /* the sequence */
    int *block, *place; /* per variable: its block, and its place in the sequence */
    int *start, count; /* block b: var[start[b]] .. var[start[b + 1] - 1], whose numbers
                          in the block are 0, 1, .. */
    int *order;        /* from start[b] on: an elimination order, of these numbers */
    int *mark, stamp;  /* for looks: per scope, the last that met it */
} zb_blocks;

/* What follows what. */
typedef enum zb_sequence {
    ZB_SEQUENCE_NUMBERS,
    ZB_SEQUENCE_CIRCLES, /* a search breadth first from a variable at random, */
    ZB_SEQUENCE_LINES,   /* or from one that is farthest from it */
    ZB_SEQUENCE_TREE     /* a search depth first over a tree of the strongest scopes */
} zb_sequence;
enum { ZB_SEQUENCES = 4 };

typedef struct zb_blocks_request {
    const zb_incidence *graph;
    const double *strength; /* per scope; NULL: all alike */
    double entries;         /* of the largest clique of a block */
    double total;           /* of all cliques of a block */
    zb_sequence sequence;
    uint64_t seed; /* of the sequence and of where the first piece ends; 0: it is as
                      long as the others */
    zb_run *run;   /* may be NULL */
} zb_blocks_request;

/* The sequence is cut into the longest pieces that the limits allow, about; of one
   variable each at least. ZB_ELIMIT when the run ended first. */
zb_status zb_blocks_new(zb_blocks **out, const zb_blocks_request *r);
void zb_blocks_free(zb_blocks *b);

/* The scopes inside of one block, by its numbers: one of each of its variables, by
   itself, then those parts with two variables or more, of factor[i] (i from 0, which
   the caller frees; *count of them). */
zb_status zb_blocks_inside(zb_scopes **out, int **factor, int *count,
                           const zb_incidence *g, zb_blocks *b, int block);

#endif
