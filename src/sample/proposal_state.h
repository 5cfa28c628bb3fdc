/* What a proposal consists of. Private to sample/. */
#ifndef ZB_PROPOSAL_STATE_H
#define ZB_PROPOSAL_STATE_H

#include "base/hold.h"
#include "sample/proposal.h"

/* A mini-bucket: share[row * card + x] = psi / lambda at value x of the variable and
   row = sum of stride[i] x_var[i]. Of an unsplit bucket of two values only x = 0 is
   kept, one entry a row; with signs all are, and they are negative where psi is. */
typedef struct zb_share {
    const int *var;
    const int32_t *stride;
    int count; /* variables besides the one that is drawn */
    double *value;
} zb_share;

typedef struct zb_draw_step { /* one variable */
    int var, card;
    int first, count; /* its mini-buckets; none: every value is as good */
} zb_draw_step;

struct zb_proposal {
    int nvars, max_card;
    int *card;
    zb_draw_step *step; /* as they are drawn */
    zb_share *share;
    int steps;
    double radius;
    bool exact;
    bool is_signed, minus;  /* minus: the sign of what is not drawn */
    struct zb_ahead *ahead; /* NULL: no look ahead */
    zb_hold hold;
};

/* draw.c */
void zb_draw_binary(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b);
void zb_draw_values(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b);

void zb_draw_signed(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b);

/* ahead.c */
bool zb_draw_ahead(const zb_proposal *p, uint64_t seed, uint64_t number, zb_batch *b,
                   zb_ticker *tick);
void zb_ahead_free(struct zb_ahead *a); /* NULL is fine */

/* signs.c: which entries of a node's inputs are negative. */
typedef struct zb_parity {
    const zb_tree *tree;
    const zb_pass *pass;
    const zb_signs *signs;
    double **message; /* of nodes that were summed with signs: 1 where negative */
    zb_hold hold;
} zb_parity;

/* In the order of the nodes: node k's message, from its clique in logarithms and odd,
   which counts the negative inputs of its entries. */
zb_status zb_parity_open(zb_parity *p);
zb_status zb_parity_sum(zb_parity *p, int k, const double *clique, const double *odd);
void zb_parity_close(zb_parity *p);
/* 1 where an entry of the input is negative; false: none is. */
bool zb_parity_input(const zb_parity *p, int input, double *out);

#endif
