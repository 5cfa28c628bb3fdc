/* Decisions that a search was in the middle of when it was stopped. The next run takes
 * them again, whatever it would choose by then, and so finds in the memo what the last
 * one summed below them. */
#ifndef ZB_PATH_H
#define ZB_PATH_H

#include "count/memo.h"
#include "count/parts.h"

typedef struct zb_path {
    zb_memo *memo;   /* by the parts' keys: a Boolean */
    zb_ticker never; /* its ticker: noting goes on when the time is over */
    int depth;       /* of the deepest decision */
} zb_path;

/* With a share of the bytes that are for sums. The path must not move. */
zb_status zb_path_open(zb_path *path, uint64_t bytes, zb_purse *purse);
void zb_path_close(zb_path *path);

/* The Boolean that was decided on in this part, whose key is made; -1: not known. */
int zb_path_find(zb_path *path, const zb_parts *p, const zb_part *part);
void zb_path_note(zb_path *path, const zb_parts *p, const zb_part *part, int b);

#endif
