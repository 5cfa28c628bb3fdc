/* An attempt whose tree is spread over ranks (tree/part.h): each rank has the tables,
 * messages, weights and shifts of its nodes, and moves these by itself; messages cross
 * forward and derivatives backward (pass/pass_part.c). Rank 0 decides: it alone knows
 * the bound and the clock, and tells the others what it does, so that they do the same.
 *
 * A gauge lies between two factors, which may be on two ranks: then both have it
 * (seams.h). */
#ifndef ZB_FLEET_H
#define ZB_FLEET_H

#include "ranks/crew.h"
#include "tighten/seams.h"
#include "tighten/tighten.h"

typedef struct zb_fleet zb_fleet;

/* Are there ranks, and is a pass worth their letters? */
bool zb_fleet_pays(const zb_tree *tree, zb_run *run);

typedef struct zb_fleet_spec {
    const zb_tree *tree;   /* borrowed, as long as the spread lives */
    const zb_model *model; /* borrowed during the call */
    zb_tighten_spec tighten;
    bool extreme; /* weights as of MBE */
    bool gauged;  /* gauges move, or will: the model is Forney-style */
} zb_fleet_spec;

/* Rank 0: parts for all, and its own as *own. ZB_ELIMIT with a sentence: a part does
   not fit the memory of a rank. */
zb_status zb_fleet_new(zb_fleet **out, zb_tighten **own, const zb_fleet_spec *spec,
                       zb_run *run, zb_error *err);
void zb_fleet_free(zb_fleet *s);              /* after *own; NULL is fine */
zb_status zb_fleet_status(const zb_fleet *s); /* a rank's memory was out */
zb_crew *zb_fleet_crew(const zb_fleet *s);
const zb_tree *zb_fleet_tree(const zb_fleet *s);

/* What is told before it is done here. */
void zb_fleet_evaluate(zb_fleet *s, const zb_tighten *own, bool gradient);
void zb_fleet_evaluate_as(zb_fleet *s, int how, int load); /* tighten_internal.h */
void zb_fleet_renew(zb_fleet *s);
zb_status zb_fleet_add_gauges(zb_fleet *s, zb_run *run);
void zb_fleet_drop_gauges(zb_fleet *s);
void zb_fleet_stride(zb_fleet *s, const zb_stride *stride);
/* Lower: which mini-bucket of the tree's bucket has the positive weight; sets it. */
int zb_fleet_positive(const zb_fleet *s, int bucket);
void zb_fleet_set_positive(zb_fleet *s, zb_tighten *own, int bucket, int m);

/* Other ranks: until the crew is closed. */
void zb_fleet_serve(zb_crew *crew);

#endif
