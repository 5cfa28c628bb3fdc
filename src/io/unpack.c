#include "io/unpack.h"

#include <string.h>

enum { ROOM = 1 << 16 };

static const zb_codec codecs[] = {
    { "xz", "liblzma",
      "\xFD"
      "7zXZ\0",
      6, &zb_codec_xz },
    { "zstd", "libzstd", "\x28\xB5\x2F\xFD", 4, &zb_codec_zstd },
    { "bzip2", NULL, "BZh", 3, NULL },
};

const zb_codec *zb_codec_of(const char *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (count >= codecs[i].length &&
            memcmp(bytes, codecs[i].magic, codecs[i].length) == 0)
            return &codecs[i];
    return NULL;
}

zb_status zb_unpack_open(zb_unpack *u, const zb_codec *codec, zb_pull pull,
                         void *context, const char *first, size_t count)
{
    *u = (zb_unpack){ .codec = codec, .pull = pull, .context = context };
    if (codec->calls == NULL || codec->calls->open == NULL)
        return ZB_EINVAL;
    u->buffer = zb_alloc(zb_max_size(ROOM, count), 1);
    u->state = codec->calls->open();
    if (u->buffer == NULL || u->state == NULL)
        return ZB_ENOMEM;
    memcpy(u->buffer, first, count);
    u->in = (zb_span){ u->buffer, count };
    return ZB_OK;
}

void zb_unpack_close(zb_unpack *u)
{
    if (u->state != NULL)
        u->codec->calls->close(u->state);
    zb_free(u->buffer);
    *u = (zb_unpack){ 0 };
}

/* New bytes into the empty buffer. */
static zb_status refill(zb_unpack *u)
{
    int n = u->pull(u->context, u->buffer, ROOM);
    if (n < 0)
        return ZB_EIO;
    u->in = (zb_span){ u->buffer, (size_t)n };
    u->ended = n == 0;
    return ZB_OK;
}

zb_status zb_unpack_read(zb_unpack *u, char *to, size_t room, size_t *got)
{
    zb_span out = { to, room };
    zb_status status = ZB_OK;
    while (out.left == room) {
        if (u->in.left == 0 && !u->ended)
            TRY(refill(u));
        size_t before = u->in.left;
        zb_unpacked at = u->codec->calls->run(u->state, &u->in, &out, u->ended);
        bool moved = u->in.left != before || out.left != room;
        if (at == ZB_UNPACK_MEMORY || at == ZB_UNPACK_BROKEN)
            return at == ZB_UNPACK_MEMORY ? ZB_ENOMEM : ZB_EPARSE;
        if (at == ZB_UNPACK_WHOLE || moved)
            u->whole = at == ZB_UNPACK_WHOLE;
        if (u->ended && !moved) { /* nothing left to hope for */
            status = u->whole ? ZB_OK : ZB_EPARSE;
            break;
        }
    }
    *got = room - out.left;
done:
    return status;
}
