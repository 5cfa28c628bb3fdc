/* What the methods behind zb_solve share. */
#ifndef ZB_SOLVE_H
#define ZB_SOLVE_H

#include "exact.h"
#include "simplify.h"

/* A reduced model cut into components, each with an order and its exact cost. */
typedef struct zb_part {
    zb_model *model;
    int *order;
    zb_exact_plan plan;
} zb_part;

typedef struct zb_parts {
    zb_reduction *reduced;
    int count;
    zb_model **model; /* the components */
    zb_part *part;
    int width;           /* of the widest */
    double bytes, total; /* to solve all exactly, one after the other; entries */
} zb_parts;

/* seconds: budget for the search of good orders. */
zb_status zb_parts_new(zb_parts **out, const zb_model *model, uint64_t seed,
                       double seconds);
void zb_parts_free(zb_parts *parts);

zb_status zb_exact_solve(const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_result *out, zb_error *err);

uint64_t
zb_memory_limit(const zb_options *opt); /* bytes: as asked, or 80 % of the RAM */

#endif
