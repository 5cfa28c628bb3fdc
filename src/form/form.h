/* Forms of a model: equivalent models, of which the gauges need the Forney kind, where
 * every variable sits in exactly two factors.
 *
 *   form.c     what the forms share: conditioning, products, sums, pairs
 *   forney.c   equality factors for variables of degree three and more
 *   lattice.c  plaquettes of two-dimensional grids
 *   merge.c    factors merged so that few equality factors are needed
 *
 * The public entry, zb_form_make, is in zbound.h. */
#ifndef ZB_FORM_H
#define ZB_FORM_H

#include "model/model.h"

/* With cardinalities of two and more, a table that fits memory has fewer variables. */
enum { ZB_FORM_ARITY = 64 };
/* Entries of the largest table that a form writes down. */
enum { ZB_FORM_ENTRIES = 1 << 27 };

/* The two factors of every variable, first[v] < second[v]; nvars entries each.
   ZB_EINVAL when some variable does not sit in exactly two factors. */
zb_status zb_form_pairs(const zb_model *model, int *first, int *second);
bool zb_form_is_forney(const zb_model *model);

/* The model without evidence, without variables of cardinality one or in no factor,
   without empty scopes, with log tables; constants in log_scale. Variables keep their
   order. */
zb_status zb_form_clean(zb_model **out, const zb_model *model, zb_form_info *info);

/* Factor f in logs, restricted to the evidence, over the variables v with renamed[v] >=
   0 under their new names; the others must be observed or of cardinality one. */
zb_status zb_form_slice(zb_factor *out, const zb_model *model, int f,
                        const int *renamed);
void zb_factor_clear(zb_factor *factor);

/* table(scope) += in, for log tables; scope contains in's. card is by variable. table
   is not in's own. */
void zb_form_multiply(double *table, int arity, const int *scope, const int *card,
                      const zb_factor *in);
/* out[i] = ln sum_x exp in[i, x] over rows of k; out may be in. */
void zb_form_sum(size_t rows, size_t k, const double *in, double *out);

/* forney.c. Multiply factors into ones that contain their scope, in place, as long as
   that brings a variable closer to degree two. */
zb_status zb_forney_absorb(zb_model *model, zb_form_info *info);
/* Equality trees and uniform singletons; model is clean, and its variables in no factor
   are those that were summed out: they leave. */
zb_status zb_forney_expand(zb_model **out, const zb_model *model, zb_form_info *info,
                           zb_error *err);

/* The grid and its plaquettes: model as given, with evidence. */
zb_status zb_lattice_make(zb_model **out, const zb_model *model, int colour,
                          zb_form_info *info, zb_error *err);

/* merge.c. Merge the factors of a clean model, in place, joint scopes at most ibound;
   variables left in one factor are summed out. */
zb_status zb_merge_factors(zb_model *model, int ibound, int variant,
                           zb_form_info *info);

#endif
