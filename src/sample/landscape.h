/* A state of a model with what its variables do to the entries of the factors, so that
 * changing one and asking what a change would gain take as long as its factors are
 * many. */
#ifndef ZB_LANDSCAPE_H
#define ZB_LANDSCAPE_H

#include "base/run.h"
#include "model/model.h"

/* Where a factor's entry is, and what a variable does to it. */
typedef struct zb_incidence {
    int factor;
    size_t stride; /* of the variable in it */
} zb_incidence;

typedef struct zb_landscape {
    const zb_model *m;
    int *state;    /* borrowed */
    size_t *entry; /* per factor: at the state */
    size_t *first; /* per variable, into list; one more at the end */
    zb_incidence *list;
    double *gain; /* of the values of the variable that was asked for last: ln of the
                     product of its factors */
    zb_ticker tick;
} zb_landscape;

zb_status zb_landscape_open(zb_landscape *l, const zb_model *m, int *state,
                            zb_run *run);
void zb_landscape_close(zb_landscape *l);

/* Fill gain for v, the others as they are. */
void zb_landscape_look(zb_landscape *l, int v);
void zb_landscape_move(zb_landscape *l, int v, int x);

/* The entry of a factor at a state. */
size_t zb_landscape_entry(const zb_model *m, const zb_factor *f, const int *state);

#endif
