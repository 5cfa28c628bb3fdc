/* The betas of a sweep as work of ranks. */
#ifndef ZB_SWEEP_H
#define ZB_SWEEP_H

#include "ranks/ranks.h"

extern const zb_trade ZB_BETA_TRADE;

#endif
