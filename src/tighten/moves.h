/* What a method moves, and how far at first. */
#ifndef ZB_MOVES_H
#define ZB_MOVES_H

#include "base/method.h"
#include "tighten/tighten.h"

/* The parameters that the options' method moves on one side. Gauges of a lower bound
   come later: see zb_tighten_add_gauges. */
zb_tighten_spec zb_moves(const zb_options *opt, zb_side side);

/* First step sizes of weights, shifts and gauges. Unless they are the paper's, those of
   shifts are relative to the factors' spread (zb_attempt). */
zb_rates zb_moves_rates(const zb_options *opt, zb_side side);

static inline bool zb_moves_as_paper(const zb_options *opt)
{
    return opt->optimizer == ZB_OPTIMIZER_PAPER;
}

#endif
