/* Models on a lattice, whose pictures say more than tables. */
#ifndef ZB_APP_LATTICE_H
#define ZB_APP_LATTICE_H

#include "zbound.h"

typedef struct page_lattice {
    int rows, cols;
} page_lattice;

/* Whether the variables, row by row, are the sites of a lattice: every factor is about
   one of them or a pair of neighbours, diagonal ones and those across opposite borders
   included, and there are pairs along rows and along columns. */
bool page_lattice_find(page_lattice *lattice, const zb_model *model);

#endif
