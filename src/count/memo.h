/* A memo of components: key (a list of words) -> its sum, in words as well.
 * Bounded memory: when it is full, the half that was used least recently is forgotten.
 */
#ifndef ZB_MEMO_H
#define ZB_MEMO_H

#include "base/purse.h"
#include "base/rounding.h"
#include "base/run.h"

typedef struct zb_memo zb_memo;

/* At most so many bytes, out of a purse (which may be NULL). Once the ticker says that
   the time is over, nothing is found any more. */
zb_status zb_memo_new(zb_memo **out, uint64_t bytes, zb_purse *purse, zb_ticker *tick);
void zb_memo_free(zb_memo *memo);
/* The value's words, which stay where they are until the next call; NULL: not there. */
const uint32_t *zb_memo_find(zb_memo *memo, const uint32_t *key, size_t length,
                             size_t *count);
void zb_memo_put(zb_memo *memo, const uint32_t *key, size_t length,
                 const uint32_t *value, size_t count);

/* The same where the value is ln of the sum, within a radius. */
bool zb_memo_find_ball(zb_memo *memo, const uint32_t *key, size_t length,
                       zb_ball *value);
void zb_memo_put_ball(zb_memo *memo, const uint32_t *key, size_t length, zb_ball value);

#endif
