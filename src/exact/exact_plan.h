/* The elimination tree of an order, its schedule and its memory: everything about an
 * elimination that can be known without numbers.
 *
 * Variables are renamed by their place in the order: "axis" t is eliminated at step t,
 * in "bucket" t. Axes with a single value are left out of all scopes. A scope is a list
 * of ascending axes; its table is in C order, so that the next axis to be eliminated is
 * the slowest. The message of a bucket goes to the bucket of its slowest axis, the
 * parent. */
#ifndef ZB_EXACT_PLAN_H
#define ZB_EXACT_PLAN_H

#include "exact/exact.h"

enum {
    ZB_ELIM_INPUTS = 32,    /* most tables in one contraction */
    ZB_ELIM_DIRECT = 4096,  /* cliques up to this size are contracted at once */
    ZB_ELIM_FIXED = 1 << 18 /* bytes of a run that do not depend on the model */
};

/* A table as the plan sees it. */
typedef struct zb_span {
    const int *axis;
    int count;
    double size;
} zb_span;

typedef struct zb_elim {
    int n, nfactors;
    int *place; /* variable -> axis */
    int *card;  /* by axis */
    size_t *at; /* factor f has the axes axis[at[f]] .. axis[at[f + 1] - 1] */
    int *axis;
    int *factor_at;       /* bucket t has factors factor[factor_at[t]] .. [t + 1] */
    int *factor;          /* factors without axes are in none */
    int *parent;          /* -1: the message is a number */
    int *child, *sibling; /* first child, next sibling, in the order of the schedule */
    bool *side;     /* a message lies on the other side of the arena than those it is
                       made of */
    double *clique; /* entries of each bucket's clique */
    int *schedule;  /* the buckets, children before parents */
    int max_inputs; /* most inputs of a bucket */
    double arena;   /* doubles that hold all that is live at any time */
    zb_exact_plan cost;
} zb_elim;

/* ZB_ELIMIT when the run, which may be NULL, has to stop. */
zb_status zb_elim_new(zb_elim **out, const zb_scopes *s, const int *order, zb_run *run);
void zb_elim_free(zb_elim *e);

/* Doubles that a table and its scope take in the arena. */
double zb_elim_room(double size, int axes);

/* Entries of the table over the axes, at most ZB_ELIM_HUGE. */
#define ZB_ELIM_HUGE 1e300
double zb_elim_entries(const int *card, int count, const int *axis);

/* The ascending union of the scopes into axis; stamp[a] is set to mark for its axes. */
int zb_elim_union(int count, const zb_span *input, int *stamp, int mark, int *axis);

/* Choose the inputs that are multiplied into one small table before the contraction of
   a bucket: chosen[i] becomes true for these. Returns how many, 0 or at least 2. The
   choice depends on scopes and sizes alone. stamp has a place for each axis, all of
   them different from mark; rank has a place for each input. */
int zb_elim_choose(const int *card, double clique, int count, const zb_span *input,
                   int *stamp, int mark, int *rank, bool *chosen);

#endif
