/* Branch and bound below a bound by mini-buckets with maxima.
 *
 * Let m_k be the message of mini-bucket k and psi_k the product of what is in it, in
 * logarithms. Along any state the messages cancel, each being added once and taken off
 * once, so that with top the bound at the roots
 *
 *     top - ln f(x) = sum_v loss_v,   loss_v = sum_{k of v} m_k - psi_k(x_v, ...) >= 0,
 *
 * and loss_v depends on v and on variables that are eliminated later. The best state is
 * the one of least loss. It is searched for from the root on, depth first; subtrees
 * that do not depend on each other are searched one by one (branches.h), what was
 * learned of one is kept by its context (recall.h), and what loses as much as is known
 * to be enough is left out. */
#ifndef ZB_EXPLORE_H
#define ZB_EXPLORE_H

#include "pass/pass.h"

typedef struct zb_explorer zb_explorer;

/* After a pass of maxima over the tree, both of which it borrows. memory: bytes for
   what is learned. ZB_ELIMIT: the run ended, or the tree is too deep to be of use. */
zb_status zb_explorer_new(zb_explorer **out, const zb_tree *tree, const zb_pass *pass,
                          uint64_t memory, zb_run *run);
void zb_explorer_free(zb_explorer *e);

typedef struct zb_exploration {
    bool is_found; /* a state that loses less than the budget: the best one */
    double loss;   /* its loss; or no state loses less than this, at least the budget */
    double nodes;  /* values that were tried */
} zb_exploration;

/* Is there a state of a smaller loss? ZB_ELIMIT: the run ended first. What was learned
   on the way counts for later calls. Losses are exact for the tables of the pass but
   for zb_explorer_radius. */
zb_status zb_explorer_search(zb_explorer *e, double budget, zb_run *run,
                             zb_exploration *out);
/* After a search that found one: that state, by variable. */
zb_status zb_explorer_state(zb_explorer *e, double loss, zb_run *run, int *state);

/* How far rounding may move a loss of that size. */
double zb_explorer_radius(const zb_explorer *e, double loss);

#endif
