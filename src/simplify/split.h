/* Factors that are products of smaller ones. */
#ifndef ZB_SPLIT_H
#define ZB_SPLIT_H

#include "model/model.h"

/* A copy of the model in which every factor that is a product of two over fewer
   variables is replaced by these, again and again. All tables must be in logs.
   *pieces: factors more than before. */
zb_status zb_split_model(zb_model **out, const zb_model *model, int *pieces);

#endif
