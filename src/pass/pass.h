/* The numeric pass over a mini-bucket tree: the bound, and all its derivatives.
 *
 * Split buckets work on logarithms. Unsplit ones work on linear values with a scale,
 * where a plain sum is several times cheaper; if the tables of a node span so many
 * orders of magnitude that products could underflow, that node works on logarithms too,
 * from then on. Factors may be negative (gauges make them so). A subtree of unsplit
 * buckets that is fed by factors only is summed with signs, exactly; from the first
 * split on a path upwards, absolute values are taken, which keeps an upper bound an
 * upper bound. A lower bound is valid only for factors without negative entries: the
 * caller's duty. Everything is allocated by zb_pass_new; a pass allocates nothing. */
#ifndef ZB_PASS_H
#define ZB_PASS_H

#include "base/run.h"
#include "pass/gang.h"
#include "pass/plan.h"

typedef struct zb_pass_spec {
    bool gradient; /* zb_pass_backward will be called; without it messages share memory
                    */
    bool theta;    /* split nodes have shifts */
    bool shared; /* weights and shifts depend on the variables all mini-buckets share */
    bool absolute; /* absolute values in every sum, as the paper does */
    zb_side side;  /* UPPER or LOWER: a weight of 0 means max or min */
    int threads;
    size_t divide; /* clique entries from which on nodes are divided; 0: the default */
    zb_run *run;   /* may be NULL; when it ends, a pass under way is given up */
} zb_pass_spec;

enum { ZB_PARTS_MOST = 16 };

typedef enum zb_mode { ZB_LINEAR, ZB_LOG } zb_mode;

typedef struct zb_worker { /* one thread's scratch */
    double *buffer, *shared;
    double **grad;
    bool *belief;
    size_t *base, *count;
    zb_ticker *ticker;
} zb_worker;

typedef struct zb_range_of { /* nodes sched[first .. last - 1] */
    int first, last;
} zb_range_of;

typedef struct zb_table { /* a factor, or a node's message */
    double *value;        /* on the way back, a message's are replaced by derivatives */
    size_t size;
    double scale;  /* of linear values: ln of the factor they are short of */
    double range;  /* of linear values: nats that non-zero magnitudes and one span */
    bool is_log;   /* what the values are at present */
    bool positive; /* linear values, none of them zero or less */
} zb_table;

typedef struct zb_pass {
    const zb_tree *tree; /* borrowed */
    zb_plan *plan;
    zb_pass_spec spec;
    double *pool;    /* all tables' values */
    zb_table *table; /* factor f is table f, node k's message is table nfactors + k */
    double *fgrad;   /* factors' derivatives */
    size_t *fgrad_at;
    bool linear_given; /* some factor was set to linear values: signs and derivatives by
                          zeros matter */
    /* nodes */
    unsigned char *mode; /* zb_mode */
    bool *is_exact;      /* summed with signs */
    bool *by_value; /* derivatives are by linear values; else by their logarithms */
    double *weight, *entropy, *theta, *theta_grad;
    size_t *weight_at, *theta_at; /* per node; split nodes only */
    size_t nweight, ntheta;
    int *sched;         /* nodes, children before parents, subtrees contiguous */
    zb_range_of *piece; /* independent runs of sched */
    int npiece;
    int *top; /* nodes above all pieces, in sched's order */
    int ntop;
    /* Large nodes at the top are worked on in parts. How many does not depend on the
       number of threads, and what parts share is added up in their order. */
    unsigned char *parts; /* per node */
    bool divided;         /* is there such a node? */
    double *shared;       /* derivatives by tables that parts share, for each of them */
    zb_worker *worker;
    int nworker;
    zb_gang gang;
    double *constant; /* values of factors with empty scope, ln; per factor */
    double log_free;  /* ln of the states of variables in no factor */
    size_t bytes;
    _Atomic bool cut; /* the pass was given up */
} zb_pass;

zb_status zb_pass_new(zb_pass **out, const zb_tree *tree, const zb_pass_spec *spec);
void zb_pass_free(zb_pass *pass);
/* Bytes that zb_pass_new takes at most. */
double zb_pass_forecast(const zb_tree *tree, const zb_pass_spec *spec);

/* Forget which nodes took to logarithms, as if the pass were new. All factors must be
   set again. */
void zb_pass_reset(zb_pass *pass);

/* Factor tables in the tree's layout (zb_tree: scope sorted by elimination position).
 */
void zb_pass_set_log(zb_pass *pass, int factor, const double *value);
void zb_pass_set_linear(zb_pass *pass, int factor, const double *value,
                        double log_scale);

/* A split node's parameters and their gradients, to be read and written in place.
   Starts: weights 1/R, shifts 0. */
double *zb_pass_weight(zb_pass *pass, int node);
double *zb_pass_theta(zb_pass *pass, int node);
const double *zb_pass_entropy(const zb_pass *pass, int node); /* d bound / d weight */
const double *zb_pass_theta_grad(const zb_pass *pass, int node);

/* A pass that the run ends has no value: forward returns the bound that always holds
   (INFINITY, or -INFINITY below), and after backward the derivatives mean nothing. */
double zb_pass_forward(zb_pass *pass);
void zb_pass_backward(zb_pass *pass); /* after forward, once */
void zb_pass_watch(zb_pass *pass,
                   zb_run *run); /* the run to ask from now on, or NULL */

/* After backward: d bound / d ln|f|, a distribution over the factor's entries; and the
   derivative by the signed entries `value` that were set. */
void zb_pass_belief(const zb_pass *pass, int factor, double *out);
void zb_pass_derivative(const zb_pass *pass, int factor, const double *value,
                        double *out);

#endif
