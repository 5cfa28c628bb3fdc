/* zstd by libzstd, whose own limit on memory is 128 MiB. */
#include "io/unpack.h"

#include <zstd.h>
#include <zstd_errors.h>

static void *open_zstd(void) { return ZSTD_createDStream(); }

static zb_unpacked run_zstd(void *state, zb_span *in, zb_span *out, bool last)
{
    ZSTD_inBuffer from = { in->at, in->left, 0 };
    ZSTD_outBuffer to = { out->at, out->left, 0 };
    size_t code = ZSTD_decompressStream(state, &to, &from);
    (void)last;
    *in = (zb_span){ in->at + from.pos, in->left - from.pos };
    *out = (zb_span){ out->at + to.pos, out->left - to.pos };
    if (!ZSTD_isError(code))
        return code == 0 ? ZB_UNPACK_WHOLE : ZB_UNPACK_MORE;
    ZSTD_ErrorCode why = ZSTD_getErrorCode(code);
    bool memory = why == ZSTD_error_memory_allocation ||
                  why == ZSTD_error_frameParameter_windowTooLarge;
    return memory ? ZB_UNPACK_MEMORY : ZB_UNPACK_BROKEN;
}

static void close_zstd(void *state) { ZSTD_freeDStream(state); }

const zb_codec_calls zb_codec_zstd = { open_zstd, run_zstd, close_zstd };
