/* What a search has learned of subtrees: their least loss given their context, or a
 * bound on it. Places grow in number as long as memory allows; where
 * two meet, the newer one goes first. */
#ifndef ZB_RECALL_H
#define ZB_RECALL_H

#include "map/branches.h"

typedef struct zb_recall zb_recall;

typedef struct zb_lesson {
    double loss;   /* at least; 0 where nothing is known */
    bool is_exact; /* no more than that, either */
} zb_lesson;

/* Takes no more than so many bytes, or a few kilobytes where that is less. */
zb_status zb_recall_new(zb_recall **out, const zb_branches *b, const int *card,
                        uint64_t bytes);
void zb_recall_free(zb_recall *r);

/* state: values by position; of position i, those of its context count. */
zb_lesson zb_recall_ask(const zb_recall *r, int i, const int *state);
void zb_recall_tell(zb_recall *r, int i, const int *state, zb_lesson lesson);

#endif
