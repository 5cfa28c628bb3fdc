/* The back door: what a rank does for rank 0. */
#include "auto/draw_farm.h"
#include "auto/helpers.h"
#include "auto/slice_farm.h"
#include "exact/part_farm.h"
#include "map/summit_farm.h"
#include "marginals/ask_farm.h"
#include "sample/feed_farm.h"
#include "sweep.h"
#include "tighten/fleet.h"

static const zb_trade *const TRADES[ZB_TRADES] = {
    [ZB_TRADE_SLICES] = &ZB_SLICE_TRADE,  [ZB_TRADE_DRAWS] = &ZB_DRAW_TRADE,
    [ZB_TRADE_HELP] = &ZB_HELP_TRADE,     [ZB_TRADE_BETAS] = &ZB_BETA_TRADE,
    [ZB_TRADE_FEEDS] = &ZB_FEED_TRADE,    [ZB_TRADE_PARTS] = &ZB_PART_TRADE,
    [ZB_TRADE_QUESTIONS] = &ZB_ASK_TRADE, [ZB_TRADE_SUMMITS] = &ZB_SUMMIT_TRADE,
};

zb_status zb_ranks_serve(zb_ranks *ranks)
{
    if (ranks == NULL || ranks->transport.rank == 0)
        return ZB_EINVAL;
    return zb_ranks_work(ranks, TRADES, zb_fleet_serve);
}
