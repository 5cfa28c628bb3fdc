/* Factors that are products of smaller ones. */
#ifndef ZB_SPLIT_H
#define ZB_SPLIT_H

#include "base/run.h"
#include "model/model.h"
#include "model/record.h"

/* A copy of the model in which every factor that is a product of two over fewer
   variables is replaced by these, again and again; NULL when there is none. All tables
   must be in logs. *pieces: factors more than before. record may be NULL. ZB_ELIMIT
   when the run, which may be NULL, ended first. */
zb_status zb_split_model(zb_model **out, const zb_model *model, zb_record *record,
                         zb_run *run, int *pieces);

#endif
