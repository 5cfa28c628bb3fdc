/* What the files of zb_counter share. */
#ifndef ZB_COUNT_INTERNAL_H
#define ZB_COUNT_INTERNAL_H

#include "count/ceiling.h"
#include "count/count.h"
#include "count/memo.h"
#include "count/path.h"

struct zb_counter {
    zb_count_spec spec;
    zb_run *run;      /* of the search under way */
    zb_purse purse;   /* of all that follows */
    zb_model *spread; /* the model with weights apart from zeros; NULL: as given */
    zb_clauses *clauses;
    zb_sat *sat;
    zb_parts parts;
    zb_memo *memo;
    zb_path path;
    zb_ceiling *ceiling;
    double *near;  /* per Boolean: preference by the order (guide.h); wide: none */
    int *ask;      /* Booleans that a solution is wanted for */
    zb_ball floor; /* of one solution: a lower bound to tell of */
    int64_t decisions, hits;
    int64_t gaps; /* times that something was left out */
    int levels;   /* decisions above each other, at most */
    bool late;    /* out of time, or out of memory */
    bool zero;    /* the model's constant is: there is nothing to search */
    bool complete;
    bool deep; /* it got deeper than it may */
};

#endif
