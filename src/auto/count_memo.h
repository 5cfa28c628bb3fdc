/* A memo of components: key (a list of words) -> ln of its sum. Bounded memory: when it
 * is full, the half that was used least recently is forgotten. */
#ifndef ZB_COUNT_MEMO_H
#define ZB_COUNT_MEMO_H

#include "base/base.h"

typedef struct zb_memo zb_memo;

zb_status zb_memo_new(zb_memo **out, uint64_t bytes);
void zb_memo_free(zb_memo *memo);
bool zb_memo_find(zb_memo *memo, const uint32_t *key, size_t length, double *value);
void zb_memo_put(zb_memo *memo, const uint32_t *key, size_t length, double value);

#endif
