/* A DIMACS CNF file: what its reader (cnf.c) hands to the maker of models
   (cnf_model.c). */
#ifndef ZB_CNF_H
#define ZB_CNF_H

#include "io/formats.h"
#include "model/model.h"

#include <stdlib.h>

enum { ZB_CNF_VARIABLES = 1 << 24 }; /* at most */

typedef struct zb_cnf_named { /* a literal or variable outside of clauses */
    int lit;
    int64_t line;
    double weight;
    double rest, radius; /* of one, and how far off that is, nats */
    bool negative, lost; /* below 0; no double holds it */
    size_t text, length; /* the weight as it stands, in zb_cnf's text; length 0: 1 */
} zb_cnf_named;

typedef struct zb_cnf {
    zb_scan *in;
    bool exact; /* weights are kept as they stand, of any sign, and so are projections
                 */
    char *text; /* of the weights */
    size_t text_used, text_room;
    zb_model *model;
    int64_t nvars, claimed, header; /* claimed -1: no header yet; header: its line */
    int *lit;                       /* clause k is lit[at[k]] .. lit[at[k + 1] - 1] */
    size_t lit_room, used;
    size_t *at;
    size_t at_room, clauses;
    zb_cnf_named *given; /* weights, in the order of the file: the last one counts */
    size_t given_room, given_used;
    bool rounded;        /* not all of them are whole numbers below 2^53 */
    zb_cnf_named *shown; /* variables that projections name */
    size_t shown_room, shown_used;
    int64_t show;         /* line of the first projection, 0: none */
    const char *show_how; /* how it is said there */
    bool listed;          /* it is a list, not only a task */
    bool *is_shown;       /* per variable from 1: it is named there; NULL: no list */
    size_t *giver;        /* of each of them, into given */
    double *weight;       /* of literals 1, -1, 2, ..; negative: not given */
    size_t *seen;         /* per literal: 1 + the last clause that it was seen in */
} zb_cnf;

static inline size_t zb_cnf_index(int lit)
{
    return 2 * (size_t)(abs(lit) - 1) + (lit < 0);
}

/* From r->in; only claimed = -1, in and exact are set before. */
zb_status zb_cnf_read(zb_cnf *r);
void zb_cnf_clear(zb_cnf *r);

/* r->model and r->weight from the rest. Clauses are not what they were then. */
zb_status zb_cnf_build(zb_cnf *r);

#endif
