/* Literals of which at most one is true: sets of literals each of which, once it is
 * true, makes the others false by propagation. Found once; they are neither all nor the
 * largest there are. */
#ifndef ZB_GROUPS_H
#define ZB_GROUPS_H

#include "sat/sat.h"

typedef struct zb_groups {
    int count;
    size_t *at;    /* count + 1 offsets into lit */
    uint32_t *lit; /* three and more for each group. Groups come first that have most
                      Booleans that none before them has */
} zb_groups;

/* The sat is as before, with no decision made. Where the time is over, or it would take
   long, there are fewer groups. ZB_ENOMEM. */
zb_status zb_groups_find(zb_groups *g, zb_sat *s);
void zb_groups_clear(zb_groups *g);

#endif
