/* Slow and plainly right: random models and brute-force sums, for every test. */
#ifndef ZB_TEST_ORACLE_H
#define ZB_TEST_ORACLE_H

#include "zbound.h"

typedef struct random_spec {
    int max_vars, max_card, max_factors, max_arity;
    double zeros;  /* chance that an entry is 0 */
    double spread; /* entries are exp(spread * uniform(-1, 1)) */
    bool evidence; /* observe some variables in some models */
} random_spec;

/* Mixed cardinalities from 1, repeated scopes, empty scopes, disconnected parts. The
   number of joint states is kept below 2^16. NULL when out of memory. */
zb_model *random_model(uint64_t seed, random_spec spec);

/* Clauses of three over n variables of two values, as tables with one zero; the state
   of all ones satisfies them. NULL when out of memory. */
zb_model *random_3cnf(int n, int clauses, uint64_t seed);

/* ln Z by enumeration, evidence respected; -INFINITY for Z = 0. */
double brute_force(const zb_model *model);

/* The same with what rounding may have done to it: bounds are held against this without
   a tolerance. */
typedef struct interval {
    double lower, upper;
} interval;
interval brute_interval(const zb_model *model);

/* Distributions by enumeration, evidence respected: of each scope a table in C order.
   Returns how far, relatively, they may be off; negative: Z = 0. */
typedef struct brute_table {
    int arity;
    const int *scope;
    long double *share;
} brute_table;
double brute_marginals(const zb_model *model, int count, const brute_table *table);

/* ln of the largest weight of a state; -INFINITY where there is none. */
interval brute_best(const zb_model *model);
/* ln of a state's weight; -INFINITY also where it contradicts the evidence. */
interval brute_value(const zb_model *model, const int *state);

/* Whether what the result has of bounds leaves room for ln Z. */
bool brackets(const zb_result *r, interval z);
bool is_below(double lower, interval z);
bool is_above(double upper, interval z);

/* |a - b| <= tol * max(1, |a|, |b|), infinities equal to themselves. */
bool close_to(double a, double b, double tol);

/* The two sides of an exact answer are its radius from the middle, which is small,
   and 0 when nothing was rounded, as for Z = 0. */
bool spans_its_rounding(const zb_result *r);

#endif
