/* What is known of the best state while it is searched for, and the search by branch
 * and bound once there is a bound. */
#ifndef ZB_BRANCH_H
#define ZB_BRANCH_H

#include "map/climb.h"
#include "map/summit.h"

typedef struct zb_summit_job {
    zb_summit *out;
    const zb_model *model;
    const zb_options *opt;
    zb_run *run;
    int *trial; /* a state */
} zb_summit_job;

/* The trial state, if it is better, after single and double flips. */
zb_status zb_summit_enter_state(zb_summit_job *j);

/* A bound with rounding included, and what that may have been. */
void zb_summit_enter_bound(zb_summit_job *j, double upper, double radius);

/* What rounding may have done to the climber's top over beta: in the units of the
   model, whose logarithms are beta times larger in the climber's. */
double zb_summit_slack(const zb_climber *c, double beta);

/* Branch and bound below the climber's top, in a share of the time that is left. What
   it finds is entered; no answer by then is ZB_OK too. */
zb_status zb_summit_branch(zb_summit_job *j, const zb_climber *c, double beta,
                           double share);

#endif
