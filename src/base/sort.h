/* qsort for arrays so long that sorting them has to be interruptible. */
#ifndef ZB_SORT_H
#define ZB_SORT_H

#include "base/run.h"

/* Stable. ZB_ELIMIT, and the elements in any order, when the time is over. */
zb_status zb_sort(void *array, size_t count, size_t size,
                  int (*compare)(const void *, const void *), zb_ticker *tick);

#endif
