/* Which scopes contain a variable. */
#ifndef ZB_INCIDENCE_H
#define ZB_INCIDENCE_H

#include "order/order.h"

typedef struct zb_incidence {
    const zb_scopes *scopes; /* borrowed */
    size_t *at;              /* nvars + 1 offsets into scope */
    int *scope;
} zb_incidence;

/* To be freed whatever the status. */
zb_status zb_incidence_new(zb_incidence *g, const zb_scopes *scopes);
void zb_incidence_free(zb_incidence *g);

#endif
