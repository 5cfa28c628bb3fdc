/* Weights apart from zeros. Reductions multiply the tables of single variables into
 * larger ones, where a search sees different tables wherever a neighbour is set, though
 * nothing but that variable's weight is left of them. */
#ifndef ZB_SPREAD_H
#define ZB_SPREAD_H

#include "base/run.h"
#include "model/model.h"

/* A model with the same variables whose product is the same at every state, within
   its radius: tables of logarithms that are sums over their variables, wherever they
   are not zero, keep their zeros and are constant otherwise; every variable has one
   table with what they add up to. *out is NULL where no table is of this kind. A table
   is taken to be one up to ZB_SPREAD_ULPS roundings of its largest entry.
   ZB_ENOMEM, or ZB_ELIMIT when the ticker says that the time is over. */
enum { ZB_SPREAD_ULPS = 32 };
zb_status zb_spread(zb_model **out, const zb_model *model, zb_ticker *tick);

#endif
