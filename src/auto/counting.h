/* Sums by search in a run of method auto: searches that go on from round to round. */
#ifndef ZB_COUNTING_H
#define ZB_COUNTING_H

#include "auto/steer.h"

/* Are searches that hold so many bytes kept from round to round, of so much memory? */
bool zb_counting_stays(double bytes, uint64_t memory);

void zb_counting_close(zb_steer *p);

#endif
