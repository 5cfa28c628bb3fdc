/* Questions over ranks: those of components, which know nothing of each other, and of
 * one component the intervals from the neighbourhoods of its questions. Each answer is
 * what one process would have. */
#ifndef ZB_ASK_FARM_H
#define ZB_ASK_FARM_H

#include "marginals/inquiry.h"
#include "ranks/ranks.h"

/* Components: part[i] with its questions, all with the same answers, is asked
   (zb_inquiry_part) where done[i] is set afterwards; the rest is left to the caller. */
zb_status zb_ask_farm_parts(zb_inquiry *part, int count, bool *done, zb_run *run);

/* zb_inquiry_regions for all questions; *done: it was. */
zb_status zb_ask_farm_regions(zb_inquiry *q, double limit, zb_run *run, bool *done);

extern const zb_trade ZB_ASK_TRADE;

#endif
