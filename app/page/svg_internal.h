#ifndef ZB_APP_SVG_INTERNAL_H
#define ZB_APP_SVG_INTERNAL_H

#include "page/svg.h"

enum { SVG_TICKS = 32 };

/* Round numbers on an axis that has room for so many; at most SVG_TICKS. step: between
   them, 0 on a logarithmic axis. */
int svg_ticks(const svg_axis *a, double room, double *tick, double *step);

#endif
