/* Gaps as bars of characters, for terminals. */
#ifndef ZB_APP_GAP_PLOT_H
#define ZB_APP_GAP_PLOT_H

#include <stdio.h>

/* A line for each name whose gap is finite; 0: exact. Lengths go with the logarithm.
   Nothing where fewer than two gaps are above 0. */
void app_gap_plot(FILE *out, int n, const char *const *name, const double *gap);

#endif
