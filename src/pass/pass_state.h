/* What a pass consists of. Private to pass/. */
#ifndef ZB_PASS_STATE_H
#define ZB_PASS_STATE_H

#include "pass/pass.h"
#include "pass/plan.h"
#include "pass/pass_table.h"
#include "pass/team.h"
#include "tree/schedule.h"

enum { ZB_PARTS_MOST = 16 };

typedef enum zb_mode { ZB_LINEAR, ZB_LOG } zb_mode;

/* The largest entry of a sum of magnitudes: most 2^exp2. */
typedef struct zb_largest {
    double most;
    int64_t exp2;
} zb_largest;

typedef struct zb_worker { /* one thread's scratch */
    double *buffer, *shared;
    double **grad;
    bool *belief;
    size_t *base, *count;
    zb_ticker *ticker;
} zb_worker;

typedef struct zb_stretch { /* nodes sched->node[first .. last - 1] */
    int first, last;
} zb_stretch;

struct zb_pass {
    const zb_tree *tree; /* borrowed */
    zb_schedule *sched;
    zb_plan *plan;
    zb_job *job; /* of every node, as planned; not with once */
    zb_pass_spec spec;
    double *pool;    /* all tables' values */
    zb_table *table; /* factor f is table f, node k's message is table nfactors + k;
                        that of a factor with empty scope has its logarithm as shift */
    double *fgrad;   /* factors' derivatives */
    size_t *fgrad_at;
    bool linear_given; /* some factor was set to linear values: signs and derivatives by
                          zeros matter */
    /* nodes */
    unsigned char *mode; /* zb_mode */
    bool *is_exact;      /* summed with signs */
    bool *by_value; /* derivatives are by linear values; else by their logarithms */
    zb_pass_param param;
    size_t *weight_at, *theta_at; /* per node; split nodes only */
    zb_stretch *piece;            /* independent runs of the schedule */
    int npiece;
    int *top; /* nodes above all pieces, in the schedule's order */
    int ntop;
    /* Large nodes at the top are worked on in parts. How many does not depend on the
       number of threads, and what parts share is added up in their order. */
    unsigned char *parts; /* per node */
    bool divided;         /* is there such a node? */
    double *shared;       /* derivatives by tables that parts share, for each of them */
    zb_worker *worker;
    int nworker;
    zb_team team;
    zb_sweeper by;
    zb_sum given; /* the scales of all factors, unless one has changed */
    bool given_changed;
    zb_sum log_free; /* ln of the states of variables in no factor */
    double radius;   /* of the last bound */
    zb_signed signs;
    zb_largest *largest; /* per node; NULL without a gradient */
    /* with part */
    int *missing;  /* per node: what it needs and is not there yet */
    int *out_node; /* per outgoing message */
    int *ready;    /* nodes that were passed over, and have it all by now */
    bool *came;    /* per slot */
    bool *in_exact, *in_by_value; /* per incoming message: as of its node */
    bool *born_exact;             /* per node: summed with signs after a reset */
    bool refused; /* this part's tables make no bound; after the way up, rank 0: some
                     part's do not */
    /* and rank 0 */
    double *scale;    /* per node or factor of the whole tree */
    zb_letter turned; /* nodes that work on logarithms, though not split */
    double bound;
    size_t bytes;
    _Atomic bool cut; /* the pass was given up */
    /* with once */
    bool zero;         /* a table is: so is the sum */
    double done, here; /* clique entries of nodes that are finished, of this one */
    double told;       /* when the run was told of it */
};

/* Setting up (pass_place.c, pass_divide.c). */
zb_status zb_pass_place(zb_pass *p);
zb_status zb_pass_cut_pieces(zb_pass *p);
zb_status zb_pass_divide(zb_pass *p);
int zb_pass_worker_count(const zb_tree *tree, const zb_pass_spec *spec);

/* Does memory serve one message after another? Threads run pieces side by side, so it
   cannot then; elimination has no pieces. */
static inline bool zb_pass_in_arena(const zb_pass_spec *spec, int workers)
{
    return !spec->gradient && !spec->keep && spec->part == NULL &&
           (spec->once != NULL || workers == 1);
}

static inline zb_plan_spec zb_pass_plan_spec(const zb_pass_spec *spec)
{
    return (zb_plan_spec){ .gradient = spec->gradient,
                           .theta = spec->theta,
                           .shared = spec->shared,
                           .once = spec->once != NULL };
}

static inline zb_table *zb_pass_input(const zb_pass *p, int in)
{
    return &p->table[in >= 0 ? in : p->tree->nfactors + (-1 - in)];
}

static inline zb_table *zb_pass_message(const zb_pass *p, int k)
{
    return &p->table[p->tree->nfactors + k];
}

static inline bool zb_pass_comes_in(const zb_pass *p, int in)
{
    return p->spec.part != NULL && in >= p->spec.part->nfactors;
}

/* Of a node's input: is it summed with signs, as factors are? */
static inline bool zb_pass_input_is_exact(const zb_pass *p, int in)
{
    if (in < 0)
        return p->is_exact[-1 - in];
    return !zb_pass_comes_in(p, in) || p->in_exact[in - p->spec.part->nfactors];
}

/* With once: the node's loops, with the places of its tables (pass_place.c). */
zb_job *zb_pass_job_once(zb_pass *p, int k);

/* Running (pass_run.c): a kernel, and what it is told. */
typedef enum zb_kernel {
    ZB_LOG_UP,
    ZB_LIN_UP,
    ZB_LOG_DOWN,
    ZB_LIN_DOWN,
    ZB_LIN_DERIVE
} zb_kernel;

typedef struct zb_pass_call {
    zb_kernel kind;
    bool flag; /* measure; entropy is wanted; the message's derivative is by value */
    zb_emit emit;
    double *message; /* written on the way up, read on the way down */
    const double *weight;
    zb_op op;
    double factor;
    const bool *belief; /* per input: the derivative is by its logarithm after all */
} zb_pass_call;

typedef struct zb_pass_reply {
    zb_extent extent;
    double entropy;
} zb_pass_reply;

static inline void zb_pass_weigh(const zb_pass *p, int k, zb_pass_call *c)
{
    static const double one = 1;
    bool split = zb_tree_is_split(p->tree, k);
    c->weight = split ? p->param.weight + p->weight_at[k] : &one;
    if (*c->weight == 0 || p->spec.maximum)
        c->op = p->spec.side == ZB_SIDE_LOWER ? ZB_OP_MIN : ZB_OP_MAX;
}

zb_pass_reply zb_pass_run_node(zb_pass *p, int k, const zb_pass_call *c,
                               const zb_worker *w);

/* Shall node k be worked on? */
bool zb_pass_go_on(zb_pass *p, int k, const zb_worker *w);

/* Run visit over all nodes; down (roots first) or up. */
typedef void zb_pass_visitor(zb_pass *p, int node, const zb_worker *w);
void zb_pass_visit(zb_pass *p, zb_pass_visitor *visit, bool down);

#endif
