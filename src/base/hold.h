/* Arrays that are made together and freed together.
 *
 * A structure that owns many arrays keeps a hold. Allocations are tried one after the
 * other; whether all of them succeeded is asked once. */
#ifndef ZB_HOLD_H
#define ZB_HOLD_H

#include "base/base.h"

typedef struct zb_hold { /* { 0 }: holds nothing */
    void **block;
    size_t count, room;
    bool failed; /* some allocation did */
} zb_hold;

/* Like zb_alloc and zb_calloc; what was refused is NULL, and all later ones, too. */
void *zb_hold_alloc(zb_hold *h, size_t count, size_t size);
void *zb_hold_calloc(zb_hold *h, size_t count, size_t size);
void zb_hold_free(zb_hold *h); /* all of it; h is empty then */

static inline zb_status zb_hold_status(const zb_hold *h)
{
    return h->failed ? ZB_ENOMEM : ZB_OK;
}

#endif
