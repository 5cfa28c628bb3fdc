/* What the program was made from and by. */
#ifndef ZB_APP_BUILD_H
#define ZB_APP_BUILD_H

#include <jansson.h>

/* {"commit", "compiler", "kernels"}: "unknown" where that is not known. */
json_t *app_build_json(void);
const char *app_build_commit(void); /* of 12 digits, or "unknown" */
const char *app_build_compiler(void);

#endif
