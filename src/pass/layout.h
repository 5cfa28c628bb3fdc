/* A factor's table brought from its own scope order into the tree's. */
#ifndef ZB_LAYOUT_H
#define ZB_LAYOUT_H

#include "tree/tree.h"

/* out: the factor's logarithms with axes sorted by elimination position. */
void zb_layout_factor(const zb_tree *tree, const zb_model *model, int factor,
                      double *out);

#endif
