/* Names of variables and of their states. A model may have none, or some. */
#ifndef ZB_NAMES_H
#define ZB_NAMES_H

#include "model/model.h"

/* All texts one after the other, each ended by '\0'; offset 0 is the empty text, which
   stands for no name. */
struct zb_names {
    size_t *var;   /* per variable: offset of its name */
    size_t *first; /* per variable: where its states begin in state */
    size_t *state; /* offsets of the names of states */
    char *text;
    size_t used, room;
};

/* Name a variable, or a state of it (state -1: the variable), by `length` bytes at
   text. A later name replaces an earlier one. */
zb_status zb_names_set(zb_model *model, int var, int state, const char *text,
                       size_t length);
zb_status zb_names_copy(zb_model *to, const zb_model *from); /* of the same sizes */
void zb_names_free(struct zb_names *names);                  /* NULL is fine */

#endif
