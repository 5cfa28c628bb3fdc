/* Status texts, error sentences. */
#include "base/base.h"

#include <stdio.h>

const char *zb_status_text(zb_status status)
{
    switch (status) {
    case ZB_OK: return "success";
    case ZB_ENOMEM: return "out of memory";
    case ZB_EINVAL: return "invalid argument";
    case ZB_EPARSE: return "malformed file";
    case ZB_EIO: return "cannot read or write";
    case ZB_ELIMIT: return "limit reached";
    }
    return "unknown status";
}

const char *zb_version(void) { return ZB_VERSION; }

zb_status zb_fail(zb_error *err, zb_status status, const char *fmt, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(err->text, sizeof err->text, fmt, args);
        va_end(args);
    }
    return status;
}
