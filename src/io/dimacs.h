/* A formula as its file gives it: clauses, weights as fractions, a projection. */
#ifndef ZB_DIMACS_H
#define ZB_DIMACS_H

#include "base/big.h"
#include "model/model.h"

/* The weight of a literal, over > 0. */
typedef struct zb_fraction {
    zb_big over, below;
    uint32_t base; /* primes of `below` divide this one; 0: or not */
} zb_fraction;

typedef struct zb_dimacs_weight { /* of a variable: of its literals v and -v */
    int var;                      /* from 0 */
    zb_fraction of[2];
} zb_dimacs_weight;

struct zb_dimacs {
    int nvars;
    size_t clauses, *at;
    uint32_t
        *lit; /* clause k is lit[at[k]] .. lit[at[k + 1] - 1], as in sat/clauses.h */
    size_t weights;
    zb_dimacs_weight
        *weight; /* of each variable at most one, and only of those shown */
    bool *shown; /* per variable; NULL: there is no projection */
    zb_dimacs_info info;
    zb_model *model; /* without the projection; NULL: weights do not allow it */
};

/* From what scan reads; src/io/dimacs.c's zb_dimacs_read for tests. */
struct zb_scan;
zb_status zb_dimacs_parse(zb_dimacs **out, struct zb_scan *in);

#endif
