/* In which sequence the nodes of a tree are computed, and how little memory that takes.
 *
 * Nodes are visited in a postorder, so that the messages not yet used form a stack.
 * Kept alternately at the two ends of one arena (by the parity of their depth), a
 * message is made while its inputs are still there, and no place is ever lost between
 * messages. */
#ifndef ZB_SCHEDULE_H
#define ZB_SCHEDULE_H

#include "tree/tree.h"

typedef struct zb_schedule {
    int *node;   /* children before parents, subtrees contiguous */
    double room; /* doubles of an arena for all that is live at any time */
} zb_schedule;

/* factors: each factor, too, lies in the arena, from when its node is due until that is
   done. */
zb_status zb_schedule_new(zb_schedule **out, const zb_tree *tree, bool factors);
void zb_schedule_free(zb_schedule *s); /* NULL is fine */

/* Where each table lies in an arena of s->room doubles, which must fit a size_t: at[f]
   for factor f (if the schedule is one with factors), at[nfactors + k] for the message
   of node k. A root's message is gone as soon as the next node begins. */
zb_status zb_schedule_place(const zb_schedule *s, const zb_tree *tree, bool factors,
                            size_t *at);

/* Tables begin at cache lines. */
static inline size_t zb_whole_lines(size_t doubles)
{
    return (doubles + 7) & ~(size_t)7;
}

#endif
