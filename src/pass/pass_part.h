/* A pass over a part of a tree, for those who run it. Private to pass/. */
#ifndef ZB_PASS_PART_H
#define ZB_PASS_PART_H

#include "pass/pass_state.h"
#include "ranks/crew.h"

/* What node k needs from other parts, on the way up or down; false: the pass is cut. */
bool zb_pass_take(zb_pass *p, int k, bool down);
void zb_pass_hand_on(zb_pass *p, int k);   /* its message, if its parent is elsewhere */
void zb_pass_hand_back(zb_pass *p, int k); /* derivatives by messages from elsewhere */

/* Nodes as soon as what they need is there, in their sequence where nothing is missing:
   none waits for another that does not need it. */
void zb_pass_visit_part(zb_pass *p, zb_pass_visitor *visit, bool down);

/* After the way up: the bound, on rank 0; others reply to it. */
double zb_pass_conclude_part(zb_pass *p);

#endif
