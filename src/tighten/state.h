/* What a mini-bucket run found: for each side the form, the order, and the parameters.
 *
 * A state holds no bound. Bounds are always computed again, from the factors of the
 * model at hand; parameters only decide how tight they are. Whatever a file says, what
 * is set is a point that the optimiser could have visited: weights come from logits,
 * shifts of a bucket add up to zero, gauges are invertible and well conditioned. */
#ifndef ZB_STATE_H
#define ZB_STATE_H

#include "tighten/attempt.h"

typedef struct zb_split_state { /* a bucket with several mini-buckets */
    int var, count;
    int positive;           /* lower: which mini-bucket has the positive weight */
    int nshared;            /* variables that index the tables, besides var */
    size_t nweight, ntheta; /* numbers per mini-bucket */
    size_t shared_at;       /* into shared */
    size_t value_at;        /* count * nweight logits, then count * ntheta shifts */
} zb_split_state;

typedef struct zb_gauge_state { /* a gauge that is not the identity */
    int var;
    size_t value_at; /* card * card numbers, rows first */
} zb_gauge_state;

typedef struct zb_side_state {
    bool present;
    zb_form form;
    int variant, form_ibound, ibound;
    int less; /* of attempts of method auto; not in files, which have none of these */
    zb_order order_kind;
    zb_partition partition;
    double max_entries;
    bool extreme, gauged;
    zb_tighten_spec moves; /* side and threads are not used */
    /* the formed model */
    int nvars;
    uint64_t structure; /* zb_state_structure */
    int *card, *order;
    size_t vars_room;
    /* the parameters */
    zb_split_state *split;
    int *shared;
    zb_gauge_state *gauge;
    double *value;
    size_t nsplit, split_room, nshared, shared_room, ngauge, gauge_room, nvalue,
        value_room;
} zb_side_state;

enum { ZB_STATE_UPPER, ZB_STATE_LOWER, ZB_STATE_SIDES };

struct zb_state {
    zb_method method;
    bool simplified; /* the model was reduced before it was formed */
    int nvars;       /* of the model as it was given */
    zb_side_state side[ZB_STATE_SIDES];
};

zb_status zb_state_new(zb_state **out);

static inline int zb_state_index(zb_side side)
{
    return side == ZB_SIDE_LOWER ? ZB_STATE_LOWER : ZB_STATE_UPPER;
}

/* A fingerprint of cardinalities and scopes. */
uint64_t zb_state_structure(const zb_model *model);

/* Copy the attempt's parameters into the state's side. */
zb_status zb_state_keep(zb_state *state, const zb_attempt *attempt);

/* Set what fits: gauges of variables, and weights and shifts of buckets that are split
   alike; the rest stays. gauges: may be taken over too. The attempt must have the
   state's variables. On the lower side gauges that make a factor negative are dropped.
   Ends with zb_tighten_renew. */
zb_status zb_state_apply(const zb_side_state *state, zb_attempt *attempt, bool gauges);

/* The attempt that a side of the state was kept from, once more; of the same model. It
   has the parameters and no bound. */
zb_status zb_state_rebuild(zb_attempt **out, const zb_model *model,
                           const zb_state *state, zb_side side, zb_run *run);

/* How an attempt is made from a state: the options of a run, where they say something
   else than the state. */
typedef struct zb_resume_spec {
    const zb_side_state *from;
    zb_side side;
    bool same_method;      /* what moves is the state's; else `moves` and `extreme` */
    zb_tighten_spec moves; /* of the run's method */
    bool extreme, gauges;
    zb_form form;   /* AUTO: the state's */
    zb_order order; /* AUTO: the state's */
    const int *order_list;
    uint64_t seed;
    int ibound; /* 0: the state's */
} zb_resume_spec;

/* An attempt that goes on from the state, never looser than one that starts fresh.
   *out is NULL, with ZB_OK, when nothing of the state fits the model. *same: the
   structure is the one the state was made for. */
zb_status zb_state_resume(zb_attempt **out, const zb_model *model,
                          const zb_resume_spec *warm, zb_run *run, bool *same,
                          zb_error *err);

#endif
