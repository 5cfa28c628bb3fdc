/* The way back: from a state of a reduced model to one of the model that was reduced.
 *
 * A trail has, in the order in which they happened, the removals of one round of
 * reductions, in the values that the round's model had. They are undone in reverse:
 *
 *   fixed     the value that zeros left;
 *   tied      the value that goes with that of another variable;
 *   isolated  any value that was left, each with the same chance;
 *   summed    drawn from the table it was summed out of, given its other variables.
 *
 * If a state of the reduced model is drawn with probability f / Z, what comes out is so
 * of the model before. */
#ifndef ZB_TRAIL_H
#define ZB_TRAIL_H

#include "base/rng.h"
#include "model/model.h"

typedef enum zb_removal { ZB_FIXED, ZB_TIED, ZB_ISOLATED, ZB_SUMMED } zb_removal;

typedef struct zb_undo {
    zb_removal kind;
    int var;
    int count;       /* values left; summed: variables of the table */
    size_t at;       /* into list */
    size_t table_at; /* summed: into table */
    int other;       /* tied: to whom */
} zb_undo;

typedef struct zb_trail {
    struct zb_trail *before;     /* of the round before, or NULL */
    int nvars;                   /* of the round's model */
    int nkept;                   /* variables that were left, var[] of them */
    int *var, *value_at, *value; /* as in zb_reduction, for this round */
    zb_undo *undo;
    size_t count, undo_room;
    int *
        list; /* fixed, isolated: values. Tied: values of the other, then those of the
                 variable. Summed: per axis the variable, its number of values, these */
    size_t used, list_room;
    double *table; /* logarithms */
    size_t entries, table_room;
    bool failed; /* memory was out: of no use */
} zb_trail;

zb_status zb_trail_new(zb_trail **out, int nvars, zb_trail *before);
void zb_trail_free(zb_trail *trail); /* and those before it; NULL is fine */

/* Removals; a trail of NULL keeps none. */
void zb_trail_fixed(zb_trail *trail, int v, int value);
void zb_trail_isolated(zb_trail *trail, int v, int count, const int *value);
void zb_trail_tied(zb_trail *trail, int v, int other, int count, const int *of_other,
                   const int *of_v);
/* Of f, in logs, whose axes have the values `value[value_at[v]] ..`, card[v] each. */
void zb_trail_summed(zb_trail *trail, int v, const zb_factor *f, const int *card,
                     const size_t *value_at, const int *value);

/* What the round left: its model has nkept variables. */
zb_status zb_trail_close(zb_trail *trail, int nkept, const int *var,
                         const int *value_at, const int *value);

/* From a state of the last round's model to one of the first round's. scratch and out
   have as many entries as any model on the way has variables. */
void zb_trail_lift(const zb_trail *trail, const int *state, zb_rng *rng, int *scratch,
                   int *out);

/* What the variables of the first round's model are in the last round's, where none was
   summed out or isolated: variable v has the value of var[v] (-1: of none, it is fixed)
   as a function that is one-to-one. value[at[v] + x] is the value of var[v] at which v
   is x, 0 where v is fixed to x; -1: v is never x. */
typedef struct zb_origins {
    int nvars;
    int *var;
    size_t *at; /* nvars + 1 offsets */
    int *value;
} zb_origins;

/* card: of the first round's model. */
zb_status zb_origins_new(zb_origins **out, const zb_trail *trail, const int *card);
void zb_origins_free(zb_origins *o); /* NULL is fine */

#endif
