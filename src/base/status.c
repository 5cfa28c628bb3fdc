/* Status texts, error sentences, the machine. */
#include "base/base.h"

#include <stdio.h>
#include <unistd.h>

const char *zb_status_text(zb_status status)
{
    switch (status) {
    case ZB_OK: return "success";
    case ZB_ENOMEM: return "out of memory";
    case ZB_EINVAL: return "invalid argument";
    case ZB_EPARSE: return "malformed file";
    case ZB_EIO: return "cannot read or write";
    case ZB_ELIMIT: return "limit reached";
    case ZB_EBUG: return "internal error";
    }
    return "unknown status";
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *zb_version(void)
{
    return TEXT(ZB_VERSION_MAJOR) "." TEXT(ZB_VERSION_MINOR) "." TEXT(ZB_VERSION_PATCH);
}

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

uint64_t zb_mem_physical(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}
