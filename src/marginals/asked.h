/* What was asked of a model, from its own variables to questions about the reduced one,
 * and back. Private to marginals/. */
#ifndef ZB_ASKED_H
#define ZB_ASKED_H

#include "marginals/inquiry.h"
#include "simplify/simplify.h"

/* A distribution that was asked for. */
typedef struct zb_topic {
    size_t at, size; /* of its entries in the result; size 0: not asked for */
} zb_topic;

struct zb_marginals {
    int nvars, nfactors;
    zb_topic *var, *factor;
    zb_answers out;
    zb_marginals_info info;
};

typedef struct zb_asked {
    zb_marginals *m;
    const zb_model *given;
    zb_model *free, *model; /* without evidence; the reduced one, with tables of ones,
                               or NULL: Z = 0 was found */
    zb_reduction *reduction;
    zb_origins *origins;
    int *unary, *joint; /* per variable of the reduced model, per factor of the given
                           one: its question; -1: none */
    zb_question *question;
    int count;
    zb_answers answers;
} zb_asked;

/* Reduces the model and puts a question for every topic of m; nothing is known of the
   answers yet. */
zb_status zb_asked_open(zb_asked *a, zb_marginals *m, const zb_model *given,
                        zb_run *run);
void zb_asked_close(zb_asked *a);

/* Do the answers say that Z = 0? Then no entry of some question has a weight. */
bool zb_asked_is_zero(const zb_asked *a);
/* Fill m->out. */
void zb_asked_answer(const zb_asked *a);

#endif
