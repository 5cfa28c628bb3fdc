/* A clock that each look at it moves on by a millisecond, in place of src/base/clock.c:
   tests/stoptest_*.c link it. What stops at a time stops at a look, the same one on
   every machine, and the looks that follow can be counted. */
#ifndef ZB_TEST_FAKE_CLOCK_H
#define ZB_TEST_FAKE_CLOCK_H

#include "base/run.h"

long fake_clock_looks(void); /* so far */

/* The work of stop_everywhere is done here; what it looks at from now on, to check the
   result, does not count. */
void fake_clock_done(void);

/* A run that ends at the k-th look from now. Close it with zb_run_close. */
void fake_clock_run(zb_run *run, long k);

/* Stops are prompt: `work`, called without a limit and then with runs that end at so
   many looks spread over it, must return ZB_OK or ZB_ELIMIT, look at the clock no more
   than `most` times after the run's end, and leave no allocation behind. */
typedef struct stop_result {
    long looks;   /* of the whole work, not stopped */
    long stopped; /* runs that were, of these */
    long refused; /* gave ZB_ELIMIT */
} stop_result;
stop_result stop_everywhere(zb_status (*work)(void *context, zb_run *run),
                            void *context, long points, long most);

#endif
