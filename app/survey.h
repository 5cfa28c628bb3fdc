/* Everything `info` tells, found without touching a large table: sizes, what reduction
 * leaves, width, and what exact elimination and each ibound would take. */
#ifndef ZB_APP_SURVEY_H
#define ZB_APP_SURVEY_H

#include "input.h"

#include "exact/exact.h"
#include "simplify/simplify.h"

enum { SURVEY_CARDS = 64, SURVEY_ARITIES = 64, SURVEY_IBOUNDS = 64 };

typedef struct survey_row {
    int ibound;
    double largest, total; /* entries of the largest mini-bucket, of all */
    double splits;         /* mini-buckets beyond one per variable; 0: exact */
    double bytes;
    double seconds; /* about, of one pass, or of the exact elimination */
    bool fits;      /* within the memory limit */
} survey_row;

typedef struct survey {
    zb_reduction *reduction;
    int observed;
    int cards[SURVEY_CARDS];     /* [c]: variables of cardinality c; last: c or more */
    int arities[SURVEY_ARITIES]; /* likewise factors by arity */
    size_t largest_table;        /* entries, of the model as given */
    int components, largest_component; /* after reduction */
    int *order; /* of the reduced variables; NULL when there is none */
    zb_exact_plan exact;
    uint64_t memory; /* the limit in force */
    int rows;
    survey_row row[SURVEY_IBOUNDS]; /* from ibound 2 on, the last one exact */
    bool cut; /* rows between the last that fits and the exact one are left out */
} survey;

zb_status survey_make(survey *s, const app_input *in, const zb_options *opt);
void survey_free(survey *s);

#endif
