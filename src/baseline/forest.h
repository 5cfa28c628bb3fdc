/* Acyclic parts of a factor graph, and mixtures of them. */
#ifndef ZB_FOREST_H
#define ZB_FOREST_H

#include "baseline/factorgraph.h"

/* Factors that close no cycle, as a rooted forest: every factor has one parent variable
   (the edge tells which), the others are its children. */
typedef struct zb_forest {
    int count;  /* factors */
    int *edge;  /* count: factor and parent variable, children before parents */
    int nroots; /* variables that are no factor's child; isolated ones too */
    int *root;
} zb_forest;

/* Add factors greedily in the given order (all nfactors, best first), leaving out those
   that would close a cycle. ZB_ELIMIT when the time is over. */
zb_status zb_forest_new(zb_forest **out, const zb_graph *g, const int *order,
                        zb_ticker *tick);
void zb_forest_free(zb_forest *f);

/* ln of the sum over all variables of exp(sum_v node_v + sum_{a in forest} table_a), by
   elimination towards the roots, with the radius of its rounding. work has
   zb_forest_work entries. Of no use once the ticker is over. */
zb_ball zb_forest_log_z(const zb_forest *f, const zb_graph *g, const double *node,
                        const double *table, double *work, zb_ticker *tick);
size_t zb_forest_work(const zb_graph *g);
double zb_forest_entries(const zb_forest *f, const zb_graph *g); /* of its tables */

/* A convex combination of forests. rho_a is the weight of the forests that hold a. */
typedef struct zb_mixture {
    const zb_graph *graph;
    int count;
    size_t forest_room, weight_room;
    zb_forest **forest;
    double *weight; /* count, sum 1 */
    double *rho;    /* nfactors; 0 where no forest holds the factor */
    int *used;      /* nfactors: number of forests that hold it */
} zb_mixture;

zb_status zb_mixture_new(zb_mixture **out, const zb_graph *g);
void zb_mixture_free(zb_mixture *mix);

/* Give a forest the share of the weight, the others the rest; takes it over. */
zb_status zb_mixture_add(zb_mixture *mix, zb_forest *forest, double share);

/* Random forests, the factors used least first, at least `least` of them and more until
   every factor is in one; equal weights. ZB_ELIMIT when the time is over. */
zb_status zb_mixture_cover(zb_mixture *mix, int least, uint64_t seed, zb_ticker *tick);

/* Move the share of all weights to forest t. */
void zb_mixture_shift(zb_mixture *mix, int t, double share);

/* Weights to sum 1, rho from them. */
void zb_mixture_refresh(zb_mixture *mix);

#endif
