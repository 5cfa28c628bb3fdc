/* The numeric pass over a mini-bucket tree: the bound, and all its derivatives. Over a
 * tree in which nothing is split it is elimination, and the bound is ln Z.
 *
 * Split buckets work on logarithms. Unsplit ones work on linear values with a scale,
 * where a plain sum is several times cheaper; if the tables of a node span so many
 * orders of magnitude that products could underflow, that node works on logarithms too,
 * from then on. Factors may be negative (gauges make them so). A subtree of unsplit
 * buckets that is fed by factors only is summed with signs, exactly; from the first
 * split on a path upwards, absolute values are taken, which keeps an upper bound an
 * upper bound. A lower bound is valid only for factors without negative entries: the
 * caller's duty. Everything is allocated by zb_pass_new; a pass allocates nothing.
 *
 * Signed sums and rounding. What rounding did to a sum of terms of both signs is small
 * next to the sum A of their magnitudes, not next to the sum itself. So an upper bound
 * with such sums takes two passes: one over magnitudes, which finds the largest entry
 * of A where signs end, and one in which what leaves the signed sums there is made
 * larger by its radius times that entry. */
#ifndef ZB_PASS_H
#define ZB_PASS_H

#include "base/run.h"
#include "tree/part.h"

typedef struct zb_pass_spec {
    bool gradient; /* zb_pass_backward will be called; without it messages share memory
                    */
    bool keep;     /* neither do they with this: messages will be read */
    bool theta;    /* split nodes have shifts */
    bool shared; /* weights and shifts depend on the variables all mini-buckets share */
    bool absolute; /* absolute values in every sum, as the paper does */
    bool maximum;  /* maxima in the place of all sums, whatever the weights: a bound on
                      the largest product. No way back */
    zb_side side;  /* UPPER or LOWER: a weight of 0 means max or min */
    int threads;   /* 0: all processors */
    size_t divide; /* clique entries from which on nodes are divided; 0: the default */
    zb_run *run;   /* may be NULL; when it ends, a pass under way is given up */
    /* Elimination: one forward pass over the tables of this model, which has no
       evidence, each read when its node is due. As little memory as can be is taken,
       whatever the number of threads, and the run is told how far it has come. NULL:
       the caller sets the factors. */
    const zb_model *once;
    /* The tree is this part of another, whose other parts other ranks have; all set
       their factors and go up and down at the same time. NULL: it is a whole one. */
    const zb_part *part;
    struct zb_crew *crew; /* with part */
    const zb_tree *whole; /* rank 0: what it is a part of; else NULL */
} zb_pass_spec;

typedef struct zb_pass zb_pass;

zb_status zb_pass_new(zb_pass **out, const zb_tree *tree, const zb_pass_spec *spec);
void zb_pass_free(zb_pass *pass);

/* Which nodes lie at the top of a tree, of as many as it has: these are divided among
   threads where they are large, always in the same way. */
zb_status zb_pass_find_top(const zb_tree *tree, bool *top);

/* Bytes that zb_pass_new takes at most; INFINITY if there is none to find out. With
   once, every thread but the first takes its scratch in addition, some hundred
   kilobytes: what is done must not depend on their number. */
double zb_pass_forecast(const zb_tree *tree, const zb_pass_spec *spec);

/* Forget which nodes took to logarithms, as if the pass were new. All factors must be
   set again. */
void zb_pass_reset(zb_pass *pass);

/* Factor tables in the tree's layout (zb_tree: scope sorted by elimination position).
 */
void zb_pass_set_log(zb_pass *pass, int factor, const double *value);
void zb_pass_set_linear(zb_pass *pass, int factor, const double *value,
                        double log_scale);
/* After either: the values themselves are that far, in nats, from what they stand for.
 */
void zb_pass_add_radius(zb_pass *pass, int factor, double radius);
/* The same in shares of the table that the magnitudes run had for this factor. */
void zb_pass_add_noise(zb_pass *pass, int factor, double share);

/* How passes from now on treat signed sums. */
typedef enum zb_signed {
    ZB_SIGNED_PLAIN,      /* as they come: the radius is INFINITY where there are any */
    ZB_SIGNED_MAGNITUDES, /* no factor is negative: note how large sums become. Each is
                             at least the magnitude of the one that takes its place in
                             the certified run */
    ZB_SIGNED_CERTIFIED   /* after a run over magnitudes: made larger by their noise */
} zb_signed;
void zb_pass_treat_signs(zb_pass *pass, zb_signed how);

/* What a pass is like. */
const zb_pass_spec *zb_pass_options(const zb_pass *pass);
size_t zb_pass_bytes(const zb_pass *pass);
int zb_pass_threads(const zb_pass *pass);             /* that work on it */
int zb_pass_parts(const zb_pass *pass, int node);     /* in which a node is worked on */
bool zb_pass_is_exact(const zb_pass *pass, int node); /* is it summed with signs? */
bool zb_pass_by_value(const zb_pass *pass, int node); /* derivatives by linear values */

/* The parameters of all split nodes and the bound's derivatives by them, to be read and
   written in place. Starts: weights 1/R, shifts 0. */
typedef struct zb_pass_param {
    double *weight, *theta;
    double *entropy, *theta_grad;       /* d bound / d weight, d bound / d theta */
    const size_t *weight_at, *theta_at; /* where a node's begin */
    size_t nweight, ntheta;             /* in all */
} zb_pass_param;

zb_pass_param *zb_pass_params(zb_pass *pass);

/* Entries of a split node's shifts and of its weights. */
size_t zb_pass_theta_size(const zb_tree *tree, int node, bool shared);
size_t zb_pass_weight_size(const zb_tree *tree, int node, bool shared);

/* A pass that the run ends has no value: forward returns the bound that always holds
   (INFINITY, or -INFINITY below), and after backward the derivatives mean nothing. */
double zb_pass_forward(zb_pass *pass);
/* The same after a forward, when one factor alone was set again since: only the nodes
   from it to its root are computed. Not after a backward; with gradient or keep. A run
   that has ended is noticed, but zb_pass_watch alone makes one ask again. */
double zb_pass_forward_from(zb_pass *pass, int factor);
/* How far, in nats, rounding may have moved what forward returned from the bound of the
   tables that were set (base/rounding.h): weights that add up to one and shifts that
   add up to zero within rounding count as if they did. INFINITY: signed sums, of which
   nothing is known. */
double zb_pass_radius(const zb_pass *pass);
void zb_pass_backward(zb_pass *pass); /* after forward, once */
/* With part, before forward: what rank 0 knows, and the others have to. */
void zb_pass_put_news(const zb_pass *pass, zb_letter *l);
void zb_pass_take_news(zb_pass *pass, zb_letter *l);
/* With part: some part has factors with signs, though this one may have none. This
   part's tables make no bound; after forward, on rank 0: those of some part do not. */
void zb_pass_expect_signs(zb_pass *pass);
void zb_pass_refuse(zb_pass *pass, bool refused);
bool zb_pass_is_refused(const zb_pass *pass);
bool zb_pass_was_cut(const zb_pass *pass); /* did the run end the last one? */
void zb_pass_watch(zb_pass *pass,
                   zb_run *run); /* the run to ask from now on, or NULL */

/* After forward and before backward, with gradient or keep: the logarithms of a node's
   message; and of what its input (zb_tree: a factor, or -1 - node for its message)
   counts for in it. They differ by the scale of the input's table, which a pass takes
   out and adds to the bound at the end. Signs are lost. */
void zb_pass_read_message(const zb_pass *pass, int node, double *out);
void zb_pass_read_input(const zb_pass *pass, int input, double *out);
/* row[x] += ln psi(x, s) but for a constant, psi the product of a node's inputs and its
   shift, x all values of its variable, s what state says of the others. */
void zb_pass_add_row(const zb_pass *pass, int node, const int *state, double *row);

/* After backward: d bound / d ln|f|, a distribution over the factor's entries; and the
   derivative by the signed entries `value` that were set. */
void zb_pass_belief(const zb_pass *pass, int factor, double *out);
void zb_pass_derivative(const zb_pass *pass, int factor, const double *value,
                        double *out);

/* After backward over tables without negative entries, in a tree without splits:
   beliefs are marginals of the tables that were set. radius[f]: how far, in nats,
   rounding may have moved those of factor f; what lies below ZB_BELIEF_LEAST is lost
   besides. */
#define ZB_BELIEF_LEAST 1e-290
zb_status zb_pass_belief_radii(const zb_pass *pass, double *radius);

#endif
