/* Ctrl-C and SIGTERM. Until they are caught they end the program at once, as they do
 * with any program: while a model is read, and in commands that have no partial answer.
 * Caught, they ask for an end: the run stops at its next report, the answer is written,
 * and then the program ends by the signal, so that a shell's loop ends with it. */
#ifndef ZB_APP_SIGNALS_H
#define ZB_APP_SIGNALS_H

#include <stdbool.h>

void app_signals_catch(void);
void app_signals_hold(void); /* the answer is being written: nothing may cut it */
bool app_interrupted(void);
void app_signals_ignore(void); /* where another process is asked, and tells */

/* Last of all: end by the signal that was caught, if there was one. */
void app_signals_end(void);

#endif
