/* Variables in cells of one colour, divided until neighbourhoods of one colour look the
 * same. Colours depend on what is seen alone, not on numbers of variables: two sides
 * that are divided alike have the same colours. */
#ifndef ZB_COLOURS_H
#define ZB_COLOURS_H

#include "symmetry/kinds.h"

typedef struct zb_colours {
    const zb_kinds *kinds;
    int *member;      /* variables, cell by cell */
    int *place;       /* of a variable in that */
    int *cell;        /* of a variable: the place where its cell begins */
    int *size;        /* of the cell that begins there, */
    uint64_t *colour; /* and its colour */
    int *fresh;       /* variables whose colours are new */
    int nfresh;
    int *changed; /* those that have had a new one since the copy, */
    bool *is_changed;
    int nchanged;
} zb_colours;

typedef struct zb_sight {
    uint64_t seen;
    int cell, v;
} zb_sight;

/* What a division needs, for any number of sides. */
typedef struct zb_divider {
    const zb_kinds *kinds;
    uint64_t *seen; /* per variable: what its factors with new colours look like */
    int *factor, *touched;
    bool *listed, *met; /* factors, variables */
    zb_sight *item;
    zb_ticker tick;
} zb_divider;

zb_status zb_divider_open(zb_divider *d, const zb_kinds *kinds, zb_run *run,
                          zb_hold *hold);
/* Room only. */
zb_status zb_colours_open(zb_colours *c, const zb_kinds *kinds, zb_hold *hold);

/* Cells that no neighbourhood tells apart. ZB_ELIMIT: the run ended first. */
zb_status zb_colours_begin(zb_colours *c, zb_divider *d);
void zb_colours_copy(zb_colours *to, const zb_colours *from);

/* v gets a colour of its own. */
void zb_colours_single(zb_colours *c, int v, uint64_t colour);
/* Neighbours of what is fresh are looked at, and divided: these are fresh then. *sight
   says what came of it: two sides for which it differs are not alike. */
bool zb_colours_round(zb_colours *c, zb_divider *d, uint64_t *sight);

static inline uint64_t zb_colours_of(const zb_colours *c, int v)
{
    return c->colour[c->cell[v]];
}
static inline bool zb_colours_is_single(const zb_colours *c, int v)
{
    return c->size[c->cell[v]] == 1;
}

/* Two numbers as one. */
uint64_t zb_colours_mix(uint64_t a, uint64_t b);

#endif
