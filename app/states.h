/* A stream of states, as text, CSV or a NumPy array. */
#ifndef ZB_APP_STATES_H
#define ZB_APP_STATES_H

#include "args.h"

enum { APP_STATES_TEXT, APP_STATES_CSV, APP_STATES_NPY }; /* as --format has them */

typedef struct app_states {
    FILE *file;
    const char *path;
    int format, nvars;
    bool weighted;
    size_t count; /* written so far */
} app_states;

/* By --output, --format and --weighted. APP_USAGE with a sentence when the file cannot
   be opened, or is a pipe and the format needs its length before. CSV begins with the
   model's names of its variables, or x0, x1, .. where it has none. */
int app_states_open(app_states *s, const app_args *args, const zb_model *model);

/* n states, nvars values each, and the logarithms of their weights if weighted; what
   was written is whole lines. */
bool app_states_write(app_states *s, size_t n, const int *state,
                      const double *log_weight);
bool app_states_close(app_states *s); /* false: something was not written */

#endif
