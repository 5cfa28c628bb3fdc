/* Input compressed by other programs than gzip, which zlib reads by itself. The
 * libraries are optional: what is not built in is still recognised, and named. */
#ifndef ZB_UNPACK_H
#define ZB_UNPACK_H

#include "base/base.h"

typedef enum zb_unpacked {
    ZB_UNPACK_MORE,   /* in the middle of the data */
    ZB_UNPACK_WHOLE,  /* may end here */
    ZB_UNPACK_BROKEN, /* the data are damaged */
    ZB_UNPACK_MEMORY  /* not enough memory, or the data ask for too much of it */
} zb_unpacked;

typedef struct zb_span {
    char *at;
    size_t left;
} zb_span;

/* What a library does, in src/io/optional: NULLs where it was not found. */
typedef struct zb_codec_calls {
    void *(*open)(void); /* NULL: out of memory */
    /* From in to out, both of which move on; last: in ends the file. */
    zb_unpacked (*run)(void *state, zb_span *in, zb_span *out, bool last);
    void (*close)(void *state);
} zb_codec_calls;

extern const zb_codec_calls zb_codec_xz, zb_codec_zstd;

typedef struct zb_codec {
    const char *name, *library; /* library NULL: none is ever used */
    const char *magic;          /* the first bytes of a file */
    size_t length;
    const zb_codec_calls *calls; /* NULL or with NULLs: not built in */
} zb_codec;

/* What a file that begins with these bytes is compressed by; NULL: nothing. */
const zb_codec *zb_codec_of(const char *bytes, size_t count);

/* Where packed bytes come from: how many were read, 0 at the end, -1 on failure. */
typedef int (*zb_pull)(void *context, char *to, size_t room);

typedef struct zb_unpack {
    const zb_codec *codec;
    void *state;
    zb_pull pull;
    void *context;
    char *buffer; /* packed bytes; in is what is left of them */
    zb_span in;
    bool ended, whole;
} zb_unpack;

/* ZB_ENOMEM, or ZB_EINVAL when the codec is not built in. first: bytes that were read
   already. Close in every case. */
zb_status zb_unpack_open(zb_unpack *u, const zb_codec *codec, zb_pull pull,
                         void *context, const char *first, size_t count);
void zb_unpack_close(zb_unpack *u);

/* Up to room bytes, 0 only at the end. ZB_EIO when pull failed; ZB_EPARSE when the data
   are damaged or, with u->ended, cut off. */
zb_status zb_unpack_read(zb_unpack *u, char *to, size_t room, size_t *got);

#endif
