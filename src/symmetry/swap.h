/* Permutations of the variables that leave the product of all factors as it is, and
 * exchange two given ones. They are guessed by colours, which are refined until
 * neighbourhoods of one colour look the same, and then checked factor by factor, bit by
 * bit: what is found is one, whatever colours say; some are not found. */
#ifndef ZB_SWAP_H
#define ZB_SWAP_H

#include "symmetry/colours.h"

typedef struct zb_swaps {
    const zb_kinds *kinds;
    zb_colours colours; /* of different ones none is the other's image */
    int *image;         /* what was found last; */
    int *moved;         /* the variables that are not their own images, ascending */
    int nmoved;

    /* factors by their variables: those of one class ascending */
    int *key;      /* per axis */
    size_t *slot;  /* of a factor with that key, */
    int *repeated; /* which says how many there are */
    size_t slots;

    zb_colours side[2];
    zb_divider divider;
    zb_sight *listed;
    bool *seen; /* per factor */
    zb_ticker tick;
    zb_hold hold;
} zb_swaps;

/* ZB_ELIMIT: the run, which may be NULL, ended first. To be closed in any case. */
zb_status zb_swaps_open(zb_swaps *s, const zb_kinds *kinds, zb_run *run);
void zb_swaps_close(zb_swaps *s);

/* Some permutation of order two that exchanges a and b, and tends to leave others where
   they are. */
zb_status zb_swaps_find(zb_swaps *s, int a, int b, bool *found);

#endif
