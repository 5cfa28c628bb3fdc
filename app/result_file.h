/* --uai of commands that write their competition file once, at the end. path may be
 * NULL: then nothing happens. */
#ifndef ZB_APP_RESULT_FILE_H
#define ZB_APP_RESULT_FILE_H

#include "app.h"

/* Can it be written? Better known before the work. */
int app_result_check(const char *path);

int app_result_write(const char *path, bool (*write)(void *context, FILE *file),
                     void *context);

#endif
