/* A priority queue of variables whose keys change: a binary heap on (key, second key,
   tie, index), with each variable's place known. */
#ifndef ZB_ORDER_QUEUE_H
#define ZB_ORDER_QUEUE_H

#include "base.h"

typedef struct zb_order_queue {
    int size;
    int *heap, *place; /* place: -1 when not queued */
    double *key, *second;
    uint32_t *tie;
} zb_order_queue;

zb_status zb_order_queue_init(zb_order_queue *q,
                              int n); /* empty; free it even after a failure */
void zb_order_queue_free(zb_order_queue *q);
void zb_order_queue_clear(zb_order_queue *q, int n);
void zb_order_queue_push(zb_order_queue *q, int v); /* its keys are set before */
int zb_order_queue_pop(zb_order_queue *q);
void zb_order_queue_update(zb_order_queue *q, int v); /* after its keys changed */
void zb_order_queue_up(zb_order_queue *q, int at);    /* from a place in the heap */

#endif
