/* xz by liblzma. */
#include "io/unpack.h"

#include <lzma.h>

static const uint64_t MOST_MEMORY = UINT64_C(1) << 28; /* xz -9 asks for a quarter */

static void *open_xz(void)
{
    lzma_stream *s = zb_alloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(s, MOST_MEMORY, LZMA_CONCATENATED) == LZMA_OK)
        return s;
    zb_free(s);
    return NULL;
}

static zb_unpacked run_xz(void *state, zb_span *in, zb_span *out, bool last)
{
    lzma_stream *s = state;
    s->next_in = (const uint8_t *)in->at;
    s->avail_in = in->left;
    s->next_out = (uint8_t *)out->at;
    s->avail_out = out->left;
    lzma_ret code = lzma_code(s, last ? LZMA_FINISH : LZMA_RUN);
    *in = (zb_span){ in->at + (in->left - s->avail_in), s->avail_in };
    *out = (zb_span){ out->at + (out->left - s->avail_out), s->avail_out };
    switch (code) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return ZB_UNPACK_MORE; /* nothing to do, for now */
    case LZMA_STREAM_END: return ZB_UNPACK_WHOLE;
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR: return ZB_UNPACK_MEMORY;
    default: return ZB_UNPACK_BROKEN;
    }
}

static void close_xz(void *state)
{
    lzma_end(state);
    zb_free(state);
}

const zb_codec_calls zb_codec_xz = { open_xz, run_xz, close_xz };
