/* Looking ahead at zeros while a state is drawn.
 *
 * The zeros of the tables are clauses. Values that they rule out by propagation, given
 * those drawn before, belong to no state of positive weight: leaving them out of a
 * variable's choice keeps every such state possible, and
 *
 *   N'_v = sum over the values that are left of prod_r psi_r <= N_v,
 *
 * so that w = U prod over all buckets of N'_v / prod_r lambda_r is at most U and has
 * the mean Z still. What is learnt from dead ends rules out more; a batch begins anew,
 * so that it does not depend on others. One draw after the other, a propagation for
 * every variable: slower by far, and worth it only where dead ends are the rule. */
#ifndef ZB_AHEAD_H
#define ZB_AHEAD_H

#include "model/model.h"
#include "sample/proposal.h"

/* From now on the proposal looks ahead, by the zeros of this model, whose variables are
   its own, tables in logarithms. ZB_ELIMIT when the clauses would be too many, or the
   run, which may be NULL, ended first: it then does not. Not with signs. */
zb_status zb_proposal_look_ahead(zb_proposal *p, const zb_model *model, zb_run *run);
void zb_proposal_look_no_further(zb_proposal *p); /* as before */
bool zb_proposal_looks_ahead(const zb_proposal *p);

#endif
