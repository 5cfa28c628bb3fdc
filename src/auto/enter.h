/* What a search by mini-buckets has found, into the ledger and the result. */
#ifndef ZB_ENTER_H
#define ZB_ENTER_H

#include "auto/steer.h"
#include "tighten/attempt.h"

/* The attempt's bound of the component at work; its parameters are at the point that
   gives it. Keeps a proof first where proofs are asked for. */
zb_status zb_enter_attempt(zb_steer *p, const zb_attempt *attempt, zb_method method);

/* A pass of a search on one side; more: passes since it last told. False: stop. */
bool zb_enter_pass(zb_steer *p, zb_side side, int ibound, int64_t more, double bound);

/* Variables of its largest mini-bucket that count as its ibound. */
int zb_enter_ibound(const zb_attempt *attempt);

#endif
