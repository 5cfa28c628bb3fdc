/* Naive mean field: a proved lower bound on ln Z. */
#ifndef ZB_MEANFIELD_H
#define ZB_MEANFIELD_H

#include "baseline/baseline.h"
#include "model/model.h"

/* Coordinate ascent over products of single-variable distributions q, from several
   starting points; the value is energy plus entropy of the best q, a lower bound at
   every stop. On models with zeros q lives on a product set without zeros, grown from a
   configuration of positive weight; when none is found log_value is -INFINITY (exact
   says whether Z = 0 was proved). */
zb_status zb_meanfield_run(const zb_model *model, const zb_baseline_options *opt,
                           zb_baseline_result *out);

#endif
