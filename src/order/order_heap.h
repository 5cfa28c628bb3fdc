/* A priority queue of variables whose keys change: a binary heap on (key, second key,
   tie, index), with each variable's place known. */
#ifndef ZB_ORDER_HEAP_H
#define ZB_ORDER_HEAP_H

#include "base/base.h"

typedef struct zb_heap {
    int size;
    int *heap, *place; /* place: -1 when not queued */
    double *key, *second;
    uint32_t *tie;
} zb_heap;

zb_status zb_heap_init(zb_heap *q, int n); /* empty; free it even after a failure */
void zb_heap_free(zb_heap *q);
void zb_heap_clear(zb_heap *q, int n);
void zb_heap_push(zb_heap *q, int v); /* its keys are set before */
int zb_heap_pop(zb_heap *q);
void zb_heap_update(zb_heap *q, int v); /* after its keys changed */
void zb_heap_up(zb_heap *q, int at);    /* from a place in the heap */

#endif
