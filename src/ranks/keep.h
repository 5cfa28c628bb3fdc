/* A checkpoint: finished work in a directory, kept as it comes, for a run that goes on
 * from there, on any number of ranks.
 *
 *   run              whose it is: a fingerprint of the model and of what is asked
 *   bracket          the best bounds so far
 *   slices-HASH      of one component: the order and the cutset, then every slice that
 *                    is solved
 *
 * `run` and `bracket` are written beside and renamed, so that there is the old one or
 * the new one. Slices are appended, one write each; what a kill leaves of the last one
 * is left out. Everything carries a checksum: what is damaged is an error, never a
 * number.
 */
#ifndef ZB_KEEP_H
#define ZB_KEEP_H

#include "base/run.h"
#include "ranks/letter.h"

#include <stdio.h>

typedef struct zb_keep zb_keep;

/* The directory is made where it is missing. ZB_EPARSE with a sentence: it belongs to
   another model or another question, or is damaged; ZB_EIO: it cannot be used. */
zb_status zb_keep_open(zb_keep **out, const char *path, const zb_model *model,
                       const zb_options *opt, zb_error *err);
/* What was told last is written. ZB_EIO: something could not be kept. */
zb_status zb_keep_close(zb_keep *k, zb_error *err); /* NULL is fine */

/* The best bounds: those of earlier runs, and what this one has; not more than once in
   a second on disk, and at the end. */
void zb_keep_bounds(zb_keep *k, double lower, double upper);
void zb_kept_bounds(zb_keep *k, double *lower, double *upper);

/* ---- slices ---------------------------------------------------------------------- */

typedef struct zb_kept_slices zb_kept_slices; /* of one component */

/* A cutset of which slices are kept for this component; *out NULL: there is none, or
   the run keeps nothing. *cut and *order (of all variables) stay with *out. */
zb_status zb_kept_find(zb_kept_slices **out, zb_keep *k, const zb_model *model,
                       zb_error *err);
/* Begin with one. */
zb_status zb_kept_begin(zb_kept_slices **out, zb_keep *k, const zb_model *model,
                        size_t cut, const int *var, const int *order);
int zb_kept_cutset(const zb_kept_slices *s, const int **var);
const int *zb_kept_order(const zb_kept_slices *s);
size_t zb_kept_count(const zb_kept_slices *s);
/* Any thread. */
bool zb_kept_slice(const zb_kept_slices *s, const int *value, zb_ball *log_z);
void zb_keep_slice(zb_kept_slices *s, const int *value, zb_ball log_z);
void zb_kept_close(zb_kept_slices *s); /* NULL is fine */

#endif
