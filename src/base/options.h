/* The table of options, for the command line, --help and the man page. */
#ifndef ZB_OPTIONS_H
#define ZB_OPTIONS_H

#include "base/base.h"

typedef enum zb_option_kind {
    ZB_KIND_METHOD,
    ZB_KIND_SIDE,
    ZB_KIND_FORM,
    ZB_KIND_ORDER,
    ZB_KIND_OPTIMIZER,
    ZB_KIND_INT,
    ZB_KIND_REAL,
    ZB_KIND_SIZE,
    ZB_KIND_SEED
} zb_option_kind;

typedef struct zb_option_entry {
    zb_option_kind kind;
    const char *option; /* without the dashes */
    const char *const
        *choices;  /* NULL-terminated names, the first the default; or NULL */
    size_t offset; /* of the field in zb_options */
    double least, most;
    const char *help;
} zb_option_entry;

size_t zb_options_count(void);
const zb_option_entry *zb_options_entry(size_t i);

#endif
