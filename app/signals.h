/* Ctrl-C and SIGTERM ask for an end; the run stops at its next report. */
#ifndef ZB_APP_SIGNALS_H
#define ZB_APP_SIGNALS_H

#include <stdbool.h>

void app_signals_catch(void);
void app_signals_hold(void); /* the answer is being written: nothing may cut it */
bool app_interrupted(void);

#endif
