/* Variables queued by (key, second key, tie, number), smallest first. */
#ifndef ZB_ORDER_QUEUE_H
#define ZB_ORDER_QUEUE_H

#include "base/heap.h"

typedef struct zb_order_queue {
    zb_heap heap;
    double *key, *second; /* set before a push; after a change comes an update */
    uint32_t *tie;
} zb_order_queue;

/* Empty; free it even after a failure. */
zb_status zb_order_queue_init(zb_order_queue *q, int n);
void zb_order_queue_free(zb_order_queue *q);
void zb_order_queue_push(zb_order_queue *q, int v);
int zb_order_queue_pop(zb_order_queue *q);
void zb_order_queue_update(zb_order_queue *q, int v);
void zb_order_queue_up(zb_order_queue *q, int v); /* its keys became smaller */

#endif
