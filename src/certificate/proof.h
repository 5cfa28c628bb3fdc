/* How the bounds of a model's parts were reached, kept so that they can be written
 * down.
 *
 * For each part and side the best proof is kept: one of
 *
 *   ORDER    elimination in the part's order;
 *   SLICES   elimination of some slices of a cutset, or of all of them;
 *   BUCKETS  mini-buckets: form, order, weights, shifts and gauges (a zb_state);
 *   FIELD    a product distribution q (mean field), from below.
 *
 * A part without any has the bound that needs no work: from above mini-buckets of
 * single factors, from below the uniform distribution. */
#ifndef ZB_PROOF_H
#define ZB_PROOF_H

#include "simplify/simplify.h"
#include "tighten/state.h"

#include <pthread.h>

typedef enum zb_proof_kind {
    ZB_PROOF_NONE,
    ZB_PROOF_ORDER,
    ZB_PROOF_SLICES,
    ZB_PROOF_BUCKETS,
    ZB_PROOF_FIELD
} zb_proof_kind;

typedef struct zb_proof {
    zb_proof_kind kind;
    double bound;    /* rounding included; not of an exact one */
    bool exact;      /* of both sides: then it is among the upper ones */
    zb_state *state; /* BUCKETS, on the side state_side */
    zb_side state_side;
    double *q;      /* FIELD: of all values of all variables */
    int *cut, ncut; /* SLICES: the cutset */
    int *value;     /* its values, ncut each; NULL: all */
    size_t nvalue;  /* slices */
} zb_proof;

/* What the parts are parts of, all borrowed. */
typedef struct zb_parts {
    const zb_model *given;         /* without evidence, its factors as in its file */
    const zb_reduction *reduction; /* traced; NULL: the model as given */
    int count;
    zb_model *const *part;
    const int *part_of; /* zb_components_split; NULL: there is one */
    int *const *order;  /* of each part; NULL: no proof needs one */
} zb_parts;

typedef struct zb_proofs {
    zb_parts of;
    zb_proof *upper, *lower; /* per part */
    pthread_mutex_t lock;
} zb_proofs;

zb_status zb_proofs_new(zb_proofs **out, const zb_parts *parts);
void zb_proofs_free(zb_proofs *p); /* NULL is fine */

/* Each takes over nothing, and does nothing where p is NULL or there is a proof of a
   bound that is as tight. Any thread may call. */
void zb_proofs_order(zb_proofs *p, int part);
zb_status zb_proofs_buckets(zb_proofs *p, int part, const zb_attempt *a);
/* The sides of a state, of part 0, which leave it; exact: nothing was split. */
zb_status zb_proofs_state(zb_proofs *p, zb_state *state, bool exact);
zb_status zb_proofs_field(zb_proofs *p, int part, const double *q, double bound);

typedef struct zb_slice_set {
    int ncut;
    const int *cut;
    const int *value; /* NULL: all, and the bound is ln Z */
    size_t count;
} zb_slice_set;
zb_status zb_proofs_slices(zb_proofs *p, int part, const zb_slice_set *slices,
                           double bound);

/* The proof of a side. */
static inline const zb_proof *zb_proofs_of(const zb_proofs *p, int part, zb_side side)
{
    bool upper = side != ZB_SIDE_LOWER || p->upper[part].exact;
    return upper ? &p->upper[part] : &p->lower[part];
}

#endif
