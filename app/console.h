/* stderr: errors, notes and the live line, which never run into each other. */
#ifndef ZB_APP_CONSOLE_H
#define ZB_APP_CONSOLE_H

#include "zbound.h"

#include <stdbool.h>
#include <stdio.h>

void app_console_quiet(void); /* from now on errors only */

/* "zbound: sentence"; returns code, so that a command can end with it. */
int app_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for a library failure, after saying err's sentence, or the status's
   text when there is none. */
int app_fail_status(zb_status status, const zb_error *err);

/* Replace the live line; only where stderr is a terminal. An empty text removes it. */
bool app_live_possible(void);
void app_live(const char *text);

#endif
