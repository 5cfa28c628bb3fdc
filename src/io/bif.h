/* A BIF file as it is being read: variables and the file itself (bif.c), probabilities
   (bif_table.c). */
#ifndef ZB_BIF_H
#define ZB_BIF_H

#include "io/bif_words.h"
#include "io/formats.h"
#include "model/model.h"

typedef struct zb_bif_var {
    size_t name;  /* in the text */
    size_t first; /* of its states */
    int card;
    bool given; /* its probability was read */
} zb_bif_var;

typedef struct zb_bif {
    zb_bif_words w;
    zb_bif_var *var;
    size_t var_room;
    int vars;
    size_t *state; /* names of states, offsets into the text */
    size_t state_room, states;
    char *text; /* names, each ended by '\0' */
    size_t text_room, text_used;
    size_t *slot; /* variables by their names (base/hash.h) */
    size_t slots;
    zb_model *model;    /* made before the first probability */
    size_t loose;       /* rows that do not sum to 1 */
    int64_t loose_line; /* of the probability with the first of them */
    size_t loose_row;   /* which one it is there, from 1 */
} zb_bif;

/* The next word, a variable that was declared. */
zb_status zb_bif_reference(zb_bif *r, int *out);
/* Is the word read last the name of state x? */
bool zb_bif_is_state(const zb_bif *r, const zb_bif_var *v, int x);
/* From "property" to its semicolon. */
zb_status zb_bif_skip_property(zb_bif *r);
/* After "probability": another factor. */
zb_status zb_bif_probability(zb_bif *r);

#endif
