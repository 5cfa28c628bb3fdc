/* Upper bounds that take no time: no factor exceeds its largest entry. They stand in
 * until there is something better. */
#ifndef ZB_MAXIMA_H
#define ZB_MAXIMA_H

#include "baseline/factorgraph.h"

/* ln Z <= sum_v ln card_v + sum_f max ln f, with the radius of its rounding; INFINITY
   when the time was over first. */
zb_ball zb_maxima_of_model(const zb_model *model, zb_ticker *tick);

/* ln Z <= sum_v ln sum exp unary_v + sum_a max table_a. */
zb_ball zb_maxima_of_graph(const zb_graph *g, zb_ticker *tick);

#endif
