/* Forms of a model: equivalent models, of which the gauges need the Forney kind, where
 * every variable sits in exactly two factors.
 *
 *   form.c     what the forms share, and the choice of one
 *   forney.c   equality factors for variables of degree three and more
 *   lattice.c  plaquettes of two-dimensional grids
 *   merge.c    factors merged so that few equality factors are needed
 *
 * The public entry, zb_form_make, is in zbound.h. */
#ifndef ZB_FORM_H
#define ZB_FORM_H

#include "base/run.h"
#include "base/sum.h"
#include "model/table.h"
#include "model/record.h"

typedef struct zb_form_request {
    zb_form form;
    int ibound, variant; /* as for zb_form_make */
    double max_entries;  /* of all tables of the result; 0: no limit */
    zb_run *run;         /* may be NULL */
    zb_record *record;   /* where what is done is recorded, or NULL */
} zb_form_request;

/* zb_form_make within limits: ZB_ELIMIT with a sentence when the tables would have more
   entries, before they are made, or when the run ended. info and err may be NULL. The
   model has no evidence left. */
zb_status zb_form_build(zb_model **out, const zb_model *model,
                        const zb_form_request *request, zb_form_info *info,
                        zb_error *err);

/* How the form that the request asks for comes from the model, ORIGINAL: from cleaning
   it (zb_form_clean), into the request's record. */
zb_status zb_form_trace(const zb_model *model, const zb_form_request *request);

/* Entries of the largest table that a form writes down. */
enum { ZB_FORM_ENTRIES = 1 << 27 };

/* A form under way: what it may take, and what it has come to. */
typedef struct zb_form_job {
    const zb_form_request *request;
    zb_form_info info;
    zb_error *err; /* may be NULL */
    zb_ticker tick;
    zb_record *record; /* may be NULL */
    zb_sum scale; /* ln of the form's constant, and all that was rounded: they are put
                     into the model at the end */
} zb_form_job;

/* ZB_ELIMIT when the work (in operations) took the last of the time. */
zb_status zb_form_spend(zb_form_job *job, double work);
/* ZB_ELIMIT with a sentence when so many entries are too many. */
zb_status zb_form_afford(zb_form_job *job, const char *form, double entries);

/* The two factors of every variable, first[v] < second[v]; nvars entries each.
   ZB_EINVAL when some variable does not sit in exactly two factors. */
zb_status zb_form_pairs(const zb_model *model, int *first, int *second);
bool zb_form_is_forney(const zb_model *model);

/* The model without variables of cardinality one or in no factor, without empty scopes,
   with log tables; constants in log_scale. Variables keep their order. ZB_ELIMIT when
   the run, which may be NULL, ended first. */
zb_status zb_form_clean(zb_model **out, const zb_model *model, zb_run *run);
bool zb_form_is_clean(const zb_model *model); /* false also when memory is out */

/* forney.c. Multiply factors into ones that contain their scope, in place, as long as
   that brings a variable closer to degree two. */
zb_status zb_forney_absorb(zb_model *model, zb_form_job *job);
/* Equality trees and uniform singletons; model is clean, and its variables in no factor
   are those that were summed out: they leave. */
zb_status zb_forney_expand(zb_model **out, const zb_model *model, zb_form_job *job);

/* The grid and its plaquettes; variables of one value are part of the grid. */
zb_status zb_lattice_make(zb_model **out, const zb_model *model, zb_form_job *job);

/* merge.c. Merge the factors of a clean model, in place, joint scopes at most ibound;
   variables left in one factor are summed out. */
zb_status zb_merge_factors(zb_model *model, zb_form_job *job);

#endif
