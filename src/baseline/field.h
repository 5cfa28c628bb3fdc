/* A model in blocks: what mean field between them works on (blockfield.c has the
 * mathematics). */
#ifndef ZB_FIELD_H
#define ZB_FIELD_H

#include "base/hold.h"
#include "baseline/blockfield.h"
#include "pass/pass.h"

typedef struct zb_field_part { /* of a scope that is cut: its variables in one block */
    int block, table;          /* where, and which of the block's tables */
    bool shared;               /* it has several variables, and a table of its own */
    size_t size;
    double *mean;  /* m_p; of a single variable: the sum of all its parts' */
    double *q;     /* its marginal, in the sequence of the block's tree, */
    double *error; /* which is that far off, in nats */
} zb_field_part;

typedef struct zb_field_cut { /* a scope in several blocks */
    int factor, count;
    size_t size;
    const double *log;
    double most;         /* its largest magnitude */
    zb_field_part *part; /* count of them */
    int *of;             /* per axis: its part, */
    size_t *stride;      /* and its stride in there */
} zb_field_cut;

typedef struct zb_field_block {
    int first, count; /* variables, in the sequence of all */
    zb_tree *tree;
    zb_pass *pass;
    int parts;                     /* of scopes that are cut: */
    zb_field_part **part;          /* these, */
    zb_field_cut **of;             /* of these scopes */
    double *error;                 /* per table: nats, of its marginal */
    double log_z, radius, rounded; /* rounded: in adding up its tables */
} zb_field_block;

/* One choice of blocks. */
typedef struct zb_field_partition {
    zb_blocks *blocks;
    zb_field_block *block;
    zb_field_cut *cut;
    int cuts, *cut_of; /* per factor: its number; -1: it is inside of a block */
    zb_hold hold;
} zb_field_partition;

typedef struct zb_field_table { /* of a factor */
    const double *log;          /* the factor's own values where these are logarithms */
    double most;                /* largest magnitude, without zeros */
    bool zeros;
} zb_field_table;

typedef struct zb_field {
    const zb_model *model;
    const zb_blockfield_spec *spec;
    zb_scopes *scopes;
    zb_incidence graph;
    size_t *at;            /* nvars + 1: where a variable's values begin in */
    double *q;             /* its distribution, */
    double *own;           /* the sum of its own tables, */
    double *mean;          /* and of the m_p of single variables */
    zb_field_table *table; /* nfactors */
    double *scratch, *strength;
    double constant;    /* scopes without variables, and the model's scale */
    double radius;      /* nats, of logarithms and of own */
    double held, bytes; /* of this, and of the blocks' tables */
    zb_field_partition *now;
    zb_sequence kind; /* of the blocks now */
    double known;     /* the best bound, of earlier calls, too */
    zb_blockfield_result *out;
    zb_ticker tick;
    zb_hold hold;
} zb_field;

/* f->model, spec and tick.run are set; q begins where the spec says. To be freed
   whatever the status. */
zb_status zb_field_new(zb_field *f);
void zb_field_free(zb_field *f);

/* f->now: a choice of blocks, by f->kind and the seed, until zb_field_drop (whatever
   the status). *clean: false where a zero would be cut. ZB_ELIMIT when memory or time
   does not suffice. */
zb_status zb_field_divide(zb_field *f, uint64_t seed, bool *clean);
void zb_field_drop(zb_field_partition *p);

#endif
