/* A factor's table brought from its own scope order into the tree's. */
#ifndef ZB_LAYOUT_H
#define ZB_LAYOUT_H

#include "tree/tree.h"

/* The factor's values with axes sorted by elimination position. Returns whether they
   are logarithms. */
bool zb_layout_gather(const zb_tree *tree, const zb_model *model, int factor,
                      double *out);

/* The same, as logarithms. */
void zb_layout_factor(const zb_tree *tree, const zb_model *model, int factor,
                      double *out);

#endif
