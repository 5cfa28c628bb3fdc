#include "tighten/moves.h"

zb_tighten_spec zb_moves(const zb_options *opt, zb_side side)
{
    const zb_method_row *m = zb_method_find(opt->method);
    bool paper = zb_moves_as_paper(opt), fixed = zb_method_is_fixed(m);
    return (zb_tighten_spec){
        .side = side,
        .weights = m->weights,
        /* the paper's shifts are a gauge's diagonal */
        .theta = m->theta || (m->gauges && !paper),
        .gauges = m->gauges && side == ZB_SIDE_UPPER,
        .gradient = !fixed,
        .shared = !paper && !fixed,
        .absolute = paper,
    };
}

/* The paper's step for shifts acts on the difference of two marginals, which is twice
   the gradient. Ours were chosen on spin glasses, Bayesian networks and formulas of all
   strengths (docs/decisions.md): below, far more has to be shifted. */
zb_rates zb_moves_rates(const zb_options *opt, zb_side side)
{
    if (zb_moves_as_paper(opt))
        return (zb_rates){ { opt->step_weight, 2 * opt->step_theta, opt->step_gauge } };
    return (zb_rates){ { 0.2, side == ZB_SIDE_LOWER ? 0.12 : 0.05, 0.2 } };
}
