/* The parameters of one split node of a pass. */
#ifndef ZB_TEST_PARAMS_H
#define ZB_TEST_PARAMS_H

#include "pass/pass.h"

static inline double *weights_of(zb_pass *pass, int node)
{
    zb_pass_param *p = zb_pass_params(pass);
    return p->weight + p->weight_at[node];
}

static inline double *thetas_of(zb_pass *pass, int node)
{
    zb_pass_param *p = zb_pass_params(pass);
    return p->theta + p->theta_at[node];
}

static inline const double *entropies_of(zb_pass *pass, int node)
{
    zb_pass_param *p = zb_pass_params(pass);
    return p->entropy + p->weight_at[node];
}

#endif
