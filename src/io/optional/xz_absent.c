/* Built without liblzma: xz is recognised and refused. */
#include "io/unpack.h"

const zb_codec_calls zb_codec_xz = { NULL, NULL, NULL };
