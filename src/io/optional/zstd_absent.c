/* Built without libzstd: zstd is recognised and refused. */
#include "io/unpack.h"

const zb_codec_calls zb_codec_zstd = { NULL, NULL, NULL };
