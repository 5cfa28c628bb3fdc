/* The working state of zb_simplify: a model that shrinks, and what is left to look at.
 *
 * Invariants between steps:
 * - alive variables have cardinality >= 2 unless they wait in `vars`; tables of alive
 *   factors are in logs and fit the current cardinalities of their scopes;
 * - degree is the number of alive factors that contain the variable; its list holds all
 *   of these, and possibly factors that have left and repetitions;
 * - a value marked gone is still in the tables; its variable waits in `vars`;
 * - a factor whose table changed waits in `factors`, one whose scope changed (or may
 *   now lie in another's) in `scopes`, one whose zeros changed in `patterns`. */
#ifndef ZB_REDUCER_H
#define ZB_REDUCER_H

#include "base/hold.h"
#include "base/sum.h"
#include "model/table.h"
#include "simplify/simplify.h"

typedef struct zb_queue { /* first in first out, each item at most once */
    int *item;
    bool *waits;
    int head, count, room;
} zb_queue;

zb_status zb_queue_init(zb_queue *q, int n);
void zb_queue_clear(zb_queue *q);
void zb_queue_push(zb_queue *q, int item); /* nothing if it waits already */
int zb_queue_pop(zb_queue *q);             /* -1 when empty */

/* What is known about the values of each variable of a model: those that may have a
   non-zero product, as a function of a representative's. Variables with one such value
   and those tied to no other represent themselves. (facts.c) */
typedef struct zb_facts {
    int nvars;
    int *rep;
    int *count; /* values of the representative v; 1: v is fixed */
    size_t *at; /* per variable, into image */
    int *image; /* value of v when its representative has its x-th: image[at[v] + x] */
    zb_hold hold;
} zb_facts;

typedef struct zb_reducer zb_reducer;

zb_status zb_facts_new(zb_facts **out, const zb_model *model); /* nothing yet */
void zb_facts_learn(zb_facts *facts, const zb_reducer *r); /* all that r found out */
void zb_facts_free(zb_facts *facts);

typedef struct zb_fstate { /* what is known of a factor besides its table */
    bool alive;
    bool rounded;   /* holds sums of ours, exact up to rounding only */
    bool zeros;     /* has zeros, as of its last zb_reduce_table */
    bool owned;     /* value is its own allocation, not in the pool of small tables */
    int next, prev; /* in its bucket of scopes; -1 at the ends */
} zb_fstate;

typedef struct zb_rvar {
    bool alive;
    int gone; /* values marked for removal */
    int degree;
    int widest;             /* no factor of it ever had a larger arity */
    int *list, count, room; /* of factors */
    bool owned;             /* list is its own allocation */
} zb_rvar;

struct zb_reducer {
    int nvars, nfactors;
    zb_rvar *var;
    int *card;         /* of the variables, now */
    zb_factor *factor; /* in logs; scopes and small tables lie in pools */
    zb_fstate *state;  /* of the factors */
    size_t *value_at;  /* per variable, into value and gone */
    int *value;        /* current value -> original value */
    bool *gone;
    int *mate;            /* like value: the value of the variable v was merged into */
    int *merged_into;     /* per variable, -1: not merged */
    int *merged, nmerged; /* these variables in the order of merging */
    int *scope_pool;      /* of all factors, one after the other */
    double *small;        /* tables of few entries, likewise */
    int *incidence;       /* the first lists */
    int *bucket;          /* heads by hash of the scope; -1 empty */
    unsigned mask;        /* buckets less one */
    int *seen_by;    /* per factor and then per variable: the last round that met it */
    int round;       /* of seen_by */
    bool *supported; /* scratch: for the values of a factor's scope */
    int *index;      /* scratch: twice the values of a variable */
    unsigned char *pattern; /* scratch: as many as the largest table has entries */
    zb_queue factors, vars, scopes, patterns;
    bool strike;       /* use pairs of factors too */
    bool probe;        /* try values out */
    bool keep;         /* nothing is summed out */
    zb_record *record; /* or NULL: what is done is recorded here, and nothing done that
                        has no step there */
    double visits, probe_visits; /* entries that pairs and probes have cost */
    int next_probe;              /* variable */
    zb_sum scale;                /* ln of the constant, and all that was rounded */
    bool zero;                   /* Z = 0 was found */
    zb_reduction *report;
    zb_ticker tick; /* once the time is over, the steps leave their work undone */
    zb_hold tables; /* variables, factors, values */
    zb_hold lists;  /* the rest, which is needed until nothing changes */
};

/* Load: read through the facts, which leave out the variables that are fixed or have a
   representative; everything queued. report is borrowed. ZB_ELIMIT when the run, which
   may be NULL, ended first. (load.c) */
zb_status zb_reducer_new(zb_reducer **out, const zb_model *model, const zb_facts *facts,
                         zb_run *run, zb_reduction *report);
void zb_reducer_free(zb_reducer *r);
/* Frees what no step will need any more: variables, factors and their values are left.
 */
void zb_reducer_drop_lists(zb_reducer *r);

/* reducer.c */
void zb_reducer_scale(zb_reducer *r, zb_ball log_constant);
/* A table was rounded, by at most so many nats in any entry. */
void zb_reducer_rounded(zb_reducer *r, double radius);
/* Another table, which the factor owns; NULL: none. */
void zb_reducer_set_value(zb_reducer *r, int f, double *value);
/* The alive factors of v, each once; the array is v's own and changes with the model.
 */
int zb_reducer_factors(zb_reducer *r, int v, const int **list);
zb_status zb_reducer_list_add(zb_reducer *r, int v, int f);
/* The axis left the table (the caller saw to it): forget it in the scope. */
void zb_reducer_forget_axis(zb_reducer *r, int f, int axis);
void zb_reducer_remove_factor(zb_reducer *r, int f);
void zb_reducer_remove_var(zb_reducer *r, int v, int *counter);
void zb_reducer_link(zb_reducer *r, int f);   /* enter the buckets of equal scopes */
void zb_reducer_unlink(zb_reducer *r, int f); /* before a scope changes */
int zb_reducer_same_scope(const zb_reducer *r, int f); /* another factor; -1: none */

/* One step each. One that the end of the time cuts short leaves a model that is not to
   be used, but what is known by then of single variables (zb_facts_learn) holds. */
void zb_reduce_table(zb_reducer *r, int f);  /* consistency.c: maximum, zeros, axes */
void zb_reduce_values(zb_reducer *r, int v); /* consistency.c: values marked gone */
void zb_reduce_pairs(zb_reducer *r, int f);  /* pairwise.c: zeros of two factors */
zb_status zb_reduce_probe(zb_reducer *r, bool *found); /* probe.c: try values out */
zb_status zb_reduce_substitute(zb_reducer *r, int v, int u, const int *pi); /* tie.c */
zb_status zb_reduce_tie(zb_reducer *r, int f); /* tie.c: variables tied by zeros */
void zb_reduce_absorb(zb_reducer *r, int f);   /* absorb.c: f into a larger factor */
void zb_reduce_degree(zb_reducer *r, int v);   /* absorb.c: v in one factor or none */

#endif
