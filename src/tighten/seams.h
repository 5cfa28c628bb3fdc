/* Gauges of a tree that is spread over ranks.
 *
 * A gauge lies between the two factors of its variable. Where these are in two parts,
 * both hold the gauge, and move it alike: the derivative by it is a sum of two, one
 * from each factor, which the two ranks tell each other after the way down; and on the
 * lower side each says which steps its own tables allow, variable by variable in the
 * sequence of the model, as in one process. Tables never cross. */
#ifndef ZB_SEAMS_H
#define ZB_SEAMS_H

#include "ranks/crew.h"
#include "tighten/gauge.h"
#include "tree/part.h"

typedef struct zb_seam { /* a gauge of which another rank has the other factor */
    int var;             /* in the part */
    int rank;
    int sums_slot, word_slot; /* there */
} zb_seam;

typedef struct zb_seams {
    int nvars;           /* of the part */
    int *first, *second; /* per variable: its factors in the part; -1: not there, or it
                            does not move */
    int count;
    int *var;   /* those that move, in the sequence of the model */
    int *which; /* of each: its seam; -1: both factors are here */
    int nseam;
    zb_seam *seam; /* in the same sequence */
    int slot;      /* the part's own: one for each rank, then one for each seam */
    int slots;
    int any; /* some gauge of the whole tree moves */
} zb_seams;

/* What all parts have in common. */
typedef struct zb_seam_plan {
    const zb_cutting *cut;     /* borrowed */
    int *first, *second;       /* per variable of the tree */
    bool *moves;               /* likewise */
    int *at_first, *at_second; /* its seam's number on the ranks of these */
    int *count;                /* of seams, per rank */
    bool any;
} zb_seam_plan;

/* ZB_EINVAL: the model is not Forney-style. absolute: as of the pass. */
zb_status zb_seam_plan_new(zb_seam_plan **out, const zb_cutting *cut,
                           const zb_model *model, bool absolute);
void zb_seam_plan_free(zb_seam_plan *p); /* NULL is fine */

zb_status zb_seams_new(zb_seams **out, const zb_seam_plan *plan, int rank,
                       const zb_part *part);
void zb_seams_free(zb_seams *s); /* NULL is fine */
void zb_letter_put_seams(zb_letter *l, const zb_seams *s);
zb_status zb_letter_take_seams(zb_letter *l, zb_seams **out);

/* In an epoch: add to the derivatives by gauges (indexed like the gauge's matrix) what
   the other factors contribute. */
void zb_seams_add(const zb_seams *s, const zb_gauge *g, zb_crew *crew, zb_run *run,
                  double *grad);
/* Of the tries that this side of a seam allows, those that both do. */
unsigned zb_seams_agree(const zb_seams *s, int seam, zb_crew *crew, zb_run *run,
                        unsigned mine);

#endif
