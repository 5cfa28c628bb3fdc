/* Ranks that help with brackets. */
#ifndef ZB_HELPERS_H
#define ZB_HELPERS_H

#include "auto/steer.h"
#include "ranks/ranks.h"

zb_stage_fn zb_stage_help;        /* from here on the ranks help */
void zb_helpers_end(zb_steer *p); /* no more */

extern const zb_trade ZB_HELP_TRADE;

#endif
