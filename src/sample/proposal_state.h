/* What a proposal consists of. Private to sample/. */
#ifndef ZB_PROPOSAL_STATE_H
#define ZB_PROPOSAL_STATE_H

#include "base/hold.h"
#include "sample/proposal.h"

/* A mini-bucket: share[row * card + x] = psi / lambda at value x of the variable and
   row = sum of stride[i] x_var[i]. Of an unsplit bucket of two values only x = 0 is
   kept, one entry a row. */
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
    double radius;
    bool exact;
    zb_hold hold;
};

/* draw.c */
void zb_draw_binary(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b);
void zb_draw_values(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b);

#endif
