/* Sums by search in a run of method auto: searches that go on from round to round. */
#ifndef ZB_COUNTING_H
#define ZB_COUNTING_H

#include "auto/steer.h"

void zb_counting_close(zb_steer *p);

#endif
