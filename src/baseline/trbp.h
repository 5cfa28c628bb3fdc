/* Tree-reweighted belief propagation: a proved upper bound on ln Z. */
#ifndef ZB_TRBP_H
#define ZB_TRBP_H

#include "baseline/baseline.h"
#include "model/model.h"

/* A mixture of forests gives every factor an appearance probability; messages and
   mixture are optimised together. The value is the mixture of the forests' exact ln Z,
   a bound whatever the messages are, so it is guaranteed at every stop; exact when the
   factor graph has no cycle. Pairwise models: spanning trees; larger factors: sets of
   factors without a cycle. A run that ends before the forests are made leaves the
   product of all factors' maxima, or nothing. */
zb_status zb_trbp_run(const zb_model *model, const zb_baseline_options *opt,
                      zb_baseline_result *out);

#endif
