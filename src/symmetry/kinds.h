/* What the factors of a model are, apart from the variables they are of: factors of one
 * kind have the same table, bit by bit, and axes of a kind that may be exchanged
 * without a change of the table are of one class. So a factor is its kind and, for each
 * class, a set of variables: whoever maps variables to variables and all of these to
 * each other leaves the product as it is. */
#ifndef ZB_KINDS_H
#define ZB_KINDS_H

#include "base/hold.h"
#include "base/run.h"
#include "model/model.h"

typedef struct zb_kinds {
    const zb_model *model;
    int count;
    int *of;      /* per factor */
    int *factor;  /* per kind: the first one of it */
    size_t *axis; /* per factor: its axes begin there; one more at the end */
    int *class;   /* per axis of every factor: the first axis of its class */
    size_t *at;   /* per variable, into touch; one more at the end */
    int *touch;   /* factors */
    zb_ticker tick;
    zb_hold hold;
} zb_kinds;

/* The model has no evidence. ZB_ELIMIT: the run, which may be NULL, ended first. To be
   closed in any case. */
zb_status zb_kinds_open(zb_kinds *k, const zb_model *model, zb_run *run);
void zb_kinds_close(zb_kinds *k);

static inline int zb_kinds_degree(const zb_kinds *k, int v)
{
    return (int)(k->at[v + 1] - k->at[v]);
}

#endif
