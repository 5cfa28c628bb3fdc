/* Exact reductions: a smaller model with the same Z.
 *
 * Removal of cardinality-1 variables, constants and values that a zero forbids; factors
 * multiplied into factors that contain their scope; variables tied one-to-one merged;
 * variables of a single factor summed out; all until nothing changes; factors that are
 * products are split. Tables never grow.
 *
 * Every function asks its run, which may be NULL, and gives ZB_ELIMIT when it ended
 * before there was a result. */
#ifndef ZB_SIMPLIFY_H
#define ZB_SIMPLIFY_H

#include "base/run.h"
#include "model/model.h"
#include "model/record.h"
#include "simplify/trail.h"

typedef struct zb_reduction {
    zb_model *model; /* no evidence, tables in logs with maximum 0, constants in
                        log_scale, every cardinality >= 2, no empty scopes; where Z = 0
                        was found: no variables, log_scale = -INFINITY */
    int *var;        /* reduced variable -> original variable */
    int *value_at;   /* nvars + 1 offsets into value */
    int *value;      /* value x of reduced v was value[value_at[v] + x] */
    zb_trail *trail; /* the way back (zb_simplify_tracked, _kept), else NULL */
    bool kept;       /* no variable was summed out (zb_simplify_kept) */
    zb_sizes before, after;

    /* What became of the variables that are gone (until Z = 0 was found). */
    int trivial;  /* had one value from the start */
    int fixed;    /* zeros left one value */
    int merged;   /* a one-to-one function of another variable */
    int summed;   /* occurred in one factor at last: summed out */
    int isolated; /* occurred in none: ln(cardinality) */

    size_t values_removed; /* forbidden by zeros */
    size_t
        struck;   /* entries set to zero: no entry of another factor agrees with them */
    int split;    /* factors more, where some were products */
    int absorbed; /* factors multiplied into others */
    int constants;    /* factors that became constants */
    int axes_dropped; /* times a factor turned out not to depend on a variable */
    zb_record record; /* how the model came about; of zb_simplify_traced only */
} zb_reduction;

/* The model has no evidence left (zb_model_condition).
   What is not needed but pays (trying values out, pairs of factors, products) is given
   a tenth of the time that is left each, and left out from there on: the result is then
   a model that could be smaller. */
zb_status zb_simplify(zb_reduction **out, const zb_model *model, zb_run *run);

/* Without new_zeros, no entry is set to zero that was not zero before: pairs of factors
   are left alone. Fewer variables go, but where bounds suffer from zeros (negative
   weights) this may be the better start. */
zb_status zb_simplify_with(zb_reduction **out, const zb_model *model, bool new_zeros,
                           zb_run *run);
/* Only what a record can say, which then is in the result: no entry is set to zero that
   was not, and no value tried out. */
zb_status zb_simplify_traced(zb_reduction **out, const zb_model *model, zb_run *run);
/* zb_simplify, with a trail: states of the result can be turned into states of the
   model, by zb_trail_lift. It takes the memory of the tables that variables are summed
   out of. */
zb_status zb_simplify_tracked(zb_reduction **out, const zb_model *model, zb_run *run);
/* The same without sums: variables go only where zeros leave them one value or tie them
   to another. So every state of the model that has a weight is one of the result, with
   the same weight: what holds of single states, as marginals and maxima, is kept too.
   Variables of the result may be in no factor. */
zb_status zb_simplify_kept(zb_reduction **out, const zb_model *model, zb_run *run);
void zb_reduction_free(zb_reduction *r); /* NULL is fine */

/* Another model with the same Z and the same variables, of which those that zeros
   define as functions of others have one value left, as far as that is cheap; NULL when
   there are none. For formulas (tables of zeros and ones): what is far too wide for
   elimination may become narrow. A share of the time. (formulas.c) */
zb_status zb_simplify_formula(zb_model **out, const zb_model *model, zb_run *run);

/* Variables, factors, entries, zeros of a model. */
zb_status zb_measure(const zb_model *model, zb_run *run, zb_sizes *out);

/* Connected components. log_scale and radius go to part 0; a model without variables
   gives one part. part_of_var and var_in_part (nvars entries each, to be freed by
   zb_free) may be NULL. Variables keep their order, evidence is kept. */
zb_status zb_components_split(const zb_model *model, zb_run *run, int *count,
                              zb_model ***parts, int **part_of_var, int **var_in_part);
void zb_components_free(int count, zb_model **parts);
/* How many there would be, and the variables of the largest (NULL: not asked for). */
zb_status zb_components_count(const zb_model *model, int *count, int *largest);

#endif
