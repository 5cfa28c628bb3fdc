/* What a checkpoint consists of. Private to ranks/. */
#ifndef ZB_KEEP_FILES_H
#define ZB_KEEP_FILES_H

#include "ranks/keep.h"

/* "zbdckp01", and the byte order */
#define ZB_KEEP_MAGIC UINT64_C(0x3130706b6364627a)

struct zb_keep {
    char *path;
    uint64_t mark; /* the fingerprint */
    pthread_mutex_t lock;
    double lower, upper;
    bool news, failed; /* since they were written; something was not kept */
    double written;    /* when */
};

uint64_t zb_keep_sum(const void *data, size_t bytes);
char *zb_keep_path(const zb_keep *k, const char *name); /* from zb_alloc */
zb_status zb_keep_read(const zb_keep *k, const char *name, zb_letter *out, bool *there,
                       zb_error *err);
bool zb_keep_write(int file, const void *data, size_t bytes);
/* ZB_EIO or ZB_ENOMEM: the old one is still there. */
zb_status zb_keep_replace(const zb_keep *k, const char *name, const zb_letter *l);
void zb_keep_seal(zb_letter *l);

#endif
