/* stderr: errors, notes and the live line, which never run into each other. */
#ifndef ZB_APP_CONSOLE_H
#define ZB_APP_CONSOLE_H

#include "zbound.h"

#include <stdbool.h>
#include <stdio.h>

void app_console_quiet(void); /* from now on errors only */
/* Nobody is at a terminal, whatever the descriptors say: mpirun gives its ranks one of
   its own, and writes what they say there into any file. */
void app_console_plain(void);
bool app_is_terminal(int descriptor);

/* "zbound: sentence"; returns code, so that a command can end with it. */
int app_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for a library failure, after saying err's sentence, or the status's
   text when there is none. */
int app_fail_status(zb_status status, const zb_error *err);

/* Colours, where they help: what to write before a text to a descriptor (1 or 2), and
   APP_PLAIN after it. Empty unless that is a terminal that can show them and NO_COLOR
   is not set. */
typedef enum app_colour {
    APP_PLAIN,
    APP_BOLD,
    APP_QUIET,
    APP_GOOD,
    APP_WARN,
    APP_BAD,
    APP_BLUE
} app_colour;
const char *app_ink(int descriptor, app_colour colour);

/* Lines of columns that end with tabs, with spaces instead, as wide as they need. */
void app_columns(FILE *out, const char *text);

/* Replace the live line; only where stderr is a terminal. An empty text removes it. */
bool app_live_possible(void);
void app_live(const char *text);

#endif
