/* Files of spins: what the reader (spins.c) hands to the maker of models
   (spins_model.c). */
#ifndef ZB_SPINS_H
#define ZB_SPINS_H

#include "io/formats.h"
#include "model/model.h"

enum { ZB_SPINS_MOST = 1 << 24 }; /* spins, and the largest number of one */

typedef struct zb_spins_entry {
    int i, j; /* as the file numbers them; j -1: a field */
    double value;
    int64_t line;
} zb_spins_entry;

typedef struct zb_spins {
    zb_scan *in;
    zb_format format;
    zb_base base;
    bool binary;    /* variables are 0 and 1, not -1 and +1 */
    int64_t n, m;   /* what the header claims; -1: nothing */
    int64_t header; /* its line, 0: none */
    zb_spins_entry *entry;
    size_t room, used;
    int *label; /* COO: the numbers that occur, ascending */
    int labels;
    zb_model *model;
} zb_spins;

/* r->model from the rest. */
zb_status zb_spins_build(zb_spins *r);

#endif
