/* A factor graph for message passing: free variables, unary log-tables, factors of
 * arity >= 2 as flat log-tables, edges (factor, slot). Variables with one state are
 * dropped, factors with equal scopes are multiplied. */
#ifndef ZB_FACTORGRAPH_H
#define ZB_FACTORGRAPH_H

#include "base/hold.h"
#include "base/rounding.h"
#include "base/run.h"
#include "base/sets.h"
#include "model/table.h"

typedef struct zb_graph {
    int nvars, nfactors, nedges;
    int *card;       /* nvars, each >= 2 */
    int *model_var;  /* nvars: the variable of the model */
    size_t *var_at;  /* nvars + 1 offsets into arrays over all variables' values */
    double *unary;   /* var_at[nvars] log-values */
    int *edge_at;    /* nfactors + 1: edges of factor a, in the order of its table */
    int *edge_var;   /* nedges, increasing within a factor */
    int *edge_fac;   /* nedges */
    int *slot_card;  /* nedges: cardinality of the edge's variable */
    size_t *msg_at;  /* nedges + 1 offsets into arrays of messages */
    size_t *tab_at;  /* nfactors + 1 offsets into table */
    double *table;   /* log-values, C order */
    int *inc_at;     /* nvars + 1 */
    int *inc;        /* nedges: the edges of each variable, by factor */
    size_t max_size; /* entries of the largest factor */
    size_t max_span; /* most values over the slots of one factor */
    double log_scale;
    double radius; /* nats: how far rounding may have moved ln of any weight, the
                      model's own radius included (base/rounding.h) */
    bool acyclic;
    zb_hold hold; /* of all arrays */
} zb_graph;

/* absorb: multiply a factor into one whose scope contains it. ZB_ELIMIT when the run,
   which may be NULL, ended first. */
zb_status zb_graph_new(zb_graph **out, const zb_model *model, bool absorb, zb_run *run);
void zb_graph_free(zb_graph *g);

/* Bytes of its tables and of one set of messages. */
uint64_t zb_graph_bytes(const zb_graph *g);

static inline int zb_graph_arity(const zb_graph *g, int a)
{
    return g->edge_at[a + 1] - g->edge_at[a];
}

/* ---- kernels: tables in C order over the slots of a factor ------------------------
 * What they give is of no use once the ticker is over. */

typedef struct zb_slots {
    int count;
    const int *card; /* values of each */
} zb_slots;

static inline zb_slots zb_graph_slots(const zb_graph *g, int a)
{
    return (zb_slots){ zb_graph_arity(g, a), g->slot_card + g->edge_at[a] };
}

/* out[x] = scale * in[x] + sum_i part[i][x_i]; returns the largest. Zero (-INFINITY)
   stays zero, scale > 0; parts may be -INFINITY, never +INFINITY. out may be in. A
   NULL part counts as 0. */
double zb_joint(zb_slots s, double scale, const double *in, const double *const *part,
                double *out, zb_ticker *tick);

/* out[i][x_i] = ln sum over the other slots of exp(joint[x]), slot by slot; top is the
   largest entry of joint. Exact for values far below the top, too: joint is read again
   after sums have been stored, so no out may be part of it, or of another. */
void zb_slot_marginals(zb_slots s, const double *joint, double top, double *const *out,
                       zb_ticker *tick);

/* out[x] = ln sum over the other slots, for one slot only; out apart from joint. */
void zb_slot_marginal(zb_slots s, int slot, const double *restrict joint,
                      double *restrict out, zb_ticker *tick);

/* ln sum_x exp(in[x]); -INFINITY when all are. */
double zb_log_sum(size_t n, const double *in, zb_ticker *tick);

/* What rounding does to it, in units u: `most` the largest magnitude of in, p the
   distribution proportional to exp(in), d_x >= 0 how far in[x] is below the largest.
   Subtracting: sum p d <= ln n; exp: 2; the sum: n - 1; ln: 2 ln n; adding: most +
   ln n. With 4 ln n <= n + 6 that is no more than this. */
static inline double zb_log_sum_units(size_t n, double most)
{
    return most + 2 * (double)n + 7;
}

/* The largest magnitude among the finite entries; 0 when there is none. */
double zb_magnitude(size_t n, const double *in);

/* Entropy of the distribution proportional to exp(in[x]); 0 when all are zero. */
double zb_log_entropy(size_t n, const double *in, zb_ticker *tick);

/* ---- reweighted messages ----------------------------------------------------------
 */

/* Messages lambda and what they make of the unary tables:
     node_v = unary_v + sum over its edges of lambda,
     table_a - sum over its slots of lambda stays behind in the factor,
   so the product of all is unchanged whatever lambda is. A value found to have weight
   zero in every configuration is dead: node = -INFINITY, for good. */
typedef struct zb_messages {
    const zb_graph *graph;
    double *lambda; /* msg_at */
    double *alive;  /* var_at: unary, -INFINITY once dead */
    double *node;   /* var_at */
    double *joint;  /* max_size */
    double *work;   /* 2 * max_span */
    bool zero;      /* a variable has no living value: Z = 0 */
    zb_ticker tick; /* once it is over, messages are not moved any more */
    zb_hold hold;   /* of the arrays */
} zb_messages;

/* ZB_ELIMIT when the run, which may be NULL, ended first. */
zb_status zb_messages_new(zb_messages **out, const zb_graph *g, zb_run *run);
void zb_messages_free(zb_messages *m);

/* node from scratch: no drift of sums. */
void zb_messages_collect(zb_messages *m);

/* ln of the pseudo-marginal of factor a, not normalised, into m->joint:
   (table_a - sum lambda) / rho + sum node; returns its largest entry. */
double zb_messages_belief(zb_messages *m, int a, double rho);

/* Make the belief of a (appearance probability rho; 1 is ordinary sum-product) agree
   with node on all of its slots: lambda += step * rho * (ln marginal - node).
   change[i]: how far node moved on slot i (range over living values), may be NULL.
   Returns how far the belief disagreed before, the largest over the slots. */
double zb_messages_update(zb_messages *m, int a, double rho, double step,
                          double *change);

#endif
