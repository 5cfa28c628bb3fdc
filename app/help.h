/* --help, from the tables. */
#ifndef ZB_APP_HELP_H
#define ZB_APP_HELP_H

#include "args.h"

void app_help_usage(FILE *out);                 /* a few lines */
void app_help(const app_args *args, FILE *out); /* of the program or of its command */

#endif
