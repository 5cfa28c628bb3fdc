/* How much memory there is, how much of it zbound holds, and how much it may.
 *
 * Every block of zb_alloc is counted, for the process as a whole: a limit is a promise
 * about the process, so that is what it is held against. Plans keep within a limit by
 * forecast; the account is what makes a forecast that was too low an ordinary
 * ZB_ENOMEM instead of a broken promise. */
#ifndef ZB_ACCOUNT_H
#define ZB_ACCOUNT_H

#include "base/base.h"

bool zb_account_take(size_t bytes); /* false: more than may be held; nothing changes */
void zb_account_adjust(int64_t bytes); /* a block turned out larger, or was freed */
uint64_t zb_account_used(void);
uint64_t zb_account_peak(void); /* since the last zb_account_enter on an idle library */

/* While a run is on: the process shall stay within `limit` bytes (UINT64_MAX: no
   limit), code, stacks and what others hold in it included. Runs at the same time may
   take the sum of their limits. Returns what tables may still take. */
uint64_t zb_account_enter(uint64_t limit);
void zb_account_leave(uint64_t limit);
uint64_t zb_account_left(void); /* UINT64_MAX: no limit */

/* The least of: memory that is available, the limits of control groups (v1, v2) less
   what they hold, RLIMIT_AS. zb_memory_default is about 80 % (53 to 80) of it. */
uint64_t zb_memory_available(void);

#endif
