/* Allocations that fail on request, in place of src/mem.c: tests/memtest_*.c link it.
 */
#ifndef ZB_TEST_MEM_FAIL_H
#define ZB_TEST_MEM_FAIL_H

#include "zbound.h"

extern long zb_test_allocs_left; /* allocations that still succeed; negative: all */
extern long zb_test_allocs_live; /* allocated and not yet freed */
extern long zb_test_bytes_live;  /* their bytes */
extern long zb_test_bytes_peak;  /* the most of it so far; may be set back */

/* Run `run` with 0, 1, 2, ... successful allocations until it returns ZB_OK. Each run
   before that must return ZB_ENOMEM, and no run may leave an allocation behind: on
   success `run` frees what it made. Returns the number of failed runs. */
long fail_each_allocation(zb_status (*run)(void *context), void *context);

/* The same for runs of many thousand allocations, most of them in repetitions: the
   first and the last `ends` of them fail in turn, and a hundred in between. */
void fail_many_allocations(zb_status (*run)(void *context), void *context, long ends);

#endif
