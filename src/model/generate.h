/* Model families for tests and experiments: declared in zbound.h. Here, what its parts
   share: random tables of positive values. */
#ifndef ZB_GENERATE_H
#define ZB_GENERATE_H

#include "model/model.h"
#include "base/portable_math.h"

/* How every generator begins: *out is NULL; false where either is missing. */
bool zb_generate_begin(zb_model **out, const void *spec);

/* e^(scale * normal) into value[0 .. n-1]; false when one leaves the range of double.
 */
bool zb_generate_table(zb_rng *rng, double scale, size_t n, double *value);

/* N(0, T): T itself, or its root when T is a variance; negative when T makes no sense.
 */
double zb_generate_deviation(double t, bool variance);

/* A model of nvars variables that all have the same cardinality. */
zb_status zb_generate_uniform(zb_model **out, int nvars, int cardinality);

/* A model of nvars variables that all have the same cardinality. */
zb_status zb_generate_uniform(zb_model **out, int nvars, int cardinality);

#endif
