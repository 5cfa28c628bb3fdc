/* Loopy belief propagation: the Bethe estimate of ln Z. */
#ifndef ZB_BP_H
#define ZB_BP_H

#include "baseline/baseline.h"
#include "baseline/factorgraph.h"

/* Sum-product with damping and residual scheduling. The value is an estimate, never a
   bound; exact when the factor graph has no cycle and the messages converged. Z = 0 may
   be proved on the way: then log_value is -INFINITY and exact. */
zb_status zb_bp_run(const zb_model *model, const zb_baseline_options *opt,
                    zb_baseline_result *out);

/* The same on a graph; messages (fresh from zb_messages_new) hold the beliefs after. */
zb_status zb_bp_messages(zb_messages *m, const zb_baseline_options *opt,
                         zb_baseline_result *out);

/* sum_v ln Z_v + sum_a (ln Z_a - sum_{v in a} ln Z_v), Z_v and Z_a the sums of the
   unnormalised beliefs: the Bethe free energy wherever messages are at a fixed point,
   and stationary there. Of no use once the messages' ticker is over. */
double zb_bp_bethe(zb_messages *m);

#endif
