/* Lower bounds of a component by mean field between blocks, from the best state and
   what draws say; they go on from round to round. */
#ifndef ZB_FIELDS_H
#define ZB_FIELDS_H

#include "auto/steer.h"
#include "baseline/blocks.h"

typedef enum zb_fields_hope {
    ZB_FIELDS_OPEN,
    ZB_FIELDS_UNFIT, /* no choice of blocks came to an end in its time */
    ZB_FIELDS_OVER   /* there will be none */
} zb_fields_hope;

typedef struct zb_fields {
    double bound;     /* the best one, */
    double *q;        /* by these distributions; NULL: none yet */
    double from;      /* value of the state that they began at */
    int tried;        /* choices of blocks so far, */
    zb_sequence best; /* and of what kind the best was */
    zb_fields_hope hope;
} zb_fields;

/* For a share of the time until `end` (zb_now()'s clock): more where it leads, next to
   nothing where it is far behind. There is a state; bounds go to the ledger. What lacks
   memory is given up. */
void zb_fields_run(zb_steer *p, zb_run *run, double end);

#endif
